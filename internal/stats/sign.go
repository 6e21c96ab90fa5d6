package stats

import "math"

// SignSequence is the confidence sequence for the median of forks' log-ratios
// that need not be symmetric: skewed, or with two modes, as forks of runtimes
// that compile while running are. It supposes only that each fork, given those
// before it, lies above the median with probability at most ½ and below it with
// probability at most ½. It needs more forks than Sequence where both are valid.
//
// The number of forks above θ is bet on: a fork above multiplies the stake by 2p, another
// one by 2(1−p), averaged over a few p above ½; as much again is bet on forks below.
// At the median both are supermartingales, so Ville's inequality applies. Since only the
// count matters, each look's interval lies between two order statistics.
type SignSequence struct {
	forks
}

// NewSignSequence returns an empty sequence. Alpha is as in NewSequence.
func NewSignSequence(alpha float64) *SignSequence {
	return &SignSequence{newForks(alpha)}
}

// Add takes one fork's log-ratio.
func (s *SignSequence) Add(x float64) {
	if !s.insert(x) {
		return
	}
	n := len(s.sorted)
	look := Everything()
	if k := s.decisive(); k <= n {
		// Every θ below the k-th largest value has k values above it.
		look = Interval{s.sorted[n-k], s.sorted[k-1]}
	}
	s.narrow(look)
}

// decisive is the smallest number of values on one side of θ that excludes it;
// n+1 if there is none.
func (s *SignSequence) decisive() int {
	n := len(s.sorted)
	k := n + 1
	for k > 0 && signEvidence(n, k-1) >= s.threshold {
		k--
	}
	return k
}

var (
	signBets   = [4]float64{0.6, 0.75, 0.9, 0.99}
	signLogs   = logs(func(p float64) float64 { return p })
	signLogs1m = logs(func(p float64) float64 { return 1 - p })
)

// logs returns the logarithm of twice f of each bet.
func logs(f func(float64) float64) (l [4]float64) {
	for i, p := range signBets {
		l[i] = math.Log(2 * f(p))
	}
	return l
}

// signEvidence is the stake of the half that bets on one side, after k of n
// values were there. It rises with k.
func signEvidence(n, k int) float64 {
	sum := 0.0
	for i := range signBets {
		sum += math.Exp(float64(k)*signLogs[i] + float64(n-k)*signLogs1m[i])
	}
	return sum / float64(2*len(signBets))
}
