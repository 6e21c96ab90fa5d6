package verdict

import (
	"fmt"
	"strings"

	"wirecost/internal/bench"
)

// sentences says what the formats cost in time.
func (f *field) sentences() []Sentence {
	plain := duel{Default, "Default against default", f.pick(bench.Protobuf, isDefault), f.pick(bench.JSON, isDefault)}
	best := duel{Best, "Best against best", f.pick(bench.Protobuf, isBest), f.pick(bench.JSON, isBest)}
	if best.protobuf == plain.protobuf && best.json == plain.json {
		plain.what, best = "Default against default, which are also the fastest", duel{}
	}
	sides := contestants(plain, best)
	all := []*Sentence{f.duel(plain), f.duel(best), f.library(plain, best), aim{f, nil}.cheapest(plain, best), f.capacity(sides)}
	all = append(all, f.network(plain, best, sides)...)
	var out []Sentence
	for _, s := range all {
		if s != nil {
			s.Sample, s.Runtime = f.sizes.sample.Sample, f.runtime
			out = append(out, *s)
		}
	}
	return out
}

// duel is one codec of each format; either may be nil.
type duel struct {
	topic, what    string
	protobuf, json *codec
}

// contestants lists the codecs of the duels, each once: JSON's first.
func contestants(ds ...duel) []*codec {
	var out []*codec
	add := func(x *codec) {
		for _, y := range out {
			if x == y {
				return
			}
		}
		if x != nil {
			out = append(out, x)
		}
	}
	for _, d := range ds {
		add(d.json)
	}
	for _, d := range ds {
		add(d.protobuf)
	}
	return out
}

// duel compares the formats, each by one codec.
func (f *field) duel(d duel) *Sentence {
	r, ok := f.ratio(d.protobuf, d.json)
	if !ok {
		return nil
	}
	p, _ := f.cost(d.protobuf)
	j, _ := f.cost(d.json)
	s := &Sentence{Claim: CPU, Topic: d.topic, Numbers: map[string]float64{"protobuf": p, "json": j}}
	r.numbers(s.Numbers)
	times := fmt.Sprintf("%s (%s) against %s (%s)", Duration(p), d.protobuf.name, Duration(j), d.json.name)
	head := fmt.Sprintf("%s, %s:", d.what, f.what())
	switch {
	case !r.bounded():
		forks := estimate(d.json.cases[f.ops[0]], f.metric).Forks
		s.Text = fmt.Sprintf("%s undecided after %s. So far Protobuf needs ~%s× the %s of JSON: %s. Give the run more time (--max-time).",
			head, plural(forks, "fork"), Digits(r.Value), f.unit(), times)
		return s
	case r.finding() == undecided:
		s.Text = fmt.Sprintf("%s no clear winner. Protobuf needs %s the %s of JSON: %s, and the interval holds 1.", head, r, f.unit(), times)
	case r.finding() == same:
		s.Text = fmt.Sprintf("%s no clear winner. The %s is the same within 1%%, %s: %s.", head, f.unit(), r, times)
	default:
		s.Text = fmt.Sprintf("%s Protobuf needs %s the %s of JSON: %s.", head, r, f.unit(), times)
		if r.small() {
			s.Text = fmt.Sprintf("%s no clear winner. Protobuf needs %s the %s of JSON, a margin below %s: %s.", head, r, f.unit(), Percent(margin), times)
		}
	}
	s.Text += f.split(d)
	return s
}

// split adds that the formats win one operation each, where they do.
func (f *field) split(d duel) string {
	won := map[finding][]string{}
	for _, op := range f.ops {
		r, ok := f.table.ratio(d.protobuf.cases[op].Case.Case, d.json.cases[op].Case.Case)
		if ok && r.clear() {
			won[r.finding()] = append(won[r.finding()], fmt.Sprintf("%s (%s)", op, r))
		}
	}
	if len(won[less]) == 0 || len(won[more]) == 0 {
		return ""
	}
	return fmt.Sprintf(" Protobuf is faster at %s, JSON at %s.", strings.Join(won[less], ", "), strings.Join(won[more], ", "))
}

// library says what changing only the JSON library gives.
func (f *field) library(plain, best duel) *Sentence {
	if plain.json == nil || best.json == nil || plain.json == best.json {
		return nil
	}
	r, ok := f.ratio(best.json, plain.json)
	if !ok || !r.bounded() {
		return nil
	}
	s := &Sentence{Claim: Library, Topic: "library", Numbers: map[string]float64{}}
	r.numbers(s.Numbers)
	s.Text = fmt.Sprintf("Changing only the JSON library, from %s to %s, takes %s the %s", plain.json.name, best.json.name, r, f.unit())
	from, _ := f.cost(plain.json)
	to, _ := f.cost(best.json)
	if best.protobuf != nil {
		if p, ok := f.cost(best.protobuf); ok && p < from && to < from {
			share := (from - to) / (from - p)
			s.Numbers["share_of_gain"] = share
			if share <= 1 {
				s.Text += fmt.Sprintf(": %s of what the best Protobuf saves", Percent(share))
			} else {
				s.Text += ": more than the best Protobuf saves"
			}
		}
	}
	s.Text += "." + f.flip(plain, best, s.Numbers)
	return s
}

// flip says that the JSON library decides which format is ahead, where it does.
func (f *field) flip(plain, best duel, numbers map[string]float64) string {
	before, ok := f.ratio(plain.protobuf, plain.json)
	after, ok2 := f.ratio(plain.protobuf, best.json)
	if !ok || !ok2 || !before.bounded() || !after.bounded() || before.finding() != less || after.finding() != more {
		return ""
	}
	numbers["protobuf_ratio_before"], numbers["protobuf_ratio_after"] = before.Value, after.Value
	return fmt.Sprintf(" It turns the verdict on the defaults round: %s needs %s the time of %s, and %s that of %s.",
		plain.protobuf.name, before, plain.json.name, after, best.json.name)
}

// capacity says how many cores the rate keeps busy.
func (f *field) capacity(sides []*codec) *Sentence {
	if f.rate <= 0 {
		return nil
	}
	s := &Sentence{Claim: CPU, Topic: "cores", Numbers: map[string]float64{"rate": f.rate}}
	var parts []string
	for _, x := range sides {
		ns, _ := f.cost(x)
		low, high := f.bounds(x)
		perNS := f.rate / 1e9
		s.Numbers["cores "+x.name] = ns * perNS
		s.Numbers["cores "+x.name+" low"], s.Numbers["cores "+x.name+" high"] = low*perNS, high*perNS
		parts = append(parts, fmt.Sprintf("%s %s (%s–%s)", x.name, Digits(ns*perNS), Digits(low*perNS), Digits(high*perNS)))
	}
	if len(parts) == 0 {
		return nil
	}
	s.Text = fmt.Sprintf("Cores kept busy by %s at %s requests per second: %s.", f.what(), Digits(f.rate), list(parts))
	return s
}
