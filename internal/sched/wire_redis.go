package sched

import (
	"context"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/store"
)

// store finds out what each codec's values take in Redis. Without a server there
// is nothing to measure. One that is full shows in the cases that find it so.
func (o *overWire) store(ctx context.Context) error {
	o.s.Observe(Event{Phase: "calibrate", Lane: o.l.name, Runtime: o.l.Runtime})
	redis, err := o.l.Wire.Redis(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return o.s.giveUp(o.l.running(), err)
	}
	defer redis.Close()
	stored := map[trial]bool{}
	for _, c := range o.l.running() {
		t := trial{c.Codec, c.Sample}
		if stored[t] { // the codec's first case stands for all
			continue
		}
		stored[t] = true
		got, err := redis.Store(ctx, c.Codec, o.l.party.proofs[t].wrote)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			continue
		}
		rec := &store.Storage{
			Kind: "storage", Case: c.number, Server: redis.Label(), Keys: got.Keys,
			ValueBytes: got.ValueBytes, MemoryUsage: got.MemoryUsage, UsedMemory: got.UsedMemory,
		}
		if err := o.s.Sink.Append(rec); err != nil {
			return err
		}
	}
	return o.s.Sink.Sync()
}

// fill puts every document into Redis, so that there is something to get.
func (f *wireFork) fill(ctx context.Context) error {
	if f.redis == nil {
		return nil
	}
	filled := map[trial]bool{}
	return f.each(ctx, func(m *caller, c *caseState) error {
		t := trial{c.Codec, c.Sample}
		if filled[t] {
			return nil
		}
		docs := f.s.Samples[c.Sample].Files.Documents
		per := f.s.pipeline(bench.Case{Sample: c.Sample, Operation: bench.SetPipelined})
		_, err := f.call(ctx, m, c, bench.SetPipelined, plan.Window{Count: docs}, (docs+per-1)/per)
		filled[t] = err == nil // else the codec's other cases find out for themselves
		return err
	})
}
