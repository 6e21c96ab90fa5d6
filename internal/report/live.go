package report

import (
	"bufio"
	"fmt"
	"strings"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/verdict"
)

// LiveTable shows what is known while a run goes on: for each operation and
// codec the time so far and how it compares. Where there are several lanes (as
// bench.Case.Lane names them), it does so for the one at hand, and sums up the
// others in a line each. It is as wide as the screen at most, and its rows keep
// their places.
func LiveTable(a *analyse.Analysis, lane string, width int) string {
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
		if c.Status == bench.Skipped || c.Status == bench.Failed && c.Reason != notYet || c.Case.Lane() != lane {
			continue
		}
		name := string(c.Case.Operation)
		if c.Case.Crosses() && c.Case.Encoding != bench.Identity {
			name += " " + c.Case.Encoding
		}
		if len(samples) > 1 {
			name += " " + c.Case.Sample
		}
		row := []cell{show(name), show(c.Case.CodecID()), show("…"), {}}
		if c.NS != nil {
			row[2] = show(verdict.Duration(c.NS.Median))
			row[3] = ratioCell(index.find(c, analyse.Shown(c.Case)))
		}
		g.rows = append(g.rows, row)
	}
	if len(g.rows) == 0 {
		return ""
	}
	var b strings.Builder
	p := printer{bufio.NewWriter(&b), Options{Width: width}}
	return othersSoFar(p, cases, cs, lane) + p.table(g)
}

// othersSoFar has a line for each lane but the one at hand.
func othersSoFar(p printer, cases []Case, cs []Comparison, lane string) string {
	g := &grid{header: []string{"runtime", "forks", "decided"}, left: map[int]bool{2: true}}
	var lanes []string
	for _, c := range cases {
		lanes = appendNew(lanes, c.Case.Lane())
	}
	for _, other := range lanes {
		if other == lane {
			continue
		}
		forks, decided, all := 0, 0, 0
		for _, c := range cases {
			if c.Case.Lane() == other {
				forks = max(forks, c.Forks)
			}
		}
		for _, c := range cs {
			if c.Case.Lane() == other && c.Metric == analyse.Shown(c.Case) {
				all++
				if c.Verdict != bench.Undecided {
					decided++
				}
			}
		}
		g.rows = append(g.rows, []cell{show(other), show(fmt.Sprint(forks)), show(fmt.Sprintf("%d of %d ratios", decided, all))})
	}
	if len(g.rows) == 0 {
		return ""
	}
	return p.table(g) + "\n"
}
