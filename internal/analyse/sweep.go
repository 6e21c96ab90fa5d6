package analyse

import (
	"cmp"
	"math"
	"slices"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// Sweep is one sample's documents, changed step by step, and what became of the
// times (docs/sweeps.md).
type Sweep struct {
	Of, What, Unit string
	From           float64 // the value of the documents as they were
	Steps          []Step  // by value
	Curves         []Curve
	Crossings      []Crossing
}

// Step is one step of a sweep.
type Step struct {
	Value  float64 `json:"value"`
	Sample string  `json:"sample"`
}

// Curve is a case over the steps of a sweep.
type Curve struct {
	Case  bench.Case // of the sample that was swept
	Times []Estimate // one per step; no forks: not measured
	Line  *Line      // nil: fewer than two steps, or times that fall
	// Falls are the steps that take clearly less time than the one before,
	// though they are larger.
	Falls []Step
}

// Line is a fixed part and a part that grows with the value.
type Line struct {
	Fixed  float64 `json:"fixed_ns"`
	Slope  float64 `json:"ns_per_unit"`
	Misfit float64 `json:"misfit"` // the largest deviation of a step, relative
}

func (l Line) at(x float64) float64 { return l.Fixed + l.Slope*x }

// straight is the misfit up to which a line says where two codecs cross.
const straight = 0.15

// Crossing is how a case's ratio to another changes over the steps of a sweep.
type Crossing struct {
	Case, Baseline bench.Case // of the sample that was swept
	Best           bool
	Points         []*Comparison // one per step; nil: not compared
	// Between are the pairs of neighbouring decided steps with opposite verdicts.
	Between [][2]float64
	// Fit is where the lines of the two cases cross, within the steps that were
	// measured; nil where they do not, or are no lines. It never lies outside.
	Fit *Fit
}

// Fit is where two lines cross: the median over forks, with its interval.
type Fit struct {
	At   float64 `json:"at"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Sweeps gathers what samples, cases and comparisons say of sweeps.
func Sweeps(samples []store.Sample, cases []CaseResult, comparisons []Comparison) []Sweep {
	var out []Sweep
	for _, s := range samples {
		if s.Sweep == nil {
			continue
		}
		i := slices.IndexFunc(out, func(x Sweep) bool { return x.Of == s.Sweep.Of && x.What == s.Sweep.What && x.Unit == s.Sweep.Unit })
		if i < 0 {
			i = len(out)
			out = append(out, Sweep{Of: s.Sweep.Of, What: s.Sweep.What, Unit: s.Sweep.Unit, From: s.Sweep.From})
		}
		out[i].Steps = append(out[i].Steps, Step{s.Sweep.Value, s.Sample})
	}
	for i := range out {
		slices.SortStableFunc(out[i].Steps, func(a, b Step) int { return cmp.Compare(a.Value, b.Value) })
		w := sweeping{&out[i], map[bench.Case]CaseResult{}, map[[2]bench.Case]*Comparison{}}
		w.gather(cases, comparisons)
	}
	return out
}

// sweeping is a sweep being gathered.
type sweeping struct {
	*Sweep
	cases       map[bench.Case]CaseResult
	comparisons map[[2]bench.Case]*Comparison
}

func (w sweeping) gather(cases []CaseResult, comparisons []Comparison) {
	var order []bench.Case
	for _, c := range cases {
		if general, ok := w.general(c.Case.Case); ok && c.NS.Forks > 0 && !c.Crosses() {
			w.cases[c.Case.Case] = c
			if !slices.Contains(order, general) {
				order = append(order, general)
			}
		}
	}
	for _, c := range order {
		w.Curves = append(w.Curves, w.curve(c))
	}
	for i, c := range comparisons {
		of, ok := w.general(c.Case)
		to, ok2 := w.general(c.Baseline)
		if !ok || !ok2 || c.Metric != bench.Mutator {
			continue
		}
		w.comparisons[[2]bench.Case{c.Case, c.Baseline}] = &comparisons[i]
		k := slices.IndexFunc(w.Crossings, func(x Crossing) bool { return x.Case == of && x.Baseline == to })
		if k < 0 {
			k = len(w.Crossings)
			w.Crossings = append(w.Crossings, Crossing{Case: of, Baseline: to})
		}
		w.Crossings[k].Best = w.Crossings[k].Best || c.Best
	}
	for i := range w.Crossings {
		w.cross(&w.Crossings[i])
	}
}

// general is a case of a step as one of the sample that was swept.
func (w sweeping) general(c bench.Case) (bench.Case, bool) {
	ok := slices.ContainsFunc(w.Steps, func(s Step) bool { return s.Sample == c.Sample })
	c.Sample = w.Of
	return c, ok
}

func (s Step) of(c bench.Case) bench.Case {
	c.Sample = s.Sample
	return c
}

func (w sweeping) curve(c bench.Case) Curve {
	out := Curve{Case: c}
	var x, t []float64
	var before *Estimate
	for _, s := range w.Steps {
		e := w.cases[s.of(c)].NS
		out.Times = append(out.Times, e)
		if e.Forks == 0 {
			continue
		}
		x, t = append(x, s.Value), append(t, e.Median)
		if before != nil && w.grows() && e.High < before.Low {
			out.Falls = append(out.Falls, s)
		}
		before = &e
	}
	if len(out.Falls) == 0 {
		out.Line = fitLine(x, t)
	}
	return out
}

// grows reports whether a larger value means more work.
func (w sweeping) grows() bool { return w.Unit != store.SweepASCII }

// fitLine fits a line by least squares of relative deviations; nil where there
// are fewer than two points.
func fitLine(x, t []float64) *Line {
	var s, sx, sxx, st, sxt float64
	for i := range x {
		w := 1 / (t[i] * t[i])
		s, sx, sxx = s+w, sx+w*x[i], sxx+w*x[i]*x[i]
		st, sxt = st+w*t[i], sxt+w*x[i]*t[i]
	}
	det := s*sxx - sx*sx
	if len(x) < 2 || !(det > 0) {
		return nil
	}
	l := &Line{Fixed: (sxx*st - sx*sxt) / det, Slope: (s*sxt - sx*st) / det}
	for i := range x {
		l.Misfit = math.Max(l.Misfit, math.Abs(l.at(x[i])/t[i]-1))
	}
	return l
}

// cross finds where a pair's order changes.
func (w sweeping) cross(c *Crossing) {
	var last *Comparison
	at := 0.0
	for _, s := range w.Steps {
		p := w.comparisons[[2]bench.Case{s.of(c.Case), s.of(c.Baseline)}]
		c.Points = append(c.Points, p)
		if p == nil || p.Verdict != bench.Faster && p.Verdict != bench.Slower {
			continue
		}
		if last != nil && last.Verdict != p.Verdict {
			c.Between = append(c.Between, [2]float64{at, s.Value})
		}
		last, at = p, s.Value
	}
	c.Fit = w.fit(c)
}

// fit finds where the lines of a pair cross, fork by fork.
func (w sweeping) fit(c *Crossing) *Fit {
	a, b := w.line(c.Case), w.line(c.Baseline)
	if a == nil || b == nil {
		return nil
	}
	low, high := w.Steps[0].Value, w.Steps[len(w.Steps)-1].Value
	first, last := a.at(low)-b.at(low), a.at(high)-b.at(high)
	if first*last >= 0 {
		return nil
	}
	var at []float64
	for _, f := range w.forks(c) {
		p, q := f[0].at(low)-f[1].at(low), f[0].at(high)-f[1].at(high)
		switch {
		case p*q < 0 && p*first > 0:
			at = append(at, low+(high-low)*p/(p-q))
		case p*q >= 0 && p*first > 0: // it comes later
			at = append(at, high)
		case p*q >= 0: // it came before
			at = append(at, low)
		}
	}
	if len(at) == 0 {
		return nil
	}
	e := estimate(at)
	return &Fit{e.Median, e.Low, e.High}
}

func (w sweeping) line(c bench.Case) *Line {
	i := slices.IndexFunc(w.Curves, func(x Curve) bool { return x.Case == c })
	if i < 0 || w.Curves[i].Line == nil || w.Curves[i].Line.Misfit > straight {
		return nil
	}
	return w.Curves[i].Line
}

// forks fits the lines of a pair in every fork that measured all steps of both.
func (w sweeping) forks(c *Crossing) [][2]*Line {
	var out [][2]*Line
	of, to := w.byFork(c.Case), w.byFork(c.Baseline)
	for n, x := range of {
		if y := to[n]; x != nil && y != nil {
			out = append(out, [2]*Line{x, y})
		}
	}
	return out
}

// byFork gives a case's line in each fork that measured all steps.
func (w sweeping) byFork(c bench.Case) map[int]*Line {
	x, times := []float64{}, map[int][]float64{}
	for _, s := range w.Steps {
		r, ok := w.cases[s.of(c)]
		if !ok {
			continue
		}
		for _, f := range r.Forks {
			if len(times[f.Fork]) == len(x) {
				times[f.Fork] = append(times[f.Fork], f.NS)
			}
		}
		x = append(x, s.Value)
	}
	lines := map[int]*Line{}
	for n, t := range times {
		if len(t) == len(x) {
			lines[n] = fitLine(x, t)
		}
	}
	return lines
}
