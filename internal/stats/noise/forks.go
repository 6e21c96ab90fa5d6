package noise

import "math/rand/v2"

// Shape is the shape of the distribution of forks' persistent effects.
type Shape int

// The shapes. All have median 0 and, about, the standard deviation asked for.
const (
	Symmetric Shape = iota // normal
	Skewed                 // exponential
	Bimodal                // 70% in one narrow mode, 30% in another two standard deviations away
)

func (s Shape) String() string { return [...]string{"symmetric", "skewed", "bimodal"}[s] }

// Forks draws what makes each fresh process persistently faster or slower:
// memory layout, hash seeds, what a compiler chose.
type Forks struct {
	shape  Shape
	spread float64
	random *rand.Rand
}

// NewForks returns a source of effects with the given standard deviation, in
// units of log time.
func NewForks(shape Shape, spread float64, seed uint64) *Forks {
	return &Forks{shape, spread, rand.New(rand.NewPCG(seed, 0x666f726b))}
}

const (
	modeWidth = 0.3
	mainShare = 0.7
	// The overall median is the main mode's 0.5/0.7 quantile, at 0.5659 of its
	// widths above its centre, since the other mode lies wholly above.
	mainCentre = -0.5659488 * modeWidth
	modeApart  = 2
)

// Effect returns the log factor of a fresh process's times.
func (f *Forks) Effect() float64 {
	switch f.shape {
	case Skewed:
		return f.spread * (f.random.ExpFloat64() - 0.6931471805599453)
	case Bimodal:
		x := mainCentre + modeWidth*f.random.NormFloat64()
		if f.random.Float64() >= mainShare {
			x += modeApart
		}
		return f.spread * x
	}
	return f.spread * f.random.NormFloat64()
}
