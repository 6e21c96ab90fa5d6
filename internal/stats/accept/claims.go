package accept

import (
	"fmt"
	"math"

	"wirecost/internal/stats/noise"
)

// Claim is a promised rate over runs of one or more scenarios; it must hold in
// each.
type Claim struct {
	Name      string
	Bound     float64
	AtLeast   bool // the rate is at least Bound; else at most
	Control   bool // a negative control: the claim must not hold in any scenario
	Rate      func(Tally) (hits, of int)
	Scenarios []Scenario
}

// Meets reports whether a rate keeps the claim's bound.
func (c Claim) Meets(hits, of int) bool {
	if c.AtLeast {
		return float64(hits) >= c.Bound*float64(of)
	}
	return float64(hits) <= c.Bound*float64(of)
}

// Rates.
func different(t Tally) (int, int) { return t.Different, t.Runs }
func covered(t Tally) (int, int)   { return t.Runs - t.Missed, t.Runs }
func wrongSign(t Tally) (int, int) { return t.Wrong, t.Verdicts }
func detectedIn(forks int) func(Tally) (int, int) {
	return func(t Tally) (int, int) { return within(t.Detected, forks), t.Comparisons }
}
func equivalentIn(forks int) func(Tally) (int, int) {
	return func(t Tally) (int, int) { return within(t.Equivalent, forks), t.Comparisons }
}

// Spreads between forks.
const (
	oneProcess = 0.003
	processes  = 0.012
)

var allSpreads = []float64{0, oneProcess, processes, 0.03}

// percent is the log-ratio of a codec that takes so many percent longer.
func percent(p float64) float64 { return math.Log1p(p / 100) }

// overKinds is the scenario on every kind of machine, at every spread.
func overKinds(s Scenario, spreads ...float64) (all []Scenario) {
	for _, k := range noise.Kinds() {
		for _, sp := range spreads {
			s.Kind, s.Spread = k, sp
			all = append(all, s)
		}
	}
	return all
}

// asymmetric is identical codecs with forks that are not symmetric, by the sign
// test.
func asymmetric() (all []Scenario) {
	for _, shape := range []noise.Shape{noise.Skewed, noise.Bimodal} {
		all = append(all, overKinds(Scenario{Shape: shape, Codecs: 1, Method: Sign}, oneProcess, processes, 0.03)...)
	}
	return all
}

// Claims returns the simulated part of the acceptance table, and the negative
// controls.
func Claims() []Claim {
	one := Scenario{Codecs: 1}
	twelve := Scenario{Codecs: 12, StopWhenDecided: true}
	truth := func(s Scenario, log float64) Scenario { s.Truth = log; return s }
	identical := overKinds(one, allSpreads...)
	onePercent := overKinds(truth(one, percent(1)), oneProcess, processes)
	// One process is as precise as it is with as many blocks as a real fork has.
	precise := func(s Scenario, forks int) []Scenario {
		s.Forks, s.Blocks = forks, allBlocks
		return overKinds(truth(s, percent(1)), oneProcess)
	}
	far := overKinds(truth(one, math.Log(300)), processes)
	return []Claim{
		{Name: "identical code called different, a look after every fork", Bound: 0.05, Rate: different, Scenarios: identical},
		{Name: "the same, skewed or bimodal forks, by the sign test", Bound: 0.05, Rate: different, Scenarios: asymmetric()},
		{Name: "any of 12 identical codecs called different", Bound: 0.05, Rate: different, Scenarios: overKinds(twelve, allSpreads...)},
		{Name: "true 2% found within 15 forks, spread 1.2%", Bound: 0.95, AtLeast: true, Rate: detectedIn(15), Scenarios: overKinds(truth(one, percent(2)), processes)},
		{Name: "true 1% found within 20 forks, spread 1.2%", Bound: 0.60, AtLeast: true, Rate: detectedIn(20), Scenarios: overKinds(truth(one, percent(1)), processes)},
		{Name: "true 1% found within 40 forks, spread 1.2%", Bound: 0.92, AtLeast: true, Rate: detectedIn(40), Scenarios: overKinds(truth(one, percent(1)), processes)},
		{Name: "true 1% found within 10 forks, spread 0.3%", Bound: 0.99, AtLeast: true, Rate: detectedIn(10), Scenarios: precise(one, 10)},
		{Name: "true 1% among 12 found within 15 forks, spread 0.3%", Bound: 0.99, AtLeast: true, Rate: detectedIn(15), Scenarios: precise(twelve, 15)},
		{Name: "wrong sign among verdicts at a true 1%", Bound: 0.01, Rate: wrongSign, Scenarios: onePercent},
		{Name: "interval holds the truth at every look", Bound: 0.95, AtLeast: true, Rate: covered, Scenarios: join(identical, onePercent, far, asymmetric())},
		{Name: "identical code called equivalent within 40 forks, spread 1.2%", Bound: 0.90, AtLeast: true, Rate: equivalentIn(40), Scenarios: overKinds(one, processes)},
		{Name: "a true 1.5% called equivalent within 40 forks", Bound: 0.01, Rate: equivalentIn(40), Scenarios: overKinds(truth(one, percent(1.5)), oneProcess, processes)},
		{Name: "control: an ordinary interval, looked at after every fork", Bound: 0.05, Control: true, Rate: different, Scenarios: overKinds(Scenario{Codecs: 1, Method: Naive}, processes)},
		{Name: "control: one after another (AAABBB) on a drifting machine", Bound: 0.05, Control: true, Rate: different,
			Scenarios: []Scenario{{Kind: noise.Drift, Spread: oneProcess, Codecs: 1, OneAfterAnother: true}, {Kind: noise.Drift, Spread: processes, Codecs: 1, OneAfterAnother: true}}},
	}
}

func join(lists ...[]Scenario) (all []Scenario) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// String names a scenario in a few words.
func (s Scenario) String() string {
	text := fmt.Sprintf("%v, spread %.1f%%", s.Kind, 100*s.Spread)
	if s.Shape != noise.Symmetric {
		text += ", " + s.Shape.String()
	}
	if s.Truth != 0 {
		text += fmt.Sprintf(", ratio %.4g", math.Exp(s.Truth))
	}
	return text
}
