package stats

import "math"

// ForksNeeded forecasts how many forks a Sequence needs, in about half of all
// runs, to exclude a value that lies delta from the truth, when forks'
// log-ratios are normal with the given standard deviation. For "equivalent within ±delta" both
// ends have to be excluded: expect a third more. It returns 0 if delta is not
// above 0, and at most MaxForks+1, which stands for "more than a sequence takes".
//
// It lets each λ's stake grow by the evidence that a fork gives on average, at the
// scale that many forks would set, until the mixture reaches 1/α.
func ForksNeeded(spread, delta, alpha float64) int {
	if !(delta > 0) || !(alpha > 0 && alpha < 1) || !(spread >= 0) {
		return 0
	}
	scale := max(2*normalMAD*spread, DefaultSequenceOptions(alpha).ScaleFloor)
	var growth stakes
	for i, lambda := range []float64{0.5, 1, 2, 4} {
		growth[i] = expectedEvidence(spread/scale, delta/scale, lambda)
	}
	for n := 1; n <= MaxForks; n++ {
		var p stakes
		for i, g := range growth {
			p[i] = math.Exp(float64(n) * g)
		}
		if p.evidence() >= 1/alpha {
			return n
		}
	}
	return MaxForks + 1
}

// expectedEvidence is the mean of ln(2/(1+exp(−2λ tanh z))) for z normal.
func expectedEvidence(spread, mean, lambda float64) float64 {
	const steps = 200
	sum := 0.0
	for i := range steps {
		z := mean + spread*math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/steps-1)
		sum += math.Ln2 - math.Log1p(math.Exp(-2*lambda*math.Tanh(z)))
	}
	return sum / steps
}
