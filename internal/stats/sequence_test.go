package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPosition(t *testing.T) {
	const delta = 0.01
	inf := math.Inf(1)
	for _, c := range []struct {
		interval Interval
		want     Position
	}{
		{Interval{-0.005, 0.009}, Inside},
		{Interval{0.002, 0.009}, Inside}, // different, but equivalent
		{Interval{-0.01, 0.01}, Inside},
		{Interval{0.002, 0.011}, Above},
		{Interval{-0.02, -0.0001}, Below},
		{Interval{-0.02, 0}, Open},
		{Interval{-inf, -0.5}, Below},
		{Interval{-inf, inf}, Open},
		{Interval{math.NaN(), math.NaN()}, Open},
	} {
		if got := c.interval.Position(delta); got != c.want {
			t.Errorf("%v is %v, want %v", c.interval, got, c.want)
		}
	}
}

// both runs a test on each confidence sequence.
func both(t *testing.T, test func(t *testing.T, fresh func(alpha float64) ConfidenceSequence)) {
	t.Run("symmetric", func(t *testing.T) { test(t, func(a float64) ConfidenceSequence { return NewSequence(a) }) })
	t.Run("sign", func(t *testing.T) { test(t, func(a float64) ConfidenceSequence { return NewSignSequence(a) }) })
}

func TestSequenceAnySize(t *testing.T) {
	both(t, func(t *testing.T, fresh func(float64) ConfidenceSequence) {
		for _, truth := range []float64{0, 1e-4, 0.01, -0.7, math.Log(300), -math.Log(1e9), 1400} {
			random := rand.New(rand.NewPCG(3, 4))
			s := fresh(0.05)
			for range 60 {
				s.Add(truth + 0.01*random.NormFloat64())
			}
			i := s.Interval()
			if !i.Contains(truth) || i.High-i.Low > 0.02 {
				t.Errorf("around %v: interval %v", truth, i)
			}
			if math.Abs(s.Estimate()-truth) > 0.006 || math.Abs(s.Spread()-0.01) > 0.004 || s.N() != 60 || s.Contradicted() {
				t.Errorf("around %v: estimate %v, spread %v, n %d, contradicted %v", truth, s.Estimate(), s.Spread(), s.N(), s.Contradicted())
			}
		}
	})
}

// An interval nests in those before it, and mirrored values give the mirrored one.
func TestSequenceNestsAndMirrors(t *testing.T) {
	both(t, func(t *testing.T, fresh func(float64) ConfidenceSequence) {
		random := rand.New(rand.NewPCG(5, 6))
		for range 50 {
			s, mirror := fresh(0.05), fresh(0.05)
			before := s.Interval()
			for range 40 {
				x := 0.004 + 0.012*random.NormFloat64()
				s.Add(x)
				mirror.Add(-x)
				i, m := s.Interval(), mirror.Interval()
				if i.Low < before.Low || i.High > before.High || i.Low > i.High {
					t.Fatalf("%v after %v", i, before)
				}
				if i.Low != -m.High || i.High != -m.Low {
					t.Fatalf("%v, mirrored %v", i, m)
				}
				before = i
			}
		}
	})
}

// The ends are where the evidence reaches the threshold, rounded outward by no
// more than the resolution; checked on a fine grid.
func TestSequenceEndsOnGrid(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	s := NewSequence(0.05)
	low := math.Inf(-1)
	for range 40 {
		s.Add(0.012 * random.NormFloat64())
		for theta := -0.1; theta < 0.1; theta += 1e-5 {
			if s.stakes(1, theta).evidence() < s.threshold {
				low = max(low, theta)
				break
			}
		}
	}
	if got := s.Interval().Low; got > low || got < low-3e-5 {
		t.Errorf("lower end %v; on a grid %v", got, low)
	}
}

// Evidence at most doubles per fork, so few forks decide nothing however far
// apart the codecs are, and ten decide a threefold difference among twelve.
func TestSequenceFewForks(t *testing.T) {
	both(t, func(t *testing.T, fresh func(float64) ConfidenceSequence) {
		for _, c := range []struct {
			alpha       float64
			never, soon int
		}{{0.05, 5, 7}, {0.05 / 12, 8, 11}} {
			s := fresh(c.alpha)
			for n := 1; n <= c.soon; n++ {
				s.Add(math.Log(3) + 0.001*float64(n%3))
				if p := s.Interval().Position(0.01); n <= c.never && p != Open {
					t.Errorf("alpha %v: decided %v after %d forks", c.alpha, p, n)
				}
			}
			if p := s.Interval().Position(0.01); p != Above {
				t.Errorf("alpha %v: %v after %d forks, interval %v", c.alpha, p, c.soon, s.Interval())
			}
		}
	})
}

func TestSequenceIdenticalValues(t *testing.T) {
	both(t, func(t *testing.T, fresh func(float64) ConfidenceSequence) {
		s := fresh(0.05)
		for range 30 {
			s.Add(0.25)
		}
		if i := s.Interval(); !i.Contains(0.25) || i.High-i.Low > 0.002 {
			t.Errorf("interval %v around equal values 0.25", i)
		}
	})
}

// A ratio that changes for good contradicts the assumptions: the last interval
// that was not empty stays.
func TestSequenceContradicted(t *testing.T) {
	both(t, func(t *testing.T, fresh func(float64) ConfidenceSequence) {
		random := rand.New(rand.NewPCG(9, 10))
		s := fresh(0.05)
		for range 40 {
			s.Add(0.003 * random.NormFloat64())
		}
		for range 400 {
			s.Add(0.5 + 0.003*random.NormFloat64())
			if i := s.Interval(); i.Low > i.High {
				t.Fatalf("empty interval %v", i)
			}
		}
		i := s.Interval()
		if !s.Contradicted() {
			t.Fatalf("the ratio went from 0 to 0.5 and the interval is %v", i)
		}
		s.Add(0)
		if s.Interval() != i || s.N() != 441 {
			t.Errorf("after a contradiction: %v of %d, was %v", s.Interval(), s.N(), i)
		}
	})
}

func TestSequenceBadInput(t *testing.T) {
	both(t, func(t *testing.T, fresh func(float64) ConfidenceSequence) {
		s := fresh(0.05)
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -2001} {
			s.Add(x)
		}
		if s.N() != 0 || s.Interval() != Everything() || !math.IsNaN(s.Estimate()) {
			t.Errorf("values that are no log-ratios were taken: n %d, interval %v", s.N(), s.Interval())
		}
		for i := range MaxForks + 10 {
			s.Add(float64(i%7-3) * 600) // far apart on purpose
		}
		if i := s.Interval(); s.N() != MaxForks || !i.Contains(0) {
			t.Errorf("n %d, interval %v", s.N(), i)
		}
		for _, alpha := range []float64{0, 1, -1, math.NaN()} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("alpha %v was accepted", alpha)
					}
				}()
				fresh(alpha)
			}()
		}
	})
}

// The mean of the evidence against the truth is at most 1 at every look: exactly
// ½ for the half that each side bets, by enumerating all signs.
func TestEvidenceIsFair(t *testing.T) {
	magnitudes := []float64{0.001, 0.02, 0.007, 0.3, 0.004, 0.012, 0.0005, 0.009}
	for _, truth := range []float64{0, 0.7} {
		sum := 0.0
		for signs := range 1 << len(magnitudes) {
			s := NewSequence(0.05)
			for i, m := range magnitudes {
				if signs>>i&1 == 1 {
					m = -m
				}
				s.Add(truth + m)
			}
			sum += s.stakes(1, truth).evidence()
		}
		if mean := sum / float64(int(1)<<len(magnitudes)); math.Abs(mean-0.5) > 1e-12 {
			t.Errorf("mean evidence at the truth %v is %v, want 0.5", truth, mean)
		}
	}
	sum := 0.0
	const n = 12
	for k := range n + 1 {
		sum += binomialHalf(n, k) * signEvidence(n, k)
	}
	if math.Abs(sum-0.5) > 1e-12 {
		t.Errorf("mean evidence of the sign test is %v, want 0.5", sum)
	}
}

func TestForksNeeded(t *testing.T) {
	for _, c := range []struct{ spread, delta float64 }{{0.012, 0.01}, {0.012, 0.02}, {0.02, 0.01}, {0.003, 0.01}, {0.05, 0.05}} {
		random := rand.New(rand.NewPCG(11, 12))
		var took []float64
		for range 200 {
			s := NewSequence(0.05)
			for s.N() < 300 && s.Interval().Low <= 0 {
				s.Add(c.delta + c.spread*random.NormFloat64())
			}
			took = append(took, float64(s.N()))
		}
		forecast, median := float64(ForksNeeded(c.spread, c.delta, 0.05)), Median(took)
		if forecast < median*0.75 || forecast > median*1.3+1 {
			t.Errorf("spread %v, delta %v: forecast %v forks, the median run took %v", c.spread, c.delta, forecast, median)
		}
	}
	if n := ForksNeeded(0.5, 0.0001, 0.05); n != MaxForks+1 {
		t.Errorf("hopeless: %d", n)
	}
	for _, n := range []int{ForksNeeded(0.01, 0, 0.05), ForksNeeded(math.NaN(), 1, 0.05), ForksNeeded(0.01, 0.01, 0)} {
		if n != 0 {
			t.Errorf("forecast %d of nonsense", n)
		}
	}
}

func TestCrossing(t *testing.T) {
	for name, f := range map[string]func(float64) float64{
		"line":  func(x float64) float64 { return 0.3 - x },
		"step":  func(x float64) float64 { return map[bool]float64{true: 1, false: -700}[x <= 0.3] },
		"cubic": func(x float64) float64 { return math.Pow(0.3-x, 3) },
		"exp":   func(x float64) float64 { return math.Exp(-50*x) - math.Exp(-50*0.3) },
	} {
		for _, from := range []float64{-1e9, -20, 0, 0.3} {
			calls := 0
			got := crossing(bracket{from, 0.5, f(from), f(0.5)}, 1e-5, func(x float64) float64 { calls++; return f(x) })
			if got > 0.3+1e-12 || got < 0.3-1e-5 && from < 0.3-1e-5 || f(got) < 0 {
				t.Errorf("%s from %v: %v", name, from, got)
			}
			if bisections := math.Log2((0.5-from)/1e-5) + 5; float64(calls) > bisections {
				t.Errorf("%s from %v: %d calls", name, from, calls)
			}
		}
	}
	if got := crossing(bracket{-1e308, 1.1e300, 1e308, -1e299}, 1e-5, func(x float64) float64 { return 1e300 - x }); got > 1e300 || got < 0.99e300 {
		t.Errorf("of huge numbers: %v", got)
	}
}

func BenchmarkSequence100(b *testing.B) {
	random := rand.New(rand.NewPCG(13, 14))
	for b.Loop() {
		s := NewSequence(0.05)
		for range 100 {
			s.Add(0.012 * random.NormFloat64())
		}
	}
}
