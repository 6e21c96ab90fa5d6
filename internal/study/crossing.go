package study

import (
	"fmt"
	"math"

	"wirecost/internal/stats"
)

// Crossing says that A takes less than B at small sizes and more at large ones, and
// between which sizes they change places.
type Crossing struct {
	What     string
	A, B     func(size int) Measure
	Sizes    []int  // ascending
	From, To int    // where it was published to be
	Unit     string // what the sizes count
}

// place is where two things change places.
type place struct {
	at          Number         // with the decided sizes on both sides
	first, last stats.Position // of A's ratio to B, at the least size and at the largest
	problem     string
}

func (p Crossing) decide(r *Results, alpha float64) Finding {
	at := p.locate(r, alpha)
	f := Finding{Statement: p.What, Unit: Unit(p.Unit), Number: at.at, Outcome: Undecided, Published: float64(p.To)}
	switch {
	case at.problem != "":
		f.lacks(at.problem)
	case at.first == stats.Above && at.last == stats.Below:
		f.Outcome, f.Reason = Reversed, "the order is the other way round at both ends"
	case at.first != stats.Open && at.first == at.last:
		f.Outcome, f.Reason = HoldsNot, p.noCrossing(at)
	case at.first != stats.Below || at.last != stats.Above:
		f.Reason = "the order at the ends is not decided"
	case at.at.High < float64(p.From)/Tolerance || at.at.Low > float64(p.To)*Tolerance:
		f.Outcome, f.Reason = HoldsNot, "they change places elsewhere"
	case at.at.Low >= float64(p.From)/Tolerance && at.at.High <= float64(p.To)*Tolerance:
		f.Outcome = Holds
	default:
		f.Reason = "they change places, and where is not known well enough"
	}
	return f
}

func (p Crossing) noCrossing(at place) string {
	word := "less"
	if at.first == stats.Above {
		word = "more"
	}
	return fmt.Sprintf("the first takes %s at the least size and at the largest: they do not change places", word)
}

// locate finds where the ratio of A to B passes 1: between the sizes nearest to each
// other that are decided and differ. All sizes are decided together at alpha.
func (p Crossing) locate(r *Results, alpha float64) place {
	out := place{at: Number{Problem: "they do not change places"}}
	var sizes, logs []float64
	below, above := 0, 0 // the last size before the change, and the first one after
	for i, size := range p.Sizes {
		n := ratio(r, p.A(size), p.B(size), alpha/float64(len(p.Sizes)))
		if !n.Known() {
			return place{problem: n.Problem}
		}
		sizes, logs = append(sizes, math.Log(float64(size))), append(logs, math.Log(n.Value))
		out.last = stats.Interval{Low: math.Log(n.Low), High: math.Log(n.High)}.Position(0)
		if i == 0 {
			out.first = out.last
		}
		switch {
		case out.last == stats.Below:
			below, above = size, 0
		case out.last == stats.Above && above == 0:
			above = size
		}
	}
	if below > 0 && above > below {
		out.at = Number{Value: interpolate(sizes, logs, below, above), Low: float64(below), High: float64(above), Forks: 1}
	}
	return out
}

// interpolate gives the size at which the ratio's line passes 1 between two sizes;
// their middle where it does not do so once.
func interpolate(sizes, logs []float64, from, to int) float64 {
	for i := range sizes[:len(sizes)-1] {
		inside := sizes[i] >= math.Log(float64(from))-1e-9 && sizes[i+1] <= math.Log(float64(to))+1e-9
		if inside && logs[i] <= 0 && logs[i+1] > 0 {
			t := -logs[i] / (logs[i+1] - logs[i])
			return math.Exp(sizes[i] + t*(sizes[i+1]-sizes[i]))
		}
	}
	return math.Sqrt(float64(from) * float64(to))
}
