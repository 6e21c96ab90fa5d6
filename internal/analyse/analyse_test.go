package analyse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// codec is a codec of a made-up runtime: what one operation takes, in ns.
type codec struct {
	name   string
	format bench.Format
	role   string
	traits []string
	encode float64
	decode float64
	visit  float64 // 0: not measured
	lazy   bool
}

var (
	slowJSON = codec{name: "slow", format: bench.JSON, role: "default", encode: 200, decode: 800}
	fastJSON = codec{name: "fast", format: bench.JSON, encode: 100, decode: 300}
	plainPB  = codec{name: "plain", format: bench.Protobuf, role: "default", encode: 150, decode: 200}
	quickPB  = codec{name: "quick", format: bench.Protobuf, encode: 60, decode: 120}
	unsafePB = codec{name: "bold", format: bench.Protobuf, traits: []string{"aliases input"}, encode: 10, decode: 10}
)

func (c codec) at(op bench.Operation) float64 {
	switch op {
	case bench.Encode:
		return c.encode
	case bench.Decode:
		return c.decode
	}
	return c.visit
}

// records are those of a run of n forks after one pilot: one window of two
// documents, three blocks, batches of 10 operations, noise of the given relative size.
func records(n int, noise float64, codecs ...codec) []any {
	r := rand.New(rand.NewPCG(1, 2))
	recs := []any{
		&store.Sample{Sample: "s", Documents: 2},
		&store.Size{Sample: "s", Format: bench.JSON, Form: "compact", Encoding: bench.Identity, Unit: store.PerDocument, Bytes: 400},
		&store.Size{Sample: "s", Format: bench.Protobuf, Form: "binary", Encoding: bench.Identity, Unit: store.PerDocument, Bytes: 100},
	}
	var times []float64 // by case
	for _, op := range []bench.Operation{bench.Encode, bench.Decode, bench.Visit} {
		for _, c := range codecs {
			if c.at(op) == 0 {
				continue
			}
			recs = append(recs, &store.Case{Number: len(times), Role: c.role, Traits: c.traits, Lazy: c.lazy, Case: bench.Case{
				Sample: "s", Runtime: "r", Codec: c.name, Format: c.format, Operation: op, Transport: bench.Memory, Encoding: bench.Identity}})
			times = append(times, c.at(op))
		}
	}
	for fork := range n + 1 {
		for i, t := range times {
			t *= 1 + noise*r.NormFloat64()
			f := &store.Fork{Case: i, Fork: fork, Pilot: fork == 0, CPUNS: int64(t * 1.5 * 1e6), CPUWallNS: int64(t * 1.2 * 1e6), CPUIterations: 1e6}
			for range 3 {
				f.Iterations, f.Document, f.Window = append(f.Iterations, 10000), append(f.Document, 0), append(f.Window, 2)
				f.WallNS = append(f.WallNS, int64(t*10000))
			}
			recs = append(recs, f)
		}
	}
	return recs
}

func analysis(opt Options, recs ...any) *Analysis {
	a := New(opt)
	for _, r := range recs {
		a.Add(r)
	}
	return a
}

// find returns a comparison as text is written: "quick/decode cpu".
func find(t *testing.T, a *Analysis, name string) Comparison {
	t.Helper()
	for _, c := range a.Comparisons() {
		if name == fmt.Sprintf("%s/%s %s", c.Case.Codec, c.Case.Operation, c.Metric) {
			return c
		}
	}
	t.Fatalf("no comparison %s", name)
	return Comparison{}
}

func TestMutatorTimeByHand(t *testing.T) {
	// Two windows, of 1 and 3 documents: medians 10 and 20 ns, less 1 ns of loop:
	// (1·10 + 3·20)/4 − 1 = 16.5.
	f := &store.Fork{
		Iterations: []int{10, 30, 10, 30, 10, 30},
		Document:   []int{0, 1, 0, 1, 0, 1},
		Window:     []int{1, 3, 1, 3, 1, 3},
		WallNS:     []int64{100, 600, 90, 9000, 5000, 570},
		OverheadNS: 1, CPUNS: 4000, CPUWallNS: 2000, CPUIterations: 100,
		ColdNS: []int64{900, 100, 200},
	}
	c := &store.Case{Number: 1, Case: bench.Case{Sample: "s", Codec: "x", Operation: bench.Encode}}
	compiling := &store.Case{Number: 2, Case: bench.Case{Sample: "s", Codec: "y", Operation: bench.Encode}, Compiles: true}
	g := *f
	g.Case = 2
	f.Case = 1
	got := analysis(Options{}, c, compiling, f, &g).Cases()
	one := func(x float64) Estimate { return Estimate{x, x, x, x, 1} }
	want := []CaseResult{
		{Case: *c, Outcome: bench.Outcome{Status: bench.Measured}, Forks: []ForkTime{{16.5, 120, 0}}, NS: one(16.5), CPU: one(39), Wall: one(19),
			ColdFirst: one(900), ColdMean: one(400), Overhead: 1 / 17.5},
		{Case: *compiling, Outcome: bench.Outcome{Status: bench.Measured}, Forks: []ForkTime{{17.5, 120, 0}}, NS: one(17.5), CPU: one(40), Wall: one(20),
			ColdFirst: one(900), ColdMean: one(400), Overhead: 1 / 17.5},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); d != "" {
		t.Error(d)
	}
}

func TestBlockRatioByHand(t *testing.T) {
	state := func(overhead float64, docs []int, wall ...int64) *caseState {
		f := &store.Fork{WallNS: wall, OverheadNS: overhead}
		for i := range wall {
			f.Iterations, f.Document, f.Window = append(f.Iterations, 10), append(f.Document, docs[i]), append(f.Window, 1)
		}
		return &caseState{last: f}
	}
	apart := func(codec string, wall func(i int) int64) *caseState {
		c := state(0, make([]int, 40), times(40, wall)...)
		c.Codec, c.Apart = codec, true
		return c
	}
	for _, tt := range []struct {
		name   string
		of, to *caseState
		want   float64
	}{
		{"one window: the median of the blocks' ratios", // 2, 2, 100
			state(0, []int{0, 0, 0}, 200, 400, 10000), state(0, []int{0, 0, 0}, 100, 200, 100), 2},
		{"a change of pace in mid-fork that both see",
			state(0, []int{0, 0, 0, 0}, 200, 200, 400, 400), state(0, []int{0, 0, 0, 0}, 100, 100, 200, 200), 2},
		{"windows count by their time", // (300 + 100)/(100 + 100)
			state(0, []int{0, 7}, 300, 100), state(0, []int{0, 7}, 100, 100), 2},
		{"the loop's time is taken off", // (210−10)/(110−10)
			state(1, []int{0}, 210), state(1, []int{0}, 110), 2},
		{"blocks that only one has are left out",
			state(0, []int{0, 0, 0}, 200, 200, 900), state(0, []int{0, 0}, 100, 100), 2},
		{"so are blocks on other documents",
			state(0, []int{0, 3}, 200, 900), state(0, []int{0, 4}, 100, 100), 2},
		{"processes apart: the fastest of each stretch, however few they are",
			apart("x", func(i int) int64 {
				if i%13 == 7 {
					return 200
				}
				return 700
			}),
			apart("y", func(i int) int64 {
				if i%12 == 5 {
					return 100
				}
				return 300
			}), 2},
		{"processes apart: the median of the stretches", // 8 in the first, 2 in the second
			apart("x", func(i int) int64 {
				if i >= 15 {
					return 200
				}
				return 800
			}),
			apart("y", func(int) int64 { return 100 }), 4},
		{"operations of one codec share its process: the median of the blocks",
			apart("x", func(i int) int64 { return int64(100 + 100*(i%5)) }),
			apart("x", func(int) int64 { return 100 }), 3},
		{"a batch that took no time", state(0, []int{0, 0}, 0, 200), state(0, []int{0, 0}, 100, 100), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, back := blockRatio(tt.of, tt.to), blockRatio(tt.to, tt.of)
			if math.Abs(math.Exp(got)-tt.want) > 1e-12 || math.Abs(got+back) > 1e-12 {
				t.Errorf("ratio %v and back %v, want %v", math.Exp(got), math.Exp(back), tt.want)
			}
		})
	}
	if got := blockRatio(state(0, []int{0}, 1), state(0, []int{1}, 1)); !math.IsNaN(got) {
		t.Errorf("ratio %v of cases with nothing in common", got)
	}
}

func times(n int, value func(i int) int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = value(i)
	}
	return out
}

func TestComparisons(t *testing.T) {
	a := analysis(Options{}, records(20, 0.004, slowJSON, fastJSON, plainPB, quickPB, unsafePB)...)
	type row struct {
		Of, To  string
		Metric  bench.Metric
		Ratio   float64
		Verdict bench.Verdict
		Best    bool
	}
	var got []row
	walls := 0
	for _, c := range a.Comparisons() {
		if c.Case.Operation != bench.Encode {
			continue
		}
		if c.Forks != 20 || c.Low > c.Ratio || c.Ratio > c.High {
			t.Errorf("%+v", c)
		}
		if c.Metric == bench.Wall {
			walls++
			continue
		}
		got = append(got, row{c.Case.Codec, c.Baseline.Codec, c.Metric, c.Ratio, c.Verdict, c.Best})
	}
	want := []row{
		{"fast", "slow", bench.Mutator, 0.5, bench.Faster, false}, {"fast", "slow", bench.CPU, 0.5, bench.Faster, false},
		{"plain", "slow", bench.Mutator, 0.75, bench.Faster, false}, {"plain", "slow", bench.CPU, 0.75, bench.Faster, false},
		{"quick", "slow", bench.Mutator, 0.3, bench.Faster, false}, {"quick", "slow", bench.CPU, 0.3, bench.Faster, false},
		{"bold", "slow", bench.Mutator, 0.05, bench.Faster, false}, {"bold", "slow", bench.CPU, 0.05, bench.Faster, false},
		{"quick", "fast", bench.Mutator, 0.6, bench.Faster, true}, {"quick", "fast", bench.CPU, 0.6, bench.Faster, true},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0.01, 0)); d != "" {
		t.Error(d)
	}
	if walls != len(want)/2 {
		t.Errorf("%d comparisons of wall time", walls)
	}
	if k := a.hypotheses("r"); k != 10 {
		t.Errorf("%d hypotheses", k)
	}
}

func TestBaseline(t *testing.T) {
	for _, tt := range []struct {
		name, baseline string
		codecs         []codec
		failed         int // case that fails; −1: none
		want           string
	}{
		{"the default for JSON", "", []codec{plainPB, fastJSON, slowJSON}, -1, "slow"},
		{"another for JSON if there is no default", "", []codec{plainPB, fastJSON}, -1, "fast"},
		{"another for JSON if the default failed", "", []codec{slowJSON, fastJSON, plainPB}, 0, "fast"},
		{"the default for Protobuf if there is no JSON", "", []codec{quickPB, plainPB}, -1, "plain"},
		{"the first if there is no default", "", []codec{quickPB, unsafePB}, -1, "quick"},
		{"the one asked for", "quick", []codec{slowJSON, quickPB}, -1, "quick"},
		{"the one asked for with its runtime", "r/quick", []codec{slowJSON, quickPB}, -1, "quick"},
		{"one asked for that is not there", "x/quick", []codec{slowJSON, quickPB}, -1, "slow"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			recs := records(2, 0, tt.codecs...)
			if tt.failed >= 0 {
				fail := &store.Outcome{Case: tt.failed, Status: bench.Failed}
				recs = append(recs[:3+2*len(tt.codecs)], append([]any{fail}, recs[3+2*len(tt.codecs):]...)...)
			}
			for _, c := range analysis(Options{Baseline: tt.baseline}, recs...).Comparisons() {
				if c.Baseline.Operation == bench.Encode && !c.Best && c.Baseline.Codec != tt.want {
					t.Errorf("%s is compared with %s", c.Case, c.Baseline)
				}
			}
		})
	}
}

func TestVerdicts(t *testing.T) {
	near := fastJSON
	near.name, near.encode = "near", 100.3
	a := analysis(Options{Baseline: "fast"}, records(40, 0.002, fastJSON, near, slowJSON, quickPB)...)
	for name, want := range map[string]bench.Verdict{
		"near/encode mutator": bench.Equivalent, "slow/encode mutator": bench.Slower, "quick/encode cpu": bench.Faster,
	} {
		if got := find(t, a, name); got.Verdict != want {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	few := analysis(Options{}, records(2, 0.002, slowJSON, quickPB)...)
	if c := find(t, few, "quick/encode mutator"); c.Verdict != bench.Undecided || c.Low != 0 || !math.IsInf(c.High, 1) {
		t.Errorf("after two forks: %+v", c)
	}
}

func TestPrecision(t *testing.T) {
	if New(Options{}).Settled("", 1) {
		t.Error("nothing is settled before anything is measured")
	}
	few := analysis(Options{}, records(2, 0.01, slowJSON, quickPB)...)
	p := few.Precision()
	if p.Comparisons != 4 || p.Decided != 0 || p.Forks != 2 || p.Widest == nil || !math.IsInf(p.Width, 1) || few.Settled("", 10) {
		t.Errorf("%+v", p)
	}
	same := slowJSON
	same.name = "same"
	many := analysis(Options{}, records(25, 0.03, slowJSON, same, quickPB)...)
	p = many.Precision()
	if p.Decided != 4 || p.Widest == nil || p.Widest.Case.Codec != "same" || p.Width > 0.1 {
		t.Errorf("%+v", p)
	}
	widest := 0.0
	for _, c := range many.Comparisons() {
		if c.Metric == bench.Mutator {
			widest = max(widest, math.Expm1(c.width()))
		}
	}
	if many.Settled("", widest/2) || !many.Settled("", max(widest, p.Width)) {
		t.Errorf("not settled at ±%v, or settled at half of that", widest)
	}
}

func TestPilotForksOnlyChoose(t *testing.T) {
	recs := records(3, 0, slowJSON, quickPB)
	for _, r := range recs {
		if f, ok := r.(*store.Fork); ok && f.Pilot {
			for i := range f.WallNS {
				f.WallNS[i] *= 1000
			}
		}
	}
	a := analysis(Options{}, recs...)
	if c := find(t, a, "quick/encode mutator"); math.Abs(c.Ratio-0.3) > 1e-3 || c.Forks != 3 || !c.Best {
		t.Errorf("%+v", c)
	}
	if c := a.Cases()[0]; c.NS.Median != 200 || c.NS.Forks != 3 {
		t.Errorf("%+v", c.NS)
	}
}

func TestBestReadsLikeWithLike(t *testing.T) {
	lazy := codec{name: "lazy", format: bench.JSON, encode: 100, decode: 1, visit: 2000, lazy: true}
	eager, pb := fastJSON, quickPB
	eager.visit, pb.visit = 350, 150
	best := func(codecs ...codec) string {
		for _, c := range analysis(Options{}, records(1, 0, codecs...)...).Comparisons() {
			if c.Best {
				return c.Baseline.Codec
			}
		}
		return ""
	}
	if got := best(lazy, eager, pb); got != "fast" {
		t.Errorf("by visit the best is %q", got)
	}
	eager.visit = 3000
	if got := best(lazy, eager, pb); got != "lazy" {
		t.Errorf("by visit the best is %q", got)
	}
	eager.visit, pb.visit = 0, 0 // nobody asked for visit
	if got := best(lazy, eager, pb); got != "fast" {
		t.Errorf("by decode the best is %q", got)
	}
}

func TestMBPerSecond(t *testing.T) {
	a := analysis(Options{}, records(1, 0, slowJSON, quickPB)...)
	for i, want := range []float64{1000, 50 * 1e3 / 60, 250, 50 * 1e3 / 120} { // 200 and 50 B per document
		if got := a.Cases()[i].MBPerSecond(); math.Abs(got-want) > 1e-9 {
			t.Errorf("case %d: %v MB/s, want %v", i, got, want)
		}
	}
}

func TestFailedCasesHaveNoNumbers(t *testing.T) {
	recs := append(records(2, 0, slowJSON, quickPB), &store.Outcome{Case: 1, Status: bench.Failed, Reason: "it crashed"})
	a := analysis(Options{}, recs...)
	if c := a.Cases()[1]; c.NS.Forks != 0 || c.Outcome.Reason != "it crashed" {
		t.Errorf("%+v", c)
	}
	for _, c := range a.Comparisons() {
		if c.Case.Operation == bench.Encode {
			t.Errorf("%+v", c)
		}
	}
}

// Forks of runtimes that compile while they run may have two modes, and then
// only the sign test holds: its ends are values that were seen.
func TestRuntimesThatCompileAreComparedBySigns(t *testing.T) {
	for _, compiles := range []bool{false, true} {
		recs := records(30, 0, slowJSON, quickPB)
		for _, r := range recs {
			if c, ok := r.(*store.Case); ok {
				c.Compiles = compiles
			}
		}
		c := find(t, analysis(Options{}, recs...), "quick/encode mutator")
		if exact := c.Low == c.High; exact != compiles || c.Verdict != bench.Faster {
			t.Errorf("compiles %v: %+v", compiles, c)
		}
	}
}

func TestEstimate(t *testing.T) {
	for _, tt := range []struct {
		x    []float64
		want Estimate
	}{
		{nil, Estimate{}},
		{[]float64{3, 1, 2}, Estimate{2, 1, 3, 1, 3}},
		// The second and the ninth of ten hold the median with 97.9%.
		{[]float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, Estimate{5.5, 2, 9, 1, 10}},
	} {
		if got := estimate(tt.x); got != tt.want {
			t.Errorf("%v: %+v, want %+v", tt.x, got, tt.want)
		}
	}
}

// Looking in between must not change what is seen in the end, nor must the
// order of cases within a fork.
func TestLooksAndOrderDoNotMatter(t *testing.T) {
	recs := records(12, 0.01, slowJSON, fastJSON, plainPB, quickPB)
	want := analysis(Options{}, recs...).Comparisons()
	looked := New(Options{})
	for _, r := range recs {
		looked.Add(r)
		looked.Precision()
	}
	if d := cmp.Diff(want, looked.Comparisons()); d != "" {
		t.Error(d)
	}
	r := rand.New(rand.NewPCG(3, 4))
	const first, perFork = 3 + 8, 8
	for i := first; i < len(recs); i += perFork {
		fork := recs[i : i+perFork]
		r.Shuffle(perFork, func(i, j int) { fork[i], fork[j] = fork[j], fork[i] })
	}
	if d := cmp.Diff(want, analysis(Options{}, recs...).Comparisons()); d != "" {
		t.Error(d)
	}
}
