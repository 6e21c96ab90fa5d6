package main

import (
	"fmt"
	"io"
	"time"
)

// progress tells how far a run is, and how long the rest will take.
type progress struct {
	w     io.Writer
	jobs  []job
	begun int // jobs begun or skipped
	told  time.Time
	seen  map[string]tally
}

// tally is what trials of one cell took.
type tally struct {
	trials  int
	seconds float64
}

// plan prints what will be run.
func (p *progress) plan(o *options) {
	expected, most := planned(p.jobs)
	fmt.Fprintf(p.w, "%d trials; %s expected, %s at most", len(p.jobs), minutes(expected), minutes(most))
	if o.busy != "without" {
		fmt.Fprintf(p.w, "; busy neighbours, in trials that have them: %d", o.spin)
	}
	fmt.Fprintln(p.w)
	counts := map[string]int{}
	for _, j := range p.jobs {
		counts[j.name]++
	}
	for _, c := range uniqueCells(p.jobs) {
		fmt.Fprintf(p.w, "  %-16s %3d × %4.1f s, at most %4.1f s  %s, %s\n", c.name, counts[c.name], c.expected, c.limit, c.method, c.place())
	}
}

func uniqueCells(jobs []job) []cell {
	var out []cell
	seen := map[string]bool{}
	for _, j := range jobs {
		if !seen[j.name] {
			seen[j.name] = true
			out = append(out, j.cell)
		}
	}
	return out
}

func (c cell) place() string {
	text := fmt.Sprintf("%d codecs", len(c.arms))
	switch {
	case c.method == goTest:
		text = "one arm after the other"
	case c.apart:
		text += " across processes"
	default:
		text += " in one process"
	}
	return text
}

func minutes(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// skip passes over a job that was done before.
func (p *progress) skip(job) { p.begun++ }

// next tells what begins, not too often.
func (p *progress) next(j job) {
	if now := time.Now(); now.Sub(p.told) >= 10*time.Second {
		p.told = now
		fmt.Fprintf(p.w, "trial %d of %d (%s); about %s left\n", p.begun+1, len(p.jobs), j.name, minutes(p.left()))
	}
	p.begun++
}

// left is how long the jobs not begun will take, by those seen.
func (p *progress) left() time.Duration {
	sum := 0.0
	for _, j := range p.jobs[p.begun:] {
		// What was expected weighs as much as three trials.
		t := p.seen[j.name]
		sum += (3*j.expected + t.seconds) / float64(3+t.trials)
	}
	return seconds(sum)
}

// made keeps how long a trial took.
func (p *progress) made(t trial) {
	if p.seen == nil {
		p.seen = map[string]tally{}
	}
	s := p.seen[t.Cell]
	p.seen[t.Cell] = tally{s.trials + 1, s.seconds + t.Seconds}
}
