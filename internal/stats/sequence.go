package stats

import (
	"fmt"
	"math"
	"slices"
)

// ConfidenceSequence is an interval that may be looked at after every value,
// and acted on, without losing its confidence: with probability 1−α it holds
// the truth at all looks at once.
type ConfidenceSequence interface {
	// Add takes one fork's log-ratio. A value that no ratio of two float64 has
	// (NaN, an infinity, beyond ±2000) is left out, and so are values after
	// MaxForks.
	Add(x float64)
	// N returns how many values were taken.
	N() int
	// Estimate returns the median of the values; NaN without any.
	Estimate() float64
	// Spread returns the standard deviation of the values, estimated from their
	// MAD as if they were normal; NaN without any.
	Spread() float64
	// Interval returns the intersection of the intervals of all looks. It never
	// widens and is never empty; an end that is not bounded yet is infinite.
	Interval() Interval
	// Contradicted reports whether the values contradict the assumptions: the
	// intervals of two looks have nothing in common, as when the ratio changed during the
	// run. The interval then stays what it was before, for good. With
	// the assumptions true this has at most probability α.
	Contradicted() bool
}

// MaxForks is how many values a confidence sequence takes. It bounds the memory,
// at about 50 bytes a value, and the time of Add. What it holds stays valid: stopping is
// always allowed.
const MaxForks = 1000

// maxLog is beyond the logarithm of any ratio of two float64.
const maxLog = 2000

// forks is what both confidence sequences keep.
type forks struct {
	threshold    float64   // evidence at which a value of θ is excluded: 1/α
	sorted       []float64 // the values, ascending
	interval     Interval
	contradicted bool
}

func newForks(alpha float64) forks {
	if !(alpha > 0 && alpha < 1) {
		panic(fmt.Sprintf("stats: alpha is %v; it must lie between 0 and 1", alpha))
	}
	return forks{threshold: 1 / alpha, interval: Everything()}
}

func (f *forks) N() int             { return len(f.sorted) }
func (f *forks) Estimate() float64  { return quantileSorted(f.sorted, 0.5) }
func (f *forks) Spread() float64    { return madSorted(f.sorted, nil) / normalMAD }
func (f *forks) Interval() Interval { return f.interval }
func (f *forks) Contradicted() bool { return f.contradicted }

// insert takes x if it is a log-ratio and there is room.
func (f *forks) insert(x float64) bool {
	if !(math.Abs(x) <= maxLog) || len(f.sorted) >= MaxForks {
		return false
	}
	i, _ := slices.BinarySearch(f.sorted, x)
	f.sorted = slices.Insert(f.sorted, i, x)
	return true
}

// narrow intersects the interval with what this look says.
func (f *forks) narrow(look Interval) {
	next := Interval{max(f.interval.Low, look.Low), min(f.interval.High, look.High)}
	switch {
	case f.contradicted:
	case next.Low > next.High:
		f.contradicted = true
	default:
		f.interval = next
	}
}

// SequenceOptions sets a Sequence. Lengths are in units of log-ratio. No option
// touches validity; they only move power between cases.
type SequenceOptions struct {
	Alpha        float64 // error probability, already divided by the number of comparisons
	InitialScale float64 // scale of the first forks: twice the MAD that is expected of a comparison
	InitialForks float64 // how many forks that guess weighs as much as
	ScaleFloor   float64 // smallest scale
	Resolution   float64 // how far outward an end may be rounded
}

// DefaultSequenceOptions returns the options of NewSequence. The initial scale
// suits a spread of 1% between forks.
func DefaultSequenceOptions(alpha float64) SequenceOptions {
	return SequenceOptions{Alpha: alpha, InitialScale: 0.0135, InitialForks: 5, ScaleFloor: 0.0005, Resolution: 1e-5}
}

// Sequence is the confidence sequence for the centre θ of forks' log-ratios
// that are symmetric about θ, each given those before it. Nothing else is supposed:
// not normality, not equal spread, not independence.
//
// Given |x−θ|, the sign of x−θ is a fair coin. So with ψ = tanh((x−θ)/s), where s
// depends on past forks only, the factor exp(λψ)/cosh(λψ) = 2/(1+exp(−2λψ)) has
// expectation 1, and the product over forks, averaged over λ, is a nonnegative
// martingale that starts at 1. By Ville's inequality it ever reaches 1/α
// with probability at most α. The θ where it never did are the interval (Howard, Ramdas, McAuliffe and
// Sekhon 2021; Ramdas, Ruf, Larsson and Koolen 2020 on symmetry). See docs/statistics.md.
type Sequence struct {
	forks
	options SequenceOptions
	values  []scaled // in the order they came
	ends    [2]end
	scratch []float64
}

// scaled is a fork's log-ratio and the scale that was set before it was seen.
type scaled struct{ x, scale float64 }

// NewSequence returns an empty sequence. Alpha is the error probability of this
// comparison, already divided by the number of comparisons; a value outside
// (0, 1) panics.
func NewSequence(alpha float64) *Sequence {
	return NewSequenceWith(DefaultSequenceOptions(alpha))
}

// NewSequenceWith is NewSequence with other options than the usual.
func NewSequenceWith(o SequenceOptions) *Sequence {
	unknown := math.Inf(-1)
	return &Sequence{forks: newForks(o.Alpha), options: o, ends: [2]end{{sign: 1, theta: unknown}, {sign: -1, theta: unknown}}}
}

// Add takes one fork's log-ratio.
func (s *Sequence) Add(x float64) {
	scale := s.scale() // before x is known
	if !s.insert(x) {
		return
	}
	s.values = append(s.values, scaled{x, scale})
	if s.contradicted {
		return
	}
	for i := range s.ends {
		s.advance(&s.ends[i])
	}
	s.narrow(Interval{s.ends[0].theta, -s.ends[1].theta})
}

// minForksForScale is how many forks a MAD is taken of at least.
const minForksForScale = 3

// scale is what the next fork is divided by: twice the MAD of the forks so far,
// as a geometric mean with the initial guess, which weighs InitialForks forks. A
// MAD of very few forks is often far too small or too large.
func (s *Sequence) scale() float64 {
	o, n := s.options, float64(len(s.sorted))
	if n < minForksForScale {
		return o.InitialScale
	}
	if cap(s.scratch) < len(s.sorted) {
		s.scratch = make([]float64, 0, 2*len(s.sorted))
	}
	mad := max(2*madSorted(s.sorted, s.scratch), o.ScaleFloor)
	log := (o.InitialForks*math.Log(o.InitialScale) + n*math.Log(mad)) / (o.InitialForks + n)
	return max(math.Exp(log), o.ScaleFloor)
}

// end is an end of the interval. The upper end is the lower one of the mirrored
// values, so both are described as lower ends of the values times sign.
type end struct {
	sign   float64
	theta  float64 // the largest known θ that is excluded because the values lie too far above it; −∞: none
	stakes stakes  // at theta, by the values so far
}

// advance moves an end as far as the values allow, after one was added. Every θ
// below an excluded one is excluded as well, since the evidence falls with θ.
func (s *Sequence) advance(e *end) {
	far, largest := s.reach(e.sign)
	if math.IsInf(e.theta, -1) {
		at := s.stakes(e.sign, far)
		if at.evidence() < s.threshold {
			return
		}
		e.theta, e.stakes = far, at
	} else {
		e.stakes.bet(e.sign, e.theta, s.values[len(s.values)-1])
		if e.stakes.evidence() < s.threshold {
			return
		}
	}
	excess := math.Log(e.stakes.evidence() / s.threshold)
	// At the largest value no λ has won anything.
	crossing(bracket{e.theta, largest, excess, -math.Log(2 * s.threshold)}, s.options.Resolution, func(theta float64) float64 {
		at := s.stakes(e.sign, theta)
		excess := math.Log(max(at.evidence(), math.SmallestNonzeroFloat64) / s.threshold)
		if excess >= 0 {
			e.theta, e.stakes = theta, at
		}
		return excess
	})
}

// reach returns a θ so far below all values that the evidence is as large as it
// gets, and the largest value, where it is below 1.
func (s *Sequence) reach(sign float64) (far, largest float64) {
	far, largest = math.Inf(1), math.Inf(-1)
	for _, v := range s.values {
		far = min(far, sign*v.x-20*v.scale) // tanh(20) = 1
		largest = max(largest, sign*v.x)
	}
	return far, largest
}

// stakes is what a stake of 1 on each λ = ½, 1, 2, 4 has become.
type stakes [4]float64

// weights of the four λ. Most goes to the middle, which decides comparisons within
// 10 to 40 forks.
var weights = [4]float64{0.1, 0.4, 0.4, 0.1}

// stakes bets on all values, times sign, to lie above θ.
func (s *Sequence) stakes(sign, theta float64) stakes {
	p := stakes{1, 1, 1, 1}
	for _, v := range s.values {
		p.bet(sign, theta, v)
	}
	return p
}

// bet multiplies each stake by 2/(1+exp(−2λψ)).
func (p *stakes) bet(sign, theta float64, v scaled) {
	u := math.Exp(-math.Tanh((sign*v.x - theta) / v.scale)) // exp(−2λψ) at λ = ½
	u2 := u * u
	u4 := u2 * u2
	p[0] *= 2 / (1 + u)
	p[1] *= 2 / (1 + u2)
	p[2] *= 2 / (1 + u4)
	p[3] *= 2 / (1 + u4*u4)
}

// evidence is the half of the mixture that grows when the values lie above θ: the
// λ above 0. The other half is left out, which can only widen the interval,
// and makes it an interval: each factor falls with θ.
func (p stakes) evidence() float64 {
	sum := 0.0
	for i, w := range weights {
		sum += w * p[i]
	}
	return sum / 2
}
