package sched

import (
	"context"
	"slices"
	"time"

	"wirecost/internal/plan"
	"wirecost/internal/stats"
	"wirecost/internal/store"
)

// Warming up a case of a runtime that compiles while it runs: batches until the
// series is steady, by change point, within these bounds. Times are of batches.
// What is interpreted, or compiled in haste, is steady as well for a while: hence
// the least time, and steady must be about as fast as forks before became.
const (
	warmTurn    = 24 * time.Millisecond   // batches of one turn, about: each turn costs some milliseconds besides
	warmStep    = 160                     // of them at most
	warmLeast   = 150 * time.Millisecond  // before the first look
	warmPilot   = 600 * time.Millisecond  // the same, where no fork before tells how fast it becomes
	warmSlower  = 1.5                     // times what forks before became, that is still as fast
	warmShort   = 300 * time.Millisecond  // at most, where there are many cases for the time
	warmLong    = 1500 * time.Millisecond // at most
	warmBatches = 20_000                  // at most
)

// warm brings each case to a steady state. Where nothing is compiled while
// running, a few batches that are not kept do.
func (f *fork) warm(ctx context.Context) error {
	for _, m := range f.members {
		for _, c := range f.shuffled(m.cases) {
			warm := f.touch
			if f.l.Compiles {
				warm = f.settle
			}
			if err := warm(ctx, m, c); err != nil {
				return f.at(c, err)
			}
		}
	}
	return nil
}

// warmBatch is a batch as the measurement will use them.
func (f *fork) warmBatch(c *caseState) batch {
	p := f.l.plans[c.Sample]
	w := p.windows[f.order.IntN(len(p.windows))]
	return batch{c, w, plan.Passes(c.pass(w), p.batch)}
}

func (f *fork) touch(ctx context.Context, m *member, c *caseState) error {
	b := f.warmBatch(c)
	_, err := f.s.turn(ctx, m.p, []batch{b, b}, false)
	return err
}

// warming is the series of a case's batches in one fork.
type warming struct {
	b      batch
	target float64       // ns, what a batch should last
	pass   float64       // ns that a pass took in the last turn
	times  []float64     // of a pass, by batch
	spent  time.Duration // all of them
}

// settle repeats a batch until its times are steady. That they never are is a
// result too, which the record keeps.
func (f *fork) settle(ctx context.Context, m *member, c *caseState) error {
	w := &warming{b: f.warmBatch(c), target: f.l.plans[c.Sample].batch}
	r := f.records[c]
	look, most := warmLeast, f.s.warmTime(f.l)
	if c.floor == 0 {
		look = min(warmPilot, most)
	}
	for len(w.times) < warmBatches && w.spent < most {
		if err := f.warmUp(ctx, m, w, look-w.spent); err != nil {
			return err
		}
		if w.spent < look {
			continue
		}
		if start, ok := stats.SteadyState(w.times); ok && f.fast(c, w.b.w, stats.Median(w.times[start:])) {
			r.WarmupBatches = len(w.times)
			return nil
		}
		look = w.spent + w.spent/10 // looking costs more the longer the series is
	}
	// A fork may be steady and slower than others.
	_, steady := stats.SteadyState(w.times)
	r.WarmupBatches, r.NoSteadyState = len(w.times), !steady
	return nil
}

// warmUp adds a turn to a series, of about the time that is left until the next
// look. How long a batch takes, the last turn tells: until something is compiled
// it may be a hundred times what was expected, and before the pilot's end costs
// are those of operations that were not compiled yet.
func (f *fork) warmUp(ctx context.Context, m *member, w *warming, left time.Duration) error {
	n := 1
	if w.pass > 0 {
		w.b.passes = min(plan.Passes(w.pass, w.target), 4*w.b.passes) // a coarse clock may have shown nothing
		n = repeats(float64(min(left, warmTurn)), w.pass*float64(w.b.passes))
	}
	reply, err := f.s.turn(ctx, m.p, slices.Repeat([]batch{w.b}, n), false)
	if err != nil {
		return err
	}
	f.s.time(reply.WallNS)
	first := len(w.times)
	for _, ns := range reply.WallNS {
		w.times = append(w.times, float64(ns)/float64(w.b.passes))
		w.spent += time.Duration(ns)
	}
	w.pass = max(1, stats.Median(w.times[first:]))
	return nil
}

// repeats is how many batches, each of so many ns, fill a time.
func repeats(time, batch float64) int {
	return max(1, min(warmStep, int(time/batch)))
}

// fast reports whether a pass over a window that takes so many ns is about as
// fast as the case became in forks before.
func (f *fork) fast(c *caseState, w plan.Window, ns float64) bool {
	return c.floor == 0 || ns <= warmSlower*c.floor*c.pass(w)
}

// sink notes how fast a case has become in this fork: the level of its last
// batches, as a ratio to its cost.
func (c *caseState) sink(r *store.Fork) {
	ratios := off(r, c)
	if n := len(ratios); n > 0 {
		if level := stats.Median(ratios[n-(n+3)/4:]); c.floor == 0 || level < c.floor {
			c.floor = level
		}
	}
}

// warmTime is how long a case of a lane is warmed up at most: such that the
// least forks of all its cases take twice the lane's time for it, if it must be.
func (s *Scheduler) warmTime(l *lane) time.Duration {
	if s.Config.MaxTime <= 0 {
		return warmLong
	}
	share := 2 * s.Config.MaxTime / leastForks / time.Duration(max(1, len(l.running())))
	return min(max(share, warmShort), warmLong)
}
