package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
	"wirecost/internal/verdict"
)

// sweepBlocks shows what becomes of sizes and times as documents change.
func sweepBlocks(r *Report) []block {
	out := sizeSweeps(r)
	for _, w := range r.Sweeps {
		for _, k := range contestsOf(w) {
			out = append(out, sweepBlock(r, w, k))
		}
	}
	return out
}

// contest is the cases of a sweep that compete.
type contest struct {
	runtime string
	op      bench.Operation
}

func contestsOf(w Sweep) []contest {
	var out []contest
	for _, c := range w.Curves {
		if k := (contest{c.Case.Runtime, c.Case.Operation}); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// sweepBlock has a row per codec: its ratio at each step, where that passes 1, and
// the line that its times lie on.
func sweepBlock(r *Report, w Sweep, k contest) block {
	b := block{title: clean(onMachine(r, fmt.Sprintf("%s, %s, by %s of %s", capital(string(k.op)), k.runtime, w.Unit, w.What), w.Machine))}
	g := &grid{header: []string{"codec"}, left: map[int]bool{}}
	for _, s := range w.Steps {
		g.header = append(g.header, verdict.Count(s.Value))
	}
	g.header = append(g.header, "fixed", "+ each", "fit off by")
	for _, c := range w.Curves {
		if (contest{c.Case.Runtime, c.Case.Operation}) != k {
			continue
		}
		row := []cell{show(c.Case.Codec)}
		row = append(row, pointCells(w, c)...)
		g.rows = append(g.rows, append(row, lineCells(c.Line)...))
		if len(c.Falls) > 0 {
			b.items = append(b.items, clean(fmt.Sprintf("%s: less time at %s %s than at a smaller step, in several processes: an anomaly of this library, and no line", c.Case.Codec, values(c.Falls), w.Unit)))
		}
	}
	b.grid = g.trim()
	for _, x := range w.Crossings {
		if line := crossingLine(w, x); line != "" && (contest{x.Case.Runtime, x.Case.Operation}) == k {
			b.items = append(b.items, clean(line))
		}
	}
	return b
}

func values(steps []analyse.Step) string {
	var out []string
	for _, s := range steps {
		out = append(out, verdict.Count(s.Value))
	}
	return strings.Join(out, ", ")
}

// pointCells are a codec's ratios to the baseline; the baseline's are times.
func pointCells(w Sweep, c Curve) []cell {
	for _, x := range w.Crossings {
		if x.Case == c.Case {
			var out []cell
			for _, p := range x.Points {
				out = append(out, ratioCell(p))
			}
			return out
		}
	}
	var out []cell
	for _, ns := range c.NS {
		if ns == nil {
			out = append(out, cell{})
			continue
		}
		out = append(out, cell{verdict.Duration(*ns), faint})
	}
	return out
}

func lineCells(l *analyse.Line) []cell {
	if l == nil {
		return make([]cell, 3)
	}
	return []cell{show(signedDuration(l.Fixed)), show(signedDuration(l.Slope)), {verdict.Percent(l.Misfit), faint}}
}

// signedDuration writes a time that a fit may make negative.
func signedDuration(ns float64) string {
	if ns < 0 {
		return "−" + verdict.Duration(-ns)
	}
	return verdict.Duration(ns)
}

// crossingLine says where a pair changes places.
func crossingLine(w Sweep, x Crossing) string {
	var parts []string
	for _, b := range x.Between {
		parts = append(parts, fmt.Sprintf("the order changes between %s and %s %s", verdict.Count(b[0]), verdict.Count(b[1]), w.Unit))
	}
	if x.Fit != nil {
		parts = append(parts, fmt.Sprintf("the lines cross at %s (%s–%s)", verdict.Digits(x.Fit.At), verdict.Digits(x.Fit.Low), verdict.Digits(x.Fit.High)))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s against %s: %s", x.Case.Codec, x.Baseline.Codec, strings.Join(parts, "; "))
}

// sizeSweeps shows Protobuf's size as a ratio to JSON's at each step.
func sizeSweeps(r *Report) []block {
	var order []store.Sweep
	steps := map[store.Sweep][]Sample{}
	for _, s := range r.Samples {
		if s.Sweep == nil {
			continue
		}
		k := *s.Sweep
		k.Value = 0
		if steps[k] == nil {
			order = append(order, k)
		}
		steps[k] = append(steps[k], s)
	}
	var out []block
	for _, k := range order {
		slices.SortStableFunc(steps[k], func(a, b Sample) int { return cmp.Compare(a.Sweep.Value, b.Sweep.Value) })
		if g := sizeSweep(r, steps[k]); len(g.rows) > 0 {
			out = append(out, block{title: clean(fmt.Sprintf("Size by %s of %s: Protobuf's ratio to JSON", k.Unit, k.What)), grid: g,
				items: []string{"Compressed sizes are better than real documents of these sizes would have, since text is repeated; sizes as they are do not depend on that."}})
		}
	}
	return out
}

// sizeSweep has a row per content coding and a column per step.
func sizeSweep(r *Report, samples []Sample) *grid {
	g := &grid{header: []string{"encoding"}}
	var encodings []string
	cells := map[[2]string]cell{}
	for _, z := range r.Sizes {
		if z.Form != "binary" || z.Unit != store.PerDocument || z.RatioToJSON == nil {
			continue
		}
		if !slices.Contains(encodings, z.Encoding) {
			encodings = append(encodings, z.Encoding)
		}
		cells[[2]string{z.Sample, z.Encoding}] = cell{verdict.Digits(*z.RatioToJSON), sizeTone(*z.RatioToJSON)}
	}
	for _, s := range samples {
		g.header = append(g.header, verdict.Count(s.Sweep.Value))
	}
	for _, e := range encodings {
		name := e
		if e != bench.Identity {
			name += " (repeats)"
		}
		row := []cell{show(name)}
		for _, s := range samples {
			row = append(row, cells[[2]string{s.Sample, e}])
		}
		g.rows = append(g.rows, row)
	}
	return g
}
