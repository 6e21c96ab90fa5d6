package verdict

import (
	"slices"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
)

// codec is one codec of a runtime on a sample: its cases in memory.
type codec struct {
	name   string
	format bench.Format
	form   string // of the documents that it reads and writes
	best   bool
	role   string
	cases  map[bench.Operation]analyse.CaseResult
}

// field is the codecs of a runtime on a sample.
type field struct {
	sizes   sizes
	runtime string
	codecs  []*codec
	metric  bench.Metric
	ops     []bench.Operation // that make a request, of those measured
	table   table
	rate    float64
	link    *Link
}

// newField gathers a runtime's codecs; nil if nothing was measured.
func newField(in Input, z sizes, runtime string) *field {
	f := &field{sizes: z, runtime: runtime, rate: in.Rate, link: in.Link}
	lazy := false
	for _, c := range in.Cases {
		if c.Sample != z.sample.Sample || c.Runtime != runtime || c.Transport != bench.Memory || c.NS.Forks == 0 {
			continue
		}
		f.codec(c).cases[c.Operation] = c
		lazy = lazy || c.Lazy
	}
	if len(f.codecs) == 0 {
		return nil
	}
	f.use(f.chooseMetric(in.Comparisons), in)
	f.ops = f.requestOps(lazy)
	return f
}

// use makes a metric the one that the field speaks of.
func (f *field) use(m bench.Metric, in Input) {
	f.metric, f.table = m, newTable(in.Comparisons, m)
}

func (f *field) codec(c analyse.CaseResult) *codec {
	i := slices.IndexFunc(f.codecs, func(x *codec) bool { return x.name == c.Codec })
	if i >= 0 {
		return f.codecs[i]
	}
	x := &codec{
		name: c.Codec, format: c.Format, form: analyse.Form(c.Case),
		best: c.Best, role: c.Role, cases: map[bench.Operation]analyse.CaseResult{},
	}
	f.codecs = append(f.codecs, x)
	return x
}

// chooseMetric takes CPU time, which has the collector's work in it; where a
// runtime cannot tell it, wall time of the same batches, else that of short ones.
func (f *field) chooseMetric(cs []analyse.Comparison) bench.Metric {
	for _, m := range []bench.Metric{bench.CPU, bench.Wall} {
		all := true
		for _, x := range f.codecs {
			for _, c := range x.cases {
				all = all && estimate(c, m).Forks > 0
			}
		}
		compared := slices.ContainsFunc(cs, func(c analyse.Comparison) bool {
			return c.Metric == m && !c.Case.Crosses() && c.Case.Runtime == f.runtime && c.Case.Sample == f.sizes.sample.Sample
		})
		if all && (compared || len(f.codecs) == 1) {
			return m
		}
	}
	return bench.Mutator
}

func estimate(c analyse.CaseResult, m bench.Metric) analyse.Estimate {
	switch m {
	case bench.CPU:
		return c.CPU
	case bench.Wall:
		return c.Wall
	}
	return c.NS
}

// requestOps lists what a request does of what was measured: encode, and
// decode, or visit where a lazy codec makes decode unfair.
func (f *field) requestOps(lazy bool) []bench.Operation {
	has := func(op bench.Operation, all bool) bool {
		for _, x := range f.codecs {
			if _, ok := x.cases[op]; ok != all {
				return !all
			}
		}
		return all
	}
	var ops []bench.Operation
	if has(bench.Encode, false) {
		ops = append(ops, bench.Encode)
	}
	switch {
	case lazy && has(bench.Visit, true), has(bench.Visit, false) && !has(bench.Decode, false):
		ops = append(ops, bench.Visit)
	case has(bench.Decode, false):
		ops = append(ops, bench.Decode)
	}
	return ops
}

// what names the operations of a request.
func (f *field) what() string {
	var words []string
	for _, op := range f.ops {
		words = append(words, string(op))
	}
	return list(words)
}

// cost is what a request takes in a codec, in ns; not ok where an operation of
// it was not measured.
func (f *field) cost(x *codec) (ns float64, ok bool) {
	for _, op := range f.ops {
		c, ok := x.cases[op]
		if !ok || estimate(c, f.metric).Forks == 0 {
			return 0, false
		}
		ns += estimate(c, f.metric).Median
	}
	return ns, ns > 0
}

// bounds is the interval of a request's cost: the sums of the operations' ends.
func (f *field) bounds(x *codec) (low, high float64) {
	for _, op := range f.ops {
		e := estimate(x.cases[op], f.metric)
		low, high = low+e.Low, high+e.High
	}
	return low, high
}

// pick returns the first codec of a format that fits and whose requests were measured.
func (f *field) pick(format bench.Format, fits func(*codec) bool) *codec {
	for _, x := range f.codecs {
		if x.format == format && fits(x) {
			if _, ok := f.cost(x); ok {
				return x
			}
		}
	}
	return nil
}

func isDefault(x *codec) bool { return x.role == "default" }
func isBest(x *codec) bool    { return x.best }

// ratio is what a request takes in one codec, relative to another.
func (f *field) ratio(a, b *codec) (Ratio, bool) {
	if a == nil || b == nil || len(f.ops) == 0 {
		return Ratio{}, false
	}
	var weights []float64
	var ratios []Ratio
	for _, op := range f.ops {
		x, ok := a.cases[op]
		y, ok2 := b.cases[op]
		if !ok || !ok2 {
			return Ratio{}, false
		}
		r, ok := f.table.ratio(x.Case.Case, y.Case.Case)
		w := estimate(y, f.metric).Median
		if !ok || w <= 0 {
			return Ratio{}, false
		}
		weights, ratios = append(weights, w), append(ratios, r)
	}
	return mix(weights, ratios), true
}

// unit names the metric in a sentence.
func (f *field) unit() string {
	if f.metric == bench.CPU {
		return "CPU time"
	}
	return "time"
}
