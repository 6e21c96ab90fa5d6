package accept

import (
	"math"
	"testing"

	"wirecost/internal/stats/noise"
)

// chance is how improbable a result has to be, if the claim were true, to fail
// the test: some hundred results are looked at.
const chance = 1e-5

// beyond is the probability of a rate as bad as this or worse if the true rate
// were just the bound.
func beyond(c Claim, hits, of int) float64 {
	p, k := c.Bound, hits
	if c.AtLeast {
		p, k = 1-c.Bound, of-hits
	}
	tail := 0.0 // of k or more
	for i := k; i <= of; i++ {
		tail += math.Exp(lchoose(of, i) + float64(i)*math.Log(p) + float64(of-i)*math.Log1p(-p))
	}
	return tail
}

func lchoose(n, k int) float64 {
	lf := func(m int) float64 { v, _ := math.Lgamma(float64(m) + 1); return v }
	return lf(n) - lf(k) - lf(n-k)
}

// Each claim, by few runs of every scenario: no scenario and no claim as a whole
// may be improbably bad, and the controls must be. "go run ./bench/acceptance" makes 10,000 runs.
func TestClaims(t *testing.T) {
	checker := Checker{Seed: 20261130, Runs: func(s Scenario) int {
		switch {
		case s.Codecs > 1:
			return 8
		case s.Method == Naive:
			return 300
		}
		return 40
	}}
	for _, claim := range Claims() {
		t.Run(claim.Name, func(t *testing.T) {
			hits, of := 0, 0
			for _, r := range checker.Check(claim) {
				hits += r.Hits
				of += r.Of
				if refuted := beyond(claim, r.Hits, r.Of) < chance; refuted != claim.Control {
					t.Errorf("%v: %d of %d, bound %v, at least: %v, control: %v", r.Scenario, r.Hits, r.Of, claim.Bound, claim.AtLeast, claim.Control)
				}
			}
			t.Logf("%d of %d = %.4f; bound %v, at least: %v", hits, of, float64(hits)/float64(of), claim.Bound, claim.AtLeast)
			if refuted := beyond(claim, hits, of) < chance; refuted != claim.Control {
				t.Errorf("all scenarios: %d of %d, bound %v, at least: %v, control: %v", hits, of, claim.Bound, claim.AtLeast, claim.Control)
			}
		})
	}
}

// The check itself must be able to fail: twice the promised error rate is caught
// with the number of results that a claim has in TestClaims.
func TestBeyondCatchesViolations(t *testing.T) {
	atMost, atLeast := Claim{Bound: 0.05}, Claim{Bound: 0.95, AtLeast: true}
	for _, c := range []struct {
		claim    Claim
		hits, of int
		caught   bool
	}{
		{atMost, 64, 640, true},
		{atMost, 32, 640, false},
		{atMost, 0, 640, false},
		{atLeast, 576, 640, true},
		{atLeast, 608, 640, false},
		{atLeast, 640, 640, false},
		{atLeast, 0, 10, true},
		{atMost, 0, 0, false},
	} {
		if caught := beyond(c.claim, c.hits, c.of) < chance; caught != c.caught {
			t.Errorf("%d of %d against %v (at least: %v): caught %v", c.hits, c.of, c.claim.Bound, c.claim.AtLeast, caught)
		}
	}
}

func TestSimulateIsReproducible(t *testing.T) {
	s := Scenario{Kind: noise.Spikes, Spread: processes, Codecs: 2}
	if a, b := Simulate(s, 7, 1), Simulate(s, 7, 1); a != b {
		t.Errorf("two tallies of one seed: %+v and %+v", a, b)
	}
	if a, b := Simulate(s, 7, 1), Simulate(s, 7, 2); a == b {
		t.Error("two seeds gave one tally")
	}
}

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		claim Claim
		want  int
	}{{Claim{}, 3}, {Claim{AtLeast: true}, 1}, {Claim{Control: true}, 1}, {Claim{Control: true, AtLeast: true}, 3}} {
		var results []Result
		for _, hits := range []int{2, 3, 1, 2} {
			results = append(results, Result{Claim: c.claim, Hits: hits, Of: 10})
		}
		if got := Worst(results).Hits; got != c.want {
			t.Errorf("%+v: worst of 2, 3, 1, 2 is %d, want %d", c.claim, got, c.want)
		}
	}
}
