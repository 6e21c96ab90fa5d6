package noise

import (
	"math"
	"slices"
	"testing"
)

func TestForksHaveMedianZeroAndSpread(t *testing.T) {
	for _, shape := range []Shape{Symmetric, Skewed, Bimodal} {
		const n = 100_000
		f := NewForks(shape, 0.02, 1)
		above, sum, squares := 0, 0.0, 0.0
		for range n {
			x := f.Effect()
			if x > 0 {
				above++
			}
			sum += x
			squares += x * x
		}
		mean := sum / n
		sd := math.Sqrt(squares/n - mean*mean)
		if math.Abs(float64(above)/n-0.5) > 0.007 || math.Abs(sd/0.02-1) > 0.06 {
			t.Errorf("%v: %d of %d above 0, standard deviation %v", shape, above, n, sd)
		}
		if (math.Abs(mean) > 0.001) != (shape != Symmetric) {
			t.Errorf("%v: mean %v", shape, mean)
		}
	}
}

func TestMachinesAreSeededAndTakeAboutTheWork(t *testing.T) {
	for _, kind := range Kinds() {
		m, again := NewMachine(kind, 7), NewMachine(kind, 7)
		var ratios []float64
		preempted := 0
		for range 20_000 {
			m.Idle(1000)
			again.Idle(1000)
			before := m.Now()
			r := m.Run(100_000)
			if r != again.Run(100_000) {
				t.Fatalf("%v: the same seed gave another machine", kind)
			}
			if m.Now() != before+r.WallNS || r.CPUNS > r.WallNS || r.CPUNS <= 0 {
				t.Fatalf("%v: clock went from %v to %v for %+v", kind, before, m.Now(), r)
			}
			if r.Preemptions > 0 {
				preempted++
			}
			ratios = append(ratios, r.CPUNS/100_000)
		}
		slices.Sort(ratios)
		low, high := ratios[len(ratios)/100], ratios[len(ratios)*99/100]
		if low < 0.85 || high > 1.45 {
			t.Errorf("%v: 1%% to 99%% of the CPU times are %v to %v of the work", kind, low, high)
		}
		if share := float64(preempted) / 20_000; (kind == Spikes) != (share > 0.07 && share < 0.09) {
			t.Errorf("%v: %v of the batches were preempted", kind, share)
		}
	}
}

func TestRegimesOverLongWork(t *testing.T) {
	m := NewMachine(Regimes, 3)
	if r := m.Run(1e9); r.WallNS < 1.05e9 || r.WallNS > 1.25e9 {
		t.Errorf("a second of work took %v ns; half of the time is 1.3 times slower", r.WallNS)
	}
}

func TestDriftRestartsWithAFork(t *testing.T) {
	m := NewMachine(Drift, 4)
	mean := func() (sum float64) {
		for range 20 {
			sum += m.Run(10_000).WallNS / 20
		}
		return sum
	}
	m.Idle(100 * millisecond)
	late := mean()
	m.StartFork()
	if early := mean(); early > late*0.97 {
		t.Errorf("a fresh process takes %v, an old one %v", early, late)
	}
}
