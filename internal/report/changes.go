package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/compare"
	"wirecost/internal/verdict"
)

// ChangeFormats names the forms of what changed between result files.
func ChangeFormats() []string { return []string{"terminal", "markdown", "json"} }

// WriteChanges writes what changed between result files in one of ChangeFormats.
func WriteChanges(w io.Writer, r *compare.Result, format string, opt Options) error {
	c := changes{Result: r, samples: len(samplesOf(r)) > 1, runtimes: len(runtimesIn(r)) > 1, baseline: usualBaseline(r)}
	out := bufio.NewWriter(w)
	switch format {
	case "terminal":
		c.terminal(printer{out, opt})
	case "markdown":
		c.markdown(out)
	case "json":
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(r); err != nil {
			return err
		}
	default:
		return fmt.Errorf("what changed is not written as %q", format)
	}
	return out.Flush()
}

// changes is a comparison and what its names have to tell apart.
type changes struct {
	*compare.Result
	samples, runtimes bool
	baseline          string // the codec that most times are ratios to; others are named
}

// usualBaseline relies on the order of times: those to the baseline come first.
func usualBaseline(r *compare.Result) string {
	for _, row := range r.Rows {
		if isTime(row) {
			return row.Baseline.Codec
		}
	}
	return ""
}

func samplesOf(r *compare.Result) []string {
	return distinct(r, func(row compare.Row) string { return row.Sample })
}

func runtimesIn(r *compare.Result) []string {
	return distinct(r, func(row compare.Row) string {
		if row.Case == nil {
			return ""
		}
		return row.Case.Runtime
	})
}

// distinct lists what is said of rows, leaving out what is empty.
func distinct(r *compare.Result, of func(compare.Row) string) []string {
	var out []string
	for _, row := range r.Rows {
		if s := of(row); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// headline says what came of it: "1 regression, 2 improvements".
func (c changes) headline() string {
	var parts []string
	if n := c.Count(compare.Regression); n > 0 {
		parts = append(parts, count(n, "regression"))
	} else {
		parts = append(parts, "no regression")
	}
	if n := c.Count(compare.Improvement); n > 0 {
		parts = append(parts, count(n, "improvement"))
	}
	return strings.Join(parts, ", ")
}

// facts says what was compared, and what else differs.
func (c changes) facts() []string {
	out := []string{fmt.Sprintf("%s against %s; a change of more than %s counts", strings.Join(c.New.Files, ", "), strings.Join(c.Old.Files, ", "), verdict.Percent(c.Threshold))}
	line := fmt.Sprintf("%s compared: %s, %d without a change beyond that", count(len(c.Rows), "figure"), c.headline(), c.Count(compare.NoChange))
	if n := c.Count(compare.Undecided); n > 0 {
		line += fmt.Sprintf(", %d undecided", n)
	}
	out = append(out, line)
	if c.baseline != "" {
		out = append(out, fmt.Sprintf("times are ratios to %s in the same run, unless another codec is named", c.baseline))
	}
	if c.TimesLeftOut != "" {
		out = append(out, c.TimesLeftOut)
	}
	out = append(out, c.Notes...)
	for i, s := range out {
		out[i] = clean(s)
	}
	return out
}

// grid is the table of the rows that are wanted; nil if there are none.
func (c changes) grid(wanted func(compare.Row) bool) *grid {
	g := &grid{header: []string{"figure", "before", "now", "change", "verdict"}, left: map[int]bool{3: true, 4: true}}
	for _, row := range c.Rows {
		if wanted(row) {
			g.rows = append(g.rows, []cell{show(c.name(row)), show(value(row, row.Old)), show(value(row, row.New)), show(changeOf(row)), verdictCell(row.Verdict)})
		}
	}
	if len(g.rows) == 0 {
		return nil
	}
	return g
}

func changed(row compare.Row) bool {
	return row.Verdict == compare.Regression || row.Verdict == compare.Improvement
}

func isTime(row compare.Row) bool { return row.Kind == compare.Time }

var formNames = map[string]string{"original": "your JSON", "compact": "compact JSON", "protojson": "ProtoJSON", "binary": "Protobuf"}

var metricNames = map[bench.Metric]string{bench.Mutator: "time", bench.CPU: "CPU time", bench.Wall: "wall time"}

// name says what a row is of.
func (c changes) name(row compare.Row) string {
	var s string
	switch row.Kind {
	case compare.Size:
		form := formNames[row.Form]
		if form == "" {
			form = row.Form
		}
		s = "size of " + form
		if row.Encoding != bench.Identity {
			s += ", " + row.Encoding
		}
		if row.Unit == "concatenated" {
			s += ", as one stream"
		}
	case compare.Allocs:
		s = c.codec(row) + ": allocations"
	case compare.Memory:
		s = c.codec(row) + ": bytes allocated"
	case compare.Wire:
		s = c.codec(row) + ": bytes on the wire"
	default:
		s = c.codec(row) + ": " + metricNames[row.Metric]
		if row.Case.Crosses() {
			s = c.codec(row) + ": time"
		}
		if to := baselineName(*row.Baseline); to != c.baseline {
			s += " to " + to
		}
	}
	if c.samples {
		s = row.Sample + ", " + s
	}
	return s
}

// baselineName names a baseline, with its content coding where it has one.
func baselineName(c bench.Case) string {
	if c.Crosses() && c.Encoding != bench.Identity {
		return c.Codec + " " + c.Encoding
	}
	return c.Codec
}

func (c changes) codec(row compare.Row) string {
	name := row.Case.Codec
	if c.runtimes {
		name = row.Case.CodecID()
	}
	name += " " + string(row.Case.Operation)
	if !row.Case.Crosses() {
		return name
	}
	name += fmt.Sprintf(" %s %s", row.Case.Transport, row.Case.Encoding)
	if peer := row.Case.PeerRuntime(); peer != row.Case.Runtime && peer != "" {
		name += " with " + row.Case.Peer
	}
	if row.Case.Link != "" {
		name += " " + row.Case.Link
	}
	return name
}

func value(row compare.Row, x float64) string {
	switch row.Kind {
	case compare.Size, compare.Memory, compare.Wire:
		return verdict.Bytes(whole(x))
	case compare.Allocs:
		return amount(x)
	}
	return verdict.Digits(x)
}

// changeOf writes a change, with its interval where it has one.
func changeOf(row compare.Row) string {
	if row.Change == nil {
		return "from 0"
	}
	s := signed(*row.Change)
	switch {
	case row.Low != nil && row.High != nil:
		s += fmt.Sprintf(" (%s to %s)", signed(*row.Low), signed(*row.High))
	case row.Kind == compare.Time:
		s += " (too few forks)"
	}
	return s
}

// signed writes a ratio as a change: 1.05 as "+5%".
func signed(ratio float64) string {
	switch p := verdict.Percent(ratio - 1); {
	case ratio == 1:
		return "none"
	case p == "0%" || p == "-0%" || p == "0.0%" || p == "-0.0%":
		return "<0.1%"
	case ratio > 1:
		return "+" + p
	default:
		return "−" + strings.TrimPrefix(p, "-")
	}
}

func verdictCell(v compare.Verdict) cell {
	t := plain
	switch v {
	case compare.Regression:
		t = bad
	case compare.Improvement:
		t = good
	case compare.Undecided:
		t = faint
	}
	return cell{string(v), t}
}

// terminal shows what changed, and all times; sizes and allocations that did
// not change are only counted.
func (c changes) terminal(p printer) {
	p.block(block{title: "Compared: " + c.headline(), items: c.facts()})
	for _, b := range []block{
		{title: "Changed", grid: c.grid(changed)},
		{title: "Times that did not change, or not for sure", grid: c.grid(func(r compare.Row) bool { return isTime(r) && !changed(r) })},
	} {
		if b.grid != nil {
			p.line("")
			p.block(b)
		}
	}
}

// markdown is a comment for a pull request: what changed, and the rest folded.
func (c changes) markdown(w *bufio.Writer) {
	fmt.Fprintf(w, "### wirecost: %s\n", escape(c.headline()))
	if g := c.grid(changed); g != nil {
		fmt.Fprintf(w, "\n%s\n", markdownTable(g))
	}
	fmt.Fprintln(w)
	for _, s := range c.facts() {
		fmt.Fprintf(w, "- %s\n", escape(s))
	}
	all := c.grid(func(compare.Row) bool { return true })
	fmt.Fprintf(w, "\n<details>\n<summary>All figures</summary>\n\n%s\n\n</details>\n", markdownTable(all))
}
