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

// aim is what a change is to lessen: the CPU time of a request, or its time on
// a link.
type aim struct {
	*field
	over *Link // nil: CPU time
}

// cheapest names the least change that gives most of the gain.
func (a aim) cheapest(plain, best duel) *Sentence {
	if plain.json == nil {
		return nil
	}
	changes, open := a.changes(plain, best)
	if len(changes) == 0 {
		return nil
	}
	now, top := changes[0], changes[0]
	for _, c := range changes {
		if a.burden(c.way) < a.burden(top.way) {
			top = c
		}
	}
	gain := func(c change) float64 { return 1 - a.burden(c.way)/a.burden(now.way) }
	s := &Sentence{Claim: a.claim(), Topic: "least-change", Numbers: map[string]float64{"largest_gain": gain(top)}}
	if gain(top) < margin {
		if open || len(changes) < 2 {
			return nil
		}
		s.Text = fmt.Sprintf("No change that was measured saves %s of the %s of %s%s.", Percent(margin), a.scarce(), a.name(now.way), a.stay())
		return s
	}
	pick := top
	for _, c := range changes {
		if gain(c) >= most*gain(top) && c.effort < pick.effort {
			pick = c
		}
	}
	s.Numbers["gain"] = gain(pick)
	s.Text = fmt.Sprintf("The least change with most of the gain: %s instead of %s, %s less %s", a.name(pick.way), a.name(now.way), Percent(gain(pick)), a.scarce())
	if pick.way.codec.format == bench.JSON {
		s.Text += " without a schema"
		if pick.way.codec != plain.json {
			s.Claim = Library
		}
	}
	if pick.way != top.way {
		s.Text += fmt.Sprintf("; %s would save %s", a.name(top.way), Percent(gain(top)))
	}
	s.Text += "."
	return s
}

// changes lists what could be done, first what is done now. Codecs whose gain
// is not sure stay out; open says that nothing is known of one yet.
func (a aim) changes(plain, best duel) (out []change, open bool) {
	seen := map[*codec]bool{}
	for _, x := range []struct {
		codec  *codec
		effort int
	}{{plain.json, 0}, {best.json, effortLibrary}, {plain.protobuf, effortProtobuf}, {best.protobuf, effortBest}} {
		if x.codec == nil || seen[x.codec] {
			continue
		}
		seen[x.codec] = true
		r, ok := a.ratio(x.codec, plain.json)
		open = open || !ok || !r.bounded()
		if !ok || !r.bounded() || x.effort > 0 && a.over == nil && r.finding() != less {
			continue
		}
		for _, w := range a.waysOf(x.codec) {
			effort := x.effort
			if w.encoding != bench.Identity {
				effort += effortCoding
			}
			out = append(out, change{w, effort})
		}
	}
	return out, open
}

// waysOf lists how a codec's documents can be sent; where there is no link,
// only its time counts.
func (a aim) waysOf(x *codec) []way {
	if a.over != nil {
		return a.ways([]*codec{x})
	}
	ns, _ := a.cost(x)
	return []way{{x, bench.Identity, 0, ns}}
}

func (a aim) burden(w way) float64 {
	if a.over == nil {
		return w.cpu
	}
	return w.time(*a.over)
}

func (a aim) scarce() string {
	if a.over == nil {
		return a.unit()
	}
	return "time on this link"
}

// stay draws the conclusion that no change helps; a link is only one of the
// reasons for a change.
func (a aim) stay() string {
	if a.over == nil {
		return ": there is no reason to leave it"
	}
	return ""
}

func (a aim) claim() string {
	if a.over == nil {
		return CPU
	}
	return Network
}

// name says what a change leads to: the format, the codec, and on a link the
// content coding.
func (a aim) name(w way) string {
	name := fmt.Sprintf("%s (%s)", formatName(w.codec.format), w.codec.name)
	if a.over != nil && w.encoding != bench.Identity {
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
