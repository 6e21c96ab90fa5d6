// Package stats holds the statistics that wirecost's verdicts rest on: medians
// and their intervals, the confidence sequence that every verdict is read off,
// and the tests around them (docs/statistics.md). It works on plain numbers and
// imports nothing of ours.
package stats

// Interval is a closed interval; an end that is not bounded is infinite.
type Interval struct{ Low, High float64 }
