package report

import (
	"slices"
	"strings"
	"unicode"

	"wirecost/internal/bench"
)

// block is a part of a report that people read: a title, and below it what is
// there of a line, a table and a list.
type block struct {
	title string
	line  string
	grid  *grid
	items []string
}

// grid is a table. Cells of the first column, and of those in left, are aligned
// left, others right.
type grid struct {
	header []string
	rows   [][]cell
	left   map[int]bool
	keys   int         // columns that say what a row is of; with them a table may be folded, 0: it may not
	group  map[int]int // of columns: those of one group stay together when it is folded
}

// trim removes columns in which nothing is written.
func (g *grid) trim() *grid {
	out := g.columns(0, 0)
	for i := range g.header {
		if !slices.ContainsFunc(g.rows, func(r []cell) bool { return r[i].text != "" }) {
			if i < g.keys {
				out.keys--
			}
			continue
		}
		out.append(g, i)
	}
	return out
}

// cell is a table's cell.
type cell struct {
	text string
	tone tone
}

// tone is what a cell's colour may say.
type tone int

const (
	plain tone = iota
	good
	bad
	faint
)

// show makes a cell of text that may come from anywhere.
func show(s string) cell { return cell{text: clean(s)} }

// clean removes what would drive a terminal or break a line: names and reasons
// come from users' files and from other programs.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return '\uFFFD'
		}
		return r
	}, s)
}

// index finds the comparison of a case with its baseline.
type index struct {
	byCase   map[indexKey]*Comparison
	baseline map[heat]bench.Case
	byCoding map[indexKey]*Comparison // with the baseline in the same content coding
	codings  map[coded]bench.Case     // that baseline
}

type indexKey struct {
	machine int
	c       bench.Case
	metric  bench.Metric
}

// newIndex relies on the order of comparisons: those with the baseline come
// before best against best.
func newIndex(cs []Comparison) index {
	x := index{map[indexKey]*Comparison{}, map[heat]bench.Case{}, map[indexKey]*Comparison{}, map[coded]bench.Case{}}
	for i, c := range cs {
		k := indexKey{c.Machine, c.Case, c.Metric}
		switch {
		case x.byCase[k] == nil:
			x.byCase[k] = &cs[i]
		case c.Case.Crosses():
			x.byCoding[k] = &cs[i]
			x.codings[coded{newHeat(c.Machine, c.Case), c.Case.Encoding}] = c.Baseline
		}
		if h := newHeat(c.Machine, c.Case); x.baseline[h] == (bench.Case{}) {
			x.baseline[h] = c.Baseline
		}
	}
	return x
}

// find returns nil where a case is compared with nothing.
func (x index) find(c Case, m bench.Metric) *Comparison {
	return x.byCase[indexKey{c.Machine, c.Case, m}]
}

// isBaseline reports whether others are compared with the case.
func (x index) isBaseline(c Case) bool { return x.baseline[heatOf(c)] == c.Case }

// layout puts a report in the order in which it is read.
func layout(r *Report) []block {
	var out []block
	for i, s := range r.Samples {
		out = append(out, sampleBlock(r, s))
		if s.Sweep == nil || i == 0 || r.Samples[i-1].Sweep == nil { // the steps of a sweep lose alike
			out = append(out, lossBlock(r, s)...)
		}
		out = append(out, sizeBlock(r, s)...)
	}
	out = append(out, caseBlocks(r)...)
	out = append(out, requestBlocks(r)...)
	out = append(out, sweepBlocks(r)...)
	out = append(out, acrossBlocks(r)...)
	out = append(out, pairBlocks(r)...)
	out = append(out, coldBlocks(r)...)
	out = append(out, codecBlock(r)...)
	out = append(out, missingBlock(r)...)
	out = append(out, machineBlocks(r)...)
	out = append(out, verdictBlocks(r)...)
	return append(out, summaryBlocks(r)...)
}

// swept reports whether a sample is a step of a sweep. Steps are shown side by
// side, and not each for itself.
func (r *Report) swept(sample string) bool {
	return slices.ContainsFunc(r.Samples, func(s Sample) bool { return s.Sample == sample && s.Sweep != nil })
}
