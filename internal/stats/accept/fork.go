package accept

import (
	"math"
	"math/rand/v2"
	"slices"

	"wirecost/internal/stats/noise"
)

// Of a simulated fork; times in nanoseconds. Real forks have hundreds of blocks:
// 0.05 to 0.1 s per case. Fewer are quicker to simulate and only add noise.
const (
	fewBlocks = 40
	allBlocks = 300
	batchWork = 150_000
	turnIdle  = 50_000    // between blocks
	startIdle = 5_000_000 // before a fork
)

// fork makes the forks of one run. Batches are calibrated to last equally long
// whatever the codec, so a true ratio shows in the time per operation, not in the
// time of a batch.
type fork struct {
	scenario Scenario
	machine  *noise.Machine
	effects  *noise.Forks
	random   *rand.Rand
	order    []int       // of the arms; arm 0 is the baseline
	work     []float64   // of a batch, per arm, in this process
	times    [][]float64 // per arm and block: log of the wall time per operation, in units of the baseline's
	differ   []float64
	out      []float64
}

func newFork(s Scenario, random *rand.Rand) *fork {
	f := &fork{scenario: s, random: random, differ: make([]float64, s.Blocks), out: make([]float64, s.Codecs)}
	f.machine = noise.NewMachine(s.Kind, random.Uint64())
	spread := s.Spread
	if s.Shape == noise.Symmetric {
		spread /= math.Sqrt2 // of each of two arms
	}
	f.effects = noise.NewForks(s.Shape, spread, random.Uint64())
	for arm := range s.Codecs + 1 {
		f.order = append(f.order, arm)
		f.work = append(f.work, 0)
		f.times = append(f.times, make([]float64, s.Blocks))
	}
	return f
}

// ratios runs a fork and returns each codec's log-ratio to the baseline: the
// median of the differences within blocks. The slice is reused.
func (f *fork) ratios() []float64 {
	f.machine.Idle(startIdle)
	f.machine.StartFork()
	f.drawWork()
	if f.scenario.OneAfterAnother {
		for arm := range f.work {
			for b := range f.scenario.Blocks {
				f.batch(arm, b)
				f.machine.Idle(turnIdle)
			}
		}
	} else {
		for b := range f.scenario.Blocks {
			f.random.Shuffle(len(f.order), func(i, j int) { f.order[i], f.order[j] = f.order[j], f.order[i] })
			for _, arm := range f.order {
				f.batch(arm, b)
			}
			f.machine.Idle(turnIdle)
		}
	}
	for i := range f.out {
		for b := range f.scenario.Blocks {
			f.differ[b] = f.times[i+1][b] - f.times[0][b]
		}
		slices.Sort(f.differ)
		n := len(f.differ)
		f.out[i] = (f.differ[(n-1)/2] + f.differ[n/2]) / 2
	}
	return f.out
}

// drawWork gives each arm its persistent effect in this process. Only
// symmetric effects may touch the baseline: the difference of two equally
// skewed ones would be symmetric again.
func (f *fork) drawWork() {
	for arm := range f.work {
		log := 0.0
		if arm > 0 || f.scenario.Shape == noise.Symmetric {
			log = f.effects.Effect()
		}
		f.work[arm] = batchWork * math.Exp(log)
	}
}

func (f *fork) batch(arm, block int) {
	log := math.Log(f.machine.Run(f.work[arm]).WallNS)
	if arm > 0 {
		log += f.scenario.Truth
	}
	f.times[arm][block] = log
}
