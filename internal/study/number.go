package study

import (
	"maps"
	"math"
	"slices"
	"strings"

	"wirecost/internal/stats"
)

// Number is an estimate with its interval, or why there is none.
type Number struct {
	Value, Low, High float64
	Forks            int // 0: it is exact
	Problem          string
}

// Known reports whether there is an estimate.
func (n Number) Known() bool { return n.Problem == "" }

// Quantity computes a number from results.
type Quantity func(*Results) Number

const (
	confidence    = 0.95
	intervalForks = 6 // that an interval of that confidence needs
)

// Median is the median over forks with its 95% interval between order statistics;
// below six forks their range.
func (m Measure) Median() Quantity {
	return func(r *Results) Number { return m(r).median() }
}

func (f Forks) median() Number {
	if f.Problem != "" {
		return Number{Problem: f.Problem}
	}
	x := f.ordered()
	n := Number{Value: stats.Median(x), Low: slices.Min(x), High: slices.Max(x), Forks: len(x)}
	if f.Exact {
		n.Forks = 0
	}
	if len(x) >= intervalForks {
		in, _ := stats.MedianInterval(x, confidence)
		n.Low, n.High = in.Low, in.High
	}
	return n
}

// ordered gives the values in the order of the forks.
func (f Forks) ordered() []float64 {
	var out []float64
	for _, n := range slices.Sorted(maps.Keys(f.Values)) {
		out = append(out, f.Values[n])
	}
	return out
}

// ratio is the confidence sequence for the ratio of two measures: it holds at
// every look with error probability alpha (docs/statistics.md). An end that is not
// bounded yet is 0 or +Inf.
func ratio(r *Results, of, to Measure, alpha float64) Number {
	f := Over(of, to)(r)
	switch {
	case f.Problem != "":
		return Number{Problem: f.Problem}
	case f.Exact:
		return f.median()
	}
	var seq stats.ConfidenceSequence = stats.NewSequence(alpha)
	if f.Skewed {
		seq = stats.NewSignSequence(alpha)
	}
	for _, x := range f.ordered() {
		seq.Add(math.Log(x))
	}
	in := seq.Interval()
	return Number{Value: math.Exp(seq.Estimate()), Low: math.Exp(in.Low), High: math.Exp(in.High), Forks: seq.N()}
}

// bounded reports whether both ends of a ratio's interval are.
func (n Number) bounded() bool { return n.Low > 0 && !math.IsInf(n.High, 1) }

// in writes a number in its unit, with its interval if it has one.
func (n Number) in(u Unit) string {
	switch {
	case !n.Known():
		return ""
	case n.Forks == 1 && n.Low == n.High: // one process has no interval
		return "~" + u.Format(n.Value)
	case n.Low == n.High:
		return u.Format(n.Value)
	case !n.bounded() && u == Times:
		return "~" + u.Format(n.Value)
	}
	return u.Format(n.Value) + " (" + span(u.Format(n.Low), u.Format(n.High)) + ")"
}

// alone writes a number in its unit, without its interval.
func (n Number) alone(u Unit) string {
	if !n.Known() {
		return ""
	}
	return u.Format(n.Value)
}

// span writes an interval, with the unit once where both ends have the same.
func span(low, high string) string {
	digits := func(s string) string { return strings.TrimRight(s, "×%") }
	number, unit, _ := strings.Cut(low, " ")
	switch _, other, _ := strings.Cut(high, " "); {
	case unit != "" && unit == other:
		low = number
	case unit == "" && low[len(digits(low)):] == high[len(digits(high)):]:
		low = digits(low)
	}
	if strings.HasPrefix(low, "-") || strings.HasPrefix(high, "-") {
		return low + " to " + high
	}
	return low + "–" + high
}

// codes reports whether a coding is the one asked for, whatever its level.
func codes(coding, asked string) bool { return coding == asked || strings.HasPrefix(coding, asked+":") }
