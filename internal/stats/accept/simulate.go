// Package accept simulates runs of the measuring engine's statistics and checks
// the error rates and the power that wirecost promises (docs/statistics.md):
// batches on synthetic machines, forks made of batches, confidence sequences over
// forks, and a look after every fork.
package accept

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"wirecost/internal/stats"
	"wirecost/internal/stats/noise"
)

// Method is how an interval is made of forks.
type Method int

// The methods. Naive is the negative control: an ordinary 95% interval, looked
// at after every fork.
const (
	Symmetric Method = iota
	Sign
	Naive
)

// Alpha is the error probability of all comparisons of a run together.
const Alpha = 0.05

// Forks is how many forks a run has at most; a look follows each.
const Forks = 40

// Delta is the log-ratio within which codecs are equivalent.
var Delta = math.Log1p(0.01)

// Scenario is a kind of run. Codecs are compared with one more, the baseline.
type Scenario struct {
	Kind   noise.Kind
	Shape  noise.Shape // of the forks' effects
	Spread float64     // standard deviation of a comparison's log-ratio between forks
	Truth  float64     // log-ratio of every codec to the baseline
	Codecs int
	Method Method
	Forks  int // per run; 0: 40
	Blocks int // per fork, each with one batch of every arm; 0: 40
	// StopWhenDecided looks at a comparison no more once it has a verdict, as the
	// scheduler does. It saves time where only verdicts are asked for.
	StopWhenDecided bool
	// OneAfterAnother is the negative control AAABBB: in each fork all batches of the
	// baseline, then all of the first codec, and so on.
	OneAfterAnother bool
}

// Tally counts over runs of a scenario.
type Tally struct {
	Runs        int
	Comparisons int            // Runs × Codecs
	Different   int            // runs in which some comparison was called faster or slower at some look
	Missed      int            // runs in which some interval missed the truth at some look
	Verdicts    int            // comparisons called faster or slower at some look
	Wrong       int            // of them, with the wrong sign, or with any sign for identical codecs
	Detected    [Forks + 1]int // comparisons by the fork of their first right verdict; 0: none
	Equivalent  [Forks + 1]int // comparisons by the fork of their first "equivalent"; 0: none
}

func (t *Tally) add(u Tally) {
	t.Runs += u.Runs
	t.Comparisons += u.Comparisons
	t.Different += u.Different
	t.Missed += u.Missed
	t.Verdicts += u.Verdicts
	t.Wrong += u.Wrong
	for i := range t.Detected {
		t.Detected[i] += u.Detected[i]
		t.Equivalent[i] += u.Equivalent[i]
	}
}

// within sums a histogram over forks 1 to n.
func within(h [Forks + 1]int, n int) (sum int) {
	for _, c := range h[1 : n+1] {
		sum += c
	}
	return sum
}

// Simulate makes so many runs of a scenario. The same seed gives the same tally,
// on any number of cores.
func Simulate(s Scenario, runs int, seed uint64) Tally {
	if s.Forks == 0 {
		s.Forks = Forks
	}
	if s.Blocks == 0 {
		s.Blocks = fewBlocks
	}
	truth := s.Truth
	if s.Shape != noise.Symmetric {
		truth = medianOfForks(s, min(50*runs, 10_000), rand.New(rand.NewPCG(seed, math.MaxUint64)))
	}
	var total Tally
	var lock sync.Mutex
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			var t Tally
			for i := w; i < runs; i += workers {
				t.add(run(s, truth, rand.New(rand.NewPCG(seed, uint64(i)))))
			}
			lock.Lock()
			defer lock.Unlock()
			total.add(t)
		})
	}
	wait.Wait()
	return total
}

// medianOfForks measures the truth that the sign test speaks of. It is not the
// median of the forks' effects where these are not symmetric: what measuring adds to
// each fork, though symmetric itself, shifts it a little.
func medianOfForks(s Scenario, forks int, random *rand.Rand) float64 {
	f := newFork(s, random)
	x := make([]float64, forks)
	for i := range x {
		x[i] = f.ratios()[0]
	}
	return stats.Median(x)
}

// run simulates one run. Its intervals should hold the truth.
func run(s Scenario, truth float64, random *rand.Rand) Tally {
	f := newFork(s, random)
	looks := make([]comparison, s.Codecs)
	for i := range looks {
		looks[i] = comparison{sequence: newSequence(s), ratio: s.Truth, truth: truth}
	}
	open := s.Codecs
	for n := 1; n <= s.Forks && open > 0; n++ {
		for i, x := range f.ratios() {
			if s.StopWhenDecided && looks[i].decided() {
				continue
			}
			looks[i].look(x, n)
			if s.StopWhenDecided && looks[i].decided() {
				open--
			}
		}
	}
	t := Tally{Runs: 1, Comparisons: s.Codecs}
	for _, c := range looks {
		t.Different = max(t.Different, count(c.verdict))
		t.Missed = max(t.Missed, count(c.missed))
		t.Verdicts += count(c.verdict)
		t.Wrong += count(c.wrong)
		t.Detected[c.detected]++
		t.Equivalent[c.equivalent]++
	}
	return t
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sequence is the part of stats.ConfidenceSequence that looks need.
type sequence interface {
	Add(float64)
	Interval() stats.Interval
}

func newSequence(s Scenario) sequence {
	alpha := Alpha / float64(s.Codecs)
	switch s.Method {
	case Sign:
		return stats.NewSignSequence(alpha)
	case Naive:
		return &peeking{confidence: 1 - alpha}
	}
	return stats.NewSequence(alpha)
}

// peeking is the ordinary interval of the median, computed anew at every look.
type peeking struct {
	x          []float64
	confidence float64
}

func (p *peeking) Add(x float64) { p.x = append(p.x, x) }

func (p *peeking) Interval() stats.Interval {
	i, _ := stats.MedianInterval(p.x, p.confidence)
	return i
}

// comparison is one comparison of a run and what its looks came to.
type comparison struct {
	sequence               sequence
	ratio                  float64 // the true log-ratio, for the sign of a verdict
	truth                  float64 // what intervals should hold
	verdict, wrong, missed bool
	detected, equivalent   int
}

func (c *comparison) decided() bool { return c.verdict || c.equivalent > 0 }

func (c *comparison) look(x float64, n int) {
	c.sequence.Add(x)
	interval := c.sequence.Interval()
	c.missed = c.missed || !interval.Contains(c.truth)
	switch p := interval.Position(Delta); p {
	case stats.Above, stats.Below:
		c.verdict = true
		right := p == stats.Above && c.ratio > 0 || p == stats.Below && c.ratio < 0
		c.wrong = c.wrong || !right
		if right && c.detected == 0 {
			c.detected = n
		}
	case stats.Inside:
		if c.equivalent == 0 {
			c.equivalent = n
		}
	}
}
