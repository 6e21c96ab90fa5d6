package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
)

func TestMedianQuantileMAD(t *testing.T) {
	for _, c := range []struct {
		x                []float64
		median, q90, mad float64
	}{
		{[]float64{3}, 3, 3, 0},
		{[]float64{4, 1}, 2.5, 3.7, 1.5},
		{[]float64{9, 1, 5}, 5, 8.2, 4},
		{[]float64{1, 1, 2, 2, 4, 6, 9}, 2, 7.2, 1}, // a common worked example of the MAD
		{[]float64{math.Inf(-1), 0, math.Inf(1), math.Inf(1)}, math.Inf(1), math.Inf(1), math.NaN()},
	} {
		original := slices.Clone(c.x)
		check := func(name string, got, want float64) {
			if got != want && math.Abs(got-want) > 1e-12 && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s(%v) = %v, want %v", name, c.x, got, want)
			}
		}
		check("Median", Median(c.x), c.median)
		check("Quantile 0.9", Quantile(c.x, 0.9), c.q90)
		if !math.IsNaN(c.mad) {
			check("MAD", MAD(c.x), c.mad)
		}
		check("Min", Min(c.x), slices.Min(c.x))
		if !slices.Equal(c.x, original) {
			t.Errorf("%v was changed to %v", original, c.x)
		}
	}
	for _, v := range []float64{Median(nil), MAD(nil), Min(nil), Quantile([]float64{1}, -0.1), Quantile([]float64{1}, math.NaN())} {
		if !math.IsNaN(v) {
			t.Errorf("got %v where there is nothing to say, want NaN", v)
		}
	}
}

// Order statistics and confidence of the two-sided interval for a median, as
// tables of nonparametric statistics print them (for example Conover 1999).
// From n = 8 on a narrower one can reach 95% on one side; then only the confidence
// of the printed orders is compared.
func TestMedianIntervalAgainstTables(t *testing.T) {
	for _, c := range []struct {
		n, l, r    int
		confidence float64
	}{
		{6, 1, 6, 0.9688}, {7, 1, 7, 0.9844}, {9, 2, 8, 0.9609}, {10, 2, 9, 0.9785}, {12, 3, 10, 0.9614},
		{15, 4, 12, 0.9648}, {17, 5, 13, 0.9510}, {20, 6, 15, 0.9586}, {25, 8, 18, 0.9567}, {30, 10, 21, 0.9572},
	} {
		sum := 0.0
		for k := c.l; k < c.r; k++ {
			sum += binomialHalf(c.n, k)
		}
		if math.Abs(sum-c.confidence) > 0.00005 {
			t.Errorf("n = %d: orders %d to %d have confidence %.5f, the table says %.4f", c.n, c.l, c.r, sum, c.confidence)
		}
		l, r, actual := medianOrders(c.n, 0.95)
		if r-l > c.r-c.l || actual < 0.95 {
			t.Errorf("n = %d: orders %d to %d (%.4f); the table's are narrower: %d to %d", c.n, l, r, actual, c.l, c.r)
		}
		if r-l == c.r-c.l && (l != c.l || r != c.r) {
			t.Errorf("n = %d: orders %d to %d, the table says %d to %d", c.n, l, r, c.l, c.r)
		}
	}
}

func TestMedianIntervalAgainstBenchmath(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 30; n++ { // above, benchmath approximates
		for _, confidence := range []float64{0.5, 0.8, 0.9, 0.95, 0.99, 0.999} {
			x := make([]float64, n)
			for i := range x {
				x[i] = math.Round(random.NormFloat64()*20) / 4
			}
			got, actual := MedianInterval(x, confidence)
			want := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(x), &benchmath.DefaultThresholds), confidence)
			// Two intervals may be equally good. Up to 21 values benchmath takes the
			// lower one; above, its rounding decides.
			upper := mirrored(x, confidence)
			same := got.Low == want.Lo && got.High == want.Hi || n > 21 && upper.Low == want.Lo && upper.High == want.Hi
			if !same || math.Abs(actual-want.Confidence) > 1e-9 || Median(x) != want.Center {
				t.Errorf("n = %d at %v: median %v in %v (%.6f), benchmath has %v in [%v, %v] (%.6f)",
					n, confidence, Median(x), got, actual, want.Center, want.Lo, want.Hi, want.Confidence)
			}
		}
	}
}

// mirrored is the interval that the upper of two equal neighbours gives.
func mirrored(x []float64, confidence float64) Interval {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = -x[i]
	}
	i, _ := MedianInterval(y, confidence)
	return Interval{-i.High, -i.Low}
}

func TestMedianIntervalManyValues(t *testing.T) {
	for _, n := range []int{31, 100, 1001, 5000} {
		l, r, actual := medianOrders(n, 0.95)
		half := 0.98 * math.Sqrt(float64(n)) // of the normal approximation
		if actual < 0.95 || actual > 0.975 || math.Abs(float64(r-l)-2*half) > 2 || l+r < n || l+r > n+2 {
			t.Errorf("n = %d: orders %d to %d with %v", n, l, r, actual)
		}
	}
	if i, c := MedianInterval(nil, 0.95); i != Everything() || c != 1 {
		t.Errorf("of nothing: %v with %v", i, c)
	}
}
