package report

import (
	"bufio"
	"strings"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/verdict"
)

// LiveTable shows what is known while a run goes on: for each operation and
// codec the time so far and how it compares. It is as wide as the screen at
// most, and its rows keep their places.
func LiveTable(a *analyse.Analysis, width int) string {
	var cs []Comparison
	for _, c := range a.Comparisons() {
		cs = append(cs, newComparison(c, 0))
	}
	index := newIndex(cs)
	g := &grid{header: []string{"operation", "codec", "time", "ratio"}, left: map[int]bool{1: true, 3: true}}
	samples := map[string]bool{}
	var cases []Case
	for _, c := range a.Cases() {
		samples[c.Sample] = true
		cases = append(cases, newCase(c, 0))
	}
	for _, c := range cases {
		if c.Status == bench.Skipped || c.Status == bench.Failed && c.Reason != notYet {
			continue
		}
		name := string(c.Case.Operation)
		if len(samples) > 1 {
			name += " " + c.Case.Sample
		}
		row := []cell{show(name), show(c.Case.CodecID()), show("…"), {}}
		if c.NS != nil {
			row[2] = show(verdict.Duration(c.NS.Median))
			row[3] = ratioCell(index.find(c, bench.Mutator))
		}
		g.rows = append(g.rows, row)
	}
	if len(g.rows) == 0 {
		return ""
	}
	var b strings.Builder
	p := printer{bufio.NewWriter(&b), Options{Width: width}}
	return p.table(g)
}
