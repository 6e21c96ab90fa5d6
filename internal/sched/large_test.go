package sched

import (
	"context"
	"fmt"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// mixing counts the turns that hold batches of several cases.
type mixing struct {
	runner.Process
	turns, mixed *int
}

func (m mixing) Measure(ctx context.Context, req runner.MeasureRequest) (*runner.MeasureReply, error) {
	*m.turns++
	for _, b := range req.Turn {
		if b.Codec != req.Turn[0].Codec || b.Operation != req.Turn[0].Operation {
			*m.mixed++
			break
		}
	}
	return m.Process.Measure(ctx, req)
}

// TestLargeDocumentsHaveTheirTurnAlone since a runner holds the objects of all
// that a turn encodes.
func TestLargeDocumentsHaveTheirTurnAlone(t *testing.T) {
	for bytes, alone := range map[int]bool{100: false, 5 << 20: true} {
		s := newSetting(t, 1)
		s.sched.Samples["s"].Bytes = []int{bytes}
		s.sched.Config.MaxForks = 3
		turns, mixed := 0, 0
		fake := s.lane.Starter
		s.lane.Starter = starterFunc(func(ctx context.Context) (runner.Process, error) {
			p, err := fake.Start(ctx)
			return mixing{p, &turns, &mixed}, err
		})
		s.run(t, t.Context())
		if turns == 0 || (mixed == 0) != alone {
			t.Errorf("documents of %d bytes: %d of %d turns hold several cases", bytes, mixed, turns)
		}
	}
}

// TestWantOfMemoryIsNoFailure: the codec could, with more.
func TestWantOfMemoryIsNoFailure(t *testing.T) {
	short := &runner.MemoryError{Room: runner.Room{Bytes: 216e6}}
	for _, err := range []error{short, &runner.ProcessError{What: short.Error(), Cause: short}, fmt.Errorf("document 3: %w", short)} {
		if status, reason := explain(err); status != bench.Skipped || reason != short.Error() {
			t.Errorf("%v: %s: %s", err, status, reason)
		}
	}
}
