package stats

import (
	"math"
	"slices"
)

// Min returns the smallest value, or NaN if there is none.
func Min(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	return slices.Min(x)
}

// Median returns the middle value, or the mean of the two middle ones; NaN if
// there is none. It does not change x.
func Median(x []float64) float64 { return Quantile(x, 0.5) }

// Quantile returns the q-quantile, 0 ≤ q ≤ 1, by linear interpolation between
// the order statistics around position q·(n−1), counted from 0 (definition 7 of
// Hyndman and Fan 1996, the default of R and NumPy). It is NaN if x is empty. It does
// not change x.
func Quantile(x []float64, q float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return quantileSorted(s, q)
}

func quantileSorted(s []float64, q float64) float64 {
	if len(s) == 0 || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	h := q * float64(len(s)-1)
	i := int(h)
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	// A weighted mean, not s[i] + f·(s[i+1]−s[i]): that overflows, and is NaN
	// between two equal infinities.
	f := h - float64(i)
	if f == 0 || s[i] == s[i+1] {
		return s[i]
	}
	return (1-f)*s[i] + f*s[i+1]
}

// MAD returns the median absolute deviation from the median, not scaled; of
// normal values it is 0.6745 standard deviations. NaN if x is empty.
func MAD(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return madSorted(s, nil)
}

// Spread returns the standard deviation, estimated from the MAD as if the values
// were normal; NaN for an empty x.
func Spread(x []float64) float64 { return MAD(x) / normalMAD }

// madSorted is MAD of sorted values; scratch is used if it is large enough.
func madSorted(s, scratch []float64) float64 {
	m := quantileSorted(s, 0.5)
	d := scratch[:0]
	for _, v := range s {
		d = append(d, math.Abs(v-m))
	}
	slices.Sort(d)
	return quantileSorted(d, 0.5)
}

// normalMAD is the MAD of the standard normal distribution.
const normalMAD = 0.674489750196082

// MedianInterval returns an interval for the median of the distribution that x
// was drawn from, between two order statistics, and the confidence that it
// really has, which is at least the one asked for. An end is infinite where x
// has too few values: 95% needs six. It supposes independent values and nothing
// else, and holds for one look only.
//
// The number of values below the median is binomial(n, ½), so order statistics
// l and r (from 1) enclose it with probability Σ pmf(k), l ≤ k < r. The range
// grows from the mode by the likelier neighbour, the lower one on a tie, which is how
// golang.org/x/perf/benchmath chooses (up to 30 values; above, it approximates).
func MedianInterval(x []float64, confidence float64) (Interval, float64) {
	n := len(x)
	if n == 0 || !(confidence < 1) {
		return Everything(), 1
	}
	l, r, actual := medianOrders(n, confidence)
	s := slices.Clone(x)
	slices.Sort(s)
	i := Everything()
	if l >= 1 {
		i.Low = s[l-1]
	}
	if r <= n {
		i.High = s[r-1]
	}
	return i, actual
}

// medianOrders returns the order statistics, counted from 1; 0 and n+1 stand
// for the infinities.
func medianOrders(n int, confidence float64) (l, r int, actual float64) {
	pmf := func(k int) float64 { return binomialHalf(n, k) }
	l = (n+2)/2 - 1 // the mode, the lower of two
	r = l + 1
	actual = pmf(l)
	for actual < confidence && (l > 0 || r <= n) {
		if lp, rp := pmf(l-1), pmf(r); lp >= rp {
			actual += lp
			l--
		} else {
			actual += rp
			r++
		}
	}
	return l, r, min(actual, 1)
}

// binomialHalf is the probability of k successes among n fair coins.
func binomialHalf(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	k = min(k, n-k) // exactly the same for k and n−k
	lf := func(m int) float64 { v, _ := math.Lgamma(float64(m) + 1); return v }
	return math.Exp(lf(n) - lf(k) - lf(n-k) - float64(n)*math.Ln2)
}
