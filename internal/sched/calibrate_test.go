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
