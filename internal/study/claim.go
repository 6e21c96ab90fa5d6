package study

import (
	"math"
	"slices"
	"strings"
)

// Outcome is what became of a claim.
type Outcome string

// The outcomes of a ratio: its interval lies on the published side of 1 and within
// the published ratio ×/÷ Tolerance; it lies wholly on the other side of 1;
// wholly outside in another way; or neither.
const (
	Holds     Outcome = "holds"
	Reversed  Outcome = "reversed"
	HoldsNot  Outcome = "does not hold"
	Undecided Outcome = "undecided"
)

// Tolerance is the factor by which a ratio may differ from the published one.
const Tolerance = 1.25

// errorRate is the chance of a wrong decision about a part of a claim.
const errorRate = 0.05

// Finding is what the results say of a part of a claim.
type Finding struct {
	Statement string
	Outcome   Outcome
	Published float64 // ratio or place; 0: none
	Unit      Unit
	Number    Number
	Reason    string // in words, where the number does not say it
	// Unmeasured: it is undecided because something was not measured.
	Unmeasured bool
}

// lacks leaves it undecided because something was not measured.
func (f *Finding) lacks(why string) { f.Outcome, f.Reason, f.Unmeasured = Undecided, why, true }

// Part is a statement that can be decided.
type Part interface {
	decide(r *Results, alpha float64) Finding
}

// Ratio says that one thing takes less than another, or more, and how much.
type Ratio struct {
	What      string
	Of, To    Measure
	Published float64 // 0: only the side is claimed
	Less      bool    // the side of 1
}

func (p Ratio) decide(r *Results, alpha float64) Finding {
	f := Finding{Statement: p.What, Published: p.Published, Unit: Times, Number: ratio(r, p.Of, p.To, alpha)}
	switch {
	case !f.Number.Known():
		f.lacks(f.Number.Problem)
	case f.Number.Low == 0 && math.IsInf(f.Number.High, 1):
		f.Outcome, f.Reason = Undecided, "too few forks to bound the ratio"
	default:
		f.Outcome = p.outcome(f.Number)
	}
	return f
}

// outcome applies the rule of outcomes.
func (p Ratio) outcome(n Number) Outcome {
	low, high := p.region()
	left, right := n.High < 1, n.Low > 1
	switch {
	case (left && p.Less || right && !p.Less) && n.Low >= low && n.High <= high:
		return Holds
	case right && p.Less || left && !p.Less:
		return Reversed
	case n.High < low || n.Low > high:
		return HoldsNot
	case n.Low == n.High:
		return HoldsNot // exactly 1
	}
	return Undecided
}

// region is where the ratio has to lie.
func (p Ratio) region() (low, high float64) {
	low, high = 0, math.Inf(1)
	if p.Published > 0 {
		low, high = p.Published/Tolerance, p.Published*Tolerance
	}
	if p.Less {
		return low, min(high, 1)
	}
	return max(low, 1), high
}

// Exact says that a number is what was published.
type Exact struct {
	What string
	Want float64
	Unit Unit
	Got  Measure
}

func (p Exact) decide(r *Results, _ float64) Finding {
	f := Finding{Statement: p.What, Published: p.Want, Unit: p.Unit, Number: p.Got(r).median()}
	switch {
	case !f.Number.Known():
		f.lacks(f.Number.Problem)
	case f.Number.Value == p.Want:
		f.Outcome = Holds
	default:
		f.Outcome = HoldsNot
	}
	return f
}

// Depends says that which of two is ahead depends on the data: of some comparisons,
// one comes out one way and one the other.
type Depends struct {
	What   string
	Ratios []Ratio
}

func (p Depends) decide(r *Results, alpha float64) Finding {
	f := Finding{Statement: p.What, Outcome: Undecided, Number: Number{Problem: "no single ratio decides it"}}
	var less, more, open []string
	problem := ""
	for _, x := range p.Ratios {
		n := ratio(r, x.Of, x.To, alpha/float64(len(p.Ratios)))
		text := x.What + " " + n.in(Times)
		switch {
		case !n.Known():
			problem = n.Problem
		case n.High < 1:
			less = append(less, text)
		case n.Low > 1:
			more = append(more, text)
		default:
			open = append(open, text)
		}
	}
	switch {
	case len(less) > 0 && len(more) > 0:
		f.Outcome, f.Reason = Holds, "less: "+strings.Join(less, ", ")+"; more: "+strings.Join(more, ", ")
	case problem != "":
		f.lacks(problem)
	case len(open) > 0:
		f.Reason = "not decided: " + strings.Join(open, ", ")
	default:
		f.Outcome, f.Reason = HoldsNot, "the order is the same in all: "+strings.Join(slices.Concat(less, more), ", ")
	}
	return f
}

// Decided is a claim with its outcome.
type Decided struct {
	Claim
	Outcome  Outcome
	Findings []Finding
}

// decide decides a claim; each of its parts is wrong with probability errorRate at
// most.
func (c Claim) decide(r *Results) Decided {
	d := Decided{Claim: c}
	for _, p := range c.Parts {
		d.Findings = append(d.Findings, p.decide(r, errorRate))
	}
	d.Outcome = whole(d.Findings)
	return d
}

// whole is the outcome of parts: theirs where all are alike; one that fails makes
// the claim fail, and else one that is open leaves it open.
func whole(parts []Finding) Outcome {
	count := map[Outcome]int{}
	for _, f := range parts {
		count[f.Outcome]++
	}
	switch {
	case count[Holds] == len(parts):
		return Holds
	case count[Reversed] == len(parts):
		return Reversed
	case count[Reversed]+count[HoldsNot] > 0:
		return HoldsNot
	}
	return Undecided
}

// deciding is the finding that the outcome rests on: the first of its kind, or the
// first that contradicts.
func (d Decided) deciding() Finding {
	for _, want := range []Outcome{d.Outcome, Reversed, HoldsNot} {
		for _, f := range d.Findings {
			if f.Outcome == want {
				return f
			}
		}
	}
	return d.Findings[0]
}
