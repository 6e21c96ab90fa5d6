package study

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"wirecost/internal/store"
)

// Measure reads one number per fork off the results.
type Measure func(*Results) Forks

// Forks is one number for each fork of a lane. Forks of one lane and number ran
// side by side.
type Forks struct {
	Lane    string // the runtime, and what it talked to; empty: of several
	Skewed  bool   // forks may have two modes
	Exact   bool   // the number is the same in every fork, and there is one
	Values  map[int]float64
	Problem string // why there are no values
}

func missing(why string) Forks { return Forks{Problem: why} }

// exactly is a number that has no error.
func exactly(x float64) Forks { return Forks{Exact: true, Values: map[int]float64{0: x}} }

// Time is what one operation of a case takes, or one document of a request, in ns.
func Time(c Cell) Measure {
	return perCase(c, func(x *caseData) map[int]float64 {
		out := map[int]float64{}
		for _, f := range x.Forks {
			out[f.Fork] = f.NS
		}
		return out
	})
}

// documents is how many documents a slice carried.
func documents(q *store.Requests, slice int) float64 {
	return float64(q.Requests[slice] * max(1, q.Pipeline))
}

// Allocated is how many bytes one operation of a case allocates, or the client's
// process for one document of a request.
func Allocated(c Cell) Measure {
	if c.Transport == "" {
		return func(r *Results) Forks {
			x, problem := r.find(c)
			switch {
			case x == nil:
				return missing(problem)
			case x.Memory == nil:
				return missing(c.Codec + " does not count what it allocates")
			}
			return exactly(x.Memory.BytesPerOp)
		}
	}
	return perDocument(c, func(q *store.Requests) []int64 { return q.Allocated })
}

// Span is a part of a request, as in "encode", in ns for one document.
func Span(c Cell, of func(store.Spans) []int64) Measure {
	return perDocument(c, func(q *store.Requests) []int64 { return of(q.Spans) })
}

// The spans in which the codecs of both sides work.
func encodeSpan(s store.Spans) []int64 { return s.Encode }
func decodeSpan(s store.Spans) []int64 { return s.Decode }

// perDocument is the mean over all that a fork requested.
func perDocument(c Cell, of func(*store.Requests) []int64) Measure {
	return perCase(c, func(x *caseData) map[int]float64 {
		return x.eachFork(func(q *store.Requests) float64 {
			sum, n := 0.0, 0.0
			for i, v := range of(q) {
				if v < 0 {
					return math.NaN()
				}
				sum, n = sum+float64(v), n+documents(q, i)
			}
			return sum / n
		})
	})
}

// eachFork leaves out the forks of which nothing is known.
func (x *caseData) eachFork(of func(*store.Requests) float64) map[int]float64 {
	out := map[int]float64{}
	for _, q := range x.requests {
		if v := of(q); !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[q.Fork] = v
		}
	}
	return out
}

func perCase(c Cell, of func(*caseData) map[int]float64) Measure {
	return func(r *Results) Forks {
		x, problem := r.find(c)
		if x == nil {
			return missing(problem)
		}
		f := Forks{Lane: c.Run + ": " + x.Case.Case.Lane(), Skewed: x.Compiles, Values: of(x)}
		if len(f.Values) == 0 {
			f.Problem = fmt.Sprintf("%s was measured in too few processes", c)
		}
		return f
	}
}

// SizeOf is the exact size of a sample's documents in a form ("original",
// "compact", "binary", …), each document compressed alone.
func SizeOf(run, sample, form, encoding string) Measure {
	return func(r *Results) Forks {
		m, problem := r.run(run)
		if m == nil {
			return missing(problem)
		}
		for _, s := range m.sizes {
			if s.Sample == sample && s.Form == form && codes(s.Encoding, encoding) && s.Unit == store.PerDocument {
				return exactly(float64(s.Bytes))
			}
		}
		return missing(fmt.Sprintf("the size of %s as %s with %s was not taken", sample, form, encoding))
	}
}

// Constant is a number that is known without measuring.
func Constant(x float64) Measure { return func(*Results) Forks { return exactly(x) } }

// Sum adds measures fork by fork.
func Sum(ms ...Measure) Measure {
	return combine(ms, func(x []float64) float64 {
		total := 0.0
		for _, v := range x {
			total += v
		}
		return total
	})
}

// Minus subtracts b from a, fork by fork.
func Minus(a, b Measure) Measure {
	return combine([]Measure{a, b}, func(x []float64) float64 { return x[0] - x[1] })
}

// Over divides a by b, fork by fork.
func Over(a, b Measure) Measure {
	return combine([]Measure{a, b}, func(x []float64) float64 { return x[0] / x[1] })
}

// Times multiplies a measure.
func (m Measure) Times(factor float64) Measure {
	return combine([]Measure{m}, func(x []float64) float64 { return x[0] * factor })
}

// combine computes with the forks that all measures have. Those of one lane belong
// together by their number, those of different lanes by their order: lanes take turns.
func combine(ms []Measure, of func([]float64) float64) Measure {
	return func(r *Results) Forks {
		all := make([]Forks, len(ms))
		for i, m := range ms {
			if all[i] = m(r); all[i].Problem != "" {
				return all[i]
			}
		}
		out, rows := join(all)
		for n, row := range rows {
			if v := of(row); !math.IsNaN(v) && !math.IsInf(v, 0) {
				out.Values[n] = v
			}
		}
		if len(out.Values) == 0 {
			return missing("too few forks measured all that this is made of")
		}
		return out
	}
}

// join lines up forks; an exact number goes with every fork.
func join(all []Forks) (out Forks, rows map[int][]float64) {
	out = Forks{Exact: true, Values: map[int]float64{}}
	byOrder := false
	for _, f := range all {
		if f.Exact {
			continue
		}
		if byOrder = byOrder || !out.Exact && out.Lane != f.Lane; byOrder {
			out.Lane, out.Skewed = "", true
		} else {
			out.Lane = f.Lane
		}
		out.Exact, out.Skewed = false, out.Skewed || f.Skewed
	}
	rows = map[int][]float64{}
	for i, f := range all {
		for n, v := range numbered(f, byOrder) {
			if f.Exact {
				continue
			}
			if rows[n] == nil {
				rows[n] = nans(len(all))
			}
			rows[n][i] = v
		}
	}
	if out.Exact {
		rows[0] = nans(len(all))
	}
	for i, f := range all {
		for _, row := range rows {
			if f.Exact {
				row[i] = f.Values[0]
			}
		}
	}
	maps.DeleteFunc(rows, func(_ int, row []float64) bool { return slices.ContainsFunc(row, math.IsNaN) })
	return out, rows
}

// numbered gives the values by their forks' numbers, or counted through.
func numbered(f Forks, byOrder bool) map[int]float64 {
	if !byOrder {
		return f.Values
	}
	out := map[int]float64{}
	for i, n := range slices.Sorted(maps.Keys(f.Values)) {
		out[i] = f.Values[n]
	}
	return out
}

func nans(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
