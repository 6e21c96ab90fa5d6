package stats

import "math"

// bracket is where a falling function changes from ≥ 0 to < 0: at low it is
// atLow ≥ 0, and at high about atHigh < 0.
type bracket struct{ low, high, atLow, atHigh float64 }

// crossing looks for the largest x with f(x) ≥ 0 in a bracket of a falling
// function, down to the resolution. The best x it tries, or else low, is at most that
// much below; crossing returns it.
//
// It takes the steps of ITP (Oliveira and Takahashi 2021, "An Enhancement of the
// Bisection Method"): interpolate, truncate toward the middle, and stay
// near enough to it that no more steps are needed than bisection plus one.
func crossing(b bracket, resolution float64, f func(float64) float64) float64 {
	slack := resolution / 2 * math.Exp2(math.Ceil(math.Log2(max((b.high-b.low)/resolution, 1)))+1)
	k := 0.2 / (b.high - b.low)
	for b.high-b.low > resolution {
		x := b.next(k, slack)
		if !(x > b.low && x < b.high) { // neighbouring numbers
			break
		}
		if fx := f(x); fx >= 0 {
			b.low, b.atLow = x, fx
		} else {
			b.high, b.atHigh = x, fx
		}
		slack /= 2
	}
	return b.low
}

// next is the point to try next.
func (b bracket) next(k, slack float64) float64 {
	width := b.high - b.low
	middle := b.low + width/2
	x := (b.atHigh*b.low - b.atLow*b.high) / (b.atHigh - b.atLow)
	toward := math.Copysign(1, middle-x)
	if shift := k * width * width; shift <= math.Abs(middle-x) {
		x += toward * shift
	} else {
		x = middle
	}
	if room := max(slack-width/2, 0); !(math.Abs(x-middle) <= room) {
		x = middle - toward*room
	}
	if !(x > b.low && x < b.high) {
		return middle
	}
	return x
}
