package plan

import (
	"math"
	"math/rand/v2"
)

// Window is a run of consecutive documents that a batch goes round.
type Window struct{ First, Count int }

// Windows cuts a sample into runs of consecutive documents. A run is as long as
// one pass of the slowest case stays within budget nanoseconds: the slowest
// case then needs one pass a batch, faster ones go round several times, and all
// of them read the same documents. cost is the slowest case's time for each
// document.
func Windows(cost []float64, budget float64) []Window {
	var ws []Window
	for i := 0; i < len(cost); {
		w, sum := Window{First: i}, 0.0
		for i < len(cost) && (w.Count == 0 || sum+cost[i] <= budget) {
			sum += cost[i]
			w.Count++
			i++
		}
		ws = append(ws, w)
	}
	return ws
}

// Order is the seeded source of every random choice of a run. The same seed and
// the same calls give the same order.
type Order struct{ *rand.Rand }

// NewOrder returns the source for one fork.
func NewOrder(seed uint64, fork int) Order {
	return Order{rand.New(rand.NewPCG(seed, uint64(fork)+0x9e3779b97f4a7c15))}
}

// Pick chooses n of the windows, each at most once, in random order; all of
// them if there are no more than n.
func (o Order) Pick(ws []Window, n int) []Window {
	perm := o.Perm(len(ws))
	if len(perm) > n {
		perm = perm[:n]
	}
	out := make([]Window, len(perm))
	for i, p := range perm {
		out[i] = ws[p]
	}
	return out
}

// Jitter returns a factor near 1 that all cases of a block share, so that no
// case's batches stay in step with something periodic on the machine.
func (o Order) Jitter() float64 { return 0.9 + 0.2*o.Float64() }

// Passes returns how often a batch goes round a window that takes pass
// nanoseconds, to last about target; at least once.
func Passes(pass, target float64) int {
	if pass <= 0 {
		return 1
	}
	return int(math.Max(1, math.Round(target/pass)))
}
