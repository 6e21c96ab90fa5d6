package stats

import "math"

// Batch says how long a batch of operations should last.
type Batch struct {
	TargetNS    float64 // as short as possible: a preemption then ruins few batches
	ClockStepNS float64 // the smallest difference that the clock shows
	Steps       float64 // how many clock steps a batch lasts at least
	Limit       int     // most operations in a batch; 0: no limit
}

// Iterations returns how many operations make up a batch: the fewest that last
// TargetNS and Steps clock steps, and at least one. Shortest is the shortest time of one operation that was seen, in
// nanoseconds: on a busy machine the minimum tells an operation's cost, a mean
// tells the neighbours'. If it is not above 0, the limit is returned (or 1, without one): the
// clock is too coarse for what was timed.
func (b Batch) Iterations(shortest float64) int {
	limit := float64(b.Limit)
	if b.Limit <= 0 {
		limit = math.MaxInt32
	}
	if !(shortest > 0) {
		return max(1, b.Limit)
	}
	n := math.Ceil(max(b.TargetNS, b.Steps*b.ClockStepNS) / shortest)
	if !(n >= 1) {
		return 1
	}
	return int(min(n, limit))
}
