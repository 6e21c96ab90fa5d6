package sched

import (
	"math"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// Where each codec has a process of its own, a machine that changes its pace all
// the time must meet both sides of a ratio alike: by many short turns.
func TestProcessesTakeShortTurns(t *testing.T) {
	sum, n := 0.0, 0
	for seed := range uint64(30) {
		s := newSetting(t, 5)
		s.lane.Isolated = true
		s.runtime.Seed, s.sched.Config.Seed, s.sched.Config.MaxForks = seed, seed, 2 // the pilot, and one that counts
		s.runtime.Noise = runner.Noise{RegimeSec: 0.02, RegimeLog: 0.3}
		s.run(t, t.Context())
		for _, c := range s.sink.analysis.Comparisons() {
			if c.Metric == bench.Mutator && c.Case.Codec == "twin" {
				sum += math.Pow(math.Log(c.Ratio), 2)
				n++
			}
		}
	}
	if rms := math.Sqrt(sum / float64(n)); n != 60 || rms > 0.02 {
		t.Errorf("a fork's ratio of equal codecs is off by %.1f%% (root mean square of %d)", 100*rms, n)
	}
}
