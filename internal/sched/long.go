package sched

import (
	"context"
	"math"
	"slices"
	"time"

	"wirecost/internal/plan"
	"wirecost/internal/store"
)

// The long pass of a case is sent in pieces. It ends with the piece in which a
// collection ended, once it has lasted long enough: a pass that stops between
// collections holds one too few or one too many, and with only a few of them
// that would decide the ratio.
const (
	longPieces = 8 // of what the pass is planned to last
	longMost   = 4 // times as long as planned, while waiting for a collection
)

// long lets each case run alone for some milliseconds from a settled heap, so
// that its collections are paid for by itself; CPU and wall time are read.
func (f *fork) long(ctx context.Context) error {
	windows := map[string]plan.Window{}
	for _, files := range f.s.files() {
		if p := f.l.plans[files.Sample]; p != nil && len(p.long) > 0 {
			windows[files.Sample] = p.long[f.order.IntN(len(p.long))]
		}
	}
	for _, m := range f.members {
		for _, c := range f.shuffled(m.cases) {
			if err := f.longCase(ctx, m, c, windows[c.Sample]); err != nil {
				return f.at(c, err)
			}
		}
	}
	return nil
}

func (f *fork) longCase(ctx context.Context, m *member, c *caseState, w plan.Window) error {
	target := f.l.plans[c.Sample].cpu
	piece := []batch{{c, w, plan.Passes(c.pass(w), target/longPieces)}}
	r := f.records[c]
	if f.l.Compiles {
		if err := f.rewarm(ctx, m, piece, target); err != nil {
			return err
		}
	}
	for first := true; ; first = false {
		reply, err := f.s.turn(ctx, m.p, piece, first && !f.l.Compiles)
		if err != nil {
			return err
		}
		f.s.time(reply.WallNS)
		if first {
			r.CPUNS, r.Preemptions, r.Collections = reply.CPUNS, reply.Preemptions, reply.Collections
		} else {
			r.CPUNS, r.Preemptions, r.Collections = sum(r.CPUNS, reply.CPUNS), sum(r.Preemptions, reply.Preemptions), sum(r.Collections, reply.Collections)
		}
		r.CPUWallNS += reply.WallNS[0]
		r.CPUIterations += piece[0].iterations()
		if longEnough(r, reply.Collections, target) {
			return nil
		}
	}
}

// rewarmTime is the CPU time that a case runs for after its heap was settled, where
// the runtime compiles while it runs.
const rewarmTime = 120 * time.Millisecond

// rewarm settles the heap and lets the case run, untimed: a full collection may
// throw compiled code away, and then the long pass would time the compiler. It
// cuts the piece to the length that it should have: before the pilot's end, costs
// are those of operations that were not compiled yet.
func (f *fork) rewarm(ctx context.Context, m *member, piece []batch, target float64) error {
	spent, n := int64(0), 1 // pieces in a turn
	for first := true; spent < rewarmTime.Nanoseconds(); first = false {
		reply, err := f.s.turn(ctx, m.p, slices.Repeat(piece, n), first)
		if err != nil {
			return err
		}
		f.s.time(reply.WallNS)
		took := int64(0)
		for _, ns := range reply.WallNS {
			took += ns
		}
		if reply.CPUNS > 0 {
			took = min(took, reply.CPUNS)
		}
		spent += max(took, 1)
		pass := max(1, float64(slices.Min(reply.WallNS))/float64(piece[0].passes))
		piece[0].passes = min(plan.Passes(pass, target/longPieces), 4*piece[0].passes) // a coarse clock may have shown nothing
		n = repeats(float64(min(warmTurn, rewarmTime-time.Duration(spent))), pass*float64(piece[0].passes))
	}
	return nil
}

// longEnough reports whether a long pass may end with the piece just measured,
// in which so many collections ended.
func longEnough(r *store.Fork, collections int64, target float64) bool {
	lasted := float64(r.CPUWallNS)
	if r.CPUNS > 0 { // what others take of the machine makes no pass longer
		lasted = math.Min(lasted, float64(r.CPUNS))
	}
	switch {
	case lasted < target:
		return false
	case collections != 0: // one ended, or they cannot be told
		return true
	}
	return lasted >= longMost*target
}

// sum adds readings of which either may not be available.
func sum(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}
