package sched

import (
	"context"
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
	warmTurn    = 6 * time.Millisecond    // batches between two looks, at least
	warmStep    = 40                      // of them at most
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

// settle repeats one batch until its times are steady. That they never are is a
// result too, which the record keeps.
func (f *fork) settle(ctx context.Context, m *member, c *caseState) error {
	b := f.warmBatch(c)
	expected := time.Duration(c.pass(b.w) * float64(b.passes))
	turn := make([]batch, min(warmStep, 1+int(warmTurn/max(1, expected))))
	for i := range turn {
		turn[i] = b
	}
	r := f.records[c]
	var times []float64
	var spent time.Duration
	look := warmLeast
	if c.floor == 0 {
		look = min(warmPilot, f.s.warmTime(f.l))
	}
	for len(times) < warmBatches && spent < f.s.warmTime(f.l) {
		reply, err := f.s.turn(ctx, m.p, turn, false)
		if err != nil {
			return err
		}
		for _, ns := range reply.WallNS {
			times = append(times, float64(ns))
			spent += time.Duration(ns)
		}
		f.s.time(reply.WallNS)
		if spent < look {
			continue
		}
		if start, ok := stats.SteadyState(times); ok && f.fast(c, b, stats.Median(times[start:])) {
			r.WarmupBatches = len(times)
			return nil
		}
		look = spent + spent/10 // looking costs more the longer the series is
	}
	// A fork may be steady and slower than others.
	_, steady := stats.SteadyState(times)
	r.WarmupBatches, r.NoSteadyState = len(times), !steady
	return nil
}

// fast reports whether a batch that takes so many ns is about as fast as the case
// became in forks before.
func (f *fork) fast(c *caseState, b batch, ns float64) bool {
	return c.floor == 0 || ns <= warmSlower*c.floor*c.pass(b.w)*float64(b.passes)
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
