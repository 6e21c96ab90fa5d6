package report

import (
	"errors"
	"fmt"
	"math"
	"time"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
	"wirecost/internal/verdict"
)

// Build makes the report of result files. Those of one machine are read as one;
// machines stay apart.
func Build(files ...*store.File) (*Report, error) {
	if len(files) == 0 {
		return nil, errors.New("a report needs at least one result file")
	}
	b := builder{report: &Report{
		Format: FormatV1, Machines: []Machine{}, Samples: []Sample{}, Sizes: []Size{}, Losses: []Loss{},
		Cases: []Case{}, Comparisons: []Comparison{}, Verdict: []Sentence{},
	}, seen: map[any]bool{}}
	for i, env := range store.Merge(files...) {
		if err := b.environment(i, env); err != nil {
			return nil, err
		}
	}
	b.ratios()
	return b.report, nil
}

type builder struct {
	report *Report
	seen   map[any]bool // samples, sizes and losses that an environment before had too
}

// environment adds what was measured on one machine.
func (b *builder) environment(index int, env *store.Environment) error {
	machine := describe(env)
	a := analyse.New(analyse.Options{Baseline: env.Header.Settings.Baseline})
	in := verdict.Input{Rate: env.Header.Settings.Rate}
	if s := env.Header.Settings.Link; s != "" {
		link, err := verdict.ParseLink(s)
		if err != nil {
			return fmt.Errorf("%s: %w", env.Files()[0].Name, err)
		}
		in.Link = &link
	}
	fresh := map[string]bool{} // samples that no environment before had
	err := env.Scan(func(rec any) error {
		a.Add(rec)
		switch r := rec.(type) {
		case *store.Progress:
			machine.Forks, machine.MeasureNS, machine.BatchNS, machine.Preempted = r.Forks, r.MeasureNS, r.BatchNS, r.Preempted
		case *store.Sample:
			in.Samples = append(in.Samples, *r)
			fresh[r.Sample] = b.sample(r)
		case *store.Size:
			in.Sizes = append(in.Sizes, *r)
			b.size(r)
		case *store.Loss:
			in.Losses = append(in.Losses, *r)
			b.loss(r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	in.Cases, in.Comparisons = a.Cases(), a.Comparisons()
	b.across(in, index)
	machine.Noise, machine.Forecast = newNoise(a, env.Header.Machine), newForecast(a, env.Header.Settings)
	b.report.Machines = append(b.report.Machines, machine)
	for _, c := range in.Cases {
		b.report.Cases = append(b.report.Cases, newCase(c, index))
	}
	for _, c := range in.Comparisons {
		b.report.Comparisons = append(b.report.Comparisons, newComparison(c, index))
	}
	for _, s := range verdict.Sentences(in) {
		// What does not depend on the machine is said once.
		if s.Runtime != "" || s.Claim == verdict.Between || s.Claim == verdict.Growth || fresh[s.Sample] {
			b.report.Verdict = append(b.report.Verdict, Sentence{s, index})
		}
	}
	return nil
}

func describe(env *store.Environment) Machine {
	h := env.Header
	m := Machine{Machine: h.Machine, Versions: h.Versions, Wirecost: h.Version, Schema: h.Schema}
	if m.Versions == nil {
		m.Versions = map[string]string{}
	}
	for _, f := range env.Files() {
		command := f.Header.Command
		if command == nil {
			command = []string{}
		}
		m.Files = append(m.Files, File{f.Name, f.Status, f.Header.Time.UTC().Format(time.RFC3339), f.Header.Seed, command})
	}
	return m
}

// first reports whether a key comes for the first time.
func (b *builder) first(key any) bool {
	old := b.seen[key]
	b.seen[key] = true
	return !old
}

// sample reports whether the sample is new.
func (b *builder) sample(r *store.Sample) bool {
	if !b.first([2]string{"sample", r.Sample}) {
		return false
	}
	b.report.Samples = append(b.report.Samples, Sample{r.Sample, r.Name, r.Documents, r.Timed, r.Bytes, r.Digest, r.Shape, r.Notes, r.Sweep, r.Maps})
	return true
}

func (b *builder) size(r *store.Size) {
	if b.first([5]string{r.Sample, string(r.Format), r.Form, r.Encoding, r.Unit}) {
		b.report.Sizes = append(b.report.Sizes, Size{
			Sample: r.Sample, Format: r.Format, Form: r.Form, Encoding: r.Encoding, Unit: r.Unit, Bytes: r.Bytes,
			CompressNS: r.CompressNS, DecompressNS: r.DecompressNS, Library: r.Library, Note: r.Note,
		})
	}
}

func (b *builder) loss(r *store.Loss) {
	if b.first([3]string{r.Sample, r.Path, r.What}) {
		b.report.Losses = append(b.report.Losses, Loss{r.Sample, r.Path, r.What, r.Note, r.Documents, r.Example})
	}
}

// ratios relates every size to compact JSON's.
func (b *builder) ratios() {
	type key struct{ sample, encoding, unit string }
	json := map[key]int64{}
	for _, s := range b.report.Sizes {
		if s.Form == "compact" {
			json[key{s.Sample, s.Encoding, s.Unit}] = s.Bytes
		}
	}
	for i, s := range b.report.Sizes {
		if j := json[key{s.Sample, s.Encoding, s.Unit}]; j > 0 {
			ratio := float64(s.Bytes) / float64(j)
			b.report.Sizes[i].RatioToJSON = &ratio
		}
	}
}

// notYet is why a case without an outcome has no times.
const notYet = "the run ended before this case was measured"

func newCase(c analyse.CaseResult, machine int) Case {
	out := Case{
		Case: c.Case.Case, Machine: machine, Status: c.Outcome.Status, Reason: c.Outcome.Reason,
		Library: c.Library, Version: c.Version, Role: c.Role, Best: c.Best, Lazy: c.Lazy, Compiles: c.Compiles, Traits: c.Traits, Note: c.Note,
		Forks: c.NS.Forks, Overhead: c.Overhead, NoSteadyState: c.NoSteadyState, times: c.Forks,
	}
	if out.Traits == nil {
		out.Traits = []string{}
	}
	if out.Status == "" {
		out.Status, out.Reason = bench.Failed, notYet
	}
	if c.NS.Forks > 0 {
		out.NS = &c.NS
	}
	out.CPU, out.Wall = median(c.CPU), median(c.Wall)
	out.CPUEstimate, out.wall, out.Warmup = estimated(c.CPU), estimated(c.Wall), c.Warmup
	if c.Collections >= 0 && c.NS.Forks > 0 {
		out.Collections = &c.Collections
	}
	if c.ColdFirst.Forks > 0 {
		out.Cold = &Cold{c.ColdFirst.Median, c.ColdMean.Median}
	}
	if c.Memory != nil {
		out.Bytes = &c.Memory.BytesPerOp
		if c.Memory.AllocsPerOp >= 0 {
			out.Allocs = &c.Memory.AllocsPerOp
		}
	}
	if mb := c.MBPerSecond(); mb > 0 {
		out.MBPerS = &mb
	}
	out.cross(c)
	return out
}

// estimated is an estimate; nil where nothing is known.
func estimated(e analyse.Estimate) *analyse.Estimate {
	if e.Forks == 0 {
		return nil
	}
	return &e
}

func median(e analyse.Estimate) *float64 {
	if e.Forks == 0 {
		return nil
	}
	return &e.Median
}

// across adds what joins cases: pairs of runtimes, and the steps of sweeps.
func (b *builder) across(in verdict.Input, machine int) {
	for _, p := range verdict.Pairs(in) {
		low, high := bounds(p.Ratio.Low, p.Ratio.High)
		b.report.Pairs = append(b.report.Pairs, Pair{p, machine, p.Ratio.Value, low, high})
	}
	for _, w := range analyse.Sweeps(in.Samples, in.Cases, in.Comparisons) {
		b.report.Sweeps = append(b.report.Sweeps, newSweep(w, machine))
	}
}

func newSweep(w analyse.Sweep, machine int) Sweep {
	out := Sweep{Of: w.Of, What: w.What, Unit: w.Unit, From: w.From, Machine: machine, Steps: w.Steps, Curves: []Curve{}, Crossings: []Crossing{}}
	for _, c := range w.Curves {
		curve := Curve{Case: c.Case, NS: make([]*float64, len(c.Times)), Line: c.Line, Falls: append([]analyse.Step{}, c.Falls...)}
		for i, e := range c.Times {
			curve.NS[i] = median(e)
		}
		out.Curves = append(out.Curves, curve)
	}
	for _, c := range w.Crossings {
		x := Crossing{Case: c.Case, Baseline: c.Baseline, Best: c.Best, Points: make([]*Comparison, len(c.Points)), Between: append([][2]float64{}, c.Between...), Fit: c.Fit}
		for i, p := range c.Points {
			if p != nil {
				point := newComparison(*p, machine)
				x.Points[i] = &point
			}
		}
		out.Crossings = append(out.Crossings, x)
	}
	return out
}

// bounds gives an interval's ends, nil where there is none.
func bounds(low, high float64) (*float64, *float64) {
	var l, h *float64
	if low > 0 {
		l = &low
	}
	if !math.IsInf(high, 1) {
		h = &high
	}
	return l, h
}

func newComparison(c analyse.Comparison, machine int) Comparison {
	low, high := bounds(c.Low, c.High)
	return Comparison{
		Case: c.Case, Baseline: c.Baseline, Machine: machine, Metric: c.Metric, Best: c.Best, Ratio: c.Ratio,
		Low: low, High: high, Verdict: c.Verdict, Forks: c.Forks, Unsteady: c.Unsteady,
	}
}
