package stats

// Grade says how well a machine suits measuring, from A (quiet) to D.
type Grade byte

// The grades.
const (
	GradeA Grade = 'A' // 1% differences show within some ten forks
	GradeB Grade = 'B' // usual for a laptop: 2% shows soon, 1% takes some tens of forks
	GradeC Grade = 'C' // busy: small differences will stay undecided
	GradeD Grade = 'D' // only large differences will show
)

func (g Grade) String() string { return string(rune(g)) }

// Noise is what was seen of a machine's noise. NaN stands for not known.
type Noise struct {
	Preempted   float64 // share of short batches that something interrupted
	Load        float64 // load average of others per core
	BatchSpread float64 // interquartile range ÷ median of a case's batch times within a fork
	ForkSpread  float64 // standard deviation of a comparison's log-ratios between forks
}

// gradeLimits are the largest values for A, B and C.
var gradeLimits = []struct {
	name   string
	value  func(Noise) float64
	limits [3]float64
}{
	{"preempted", func(n Noise) float64 { return n.Preempted }, [3]float64{0.002, 0.01, 0.05}},
	{"load", func(n Noise) float64 { return n.Load }, [3]float64{0.10, 0.50, 1.00}},
	{"fork spread", func(n Noise) float64 { return n.ForkSpread }, [3]float64{0.005, 0.015, 0.030}},
}

// Grade returns the worst grade of three of these, and which of them gave it:
// "preempted", "load" or "fork spread"; "" for an A. The spread of batches does
// not count: a runtime that collects garbage brings a third of it about itself.
//
//	                                A       B       C      (else D)
//	preempted batches          ≤ 0.2%    ≤ 1%    ≤ 5%
//	load of others per core     ≤ 0.1   ≤ 0.5     ≤ 1
//	spread between forks       ≤ 0.5%  ≤ 1.5%    ≤ 3%
func (n Noise) Grade() (worst Grade, by string) {
	worst = GradeA
	for _, q := range gradeLimits {
		g := GradeA
		for _, limit := range q.limits {
			if q.value(n) > limit { // false for NaN
				g++
			}
		}
		if g > worst {
			worst, by = g, q.name
		}
	}
	return worst, by
}
