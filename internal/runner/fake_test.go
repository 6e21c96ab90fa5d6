package runner

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"wirecost/internal/bench"
)

// fork starts a prepared fake.
func fork(t *testing.T, f *FakeRuntime, s SampleFiles) Process {
	t.Helper()
	p, err := f.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Prepare(context.Background(), []SampleFiles{s}, []string{"quick", "compact"}); err != nil {
		t.Fatal(err)
	}
	return p
}

// times runs forks that measure both codecs in each of some turns.
func times(t *testing.T, f *FakeRuntime, forks, turns int) [][]int64 {
	t.Helper()
	s := prepared(t, "12345")
	var all [][]int64
	for range forks {
		p := fork(t, f, s)
		var one []int64
		for range turns {
			m, err := p.Measure(context.Background(), MeasureRequest{Turn: []BatchRequest{
				{"s", "quick", bench.Decode, 1000, 0, 1}, {"s", "compact", bench.Decode, 1000, 0, 1}}})
			if err != nil {
				t.Fatal(err)
			}
			one = append(one, m.WallNS...)
		}
		all = append(all, one)
	}
	return all
}

func TestFakeIsExact(t *testing.T) {
	f := testRuntime()
	f.StartNS = 5e6
	got := times(t, f, 2, 1)
	if want := [][]int64{{106000, 106000}, {106000, 106000}}; !reflect.DeepEqual(got, want) {
		t.Errorf("have %v; want %v", got, want)
	}
	// Two starts, two prepares, two turns of one request each.
	if got, want := f.Clock.Elapsed(), 2*(5*time.Millisecond+2*time.Microsecond+212*time.Microsecond); got != want {
		t.Errorf("the clock stands at %v; want %v", got, want)
	}
	f = testRuntime()
	f.Description.ClockStepNS = 5000
	if got := times(t, f, 1, 1); got[0][0] != 105000 {
		t.Errorf("have %v; want whole clock steps", got)
	}
}

func TestFakeNoise(t *testing.T) {
	noisy := func(change func(*Noise)) [][]int64 {
		f := testRuntime()
		f.Seed = 7
		change(&f.Noise)
		return times(t, f, 40, 25)
	}
	// logs gives the deviation of log time within forks, and of forks' medians.
	logs := func(all [][]int64) (within, between float64) {
		var medians, rest []float64
		for _, one := range all {
			var x []float64
			for i := 0; i < len(one); i += 2 { // one codec
				x = append(x, math.Log(float64(one[i])/106000))
			}
			slices.Sort(x)
			m := x[len(x)/2]
			medians = append(medians, m)
			for _, v := range x {
				rest = append(rest, v-m)
			}
		}
		return deviation(rest), deviation(medians)
	}
	for _, x := range []struct {
		name            string
		change          func(*Noise)
		within, between float64
	}{
		{"none", func(*Noise) {}, 0, 0},
		{"jitter", func(n *Noise) { n.Jitter = 0.05 }, 0.05, 0.0125},
		{"fork spread", func(n *Noise) { n.ForkSpread = 0.02 }, 0, 0.02},
		{"slow forks", func(n *Noise) { n.SlowForks, n.SlowFactor = 0.5, math.Exp(0.1) }, 0, 0.05},
		{"regimes", func(n *Noise) { n.RegimeSec, n.RegimeLog = 1e-4, 0.1 }, 0.1, 0.02},
		{"spikes", func(n *Noise) { n.SpikeRate, n.SpikeNS = 0.1, 106000*math.E-106000 }, 0.3, 0},
	} {
		within, between := logs(noisy(x.change))
		if !near(within, x.within) || !near(between, x.between) {
			t.Errorf("%s: deviation within forks %.4f, want about %.4f; between %.4f, want about %.4f", x.name, within, x.within, between, x.between)
		}
	}
	drift := noisy(func(n *Noise) { n.DriftPerSec = 1 })
	if first, last := drift[0][0], drift[39][49]; math.Abs(math.Log(float64(last)/float64(first))-0.22) > 0.06 {
		t.Errorf("drift from %d to %d", first, last)
	}
	jitter := func(n *Noise) { n.Jitter, n.ForkSpread, n.SpikeRate, n.SpikeNS = 0.01, 0.01, 0.1, 1000 }
	if a, b := noisy(jitter), noisy(jitter); !reflect.DeepEqual(a, b) {
		t.Error("two runs of one seed differ")
	}
}

func deviation(x []float64) float64 {
	var sum, squares float64
	for _, v := range x {
		sum += v
	}
	for _, v := range x {
		squares += (v - sum/float64(len(x))) * (v - sum/float64(len(x)))
	}
	return math.Sqrt(squares / float64(len(x)))
}

func near(got, want float64) bool { return math.Abs(got-want) <= 0.35*want+1e-4 }

func TestFakeFaults(t *testing.T) {
	ctx := context.Background()
	measure := func(p Process) (*MeasureReply, error) {
		return p.Measure(ctx, MeasureRequest{Turn: []BatchRequest{{"s", "quick", bench.Decode, 2, 0, 2}}})
	}
	for _, kind := range []FaultKind{FaultFail, FaultCrash, FaultHang, FaultRubbish, FaultChecksum} {
		f := testRuntime()
		f.Faults = map[string]Fault{"quick": {Kind: kind, After: 1}}
		p := fork(t, f, prepared(t, "ab", "c"))
		if m, err := measure(p); err != nil || m.Checksum[0] != 2 {
			t.Fatalf("%s: the first request: %+v, %v", kind, m, err)
		}
		before := f.Clock.Elapsed()
		m, err := measure(p)
		var failed *FailedError
		var ended *ProcessError
		switch kind {
		case FaultChecksum:
			if err != nil || m.Checksum[0] != 3 {
				t.Errorf("%s: %+v, %v", kind, m, err)
			}
			continue
		case FaultFail:
			if !errors.As(err, &failed) {
				t.Errorf("%s: %v", kind, err)
			}
			continue
		case FaultHang:
			if waited := f.Clock.Elapsed() - before; waited < DefaultDeadline {
				t.Errorf("the hang took %v", waited)
			}
		}
		if !errors.As(err, &ended) {
			t.Errorf("%s: %v", kind, err)
		}
		if _, again := p.Empty(ctx, EmptyRequest{}); again != err {
			t.Errorf("%s: a later request got %v", kind, again)
		}
	}
}

func TestFakeVerifyFaults(t *testing.T) {
	for _, x := range []struct {
		codec string
		kind  FaultKind
		last  string
		leaf  uint32
	}{
		{"quick", "", "c", 1}, {"quick", FaultOutput, "{}", 1}, {"compact", FaultOutput, "", 1}, {"quick", FaultLeaf, "c", 2},
	} {
		f := testRuntime()
		f.Faults = map[string]Fault{x.codec: {Kind: x.kind}}
		p := fork(t, f, prepared(t, "ab", "c"))
		out := filepath.Join(t.TempDir(), "out")
		v, err := p.Verify(context.Background(), VerifyRequest{Sample: "s", Codec: x.codec, Out: out})
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadDocumentsFile(out, DocumentLimits{2, 100})
		if err != nil || string(got[0]) != "ab" || string(got[1]) != x.last || v.Leaf[0] != x.leaf {
			t.Errorf("%s %s: wrote %q, leaf %v, %v", x.codec, x.kind, got, v.Leaf, err)
		}
	}
	f := testRuntime()
	f.Faults = map[string]Fault{"quick": {Kind: FaultSkip}}
	p, _ := f.Start(context.Background())
	r, err := p.Prepare(context.Background(), []SampleFiles{prepared(t, "a")}, []string{"quick", "compact"})
	if err != nil || len(r.Skips) != 1 || r.Skips[0].Codec != "quick" {
		t.Errorf("skip: %+v, %v", r, err)
	}
}

func TestFakeRefuses(t *testing.T) {
	ctx, s := context.Background(), prepared(t, "a", "b")
	for _, b := range []BatchRequest{
		{"s", "quick", bench.Decode, 0, 0, 1}, {"s", "quick", bench.Decode, 1, -1, 1}, {"s", "quick", bench.Decode, 1, 0, 0},
		{"s", "quick", bench.Decode, 1, 1, 2}, {"z", "quick", bench.Decode, 1, 0, 1}, {"s", "z", bench.Decode, 1, 0, 1},
	} {
		var failed *FailedError
		if _, err := fork(t, testRuntime(), s).Measure(ctx, MeasureRequest{Turn: []BatchRequest{b}}); !errors.As(err, &failed) {
			t.Errorf("%+v: %v", b, err)
		}
	}
	s.Documents = 3
	p, _ := testRuntime().Start(ctx)
	var failed *FailedError
	if _, err := p.Prepare(ctx, []SampleFiles{s}, []string{"quick"}); !errors.As(err, &failed) {
		t.Errorf("too few documents: %v", err)
	}
	os.Remove(s.Files["json"])
	if _, err := p.Prepare(ctx, []SampleFiles{s}, []string{"quick"}); !errors.As(err, &failed) {
		t.Errorf("no file: %v", err)
	}
	if p.Close() != nil {
		t.Error("close")
	}
	if _, err := p.Describe(ctx); err == nil {
		t.Error("a closed fake answered")
	}
}
