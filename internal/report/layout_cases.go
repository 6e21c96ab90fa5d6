package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"wirecost/internal/bench"
	"wirecost/internal/verdict"
)

// heat is the cases of one table: those that are compared with each other.
type heat struct {
	machine int
	c       bench.Case // without codec and format, and across a transport without encoding, with the peer's runtime as its peer
}

func heatOf(c Case) heat { return newHeat(c.Machine, c.Case) }

func newHeat(machine int, c bench.Case) heat {
	c.Codec, c.Format = "", ""
	if c.Crosses() {
		c.Encoding, c.Peer = "", c.PeerRuntime()
	}
	return heat{machine, c}
}

// heats lists them in the order of their cases.
func heats(cases []Case) []heat {
	var out []heat
	for _, c := range cases {
		if h := heatOf(c); !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}

// caseBlocks shows a table for each operation: what it takes in every codec, by
// short batches. Where other times have another ratio, a line beneath says so.
func caseBlocks(r *Report) []block {
	index := newIndex(r.Comparisons)
	var out []block
	for _, h := range heats(r.Cases) {
		if r.swept(h.c.Sample) || h.c.Crosses() {
			continue
		}
		g := &grid{header: []string{"codec", "time", "±", "ratio", "allocs", "B/op"}, left: map[int]bool{3: true}}
		for _, c := range r.Cases {
			if heatOf(c) == h && c.NS != nil {
				g.rows = append(g.rows, caseRow(c, index))
			}
		}
		if len(g.rows) > 0 {
			out = append(out, block{title: heatTitle(r, h), grid: g.trim(), items: otherMetrics(r.Cases, h, index)})
		}
	}
	return out
}

func heatTitle(r *Report, h heat) string {
	words := []string{string(h.c.Operation)}
	if len(r.Samples) > 1 {
		words = append(words, clean(h.c.Sample))
	}
	words = append(words, h.c.Runtime)
	if len(r.Machines) > 1 {
		words = append(words, fmt.Sprintf("machine %d", h.machine+1))
	}
	words[0] = capital(words[0])
	return clean(strings.Join(words, ", "))
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func caseRow(c Case, index index) []cell {
	row := []cell{
		show(c.Case.Codec), show(verdict.Duration(c.NS.Median)), {spread(c.NS.Low, c.NS.Median, c.NS.High), faint},
		ratioCell(index.find(c, bench.Mutator)), {}, {},
	}
	if index.isBaseline(c) {
		row[3] = cell{"baseline", faint}
	}
	if c.Allocs != nil {
		row[4] = show(amount(*c.Allocs))
	}
	if c.Bytes != nil {
		row[5] = show(verdict.Bytes(whole(*c.Bytes)))
	}
	return row
}

// otherMetrics names the codecs whose ratio is another by CPU time or by wall
// time than in short batches, each time beyond both intervals.
func otherMetrics(cases []Case, h heat, index index) []string {
	var out []string
	for _, m := range []struct {
		metric bench.Metric
		name   string
	}{{bench.CPU, "CPU time"}, {bench.Wall, "Wall time"}} {
		var parts []string
		for _, c := range cases {
			x := index.find(c, m.metric)
			if m.metric == bench.Wall && agree(x, index.find(c, bench.CPU)) {
				continue // CPU time has said so
			}
			if heatOf(c) == h && apart(x, index.find(c, bench.Mutator)) {
				parts = append(parts, clean(c.Case.Codec)+" "+ratioCell(x).text)
			}
		}
		if len(parts) > 0 {
			out = append(out, fmt.Sprintf("%s, collection included, gives other ratios: %s.", m.name, strings.Join(parts, ", ")))
		}
	}
	return out
}

// agree reports whether there are two comparisons with an interval in common.
func agree(x, y *Comparison) bool { return x != nil && y != nil && !apart(x, y) }

// apart reports whether the intervals of two comparisons have nothing in common.
func apart(x, y *Comparison) bool {
	if x == nil || y == nil {
		return false
	}
	return x.Low != nil && y.High != nil && *x.Low > *y.High || x.High != nil && y.Low != nil && *x.High < *y.Low
}

// amount writes a mean count: whole ones without decimals.
func amount(x float64) string {
	if x == math.Trunc(x) && x < 1e6 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return verdict.Digits(x)
}

// whole rounds a mean number of bytes where fractions say nothing.
func whole(b float64) float64 {
	if b >= 100 {
		return float64(int64(b + 0.5))
	}
	return b
}

// spread is half the width of an interval, relative to its middle.
func spread(low, middle, high float64) string {
	if middle <= 0 {
		return ""
	}
	return verdict.Percent((high - low) / 2 / middle)
}

// ratioCell writes a ratio and how far its interval reaches, on the farther
// side; ~ marks one that is undecided, = one that is the same within δ.
func ratioCell(x *Comparison) cell {
	if x == nil {
		return cell{}
	}
	s := verdict.Digits(x.Ratio) + " ±"
	if x.Low != nil && x.High != nil {
		s += verdict.Percent(max(x.Ratio / *x.Low, *x.High/x.Ratio) - 1)
	} else {
		s += "?"
	}
	switch x.Verdict {
	case bench.Faster:
		return cell{s, good}
	case bench.Slower:
		return cell{s, bad}
	case bench.Equivalent:
		return cell{"=" + s, plain}
	}
	return cell{"~" + s, faint}
}

// coldBlocks shows what the first operations of a process take.
func coldBlocks(r *Report) []block {
	var order []heat
	cold := map[heat][]Case{}
	for _, c := range r.Cases {
		if c.Cold == nil || c.Case.Crosses() || r.swept(c.Case.Sample) {
			continue
		}
		h := heatOf(c)
		h.c.Operation = ""
		if cold[h] == nil {
			order = append(order, h)
		}
		cold[h] = append(cold[h], c)
	}
	var out []block
	for _, h := range order {
		h.c.Operation = "cold start"
		out = append(out, block{title: heatTitle(r, h), line: "the first operation of a process, and the mean of its first ones, up to 100", grid: coldGrid(cold[heat{h.machine, withoutOperation(h.c)}])})
	}
	return out
}

func withoutOperation(c bench.Case) bench.Case {
	c.Operation = ""
	return c
}

// coldGrid has a row per codec and two columns per operation.
func coldGrid(cases []Case) *grid {
	g := &grid{header: []string{"codec"}}
	column := map[bench.Operation]int{}
	row := map[string]int{}
	for _, c := range cases {
		if column[c.Case.Operation] == 0 {
			column[c.Case.Operation] = len(g.header)
			g.header = append(g.header, string(c.Case.Operation), "mean")
		}
	}
	for _, c := range cases {
		i, ok := row[c.Case.Codec]
		if !ok {
			i = len(g.rows)
			row[c.Case.Codec] = i
			g.rows = append(g.rows, make([]cell, len(g.header)))
			g.rows[i][0] = show(c.Case.Codec)
		}
		at := column[c.Case.Operation]
		g.rows[i][at], g.rows[i][at+1] = show(verdict.Duration(c.Cold.First)), show(verdict.Duration(c.Cold.Mean))
	}
	return g
}

// operationName says what of a case its codec does not: the operation, what it
// crosses, and where there are several the sample.
func operationName(r *Report, c bench.Case) string {
	name := string(c.Operation)
	if c.Crosses() {
		name += fmt.Sprintf(" over %s, %s", c.Transport, c.Encoding)
		if c.Peer != "" && c.Peer != c.CodecID() {
			name += ", with " + c.Peer
		}
		if c.Link != "" {
			name += ", " + c.Link
		}
	}
	if len(r.Samples) > 1 {
		name += ", " + c.Sample
	}
	return name
}

func runtimesOf(r *Report) []string {
	var out []string
	for _, c := range r.Cases {
		if !slices.Contains(out, c.Case.Runtime) {
			out = append(out, c.Case.Runtime)
		}
	}
	return out
}

func onMachine(r *Report, title string, machine int) string {
	if len(r.Machines) > 1 {
		return fmt.Sprintf("%s, machine %d", title, machine+1)
	}
	return title
}

// codecBlock says what is behind each name.
func codecBlock(r *Report) []block {
	var items []string
	seen := map[string]bool{}
	for _, c := range r.Cases {
		if c.NS == nil {
			continue
		}
		words := []string{strings.TrimSpace(c.Library + " " + c.Version)}
		if c.Role == "default" {
			words = append(words, "the usual one")
		}
		words = append(words, c.Traits...)
		if c.Note != "" {
			words = append(words, c.Note)
		}
		item := c.Case.CodecID() + ": " + strings.Join(words, ", ")
		if !seen[item] {
			seen[item] = true
			items = append(items, clean(item))
		}
	}
	items = append(items, caveats(r)...)
	if len(items) == 0 {
		return nil
	}
	return []block{{title: "Codecs", items: items}}
}

// overheadLimit is the timing loop's share of the time from which it is warned of.
const overheadLimit = 0.05

// caveats warn of what makes a time worth less.
func caveats(r *Report) []string {
	out := loopCaveat(r.Cases)
	for _, c := range r.Cases {
		if c.NoSteadyState {
			out = append(out, clean(fmt.Sprintf("%s %s: no steady state was reached", c.Case.CodecID(), operationName(r, c.Case))))
		}
	}
	for _, x := range r.Comparisons {
		if x.Unsteady {
			out = append(out, clean(fmt.Sprintf("%s %s, %s: the ratio changed during the run; its interval is what it was before", x.Case.CodecID(), operationName(r, x.Case), x.Metric)))
		}
	}
	return out
}

func loopCaveat(cases []Case) []string {
	n, largest, subtracted := 0, 0.0, true
	for _, c := range cases {
		if c.NS != nil && c.Overhead > overheadLimit {
			n++
			largest = max(largest, c.Overhead)
			subtracted = subtracted && !c.Compiles
		}
	}
	if n == 0 {
		return nil
	}
	line := fmt.Sprintf("In %s the timing loop takes more than %s of the time, at most %s", count(n, "case"), verdict.Percent(overheadLimit), verdict.Percent(largest))
	if subtracted {
		line += "; it is subtracted"
	}
	return []string{line}
}
