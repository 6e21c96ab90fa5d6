package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSteadyState(t *testing.T) {
	// level returns n times at a level with 1% noise.
	random := rand.New(rand.NewPCG(1, 2))
	level := func(n int, at float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = at * math.Exp(0.01*random.NormFloat64())
		}
		return x
	}
	join := func(parts ...[]float64) (x []float64) {
		for _, p := range parts {
			x = append(x, p...)
		}
		return x
	}
	spiky := level(300, 100)
	for i := 0; i < len(spiky); i += 11 {
		spiky[i] *= 1 + 20*random.Float64()
	}
	ramp := level(400, 100)
	for i := range ramp {
		ramp[i] *= 1 - 0.5*float64(i)/400
	}
	jit := level(500, 100)
	for i := range jit {
		jit[i] *= 1 + 4*math.Exp(-float64(i)/20)
	}
	for _, c := range []struct {
		name     string
		x        []float64
		low, top int // of start; low < 0: no steady state
	}{
		{"flat", level(200, 100), 0, 0},
		{"few but flat", level(20, 100), 0, 0},
		{"spikes", spiky, 0, 0},
		{"warm-up", join(level(60, 300), level(240, 100)), 55, 66},
		{"two tiers", join(level(30, 900), level(50, 300), level(300, 100)), 76, 88},
		{"slowdown", join(level(150, 100), level(150, 110)), 144, 156},
		{"decay", jit, 60, 130},
		{"excursion and back", join(level(100, 100), level(30, 130), level(170, 100)), 124, 136},
		{"long", join(level(3000, 200), level(7000, 100)), 2900, 3100},
		{"drifting", ramp, -1, 0},
		{"late jump", join(level(270, 100), level(30, 150)), -1, 0},
		{"too few", level(19, 100), -1, 0},
		{"zeros", make([]float64, 100), 0, 0},
	} {
		start, ok := SteadyState(c.x)
		if ok != (c.low >= 0) || ok && (start < c.low || start > c.top) {
			t.Errorf("%s: start %d, ok %v; want %d to %d", c.name, start, ok, c.low, c.top)
		}
	}
	if _, ok := SteadyState([]float64{math.NaN()}); ok {
		t.Error("one NaN has a steady state")
	}
	SteadyState(append(level(50, 1), math.NaN(), math.Inf(1), -1)) // must return
}

func TestSteadyStateRarelyWrongOnFlatSeries(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	wrong := 0
	for range 200 {
		x := make([]float64, 100)
		for i := range x {
			x[i] = 100 * math.Exp(0.03*random.NormFloat64())
			if random.Float64() < 0.08 {
				x[i] *= 1 + 10*random.ExpFloat64()
			}
		}
		if start, ok := SteadyState(x); !ok || start != 0 {
			wrong++
		}
	}
	if wrong > 4 {
		t.Errorf("%d of 200 flat series with spikes were cut or refused", wrong)
	}
}

func TestBatchIterations(t *testing.T) {
	b := Batch{TargetNS: 150_000, ClockStepNS: 30, Steps: 1000}
	for _, c := range []struct {
		batch    Batch
		shortest float64
		want     int
	}{
		{b, 100, 1500},
		{b, 149_999, 2},
		{b, 150_000, 1},
		{b, 1e9, 1},
		{Batch{TargetNS: 150_000, ClockStepNS: 5000, Steps: 250}, 1000, 1250}, // a browser's clock
		{Batch{TargetNS: 150_000, Limit: 200}, 100, 200},
		{Batch{TargetNS: 150_000, Limit: 200}, 0, 200},
		{b, 0, 1},
		{b, math.NaN(), 1},
		{b, math.Inf(1), 1},
		{b, 1e-9, math.MaxInt32},
		{Batch{}, 10, 1},
	} {
		if got := c.batch.Iterations(c.shortest); got != c.want {
			t.Errorf("%+v of %v ns: %d iterations, want %d", c.batch, c.shortest, got, c.want)
		}
	}
}

func TestGrade(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		noise Noise
		want  Grade
		by    string
	}{
		{Noise{0.001, 0.05, 0.01, 0.004}, GradeA, ""},
		{Noise{nan, nan, nan, nan}, GradeA, ""},
		{Noise{0.002, 0.1, 0.02, 0.005}, GradeA, ""},
		{Noise{0.01, 0.1, 0.02, nan}, GradeB, "preempted"},
		{Noise{0.04, 0.1, 0.6, 0.012}, GradeC, "preempted"},
		{Noise{0.04, 0.9, 0.1, 0.031}, GradeD, "fork spread"},
		{Noise{nan, 5, nan, nan}, GradeD, "load"},
	} {
		if got, by := c.noise.Grade(); got != c.want || by != c.by {
			t.Errorf("%+v is %v by %q, want %v by %q", c.noise, got, by, c.want, c.by)
		}
	}
}
