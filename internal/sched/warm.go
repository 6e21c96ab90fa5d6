package sched

import (
	"context"
	"time"

	"wirecost/internal/plan"
	"wirecost/internal/stats"
)

// Warming up a case of a runtime that compiles while it runs: batches until the
// series is steady, by change point, within these bounds. Times are of batches.
// What is interpreted is steady as well, for a while: hence the least time.
const (
	warmTurn    = 6 * time.Millisecond    // batches between two looks, at least
	warmStep    = 40                      // of them at most
	warmLeast   = 150 * time.Millisecond  // before the first look
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
		if _, ok := stats.SteadyState(times); ok {
			r.WarmupBatches = len(times)
			return nil
		}
		look = spent + spent/10 // looking costs more the longer the series is
	}
	r.WarmupBatches, r.NoSteadyState = len(times), true
	return nil
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
