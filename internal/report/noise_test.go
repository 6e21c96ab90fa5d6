package report

import (
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
)

func TestNoiseLines(t *testing.T) {
	share := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		noise *Noise
		want  string
	}{
		{nil, ""},
		{&Noise{Grade: "A"}, "Machine grade A (quiet)."},
		{&Noise{Grade: "B", By: "preempted"}, "Machine grade B (usual): 38% of the batches were interrupted."},
		{&Noise{Grade: "C", By: "preempted"}, "Machine grade C (busy): 38% of the batches were interrupted; close other programs, or expect wider intervals."},
		{&Noise{Grade: "D", By: "load", Load: share(1)}, "Machine grade D (very busy): other programs used 100% of the CPU before the run; close other programs, or expect wider intervals."},
		{&Noise{Grade: "D", By: "fork spread", ForkSpread: share(0.04), advice: []string{"It runs on its battery."}},
			"Machine grade D (very busy): ratios differed by 4% from process to process; only more of them help.\nIt runs on its battery."},
	} {
		if got := strings.Join(noiseLines(Machine{Preempted: 0.38, Noise: tt.noise}), "\n"); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestForecastLine(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	forks := 61
	for _, tt := range []struct {
		f    *Forecast
		want string
	}{
		{nil, ""},
		{&Forecast{Precision: 0.01}, "Too few forks were measured for an interval of every ratio; give the run more time (--max-time)."},
		{&Forecast{Precision: 0.01, Seconds: number(90), Forks: &forks, known: true},
			"Too few forks were measured for an interval of every ratio; for ±1% on every ratio it would need about 90 s (--max-time 1m30s)."},
		{&Forecast{Precision: 0.01, Widest: number(0.0734), Seconds: number(720), Forks: &forks, known: true},
			"The ratio known least is known to ±7.34%; for ±1% on every ratio it would need about 12 min (--max-time 12m)."},
		{&Forecast{Precision: 0.005, Widest: number(0.02), Seconds: number(30), Forks: &forks, known: true, limitForks: true},
			"The ratio known least is known to ±2.00%; for ±0.5% on every ratio it would need about 61 forks (--max-forks 61)."},
		{&Forecast{Precision: 0.01, Widest: number(0.3), known: true},
			"The ratio known least is known to ±30.0%; for ±1% on every ratio more than an hour would be needed here: quieten the machine, or ask for less (--precision)."},
	} {
		if got := forecastLine(tt.f); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{
		900 * time.Millisecond: "1 s", 11500 * time.Millisecond: "12 s", 61 * time.Second: "65 s", 7*time.Minute + time.Second: "7.5 min", 61 * time.Minute: "65 min",
	} {
		if got := words(rounded(d)); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
	if got := argument(time.Hour); got != "1h" {
		t.Errorf("got %s", got)
	}
}

// CPU and wall time are spoken of where they lead to another ratio.
func TestOtherMetrics(t *testing.T) {
	c := bench.Case{Sample: "s", Runtime: "r", Operation: bench.Decode, Codec: "quick"}
	ratio := func(m bench.Metric, low, high float64) Comparison {
		return Comparison{Case: c, Metric: m, Ratio: (low + high) / 2, Low: &low, High: &high, Verdict: bench.Faster}
	}
	for _, tt := range []struct {
		name string
		cs   []Comparison
		want string
	}{
		{"within the intervals", []Comparison{ratio(bench.Mutator, 0.48, 0.52), ratio(bench.CPU, 0.51, 0.55)}, ""},
		{"beyond", []Comparison{ratio(bench.Mutator, 0.49, 0.51), ratio(bench.CPU, 0.56, 0.58), ratio(bench.Wall, 0.44, 0.46)},
			"CPU time, collection included, gives other ratios: quick 0.570 ±1.8%.\nWall time, collection included, gives other ratios: quick 0.450 ±2.3%."},
		{"wall time as CPU time", []Comparison{ratio(bench.Mutator, 0.49, 0.51), ratio(bench.CPU, 0.56, 0.58), ratio(bench.Wall, 0.55, 0.60)},
			"CPU time, collection included, gives other ratios: quick 0.570 ±1.8%."},
		{"wall time alone", []Comparison{ratio(bench.Mutator, 0.49, 0.51), ratio(bench.Wall, 0.55, 0.57)},
			"Wall time, collection included, gives other ratios: quick 0.560 ±1.8%."},
		{"not bounded", []Comparison{ratio(bench.Mutator, 0.49, 0.51), {Case: c, Metric: bench.CPU, Ratio: 0.9}}, ""},
		{"no CPU time", []Comparison{ratio(bench.Mutator, 0.49, 0.51)}, ""},
	} {
		if got := strings.Join(otherMetrics([]Case{{Case: c}}, newHeat(0, c), newIndex(tt.cs)), "\n"); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
