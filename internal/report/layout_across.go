package report

import (
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/verdict"
)

// place is where the same documents were measured in several runtimes.
type place struct {
	machine int
	sample  string
}

func placeOf(c Case) place { return place{c.Machine, c.Case.Sample} }

// acrossBlocks puts the runtimes side by side: what an operation takes as it is,
// and what differs in what is done for it. There is no ratio in it: programs in
// different languages are not each other's alternatives.
func acrossBlocks(r *Report) []block {
	if len(runtimesOf(r)) < 2 {
		return nil
	}
	var places []place
	cases := map[place][]Case{}
	for _, c := range r.Cases {
		if c.NS == nil || c.Case.Crosses() || r.swept(c.Case.Sample) {
			continue
		}
		if p := placeOf(c); cases[p] == nil {
			places = append(places, p)
		}
		cases[placeOf(c)] = append(cases[placeOf(c)], c)
	}
	var out []block
	for _, p := range places {
		t := across{cases: cases[p], cpu: true}
		for _, c := range t.cases {
			t.cpu = t.cpu && c.CPUEstimate != nil
		}
		if g := t.grid(); len(g.rows) > 0 && len(t.runtimes()) > 1 {
			out = append(out, block{title: placeTitle(r, "Across runtimes", p), line: t.line(), grid: g.trim(), items: t.notes()})
		}
	}
	return out
}

func placeTitle(r *Report, title string, p place) string {
	if len(r.Samples) > 1 {
		title += ", " + clean(p.sample)
	}
	return clean(onMachine(r, title, p.machine))
}

// across is the cases of one place.
type across struct {
	cases []Case
	cpu   bool // all runtimes tell CPU time
}

func (t across) line() string {
	if t.cpu {
		return "CPU time of an operation, collection included, ± its interval; and what is done for it. Compare within a runtime first."
	}
	return "time of an operation in short batches, ± its interval; and what is done for it. Compare within a runtime first."
}

func (t across) runtimes() []string {
	var out []string
	for _, c := range t.cases {
		if !slices.Contains(out, c.Case.Runtime) {
			out = append(out, c.Case.Runtime)
		}
	}
	return out
}

// grid has a row for the usual and the best codec of each format in each
// runtime, JSON first.
func (t across) grid() *grid {
	g := &grid{header: []string{"codec", "encode", "read", "makes", "strings", "UTF-8"}, left: map[int]bool{3: true, 4: true, 5: true}}
	for _, format := range []bench.Format{bench.JSON, bench.Protobuf} {
		for _, runtime := range t.runtimes() {
			for _, codec := range t.chosen(runtime, format) {
				row := make([]cell, len(g.header))
				for _, c := range t.cases {
					if c.Case.Runtime != runtime || c.Case.Codec != codec {
						continue
					}
					row[0] = show(c.Case.CodecID())
					switch c.Case.Operation {
					case bench.Encode:
						row[1] = t.time(c)
					case t.reading(runtime):
						row[2] = t.time(c)
					}
					row[3], row[4], row[5] = makes(c), trait(c, stringTraits), trait(c, textTraits)
				}
				g.rows = append(g.rows, row)
			}
		}
	}
	return g
}

// reading is the operation that a runtime's codecs read with: visit, where it was
// measured because decode leaves work for later.
func (t across) reading(runtime string) bench.Operation {
	for _, c := range t.cases {
		if c.Case.Runtime == runtime && c.Case.Operation == bench.Visit {
			return bench.Visit
		}
	}
	return bench.Decode
}

// chosen are the codecs of a runtime and format that stand for it; all where
// none is the usual one or the best.
func (t across) chosen(runtime string, format bench.Format) []string {
	var chosen, all []string
	for _, c := range t.cases {
		if c.Case.Runtime != runtime || c.Case.Format != format {
			continue
		}
		if !slices.Contains(all, c.Case.Codec) {
			all = append(all, c.Case.Codec)
		}
		if (c.Role == "default" || c.Best) && !slices.Contains(chosen, c.Case.Codec) {
			chosen = append(chosen, c.Case.Codec)
		}
	}
	if chosen == nil {
		return all
	}
	return chosen
}

func (t across) time(c Case) cell {
	e := c.NS
	if t.cpu {
		e = c.CPUEstimate
	}
	return show(verdict.Duration(e.Median) + " ±" + spread(e.Low, e.Median, e.High))
}

// makes says what decoding makes of a document.
func makes(c Case) cell {
	for _, word := range []string{"lazy", "dom", "reflective", "typed"} {
		if slices.Contains(c.Traits, word) {
			return show(word)
		}
	}
	if c.Lazy {
		return show("lazy")
	}
	return cell{}
}

// named is a trait and its word in a table.
type named struct{ trait, word string }

var (
	stringTraits = []named{{"copies strings", "copied"}, {"strings share one copy of the input", "shared"}, {"aliases input", "aliased"}}
	textTraits   = []named{{"validates UTF-8", "checked"}, {"replaces invalid UTF-8", "replaced"}, {"accepts invalid UTF-8", "accepted"}}
)

func trait(c Case, traits []named) cell {
	for _, t := range traits {
		if slices.Contains(c.Traits, t.trait) {
			return show(t.word)
		}
	}
	return cell{}
}

// notes says of each runtime what its times have in them.
func (t across) notes() []string {
	var out []string
	for _, runtime := range t.runtimes() {
		told, collections, compiles := false, int64(0), false
		var warmup []string
		for _, c := range t.cases {
			if c.Case.Runtime != runtime {
				continue
			}
			if c.Collections != nil {
				told, collections = true, collections+*c.Collections
			}
			compiles = compiles || c.Compiles
			if c.Compiles && c.Warmup > 0 {
				warmup = append(warmup, fmt.Sprintf("%.0f", c.Warmup))
			}
		}
		words := []string{collector(told, collections)}
		if t.reading(runtime) == bench.Visit {
			words = append(words, "to read is to decode and to visit every field, since a codec leaves work for that")
		}
		if compiles {
			words = append(words, "compiles while it runs, so each fork warms up first"+warmedUp(warmup))
		}
		out = append(out, clean(runtime+": "+strings.Join(words, "; "))+".")
	}
	return out
}

func collector(told bool, n int64) string {
	switch {
	case !told:
		return "does not tell of collections"
	case n == 0:
		return "no collections"
	}
	return "a collector, which ran " + times(n)
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// warmedUp says how many batches that took.
func warmedUp(batches []string) string {
	if len(batches) == 0 {
		return ""
	}
	slices.SortFunc(batches, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	first, last := batches[0], batches[len(batches)-1]
	if first == last {
		return fmt.Sprintf(" (%s batches)", first)
	}
	return fmt.Sprintf(" (%s to %s batches)", first, last)
}

// pairBlocks shows, for services in different runtimes, Protobuf's ratio to
// JSON: encoded in the row's runtime, read in the column's.
func pairBlocks(r *Report) []block {
	type key struct {
		machine       int
		sample, topic string
	}
	var order []key
	pairs := map[key][]Pair{}
	for _, p := range r.Pairs {
		if r.swept(p.Sample) {
			continue
		}
		k := key{p.Machine, p.Sample, p.Topic}
		if pairs[k] == nil {
			order = append(order, k)
		}
		pairs[k] = append(pairs[k], p)
	}
	var out []block
	for _, k := range order {
		title := placeTitle(r, "Between runtimes, "+k.topic+" codecs", place{machine: k.machine, sample: k.sample})
		out = append(out, block{title: title, line: "Protobuf's time as a ratio to JSON's: encode in the row's runtime, read in the column's", grid: pairGrid(pairs[k])})
	}
	return out
}

func pairGrid(pairs []Pair) *grid {
	g := &grid{header: []string{"from"}}
	for _, p := range pairs {
		for _, runtime := range []string{p.From, p.To} {
			if !slices.Contains(g.header, runtime) {
				g.header = append(g.header, runtime)
			}
		}
	}
	for _, from := range g.header[1:] {
		row := make([]cell, len(g.header))
		row[0] = show(from)
		for _, p := range pairs {
			if p.From == from {
				row[slices.Index(g.header, p.To)] = pairCell(p)
			}
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// pairCell writes a pair's ratio as tables do.
func pairCell(p Pair) cell {
	c := Comparison{Ratio: p.Ratio, Low: p.Low, High: p.High, Verdict: bench.Undecided}
	switch {
	case p.High != nil && *p.High < 1:
		c.Verdict = bench.Faster
	case p.Low != nil && *p.Low > 1:
		c.Verdict = bench.Slower
	}
	return ratioCell(&c)
}
