package main

import (
	"fmt"
	"io"
	"math"

	"wirecost/internal/bench"
	"wirecost/internal/stats"
)

// bound is a row of the live acceptance table: a rate over trials.
type bound struct {
	claim   string
	cells   []string
	limit   float64
	atLeast bool // the rate is at least the limit; else at most
	of      int  // trials of the acceptance table
	control bool // the rate must not keep the limit
	hit     func(r results, t trial) (hit, counts bool)
}

// doubt is how improbable a result has to be, if the rate were just the limit,
// for few trials to miss a bound.
const doubt = 0.05

func different(r results, t trial) (bool, bool) {
	v, _ := r.verdict(t, math.Inf(1))
	return v != bench.Undecided, true
}

func foundWithin(limit float64) func(results, trial) (bool, bool) {
	return func(r results, t trial) (bool, bool) {
		v, at := r.verdict(t, limit)
		return v == bench.Slower && at <= limit, true
	}
}

func wrongSign(r results, t trial) (bool, bool) {
	v, _ := r.verdict(t, math.Inf(1))
	return v == bench.Faster, v != bench.Undecided
}

func covers(r results, t trial) (bool, bool) {
	for _, l := range t.Looks {
		if !l.holds(r.cells[t.Cell].truth) {
			return false, true
		}
	}
	return true, true
}

func equivalentWithin(limit float64) func(results, trial) (bool, bool) {
	return func(_ results, t trial) (bool, bool) {
		for _, l := range t.Looks {
			if l.Verdict == bench.Equivalent && l.At <= limit {
				return true, true
			}
		}
		return false, true
	}
}

// bounds is the live column of the acceptance table.
func bounds() []bound {
	list := func(cells ...string) []string { return cells }
	identical := 16.0 / 200
	return []bound{
		{claim: "identical code declared different, at any look", cells: list("one-same", "apart-same"), limit: identical, of: 200, hit: different},
		{claim: "any of 12 identical codecs declared different", cells: list("one-twelve"), limit: 8.0 / 100, of: 100, hit: different},
		{claim: "true 2% across processes found in 10 s", cells: list("apart-2%"), limit: 0.90, atLeast: true, of: 30, hit: foundWithin(10)},
		{claim: "true 1% across processes found in 20 s", cells: list("apart-1%"), limit: 0.60, atLeast: true, of: 30, hit: foundWithin(20)},
		{claim: "true 1% in one process found in 5 s", cells: list("one-1%"), limit: 0.95, atLeast: true, of: 100, hit: foundWithin(5)},
		{claim: "wrong sign among verdicts at a true 1%", cells: list("one-1%", "apart-1%"), limit: 0.01, of: 100, hit: wrongSign},
		{claim: "interval holds the truth at every look", of: 100, limit: 0.93, atLeast: true, hit: covers,
			cells: list("one-same", "one-1%", "one-1.5%", "one-2%", "one-twelve", "apart-same", "apart-1%", "apart-1.5%", "apart-2%")},
		{claim: "identical across processes: equivalent in 30 s", cells: list("apart-same"), limit: 0.70, atLeast: true, of: 40, hit: equivalentWithin(30)},
		{claim: "a true 1.5% called equivalent", cells: list("one-1.5%", "apart-1.5%"), limit: 0.01, of: 100, hit: equivalentWithin(math.Inf(1))},
		{claim: "control, naive peeking: identical code different", cells: list("control-peeking"), limit: identical, control: true, hit: different},
		{claim: "control, AAABBB: true 1% in one process found in 5 s", cells: list("control-turns"), limit: 0.95, atLeast: true, control: true, hit: foundWithin(5)},
	}
}

// count applies a bound to trials.
func (b bound) count(r results, in state) (hits, of int) {
	for _, t := range r.of(in, b.cells...) {
		hit, counts := b.hit(r, t)
		if counts {
			of++
		}
		if hit {
			hits++
		}
	}
	return hits, of
}

// chance is the probability of a rate as bad as this, or worse, if the true rate
// were just the limit.
func (b bound) chance(hits, of int) float64 {
	if b.atLeast {
		return atLeast(of-hits, of, 1-b.limit)
	}
	return atLeast(hits, of, b.limit)
}

// ok judges a rate: by itself where there were as many trials as the table asks
// for, else by whether chance explains it. A control has to be refuted.
func (b bound) ok(hits, of int) bool {
	refuted := b.chance(hits, of) < doubt
	if b.control {
		return refuted
	}
	if of < b.of {
		return !refuted
	}
	rate := float64(hits) / float64(of)
	if b.atLeast {
		return rate >= b.limit
	}
	return rate <= b.limit
}

// atLeast is the probability of k or more successes in n trials.
func atLeast(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	sum := 0.0
	for i := k; i <= n; i++ {
		sum += math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return math.Min(sum, 1)
}

func logChoose(n, k int) float64 {
	lf := func(m int) float64 { v, _ := math.Lgamma(float64(m) + 1); return v }
	return lf(n) - lf(k) - lf(n-k)
}

// printBounds prints the acceptance table and reports whether a bound was missed.
// Bounds whose cells were not asked for are left out.
func printBounds(w io.Writer, r results, chosen []cell) (missed bool) {
	rows := [][]string{{"acceptance, live", "bound", "all", "quiet", "busy", "chance", "ok"}}
	for _, b := range bounds() {
		hits, of := b.count(r, either)
		if of == 0 {
			continue
		}
		ok := b.ok(hits, of)
		for _, s := range []state{quiet, busied} {
			// Each state alone has fewer trials than the table: chance judges.
			if h, n := b.count(r, s); n > 0 && !b.control && b.chance(h, n) < doubt/2 {
				ok = false
			}
		}
		missed = missed || !ok
		rows = append(rows, []string{b.claim, b.text(), b.rate(r, either), b.rate(r, quiet), b.rate(r, busied), fmt.Sprintf("%.2g", b.chance(hits, of)), yes(ok)})
	}
	rows, lost := r.duel(rows)
	if len(rows) > 1 {
		printRows(w, rows)
		fmt.Fprintf(w, "chance: of a result as bad as this or worse, if the true rate were just the bound. With fewer trials than the table's,\nand for quiet and busy apart, a bound counts as missed where that is below %.3g (apart: %.3g). Controls must miss theirs.\n", doubt, doubt/2)
	}
	r.notes(w)
	return missed || lost
}

func (b bound) text() string {
	sign := "≤"
	if b.atLeast {
		sign = "≥"
	}
	if b.control {
		sign = "not " + sign
	}
	return fmt.Sprintf("%s %.3g%%", sign, 100*b.limit)
}

func (b bound) rate(r results, in state) string {
	hits, of := b.count(r, in)
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", hits, of)
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "NO"
}

// notes prints what is no bound here.
func (r results) notes(w io.Writer) {
	differ := rate{}
	for _, t := range r.of(either, "one-same", "apart-same") {
		differ.of++
		if t.CPUVerdict == bench.Faster || t.CPUVerdict == bench.Slower {
			differ.hits++
		}
	}
	if differ.of > 0 {
		fmt.Fprintf(w, "For comparison, the cpu metric called identical code different in %v.\n", differ)
	}
	for _, c := range []struct{ what, cell string }{{"2", "one-same"}, {"13", "one-twelve"}} {
		var inside []float64
		for _, t := range r.of(either, c.cell) {
			inside = append(inside, t.Inside)
		}
		if len(inside) > 0 {
			fmt.Fprintf(w, "With %s codecs in one process %.0f%% of the measuring phase was inside batches (median).\n", c.what, 100*stats.Median(inside))
		}
	}
}
