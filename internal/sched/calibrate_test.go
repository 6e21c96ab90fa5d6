package sched

import (
	"math"
	"testing"

	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// Longer batches are hit by more preemptions and collections, so equal codecs
// with batches of different length would differ in every fork.
func TestEqualCodecsGetEqualBatches(t *testing.T) {
	for seed := range uint64(10) {
		s := newSetting(t, 1)
		s.runtime.Seed, s.sched.Config.Seed, s.sched.Config.MaxForks = seed, seed, 4
		// So noisy that a few operations tell little, as beside busy neighbours.
		s.runtime.Noise = runner.Noise{Jitter: 0.5, RegimeSec: 0.01, RegimeLog: 0.3}
		s.run(t, t.Context())
		names, iterations, batches := map[int]string{}, map[string]int{}, map[string]int{}
		for _, rec := range s.sink.records {
			switch r := rec.(type) {
			case *store.Case:
				names[r.Number] = r.Case.Codec + "/" + string(r.Operation)
			case *store.Fork:
				if r.Pilot {
					continue
				}
				for _, n := range r.Iterations {
					iterations[names[r.Case]] += n
					batches[names[r.Case]]++
				}
			}
		}
		for _, op := range []string{"encode", "decode"} {
			x := float64(iterations["json/"+op]) / float64(batches["json/"+op])
			y := float64(iterations["twin/"+op]) / float64(batches["twin/"+op])
			if math.Abs(math.Log(x/y)) > 0.1 {
				t.Errorf("seed %d, %s: %.1f iterations of a batch of json, %.1f of its equal", seed, op, x, y)
			}
		}
	}
}

// A page's clock is so coarse that it shows nothing of single operations.
func TestCoarseClock(t *testing.T) {
	const step = 5000
	s := newSetting(t, 1)
	s.runtime.Description.ClockStepNS = step
	s.sched.Config.MaxForks = 4
	s.run(t, t.Context())
	forks := 0
	for _, rec := range s.sink.records {
		r, ok := rec.(*store.Fork)
		if !ok {
			continue
		}
		forks++
		for i, ns := range r.WallNS {
			if ns < 150*step || ns > 600*step {
				t.Errorf("fork %d, case %d: %d operations took %d ns; want about 250 steps of %d ns", r.Fork, r.Case, r.Iterations[i], ns, step)
			}
		}
	}
	if forks == 0 {
		t.Error("no forks")
	}
}
