package verdict

import (
	"fmt"
	"math"

	"wirecost/internal/bench"
)

// network says which form is ahead on which link, in two sentences; in more
// only where the best codecs lead to another answer than the defaults, or where
// a link was given and it matters how fast it is.
func (f *field) network(plain, best duel, sides []*codec) []*Sentence {
	if len(f.ops) < 2 { // a request both encodes and decodes
		return nil
	}
	first, kind := f.breakEven(plain)
	second, other := f.breakEven(best)
	if first != nil && kind == other {
		second = nil
	}
	if f.link != nil && kind != tradeOff {
		first, second = nil, nil
	}
	out := []*Sentence{first, second}
	if !f.settled(sides) {
		return out
	}
	if f.link != nil {
		return append(out, f.atLink(sides), aim{f, f.link}.cheapest(plain, best))
	}
	return append(out, f.overRange(sides))
}

// settled reports whether the codecs' times are known well enough to build on.
func (f *field) settled(sides []*codec) bool {
	for _, x := range sides {
		if r, ok := f.ratio(x, sides[0]); !ok || !r.bounded() {
			return false
		}
	}
	return true
}

// outlook is how two forms compare over all links.
type outlook int

const (
	unknown outlook = iota
	protobufAhead
	jsonAhead
	tradeOff
)

// breakEven says at which link speed the formats of a duel cross, uncompressed.
func (f *field) breakEven(d duel) (*Sentence, outlook) {
	r, ok := f.ratio(d.protobuf, d.json)
	if !ok || !r.bounded() {
		return nil, unknown
	}
	j, ok := f.sizes.bytes(d.json.form, bench.Identity)
	p, ok2 := f.sizes.bytes(d.protobuf.form, bench.Identity)
	if !ok || !ok2 || j == p {
		return nil, unknown
	}
	base, _ := f.cost(d.json)
	e := exchange{saved: j - p, base: base, ratio: r}
	s := &Sentence{Claim: Network, Topic: "break-even", Numbers: map[string]float64{"bytes_saved": e.saved, "cpu_saved_ns": base * (1 - r.Value)}}
	head := fmt.Sprintf("Uncompressed on a warm connection, %s against %s:", d.protobuf.name, d.json.name)
	text, kind := e.sentence(s.Numbers)
	s.Text = head + " " + text
	return s, kind
}

// exchange is bytes against CPU time: what Protobuf saves of the one, and its
// ratio of the other.
type exchange struct {
	saved float64 // bytes; negative where Protobuf is larger
	base  float64 // ns that JSON takes
	ratio Ratio
}

// even is the bandwidth at which the bytes weigh as much as the time, for a
// given ratio; infinite where the ratio is 1.
func (e exchange) even(ratio float64) float64 {
	return bandwidth(math.Abs(e.saved), math.Abs(e.base*(ratio-1)))
}

func (e exchange) sentence(numbers map[string]float64) (string, outlook) {
	bytes, extra := Bytes(math.Abs(e.saved)), Duration(math.Abs(e.base*(e.ratio.Value-1)))
	finding := e.ratio.finding()
	switch {
	case finding == less && e.saved > 0:
		return fmt.Sprintf("Protobuf is ahead on any link; it saves %s and %s a document.", bytes, extra), protobufAhead
	case finding == more && e.saved < 0:
		return fmt.Sprintf("JSON is ahead on any link; it saves %s and %s a document.", bytes, extra), jsonAhead
	case finding == less:
		return fmt.Sprintf("Protobuf saves %s of time and costs %s more a document, so it is ahead on links faster than %s.", extra, bytes, e.point(numbers)), tradeOff
	case finding == more:
		return fmt.Sprintf("Protobuf saves %s and costs %s more time a document, so it is ahead on links slower than %s.", bytes, extra, e.point(numbers)), tradeOff
	}
	return e.open(numbers)
}

// point writes where the forms cross, with its interval.
func (e exchange) point(numbers map[string]float64) string {
	at, x, y := e.even(e.ratio.Value), e.even(e.ratio.Low), e.even(e.ratio.High)
	low, high := math.Min(x, y), math.Max(x, y)
	numbers["break_even"], numbers["break_even_low"] = at, low
	if !math.IsInf(high, 1) {
		numbers["break_even_high"] = high
	}
	return fmt.Sprintf("%s (%s–%s)", Bandwidth(at), Bandwidth(low), Bandwidth(high))
}

// open is for times that may be equal: the smaller form is ahead at least up to
// the speed at which the worst that the interval allows would weigh as much.
func (e exchange) open(numbers map[string]float64) (string, outlook) {
	name, worst := "Protobuf", e.ratio.High
	if e.saved < 0 {
		name, worst = "JSON", e.ratio.Low
	}
	text := fmt.Sprintf("%s is %s smaller and the times do not differ clearly", name, Bytes(math.Abs(e.saved)))
	at := e.even(worst)
	if math.IsInf(at, 1) {
		return text + ".", tradeOff
	}
	numbers["break_even_at_least"] = at
	return fmt.Sprintf("%s, so it is ahead at least on links slower than %s.", text, Bandwidth(at)), tradeOff
}

// ways lists how the codecs' documents can be sent: as they are, or compressed.
func (f *field) ways(sides []*codec) []way {
	var out []way
	for _, x := range sides {
		ns, ok := f.cost(x)
		if !ok {
			continue
		}
		for _, e := range append([]string{bench.Identity}, f.sizes.dynamic()...) {
			if bytes, ok := f.sizes.bytes(x.form, e); ok {
				out = append(out, way{x, e, bytes, ns + f.sizes.coding(x.form, e)})
			}
		}
	}
	return out
}

func (w way) String() string {
	if w.encoding == bench.Identity {
		return w.codec.name + " uncompressed"
	}
	return w.codec.name + " with " + w.encoding
}

// overRange says what is fastest on which links.
func (f *field) overRange(sides []*codec) *Sentence {
	ways := f.ways(sides)
	reaches := fastest(ways, slowestLink, fastestLink)
	if len(sides) < 2 || len(reaches) == 0 {
		return nil
	}
	s := &Sentence{Claim: Network, Topic: "range", Numbers: map[string]float64{}}
	var parts []string
	for i, r := range reaches {
		part := r.way.String() + rival(r, ways)
		switch {
		case len(reaches) == 1:
			part += " on any link"
		case i == len(reaches)-1:
			part += " above"
		default:
			part += " up to " + Bandwidth(r.to)
			s.Numbers["until "+r.way.String()] = r.to
		}
		parts = append(parts, part)
	}
	s.Text = fmt.Sprintf("From %s to %s the model's fastest request is %s.", Bandwidth(slowestLink), Bandwidth(fastestLink), list(parts))
	return s
}

// rival says how near the other format comes, where it comes near.
func rival(r reach, ways []way) string {
	var others []way
	for _, w := range ways {
		if w.codec.format != r.way.codec.format {
			others = append(others, w)
		}
	}
	if len(others) == 0 {
		return ""
	}
	middle := Link{Bits: math.Sqrt(r.from * r.to)}
	near := others[least(others, middle.Bits)]
	if ratio := near.time(middle) / r.way.time(middle); ratio < 1/(1-margin) {
		return fmt.Sprintf(" (%s within %s)", near, Percent(ratio-1))
	}
	return ""
}

// atLink says what a request takes on the link that was asked for.
func (f *field) atLink(sides []*codec) *Sentence {
	s := &Sentence{Claim: Network, Topic: "link", Numbers: map[string]float64{"bandwidth": f.link.Bits, "round_trip": f.link.RoundTrip}}
	var parts []string
	low, high := math.Inf(1), 0.0
	for _, x := range sides {
		ways := f.ways([]*codec{x})
		if len(ways) == 0 {
			continue
		}
		w := ways[least(ways, f.link.Bits)]
		t := w.time(*f.link)
		low, high = math.Min(low, t), math.Max(high, ways[0].time(*f.link))
		parts = append(parts, fmt.Sprintf("%s %s", w, Duration(t)))
		s.Numbers["request "+w.String()] = t
	}
	if len(parts) == 0 {
		return nil
	}
	s.Text = fmt.Sprintf("A request over %s on a warm connection, by the model: %s.", f.link, list(parts))
	if high/low < 1+narrow {
		s.Text = fmt.Sprintf("A request over %s on a warm connection takes about %s by the model, whatever the form: neither the format nor compression changes it by %s.",
			f.link, Duration(low), Percent(narrow))
	}
	return s
}
