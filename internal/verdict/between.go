package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// Pair is what a message costs between two services: encoded in one runtime and
// read in another, in one codec of each format.
type Pair struct {
	Sample   string  `json:"sample"`
	Topic    string  `json:"topic"` // default or best
	From     string  `json:"from"`  // the runtime that encodes
	To       string  `json:"to"`    // the runtime that reads
	JSON     float64 `json:"json_ns"`
	Protobuf float64 `json:"protobuf_ns"`
	// Of Protobuf to JSON. It is made of ratios that were measured within each
	// runtime.
	Ratio Ratio `json:"-"`

	parts  [2][2]float64 // encode and read, of JSON and of Protobuf
	unit   string
	codecs [4]*codec
}

// Pairs lists what messages between different runtimes cost.
func Pairs(in Input) []Pair {
	var out []Pair
	for _, s := range in.Samples {
		out = append(out, pairsOf(in, s)...)
	}
	return out
}

func pairsOf(in Input, s store.Sample) []Pair {
	var fields []*field
	sizes := newSizes(in.Sizes, s)
	for _, runtime := range runtimes(in.Cases, s.Sample) {
		if f := newField(in, sizes, runtime); f != nil {
			fields = append(fields, f)
		}
	}
	if len(fields) < 2 {
		return nil
	}
	for _, f := range fields {
		f.use(commonMetric(fields), in)
	}
	usual, best := pairsBy(fields, isDefault), pairsBy(fields, isBest)
	if slices.EqualFunc(usual, best, func(a, b Pair) bool { return a.codecs == b.codecs }) {
		best = nil
	}
	for i := range usual {
		usual[i].Sample, usual[i].Topic = s.Sample, Default
	}
	for i := range best {
		best[i].Sample, best[i].Topic = s.Sample, Best
	}
	return append(usual, best...)
}

func pairsBy(fields []*field, fits func(*codec) bool) []Pair {
	var out []Pair
	for _, from := range fields {
		for _, to := range fields {
			if p, ok := newPair(from, to, fits); ok && from != to {
				out = append(out, p)
			}
		}
	}
	return out
}

// commonMetric is the best that all runtimes can tell.
func commonMetric(fields []*field) bench.Metric {
	order := []bench.Metric{bench.CPU, bench.Wall, bench.Mutator}
	worst := 0
	for _, f := range fields {
		worst = max(worst, slices.Index(order, f.metric))
	}
	return order[worst]
}

// reading is the operation by which the field's codecs read; empty where none
// was measured.
func (f *field) reading() bench.Operation {
	for _, op := range f.ops {
		if op != bench.Encode {
			return op
		}
	}
	return ""
}

func newPair(from, to *field, fits func(*codec) bool) (Pair, bool) {
	p := Pair{From: from.runtime, To: to.runtime, unit: from.unit()}
	var weights []float64
	var ratios []Ratio
	for i, side := range []struct {
		*field
		op bench.Operation
	}{{from, bench.Encode}, {to, to.reading()}} {
		json, protobuf := side.pick(bench.JSON, fits), side.pick(bench.Protobuf, fits)
		if json == nil || protobuf == nil {
			return p, false
		}
		j, ok := json.cases[side.op]
		b, ok2 := protobuf.cases[side.op]
		r, ok3 := side.table.ratio(b.Case.Case, j.Case.Case)
		if !ok || !ok2 || !ok3 {
			return p, false
		}
		p.codecs[2*i], p.codecs[2*i+1] = json, protobuf
		p.parts[0][i], p.parts[1][i] = estimate(j, side.metric).Median, estimate(b, side.metric).Median
		weights, ratios = append(weights, p.parts[0][i]), append(ratios, r)
	}
	p.JSON, p.Protobuf = p.parts[0][0]+p.parts[0][1], p.parts[1][0]+p.parts[1][1]
	p.Ratio = mix(weights, ratios)
	return p, p.JSON > 0
}

// betweenSentences is a paragraph on services in different runtimes that talk to
// each other.
func betweenSentences(in Input, s store.Sample) []Sentence {
	pairs := pairsOf(in, s)
	var parts []string
	numbers := map[string]float64{}
	for _, topic := range []string{Default, Best} {
		of := slices.DeleteFunc(slices.Clone(pairs), func(p Pair) bool { return p.Topic != topic })
		switch {
		case len(of) == 0:
		case len(of) <= 2:
			parts = append(parts, directions(of, numbers))
		default:
			parts = append(parts, spanOf(of, numbers))
		}
	}
	for i := 1; i < len(parts); i++ {
		parts[i] = "B" + parts[i][1:] // By the best
	}
	if len(parts) == 0 {
		return nil
	}
	text := "Between services, encoding in one runtime and reading in the other, " + strings.Join(parts, " ")
	return []Sentence{{Claim: Between, Topic: "pairs", Sample: s.Sample, Text: text, Numbers: numbers}}
}

// directions tells both directions between two runtimes.
func directions(pairs []Pair, numbers map[string]float64) string {
	var parts []string
	for _, p := range pairs {
		if !p.Ratio.bounded() {
			parts = append(parts, fmt.Sprintf("~%s× from %s to %s, undecided so far", Digits(p.Ratio.Value), p.From, p.To))
			continue
		}
		key := p.Topic + " " + p.From + " to " + p.To
		numbers[key], numbers[key+" low"], numbers[key+" high"] = p.Ratio.Value, p.Ratio.Low, p.Ratio.High
		parts = append(parts, fmt.Sprintf("%s from %s to %s (%s + %s against %s + %s)", p.Ratio, p.From, p.To,
			Duration(p.parts[1][0]), Duration(p.parts[1][1]), Duration(p.parts[0][0]), Duration(p.parts[0][1])))
	}
	return fmt.Sprintf("by the %s codecs of both: Protobuf needs of the %s of JSON %s.", pairs[0].Topic, pairs[0].unit, list(parts))
}

// spanOf sums up many pairs of runtimes.
func spanOf(pairs []Pair, numbers map[string]float64) string {
	least, most := pairs[0], pairs[0]
	count := map[finding]int{}
	for _, p := range pairs {
		if p.Ratio.Value < least.Ratio.Value {
			least = p
		}
		if p.Ratio.Value > most.Ratio.Value {
			most = p
		}
		f := p.Ratio.finding()
		if !p.Ratio.bounded() {
			f = undecided
		}
		count[f]++
	}
	topic := pairs[0].Topic
	numbers[topic+" least"], numbers[topic+" most"] = least.Ratio.Value, most.Ratio.Value
	var parts []string
	for _, x := range []struct {
		finding
		word string
	}{{less, "less"}, {more, "more"}, {same, "the same"}, {undecided, "undecided"}} {
		numbers[topic+" "+x.word] = float64(count[x.finding])
		if n := count[x.finding]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d", x.word, n))
		}
	}
	return fmt.Sprintf("by the %s codecs of both: Protobuf needs from %s (%s to %s) to %s (%s to %s) the %s of JSON; of %d directions it is %s.",
		topic, plainRatio(least.Ratio), least.From, least.To, plainRatio(most.Ratio), most.From, most.To, pairs[0].unit, len(pairs), list(parts))
}

// plainRatio writes a ratio without its interval.
func plainRatio(r Ratio) string {
	s := Digits(r.Value) + "×"
	if r.Low <= 1 && 1 <= r.High || math.IsInf(r.High, 1) {
		s = "~" + s
	}
	return s
}
