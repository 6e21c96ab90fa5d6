package main

import (
	"fmt"
	"math"
)

// Bounds against benchstat at equal wall time (in one process, as Go's codecs
// are measured).
const (
	falseShare  = 1.0 / 3 // of benchstat's false verdicts
	moreFound   = 3.0     // times as many correct verdicts at 2%
	soonerFound = 4.0     // times less measuring per correct verdict at 2%
)

// rate is a count of trials.
type rate struct{ hits, of int }

func (x rate) value() float64   { return float64(x.hits) / float64(x.of) }
func (x rate) String() string   { return fmt.Sprintf("%d/%d", x.hits, x.of) }
func (x rate) short(n int) bool { return x.of < n }

// duel adds the bounds against benchstat to the table's rows.
func (r results) duel(rows [][]string) (out [][]string, missed bool) {
	us, peer := sides[1], sides[0]
	add := func(claim, bound, got string, chance float64, ok bool) {
		text := "–"
		if !math.IsNaN(chance) {
			text = fmt.Sprintf("%.2g", chance)
		}
		rows = append(rows, []string{claim, bound, got, "", "", text, yes(ok)})
		missed = missed || !ok
	}
	false1, false2 := r.wrongs(us.same), r.wrongs(peer.same)
	if false1.of > 0 && false2.of > 0 {
		chance := share(false1, false2, falseShare)
		ok := false1.value() <= falseShare*false2.value()
		if false2.short(80) {
			ok = chance >= doubt
		}
		add("false verdicts, against benchstat's", "≤ a third", false1.String()+" : "+false2.String(), chance, ok)
	}
	found1, found2 := r.rights(us.two), r.rights(peer.two)
	if found1.of == 0 || found2.of == 0 {
		return rows, missed
	}
	got := found1.String() + " : " + found2.String()
	chance := share(rate{found2.hits, found2.of}, found1, 1/moreFound)
	switch {
	case moreFound*found2.value() > 1:
		rows = append(rows, []string{"true 2% found, against benchstat", "≥ 3 times", got, "", "", "–", "out of reach: benchstat found more than a third"})
	case found2.short(40):
		add("true 2% found, against benchstat", "≥ 3 times", got, chance, chance >= doubt)
	default:
		add("true 2% found, against benchstat", "≥ 3 times", got, chance, found1.value() >= moreFound*found2.value())
	}
	t1, t2 := r.perVerdict(r.of(either, us.two)), r.perVerdict(r.of(either, peer.two))
	add("seconds per correct verdict at 2%", "≤ a quarter", number(t1, "%.1f")+" : "+number(t2, "%.1f"), math.NaN(), !math.IsInf(t1, 0) && t1*soonerFound <= t2)
	return rows, missed
}

func (r results) wrongs(cell string) rate {
	ts := r.of(either, cell)
	_, wrong := r.found(ts)
	return rate{wrong, len(ts)}
}

func (r results) rights(cell string) rate {
	ts := r.of(either, cell)
	right, _ := r.found(ts)
	return rate{right, len(ts)}
}

// share is the probability of as many hits of x or more, given those of x and y
// together, if x's true rate were just so large a part of y's. Given
// their sum, the hits of x are then binomial (of rare events; else nearly so).
func share(x, y rate, part float64) float64 {
	p := part * float64(x.of) / (part*float64(x.of) + float64(y.of))
	return atLeast(x.hits, x.hits+y.hits, p)
}
