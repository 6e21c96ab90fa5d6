package sched

import (
	"context"
	"time"

	"wirecost/internal/plan"
	"wirecost/internal/stats"
)

// Warming up a case of a runtime that compiles while it runs: batches until the
// series is steady, by change point, within these bounds.
const (
	warmStep    = 40                      // batches between two looks
	warmBatches = 600                     // at most
	warmTime    = 1500 * time.Millisecond // at most, by what the batches took
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
	turn := make([]batch, warmStep)
	for i := range turn {
		turn[i] = b
	}
	r := f.records[c]
	var times []float64
	var spent time.Duration
	for len(times) < warmBatches && spent < warmTime {
		reply, err := f.s.turn(ctx, m.p, turn, false)
		if err != nil {
			return err
		}
		for _, ns := range reply.WallNS {
			times = append(times, float64(ns))
			spent += time.Duration(ns)
		}
		f.s.time(reply.WallNS)
		if _, ok := stats.SteadyState(times); ok {
			r.WarmupBatches = len(times)
			return nil
		}
	}
	r.WarmupBatches, r.NoSteadyState = len(times), true
	return nil
}
