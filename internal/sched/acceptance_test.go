package sched

import (
	"math"
	"sync"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// machines are the ways in which a synthetic machine disturbs measurements
// besides the spread between forks.
var machines = map[string]runner.Noise{
	"independent": {Jitter: 0.02},
	"regimes":     {Jitter: 0.01, RegimeSec: 0.05, RegimeLog: 0.2},
	"drift":       {Jitter: 0.01, DriftPerSec: 0.05},
	"spikes":      {Jitter: 0.01, SpikeRate: 0.08, SpikeNS: 4e6},
}

// decisions are the forks after which a run first called its pair different,
// the right way round or not, and equivalent; 0: never.
type decisions struct{ right, wrong, equivalent int }

// decide runs the real scheduler on a synthetic runner whose codec "other" takes
// truth times what "json" takes.
func decide(t *testing.T, noise runner.Noise, truth float64, seed uint64) decisions {
	s := newSetting(t, 1)
	s.lane.Codecs = s.lane.Codecs[:2]
	s.lane.Cases = []bench.Case{s.lane.Cases[1], s.lane.Cases[3]} // decode with json, decode with slow
	s.runtime.Seed, s.sched.Config.Seed = seed*1000, seed
	s.runtime.Noise = noise
	s.runtime.Cost = func(o runner.FakeOperation) float64 {
		if o.Codec == "slow" {
			return 3000 * truth
		}
		return 3000
	}
	s.sched.Config.MaxForks, s.sched.Config.MaxTime, s.sched.Config.Precision = 41, time.Hour, 0
	var d decisions
	fork := 0
	s.sink.onFork = func() {
		for _, c := range s.sink.analysis.Comparisons() {
			if c.Metric != bench.Mutator {
				continue
			}
			right := bench.Slower
			if truth == 1 {
				right = ""
			}
			switch {
			case c.Verdict == bench.Equivalent && d.equivalent == 0:
				d.equivalent = fork
			case c.Verdict == right && d.right == 0:
				d.right = fork
			case (c.Verdict == bench.Faster || c.Verdict == bench.Slower) && c.Verdict != right && d.wrong == 0:
				d.wrong = fork
			}
		}
		fork++ // the first was the pilot
	}
	s.run(t, t.Context())
	return d
}

// TestTheSchedulerKeepsThePromisesOfItsStatistics runs the whole scheduler where
// internal/stats/accept simulates the statistics alone. The spread of a
// comparison between forks is 1.2%. The bounds allow for the number of runs.
func TestTheSchedulerKeepsThePromisesOfItsStatistics(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds of simulation")
	}
	const runs = 16 // of each kind of machine
	for _, test := range []struct {
		name  string
		truth float64
		check func(t *testing.T, all []decisions)
	}{
		{"identical", 1, func(t *testing.T, all []decisions) {
			if n := count(all, func(d decisions) bool { return d.wrong > 0 }); n > 8 { // 5% of 64 is 3
				t.Errorf("identical codecs were called different in %d of %d runs", n, len(all))
			}
			if n := count(all, func(d decisions) bool { return d.equivalent > 0 }); n < 53 { // 90% is 58
				t.Errorf("identical codecs were called equivalent in %d of %d runs", n, len(all))
			}
		}},
		{"2% slower", 1.02, func(t *testing.T, all []decisions) {
			if n := count(all, func(d decisions) bool { return d.wrong > 0 }); n > 0 {
				t.Errorf("%d of %d runs had the wrong sign", n, len(all))
			}
			if n := count(all, func(d decisions) bool { return d.right > 0 && d.right <= 15 }); n < 57 { // 95% is 61
				t.Errorf("a true 2%% was found within 15 forks in %d of %d runs", n, len(all))
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var all []decisions
			t.Run("runs", func(t *testing.T) {
				for name, noise := range machines {
					noise.ForkSpread = 0.012 / math.Sqrt2
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						for i := range runs {
							d := decide(t, noise, test.truth, uint64(i+1))
							mu.Lock()
							all = append(all, d)
							mu.Unlock()
						}
					})
				}
			})
			test.check(t, all)
		})
	}
}

func count(all []decisions, is func(decisions) bool) int {
	n := 0
	for _, d := range all {
		if is(d) {
			n++
		}
	}
	return n
}
