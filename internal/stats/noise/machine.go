// Package noise holds seeded models of noisy machines and of processes that
// differ, for simulations and tests: batches run on a machine with a clock of
// its own, in no real time.
package noise

import (
	"math"
	"math/rand/v2"
)

// Kind is a kind of disturbance.
type Kind int

// The kinds. Every machine has log-normal noise of 0.5% per batch besides.
const (
	Independent Kind = iota // that noise alone
	Regimes                 // the machine switches between two speeds, 1 and 1/1.3, every 10 ms on average
	Drift                   // 5% faster when a process starts, gone with a time constant of 10 ms; and ±10% over 4 s
	Spikes                  // preemptions: 8% of batches of 0.1 ms, each about 1 ms long
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Independent, Regimes, Drift, Spikes} }

func (k Kind) String() string {
	return [...]string{"independent", "regime switches", "drift", "spikes"}[k]
}

// The models' constants; times in nanoseconds.
const (
	millisecond = 1e6
	batchNoise  = 0.005 // standard deviation of a batch's log time
	slowNoise   = 0.03  // the same in the slow regime
	slowFactor  = 1.3
	regimeMean  = 10 * millisecond
	boost       = 0.05
	boostDecay  = 10 * millisecond
	driftPeak   = 0.1
	driftPeriod = 4000 * millisecond
	spikeRate   = 0.08 / (0.1 * millisecond)
	spikeMin    = 0.1 * millisecond
	spikeMean   = 0.9 * millisecond // beyond the minimum
)

// Machine is a synthetic machine. It is not safe for concurrent use.
type Machine struct {
	kind       Kind
	random     *rand.Rand
	now        float64
	forked     float64 // when the process started
	slow       bool
	nextSwitch float64
}

// NewMachine returns a machine at time 0 with a process just started.
func NewMachine(kind Kind, seed uint64) *Machine {
	m := &Machine{kind: kind, random: rand.New(rand.NewPCG(seed, 0x6d616368))}
	m.slow = m.random.IntN(2) == 1
	m.nextSwitch = regimeMean * m.random.ExpFloat64()
	return m
}

// Now returns the machine's clock in nanoseconds.
func (m *Machine) Now() float64 { return m.now }

// Idle lets time pass.
func (m *Machine) Idle(ns float64) { m.now += ns }

// StartFork starts a fresh process.
func (m *Machine) StartFork() { m.forked = m.now }

// Reading is what a batch took.
type Reading struct {
	WallNS      float64
	CPUNS       float64 // without the time of others
	Preemptions int
}

// Run runs a batch of so much work, in nanoseconds on the undisturbed machine.
func (m *Machine) Run(workNS float64) Reading {
	cpu := m.stretch(workNS)
	r := Reading{WallNS: cpu, CPUNS: cpu}
	if m.kind == Spikes {
		for left := m.random.ExpFloat64(); left < spikeRate*cpu; left += m.random.ExpFloat64() {
			r.Preemptions++
			r.WallNS += spikeMin + spikeMean*m.random.ExpFloat64()
		}
	}
	m.now += r.WallNS
	return r
}

// stretch returns how long work takes from now on.
func (m *Machine) stretch(work float64) float64 {
	sigma := batchNoise
	switch m.kind {
	case Regimes:
		work = m.regimes(work)
		if m.slow {
			sigma = slowNoise
		}
	case Drift:
		phase := math.Mod(m.now, driftPeriod) / driftPeriod
		triangle := 1 - math.Abs(4*phase-2) // −1 … 1 … −1
		work *= 1 + driftPeak*triangle - boost*math.Exp(-(m.now-m.forked)/boostDecay)
	}
	return work * math.Exp(sigma*m.random.NormFloat64())
}

// regimes spreads work over the regimes that it runs through.
func (m *Machine) regimes(work float64) float64 {
	at := m.now
	for {
		for m.nextSwitch <= at {
			m.slow = !m.slow
			m.nextSwitch += regimeMean * m.random.ExpFloat64()
		}
		factor := 1.0
		if m.slow {
			factor = slowFactor
		}
		end := at + work*factor
		if end <= m.nextSwitch {
			return end - m.now
		}
		work -= (m.nextSwitch - at) / factor
		at = m.nextSwitch
	}
}
