package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"wirecost/internal/bench"
)

// results are trials with what is known of their cells.
type results struct {
	trials []trial
	cells  map[string]cell
	cut    map[bool]float64 // seconds at which the tools are compared, beside neighbours and without
}

// state is a machine's: quiet, busy, or either.
type state func(trial) bool

func either(trial) bool   { return true }
func quiet(t trial) bool  { return !t.Busy }
func busied(t trial) bool { return t.Busy }

// of returns the trials of some cells in a state.
func (r results) of(s state, cells ...string) (out []trial) {
	for _, t := range r.trials {
		if s(t) && slices.Contains(cells, t.Cell) {
			out = append(out, t)
		}
	}
	return out
}

// newResults sets the cut to the time that go test's trials really took.
func newResults(f *file) results {
	r := results{trials: f.trials, cells: map[string]cell{}, cut: map[bool]float64{}}
	for _, c := range cells(f.header.Seconds) {
		r.cells[c.name] = c
	}
	for busy, in := range map[bool]state{false: quiet, true: busied} {
		r.cut[busy] = f.header.Seconds
		if ts := r.of(in, sides[0].same, sides[0].one, sides[0].two); len(ts) > 0 {
			r.cut[busy] = meanSeconds(ts)
		}
	}
	return r
}

func meanSeconds(ts []trial) float64 {
	sum := 0.0
	for _, t := range ts {
		sum += t.Seconds
	}
	return sum / float64(len(ts))
}

// verdict is the first that calls a trial's arms different within so many
// seconds, and when; bench.Undecided if there is none. Go test's trial has one look, whenever it is.
func (r results) verdict(t trial, within float64) (bench.Verdict, float64) {
	for _, l := range t.Looks {
		if l.differs() && (l.At <= within || r.cells[t.Cell].method == goTest) {
			return l.Verdict, l.At
		}
	}
	return bench.Undecided, 0
}

// ratio is the last estimate within so many seconds; NaN if there is none.
func (r results) ratio(t trial, within float64) float64 {
	ratio := math.NaN()
	for _, l := range t.Looks {
		if l.At <= within || r.cells[t.Cell].method == goTest {
			ratio = l.Ratio
		}
	}
	return ratio
}

// side is a row of the head-to-head: how one tool does.
type side struct {
	name           string
	same, one, two string // its cells
}

var sides = []side{
	{"go test -count=10 + benchstat", "gotest-same", "gotest-1%", "gotest-2%"},
	{"wirecost, in one process", "one-same", "one-1%", "one-2%"},
	{"wirecost, across processes", "apart-same", "apart-1%", "apart-2%"},
}

// found counts trials that were called right and wrong at the cut, of those that
// differ; for identical arms every verdict is wrong.
func (r results) found(ts []trial) (right, wrong int) {
	for _, t := range ts {
		switch v, _ := r.verdict(t, r.cut[t.Busy]); {
		case v == bench.Undecided:
		case v == bench.Slower && r.cells[t.Cell].truth > 1:
			right++
		default:
			wrong++
		}
	}
	return right, wrong
}

// rms is the root mean square error of the ratio at the cut, in percent.
func (r results) rms(ts []trial) float64 {
	sum, n := 0.0, 0
	for _, t := range ts {
		if x := math.Log(r.ratio(t, r.cut[t.Busy]) / r.cells[t.Cell].truth); !math.IsNaN(x) {
			sum, n = sum+x*x, n+1
		}
	}
	return 100 * math.Sqrt(sum/float64(n))
}

// perVerdict is how many seconds of measuring went into each correct verdict:
// all trials' time until they had one, or until the cell's limit, through the number of correct ones.
func (r results) perVerdict(ts []trial) float64 {
	spent, correct := 0.0, 0
	for _, t := range ts {
		v, at := r.verdict(t, math.Inf(1))
		switch {
		case v == bench.Undecided:
			at = t.Seconds
		case v == bench.Slower:
			correct++
		}
		spent += at
	}
	return spent / float64(correct)
}

func (r results) row(s side, in state) []string {
	of := func(cell string) string {
		ts := r.of(in, cell)
		right, wrong := r.found(ts)
		if r.cells[cell].truth == 1 {
			return fmt.Sprintf("%d/%d", wrong, len(ts))
		}
		return fmt.Sprintf("%d/%d, %d wrong", right, len(ts), wrong)
	}
	all := r.of(in, s.same, s.one, s.two)
	if len(all) == 0 {
		return nil
	}
	return []string{s.name, of(s.same), of(s.one), of(s.two), number(r.rms(all), "%.2f%%"), number(r.perVerdict(r.of(in, s.two)), "%.1f s")}
}

// number prints a figure, or a dash where there is none.
func number(x float64, format string) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return fmt.Sprintf(format, x)
}

// printTables prints what the trials came to, and reports whether a bound was missed.
func printTables(w io.Writer, f *file, chosen []cell) (missed bool) {
	r := newResults(f)
	h := f.header
	fmt.Fprintf(w, "\n%s, %d cores, %s, %s; seed %d; %d trials", h.CPU, h.Cores, h.Go, h.Time.Format("2006-01-02"), h.Seed, len(f.trials))
	fmt.Fprintf(w, "\nBoth tools at equal wall time: after %.1f s of a comparison (beside neighbours %.1f s).\n", r.cut[false], r.cut[true])
	for _, s := range []struct {
		name string
		in   state
	}{{"all trials", either}, {"no neighbours", quiet}, {fmt.Sprintf("busy neighbours: %d", h.Spin), busied}} {
		rows := [][]string{{s.name, "identical: “differs”", "finds 1%", "finds 2%", "RMS error", "time per correct 2%"}}
		for _, side := range sides {
			if row := r.row(side, s.in); row != nil {
				rows = append(rows, row)
			}
		}
		if len(rows) > 1 {
			printRows(w, rows)
		}
	}
	return printBounds(w, r, chosen)
}

// printRows aligns columns.
func printRows(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], len([]rune(text)))
		}
	}
	fmt.Fprintln(w)
	for _, row := range rows {
		var line strings.Builder
		for i, text := range row {
			line.WriteString(text)
			line.WriteString(strings.Repeat(" ", widths[i]-len([]rune(text))+2))
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}
