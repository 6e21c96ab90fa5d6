package accept

// Result is what a claim came to in one scenario.
type Result struct {
	Claim    Claim
	Scenario Scenario
	Hits, Of int
}

// Rate is the measured rate; 0 of nothing.
func (r Result) Rate() float64 {
	if r.Of == 0 {
		return 0
	}
	return float64(r.Hits) / float64(r.Of)
}

// OK reports whether the claim's bound was met, or for a control, missed.
func (r Result) OK() bool { return r.Claim.Meets(r.Hits, r.Of) != r.Claim.Control }

// Checker simulates each scenario once, however many claims speak of it, with a
// seed of its own, so that scenarios are independent.
type Checker struct {
	Runs func(Scenario) int // how many runs of a scenario
	Seed uint64
	done map[Scenario]Tally
}

// Check returns the results of a claim, one per scenario.
func (c *Checker) Check(claim Claim) []Result {
	if c.done == nil {
		c.done = map[Scenario]Tally{}
	}
	var results []Result
	for _, s := range claim.Scenarios {
		t, ok := c.done[s]
		if !ok {
			t = Simulate(s, c.Runs(s), c.Seed+uint64(len(c.done)))
			c.done[s] = t
		}
		r := Result{Claim: claim, Scenario: s}
		r.Hits, r.Of = claim.Rate(t)
		results = append(results, r)
	}
	return results
}

// Worst returns the result with the rate that is nearest to missing the bound,
// or furthest beyond it.
func Worst(results []Result) Result {
	worst := results[0]
	for _, r := range results[1:] {
		// What is bad for a claim is a high rate, or for "at least" a low one; a control turns it round.
		if high := r.Rate() > worst.Rate(); r.Rate() != worst.Rate() && high != (r.Claim.AtLeast != r.Claim.Control) {
			worst = r
		}
	}
	return worst
}
