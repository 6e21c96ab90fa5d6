package stats

import "math"

// crossing returns an x at most resolution below the point where the falling
// function f changes from ≥ 0 to < 0, with f(x) ≥ 0; f(low) ≥ 0 > f(high) is supposed.
//
// It takes the steps of ITP (Oliveira and Takahashi 2021, "An Enhancement of the
// Bisection Method"): interpolate, truncate toward the middle, and stay
// near enough to it that no more steps are needed than bisection plus one.
func crossing(f func(float64) float64, low, high, resolution float64) float64 {
	fl, fh := f(low), f(high)
	slack := resolution / 2 * math.Exp2(math.Ceil(math.Log2(max((high-low)/resolution, 1)))+1)
	k := 0.2 / (high - low)
	for high-low > resolution {
		middle := low + (high-low)/2
		x := (fh*low - fl*high) / (fh - fl)
		toward := math.Copysign(1, middle-x)
		if shift := k * (high - low) * (high - low); shift <= math.Abs(middle-x) {
			x += toward * shift
		} else {
			x = middle
		}
		if room := max(slack-(high-low)/2, 0); !(math.Abs(x-middle) <= room) {
			x = middle - toward*room
		}
		if !(x > low && x < high) {
			if x = middle; x <= low || x >= high { // neighbouring numbers
				break
			}
		}
		if fx := f(x); fx >= 0 {
			low, fl = x, fx
		} else {
			high, fh = x, fx
		}
		slack /= 2
	}
	return low
}
