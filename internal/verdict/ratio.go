package verdict

import (
	"fmt"
	"math"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
)

// Ratio is a ratio of times with its interval; Low is 0 and High +Inf where the
// forks do not bound it yet.
type Ratio struct{ Value, Low, High float64 }

func (r Ratio) inverse() Ratio { return Ratio{1 / r.Value, 1 / r.High, 1 / r.Low} }

// times multiplies two ratios. All intervals of a runtime hold together, so the
// product's holds with them; it is wider than it would have to be.
func (r Ratio) times(s Ratio) Ratio {
	return Ratio{r.Value * s.Value, r.Low * s.Low, r.High * s.High}
}

// mix is the ratio of two sums, of which the parts' ratios are known: the mean
// of the ratios, weighted by the parts of the denominator.
func mix(weights []float64, ratios []Ratio) Ratio {
	var sum Ratio
	total := 0.0
	for i, w := range weights {
		total += w
		sum.Value += w * ratios[i].Value
		sum.Low += w * ratios[i].Low
		sum.High += w * ratios[i].High
	}
	return Ratio{sum.Value / total, sum.Low / total, sum.High / total}
}

// bounded reports whether the interval has two ends.
func (r Ratio) bounded() bool { return r.Low > 0 && !math.IsInf(r.High, 1) }

// String writes a ratio with its interval, as in "0.320× (0.305–0.335)", or
// "~1.02× (0.95–1.10)" where it may be 1.
func (r Ratio) String() string {
	s := Digits(r.Value) + "×"
	if r.Low <= 1 && 1 <= r.High {
		s = "~" + s
	}
	if !r.bounded() {
		return s + " (undecided)"
	}
	return fmt.Sprintf("%s (%s–%s)", s, Digits(r.Low), Digits(r.High))
}

// finding is what a ratio comes to.
type finding int

const (
	undecided finding = iota
	less
	more
	same // within ±1%
)

// delta is how far from 1 a ratio counts as the same, and margin how far it must
// be for a winner to be named: less is no reason to choose by.
const (
	delta  = 0.01
	margin = 0.10
)

func (r Ratio) finding() finding {
	switch {
	case r.Low >= 1/(1+delta) && r.High <= 1+delta:
		return same
	case r.High < 1:
		return less
	case r.Low > 1:
		return more
	}
	return undecided
}

// small reports whether the ratio is too near 1 for a winner to be named.
func (r Ratio) small() bool { return r.Value > 1-margin && r.Value < 1/(1-margin) }

// clear reports whether the ratio names a winner.
func (r Ratio) clear() bool {
	f := r.finding()
	return (f == less || f == more) && r.bounded() && !r.small()
}

func (r Ratio) numbers(into map[string]float64) {
	into["ratio"] = r.Value
	if r.Low > 0 {
		into["low"] = r.Low
	}
	if !math.IsInf(r.High, 1) {
		into["high"] = r.High
	}
}

// table looks up how two cases compare.
type table map[[2]bench.Case]Ratio

// newTable keeps the comparisons of one metric.
func newTable(cs []analyse.Comparison, metric bench.Metric) table {
	t := table{}
	for _, c := range cs {
		if c.Metric == metric && c.Ratio > 0 {
			t[[2]bench.Case{c.Case, c.Baseline}] = Ratio{c.Ratio, c.Low, c.High}
		}
	}
	return t
}

// ratio returns the time of a to that of b: as it was compared, or by way of a
// case that both were compared with.
func (t table) ratio(a, b bench.Case) (Ratio, bool) {
	if a == b {
		return Ratio{1, 1, 1}, true
	}
	if r, ok := t.direct(a, b); ok {
		return r, true
	}
	best, found := Ratio{0, 0, math.Inf(1)}, false
	for k := range t {
		for _, via := range k {
			x, ok := t.direct(a, via)
			y, ok2 := t.direct(via, b)
			if !ok || !ok2 {
				continue
			}
			if r := x.times(y); !found || r.High/r.Low < best.High/best.Low {
				best, found = r, true
			}
		}
	}
	return best, found
}

func (t table) direct(a, b bench.Case) (Ratio, bool) {
	if r, ok := t[[2]bench.Case{a, b}]; ok {
		return r, true
	}
	r, ok := t[[2]bench.Case{b, a}]
	return r.inverse(), ok
}
