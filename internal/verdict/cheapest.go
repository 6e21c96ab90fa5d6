package verdict

import (
	"fmt"

	"wirecost/internal/bench"
)

// change is something that a team could do.
type change struct {
	way    way
	effort int // only the order counts
}

// The efforts: a content coding is a setting, a JSON library a dependency, and
// Protobuf a schema, generated code and both ends.
const (
	effortCoding   = 1
	effortLibrary  = 2
	effortProtobuf = 4
	effortBest     = 6
)

// most is the part of the largest gain that counts as most of it.
const most = 0.8

// cheapest names the least change that gives most of the gain: of time on the
// link, where one was given, else of CPU time.
func (f *field) cheapest(plain, best duel) *Sentence {
	if plain.json == nil {
		return nil
	}
	changes, open := f.changes(plain, best)
	if len(changes) == 0 {
		return nil
	}
	now := f.burden(changes[0].way)
	top := changes[0]
	for _, c := range changes {
		if f.burden(c.way) < f.burden(top.way) {
			top = c
		}
	}
	gain := func(c change) float64 { return 1 - f.burden(c.way)/now }
	s := &Sentence{Claim: f.claim(), Topic: "least-change", Numbers: map[string]float64{"largest_gain": gain(top)}}
	if gain(top) < margin {
		if open || len(changes) < 2 {
			return nil
		}
		s.Text = fmt.Sprintf("No change that was measured saves %s of the %s of %s: there is no reason to leave it.", Percent(margin), f.scarce(), f.name(changes[0].way))
		return s
	}
	pick := top
	for _, c := range changes {
		if gain(c) >= most*gain(top) && c.effort < pick.effort {
			pick = c
		}
	}
	s.Numbers["gain"] = gain(pick)
	s.Text = fmt.Sprintf("The least change with most of the gain: %s instead of %s, %s less %s", f.name(pick.way), f.name(changes[0].way), Percent(gain(pick)), f.scarce())
	if pick.way != top.way {
		s.Text += fmt.Sprintf("; %s would save %s", f.name(top.way), Percent(gain(top)))
	}
	if pick.way.codec.format == bench.JSON {
		s.Text += ". It needs no schema"
		if pick.way.codec != plain.json {
			s.Claim = Library
		}
	}
	s.Text += "."
	return s
}

// changes lists what could be done, first what is done now. Codecs whose gain
// is not sure stay out; open says that nothing is known of one yet.
func (f *field) changes(plain, best duel) (out []change, open bool) {
	seen := map[*codec]bool{}
	for _, x := range []struct {
		codec  *codec
		effort int
	}{{plain.json, 0}, {best.json, effortLibrary}, {plain.protobuf, effortProtobuf}, {best.protobuf, effortBest}} {
		if x.codec == nil || seen[x.codec] {
			continue
		}
		seen[x.codec] = true
		r, ok := f.ratio(x.codec, plain.json)
		open = open || !ok || !r.bounded()
		if !ok || !r.bounded() || x.effort > 0 && f.link == nil && r.finding() != less {
			continue
		}
		ways := f.ways([]*codec{x.codec})
		if f.link == nil {
			ns, _ := f.cost(x.codec)
			ways = []way{{x.codec, bench.Identity, 0, ns}}
		}
		for _, w := range ways {
			effort := x.effort
			if w.encoding != bench.Identity {
				effort += effortCoding
			}
			out = append(out, change{w, effort})
		}
	}
	return out, open
}

// burden is what a change is to lessen.
func (f *field) burden(w way) float64 {
	if f.link == nil {
		return w.cpu
	}
	return w.time(*f.link)
}

func (f *field) scarce() string {
	if f.link == nil {
		return f.unit()
	}
	return "time on this link"
}

// name says what a change leads to: the format, the codec, and on a link the
// content coding.
func (f *field) name(w way) string {
	name := fmt.Sprintf("%s (%s)", formatName(w.codec.format), w.codec.name)
	if f.link != nil && w.encoding != bench.Identity {
		name += " with " + w.encoding
	}
	return name
}

func formatName(f bench.Format) string {
	switch f {
	case bench.JSON:
		return "JSON"
	case bench.Protobuf:
		return "Protobuf"
	}
	return string(f)
}

func (f *field) claim() string {
	if f.link == nil {
		return CPU
	}
	return Network
}
