package analyse

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// swept are the records of a sweep over 10, 100 and 1000 elements, of a JSON codec
// that takes 100 ns + 10 ns an element and a Protobuf codec that takes as pb says.
func swept(forks int, pb func(elements float64, fork int) float64) []any {
	var recs []any
	var times []func(fork int) float64
	for _, x := range []float64{10, 100, 1000} {
		name := map[float64]string{10: "s-n10", 100: "s-n100", 1000: "s-n1000"}[x]
		recs = append(recs, &store.Sample{Sample: name, Documents: 1, Sweep: &store.Sweep{Of: "s", What: "$.a", Unit: store.SweepElements, Value: x, From: 3}})
		for _, c := range []struct {
			name   string
			format bench.Format
			ns     func(fork int) float64
		}{{"j", bench.JSON, func(int) float64 { return 100 + 10*x }}, {"p", bench.Protobuf, func(fork int) float64 { return pb(x, fork) }}} {
			recs = append(recs, &store.Case{Number: len(times), Role: "default", Case: bench.Case{
				Sample: name, Runtime: "r", Codec: c.name, Format: c.format, Operation: bench.Encode, Transport: bench.Memory, Encoding: bench.Identity}})
			times = append(times, c.ns)
		}
	}
	for fork := range forks + 1 {
		for i, ns := range times {
			f := &store.Fork{Case: i, Fork: fork, Pilot: fork == 0, CPUNS: -1, Collections: -1}
			for range 3 {
				f.Iterations, f.Document, f.Window = append(f.Iterations, 1000), append(f.Document, 0), append(f.Window, 1)
				f.WallNS = append(f.WallNS, int64(math.Round(1000*ns(fork))))
			}
			recs = append(recs, f)
		}
	}
	return recs
}

func sweepOf(t *testing.T, recs []any) Sweep {
	t.Helper()
	a := analysis(Options{}, recs...)
	var samples []store.Sample
	for _, r := range recs {
		if s, ok := r.(*store.Sample); ok {
			samples = append(samples, *s)
		}
	}
	all := Sweeps(samples, a.Cases(), a.Comparisons())
	if len(all) != 1 {
		t.Fatalf("%d sweeps", len(all))
	}
	return all[0]
}

func TestACrossingIsFound(t *testing.T) {
	// 500 + 6x and 100 + 10x cross at 100; a spread of 4% in the fixed part moves that.
	w := sweepOf(t, swept(24, func(x float64, fork int) float64 { return 500*(1+0.04*float64(fork%5-2)) + 6*x }))
	if w.Of != "s" || w.What != "$.a" || w.Unit != "elements" || w.From != 3 {
		t.Errorf("%+v", w)
	}
	if d := cmp.Diff([]Step{{10, "s-n10"}, {100, "s-n100"}, {1000, "s-n1000"}}, w.Steps); d != "" {
		t.Error(d)
	}
	approx := cmpopts.EquateApprox(1e-3, 0)
	if d := cmp.Diff([]*Line{{Fixed: 100, Slope: 10}, {Fixed: 500, Slope: 6}}, []*Line{w.Curves[0].Line, w.Curves[1].Line}, approx, cmpopts.IgnoreFields(Line{}, "Misfit")); d != "" {
		t.Error(d)
	}
	c := w.Crossings[0]
	if c.Case.Codec != "p" || c.Baseline.Codec != "j" || c.Case.Sample != "s" {
		t.Errorf("%+v", c)
	}
	if d := cmp.Diff([][2]float64{{10, 1000}}, c.Between); d != "" { // at 100 it is undecided
		t.Error(d)
	}
	// Forks are at 500·(0.92 … 1.08), so they cross at (fixed − 100)/4: 90 to 110.
	if f := c.Fit; f == nil || math.Abs(f.At-100) > 0.5 || f.Low < 89 || f.Low > 100 || f.High > 111 || f.High < 100 {
		t.Errorf("%+v", f)
	}
}

func TestNothingIsExtrapolated(t *testing.T) {
	// 500 + 9.9x would cross at 4000: beyond what was measured.
	w := sweepOf(t, swept(24, func(x float64, _ int) float64 { return 500 + 9.9*x }))
	if c := w.Crossings[0]; c.Fit != nil || len(c.Between) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestNoLineNoFit(t *testing.T) {
	// A square is no line, though the two cross between 10 and 1000.
	w := sweepOf(t, swept(24, func(x float64, _ int) float64 { return 50 + 0.02*x*x }))
	c := w.Crossings[0]
	if c.Fit != nil || w.Curves[1].Line == nil || w.Curves[1].Line.Misfit < straight {
		t.Errorf("%+v, %+v", c.Fit, w.Curves[1].Line)
	}
	if d := cmp.Diff([][2]float64{{100, 1000}}, c.Between); d != "" {
		t.Error(d)
	}
}

func TestTimesThatFallAreAnomalies(t *testing.T) {
	// D31: a smaller map takes longer than a larger one.
	w := sweepOf(t, swept(24, func(x float64, _ int) float64 {
		if x == 100 {
			return 90000
		}
		return 500 + 6*x
	}))
	p := w.Curves[1]
	if d := cmp.Diff([]Step{{1000, "s-n1000"}}, p.Falls); d != "" || p.Line != nil || w.Crossings[0].Fit != nil {
		t.Errorf("%s%+v", d, p.Line)
	}
	if len(w.Curves[0].Falls) > 0 {
		t.Errorf("%+v", w.Curves[0])
	}
}

func TestFitLine(t *testing.T) {
	if l := fitLine([]float64{5}, []float64{9}); l != nil {
		t.Errorf("a line through one point: %+v", l)
	}
	l := fitLine([]float64{1, 2, 4}, []float64{12, 14, 18})
	if d := cmp.Diff(&Line{10, 2, 0}, l, cmpopts.EquateApprox(1e-9, 1e-9)); d != "" {
		t.Error(d)
	}
	// Relative deviations count: a point of 1000 ± 10 is worth one of 10 ± 0.1.
	l = fitLine([]float64{0, 1, 100}, []float64{10, 20, 1100})
	if math.Abs(l.at(0)/10-1) > 0.1 || math.Abs(l.at(100)/1100-1) > 0.1 || l.Misfit > 0.1 {
		t.Errorf("%+v", l)
	}
}
