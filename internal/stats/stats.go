// Package stats holds the statistics that wirecost's verdicts rest on: medians
// and their intervals, the confidence sequence that every verdict is read off,
// and the tests around them (docs/statistics.md). It works on plain numbers and
// imports nothing of ours.
package stats

import "math"

// Interval is a closed interval; an end that is not bounded is infinite.
type Interval struct{ Low, High float64 }

// Everything is the interval that nothing is known of.
func Everything() Interval { return Interval{math.Inf(-1), math.Inf(1)} }

// Contains reports whether x lies in the interval, its ends included.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }

// Position is where an interval of a log-ratio lies.
type Position int

// The positions.
const (
	Open   Position = iota // none of the others: undecided
	Below                  // wholly below 0: faster
	Above                  // wholly above 0: slower
	Inside                 // within ±delta: equivalent
)

func (p Position) String() string {
	switch p {
	case Below:
		return "below"
	case Above:
		return "above"
	case Inside:
		return "inside"
	}
	return "open"
}

// Position says where the interval lies: Inside when it lies within ±delta,
// even if it excludes 0; else Below or Above when it excludes 0; else Open.
// Delta has the interval's unit: for "within 1%" of log-ratios, math.Log1p(0.01).
func (i Interval) Position(delta float64) Position {
	switch {
	case -delta <= i.Low && i.High <= delta:
		return Inside
	case i.High < 0:
		return Below
	case i.Low > 0:
		return Above
	}
	return Open
}
