package stats

import (
	"math"
	"slices"
)

// Settings of SteadyState.
const (
	steadyMinimum   = 20   // fewer values tell nothing
	steadyGroups    = 100  // the series is cut into at most so many groups
	steadyShortest  = 5    // groups in a segment at least
	steadyWindow    = 7    // groups in the running median that removes spikes
	steadyPenalty   = 3    // times ln(groups) noise: what a change must gain
	steadyTolerance = 0.02 // levels within 2% are one
	steadyNoise     = 0.002
	steadyShare     = 0.25 // of the series, that the steady part covers at least
)

// SteadyState finds where a series of batch times settles: from index start on
// the times stay at one level, which lasts for at least the last quarter of the
// series. If there is no such level, ok is false: still warming up, drifting or
// jumping at the end, or fewer than 20 values. Times must be for equal
// work; the caller caps the length of the series.
//
// Change points are fitted to the logarithms of the times (medians of groups,
// at most 100, then a running median of seven, so that spikes do not count): the segmentation that minimises Σ|y − segment's median| + 3 σ ln(groups) per
// change, exactly, by dynamic programming; σ comes from successive differences. A
// segment has at least five groups. The steady part is
// the last segment and those just before it whose median is within 2% (or σ) of
// its own. After Barrett et al. 2017, "Virtual Machine Warmup Blows Hot and Cold", who fit
// means and variances and demand the last quarter too.
func SteadyState(x []float64) (start int, ok bool) {
	if len(x) < steadyMinimum {
		return 0, false
	}
	size := (len(x) + steadyGroups - 1) / steadyGroups
	y := groupLogs(x, size)
	noise := max(differenceNoise(y), steadyNoise)
	y = runningMedian(y, steadyWindow)
	cuts := segment(y, steadyPenalty*noise*math.Log(float64(len(y))))
	last := len(cuts) - 1
	level := Median(y[cuts[last]:])
	first := cuts[last]
	for i := last - 1; i >= 0; i-- {
		if math.Abs(Median(y[cuts[i]:cuts[i+1]])-level) > max(steadyTolerance, noise) {
			break
		}
		first = cuts[i]
	}
	if float64(len(y)-first) < steadyShare*float64(len(y)) {
		return 0, false
	}
	return first * size, true
}

// groupLogs returns the logarithm of the median of each group of so many
// values; the last group may be smaller. Times of 0 or less count as the
// smallest positive number.
func groupLogs(x []float64, size int) []float64 {
	var y []float64
	for g := range slices.Chunk(x, size) {
		y = append(y, math.Log(max(Median(g), math.SmallestNonzeroFloat64)))
	}
	return y
}

// differenceNoise estimates the standard deviation of y about its level, which
// may change now and then, from successive differences.
func differenceNoise(y []float64) float64 {
	d := make([]float64, len(y)-1)
	for i := range d {
		d[i] = math.Abs(y[i+1] - y[i])
	}
	return Median(d) / normalMAD / math.Sqrt2
}

// runningMedian returns the median of the values around each one; at the ends
// the window is cut off on both sides alike.
func runningMedian(y []float64, window int) []float64 {
	out := make([]float64, len(y))
	for i := range y {
		half := min(window/2, i, len(y)-1-i)
		out[i] = Median(y[i-half : i+half+1])
	}
	return out
}

// segment returns where the segments of the best segmentation begin; the first
// begins at 0.
func segment(y []float64, penalty float64) []int {
	best := make([]float64, len(y)+1) // cost of y[:i]
	from := make([]int, len(y)+1)     // where its last segment begins
	for i := range best {
		best[i] = math.Inf(1)
	}
	best[0] = -penalty
	for i := 0; i+steadyShortest <= len(y); i++ {
		if math.IsInf(best[i], 1) {
			continue
		}
		for n, cost := range deviations(y[i:]) {
			end := i + n + 1
			if total := best[i] + penalty + cost; n+1 >= steadyShortest && total < best[end] {
				best[end], from[end] = total, i
			}
		}
	}
	var cuts []int
	for i := len(y); i > 0; i = from[i] {
		cuts = append(cuts, from[i])
	}
	slices.Reverse(cuts)
	return cuts
}

// deviations returns Σ|y − median| of every prefix of y, of 1, 2, … values.
func deviations(y []float64) []float64 {
	out := make([]float64, len(y))
	sorted := make([]float64, 0, len(y))
	sum := 0.0
	for i, v := range y {
		// A new value adds its distance to the middle interval of the others:
		// the median moves only within that interval.
		n := len(sorted)
		if n > 0 {
			low, high := sorted[(n-1)/2], sorted[n/2]
			sum += max(low-v, v-high, 0)
		}
		at, _ := slices.BinarySearch(sorted, v)
		sorted = slices.Insert(sorted, at, v)
		out[i] = sum
	}
	return out
}
