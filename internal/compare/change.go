package compare

import (
	"math"

	"wirecost/internal/stats"
)

// exact compares figures that have no noise. Where the files of a side
// disagree, the median stands for them.
func exact(row Row, old, new []float64, threshold float64) Row {
	row.Old, row.New = stats.Median(old), stats.Median(new)
	change := 1.0
	if row.Old != row.New {
		change = row.New / row.Old
	}
	if !math.IsInf(change, 0) {
		row.Change = &change
	}
	switch {
	case change > 1+threshold:
		row.Verdict = Regression
	case change < 1/(1+threshold):
		row.Verdict = Improvement
	default:
		row.Verdict = NoChange
	}
	return row
}

// timed compares ratios to the baseline.
func timed(row Row, old, new []reading, threshold float64) Row {
	old, new = bounded(old), bounded(new)
	row.Old, row.New = math.Exp(mean(old)), math.Exp(mean(new))
	in := interval(old, new)
	change, low, high := row.New/row.Old, math.Exp(in.Low), math.Exp(in.High)
	row.Change = &change
	if low > 0 {
		row.Low = &low
	}
	if !math.IsInf(high, 1) {
		row.High = &high
	}
	beyond := math.Log1p(threshold)
	switch {
	case in.Low > beyond:
		row.Verdict = Regression
	case in.High < -beyond:
		row.Verdict = Improvement
	case in.Low >= -beyond && in.High <= beyond:
		row.Verdict = NoChange
	default:
		row.Verdict = Undecided
	}
	return row
}

// bounded leaves out runs of too few forks for an interval, where others have one.
func bounded(rs []reading) []reading {
	var out []reading
	for _, r := range rs {
		if !math.IsInf(r.low, 0) && !math.IsInf(r.high, 0) {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return rs
	}
	return out
}

// interval is that of the difference of two sides' log-ratios. It puts together
// the runs' own intervals (as MOVER does: Zou and Donner 2008) and the spread
// between runs, in quadrature, since they are independent.
func interval(old, new []reading) stats.Interval {
	d := mean(new) - mean(old)
	between := allowance(old, new)
	down := math.Hypot(math.Hypot(below(new), above(old)), between)
	up := math.Hypot(math.Hypot(above(new), below(old)), between)
	return stats.Interval{Low: d - down, High: d + up}
}

func mean(rs []reading) float64 {
	sum := 0.0
	for _, r := range rs {
		sum += r.x
	}
	return sum / float64(len(rs))
}

// below is how far the interval of the runs' mean reaches below it.
func below(rs []reading) float64 {
	return reach(rs, func(r reading) float64 { return r.x - r.low })
}

func above(rs []reading) float64 {
	return reach(rs, func(r reading) float64 { return r.high - r.x })
}

func reach(rs []reading, width func(reading) float64) float64 {
	sum := 0.0
	for _, r := range rs {
		sum = math.Hypot(sum, width(r))
	}
	return sum / float64(len(rs))
}

// What is supposed of the spread between runs before any is seen
// (docs/compare.md): its standard deviation, and how many degrees of freedom that guess is worth.
const (
	priorSpread = 0.01
	priorWeight = 4
)

// allowance is half the 95% interval of what the spread between runs adds to the
// difference of two sides. The spread is that of the runs about their side's mean, put
// together with the prior guess (the moderated t of Smyth 2004); with one run a side only the guess is
// left, and where the runs contradict the guess, only the runs. A run's own
// uncertainty is in the spread as well and so counts twice, on the safe side.
func allowance(old, new []reading) float64 {
	degrees := float64(len(old) + len(new) - 2)
	squares := scatter(old) + scatter(new)
	if squares <= surprising(degrees)*priorSpread*priorSpread {
		degrees, squares = degrees+priorWeight, squares+priorWeight*priorSpread*priorSpread
	}
	per := 1/float64(len(old)) + 1/float64(len(new))
	return studentT(degrees) * math.Sqrt(squares/degrees*per)
}

func scatter(rs []reading) float64 {
	middle, sum := mean(rs), 0.0
	for _, r := range rs {
		sum += (r.x - middle) * (r.x - middle)
	}
	return sum
}

// studentT is the quantile of Student's distribution at 97.5%: from tables, and
// from 4 degrees of freedom on by the expansion 26.7.5 of Abramowitz and Stegun, within 0.1%.
func studentT(degrees float64) float64 {
	if degrees < 4 {
		return [...]float64{12.706, 4.303, 3.182}[int(max(degrees, 1))-1]
	}
	const z, z2 = normal975, normal975 * normal975
	g1 := z * (z2 + 1) / 4
	g2 := z * ((5*z2+16)*z2 + 3) / 96
	g3 := z * (((3*z2+19)*z2+17)*z2 - 15) / 384
	g4 := z * ((((79*z2+776)*z2+1482)*z2-1920)*z2 - 945) / 92160
	return z + (g1+(g2+(g3+g4/degrees)/degrees)/degrees)/degrees
}

// Quantiles of the normal distribution at 97.5% and 95%.
const (
	normal975 = 1.959963984540054
	normal95  = 1.6448536269514722
)

// surprising is the quantile of the χ² distribution at 95%, by the approximation
// of Wilson and Hilferty 1931, within 3%.
func surprising(degrees float64) float64 {
	if degrees == 0 {
		return 0
	}
	v := 2 / (9 * degrees)
	return degrees * math.Pow(1-v+normal95*math.Sqrt(v), 3)
}
