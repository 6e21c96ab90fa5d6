package sched

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// truth expects what the fake gives: documents as they were, checksums of 1.
type truth struct{ docs [][]byte }

func (t truth) Expected(string) (leaf, visit []uint32, err error) {
	for range t.docs {
		leaf, visit = append(leaf, 1), append(visit, 1)
	}
	return leaf, visit, nil
}

func (t truth) Check(_ runner.CodecDescription, out [][]byte) error {
	for i := range out {
		if !bytes.Equal(out[i], t.docs[i]) {
			return fmt.Errorf("what it wrote of document %d differs from the reference", i+1)
		}
	}
	return nil
}

// memorySink keeps records and shows them to an analysis, as a result file does.
type memorySink struct {
	records  []any
	analysis *analyse.Analysis
	onFork   func()
}

func (s *memorySink) Append(rec any) error {
	s.records = append(s.records, rec)
	s.analysis.Add(rec)
	if _, ok := rec.(*store.Progress); ok && s.onFork != nil {
		s.onFork()
	}
	return nil
}

func (s *memorySink) Sync() error { return nil }

func (s *memorySink) outcomes() map[string]string {
	names, out := map[int]string{}, map[string]string{}
	for _, rec := range s.records {
		switch r := rec.(type) {
		case *store.Case:
			names[r.Number] = r.Case.Codec + "/" + string(r.Operation)
		case *store.Outcome:
			out[names[r.Case]] = string(r.Status)
			if r.Reason != "" {
				out[names[r.Case]] += ": " + r.Reason
			}
		}
	}
	return out
}

// setting is a whole run on a fake runtime.
type setting struct {
	runtime *runner.FakeRuntime
	sink    *memorySink
	sched   *Scheduler
	lane    Lane
}

// newSetting has three codecs: json, slow (four times its cost) and twin (its
// equal), over a few documents.
func newSetting(t *testing.T, documents int) *setting {
	t.Helper()
	var docs [][]byte
	var sizes []int
	for i := range documents {
		d := []byte(fmt.Sprintf(`{"n":%d,"s":%q}`, i, strings.Repeat("x", i%40)))
		docs, sizes = append(docs, d), append(sizes, len(d))
	}
	path := filepath.Join(t.TempDir(), "s.json")
	if err := runner.WriteDocumentsFile(path, docs); err != nil {
		t.Fatal(err)
	}
	rt := &runner.FakeRuntime{
		Clock: &runner.VirtualClock{}, Seed: 7, OverheadNS: 2, RequestNS: 40_000, StartNS: 15e6,
		Cost: func(o runner.FakeOperation) float64 {
			ns := 200 + 10*float64(o.Bytes)
			if o.Codec == "slow" {
				ns *= 4
			}
			return ns
		},
	}
	lane := Lane{Runtime: "fake", Starter: rt, Dropped: map[string]string{}}
	for _, name := range []string{"json", "slow", "twin"} {
		role := ""
		if name == "json" {
			role = "default"
		}
		ops := []bench.Operation{bench.Encode, bench.Decode}
		rt.Description.Codecs = append(rt.Description.Codecs, runner.CodecDescription{Name: name, Format: bench.JSON, Documents: "json", Operations: ops})
		lane.Codecs = append(lane.Codecs, runner.Codec{Name: name, Format: bench.JSON, Role: role, Operations: ops})
		for _, op := range ops {
			lane.Cases = append(lane.Cases, bench.Case{Sample: "s", Runtime: "fake", Codec: name, Format: bench.JSON, Operation: op, Transport: bench.Memory, Encoding: bench.Identity})
		}
	}
	rt.Description.Runtime, rt.Description.StringUnit, rt.Description.ClockStepNS = "fake", "utf8", 30
	sink := &memorySink{analysis: analyse.New(analyse.Options{})}
	return &setting{rt, sink, &Scheduler{
		Config:  Config{Seed: 3, Precision: 0.01, MaxTime: 25 * time.Second, Scratch: t.TempDir(), Now: rt.Clock.Now},
		Samples: map[string]*Sample{"s": {Files: runner.SampleFiles{Sample: "s", Documents: documents, Files: map[string]string{"json": path}}, Bytes: sizes, Truth: truth{docs}}},
		Sink:    sink, Judge: sink.analysis,
	}, lane}
}

func (s *setting) run(t *testing.T, ctx context.Context) Summary {
	t.Helper()
	summary, err := s.sched.Run(ctx, []Lane{s.lane})
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

func TestARunFindsTheRatiosThatWerePlanted(t *testing.T) {
	for _, documents := range []int{1, 7, 3000} {
		s := newSetting(t, documents)
		s.runtime.Noise = runner.Noise{ForkSpread: 0.005, Jitter: 0.01, SpikeRate: 0.02, SpikeNS: 3e6, DriftPerSec: 0.01}
		summary := s.run(t, t.Context())
		if share := summary.Timed.Seconds() / summary.Measure.Seconds(); share < 0.8 {
			t.Errorf("%d documents: only %.0f%% of the measuring phase is inside timed batches", documents, 100*share)
		}
		if summary.Measure > 25*time.Second {
			t.Errorf("%d documents: measured for %s", documents, summary.Measure)
		}
		for _, c := range s.sink.analysis.Comparisons() {
			want := map[string]float64{"slow": 4, "twin": 1}[c.Case.Codec]
			if c.Metric != bench.Mutator || math.Abs(c.Ratio/want-1) > 0.01 || c.Low > want || c.High < want {
				if c.Metric == bench.Mutator {
					t.Errorf("%d documents: %s is %.4f (%.4f to %.4f); want %g", documents, c.Case, c.Ratio, c.Low, c.High, want)
				}
			}
			if c.Case.Codec == "slow" && c.Verdict != bench.Slower {
				t.Errorf("%d documents: %s is %s", documents, c.Case, c.Verdict)
			}
			if c.Case.Codec == "twin" && (c.Verdict == bench.Slower || c.Verdict == bench.Faster) {
				t.Errorf("%d documents: %s is %s than its equal", documents, c.Case, c.Verdict)
			}
		}
		for name, got := range s.sink.outcomes() {
			if got != "measured" {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

func TestTheSameSeedGivesTheSameRecords(t *testing.T) {
	run := func() []any {
		s := newSetting(t, 20)
		s.sched.Config.MaxForks = 3
		s.runtime.Noise = runner.Noise{ForkSpread: 0.01, Jitter: 0.02}
		s.run(t, t.Context())
		return s.sink.records
	}
	if d := cmp.Diff(run(), run()); d != "" {
		t.Errorf("two runs differ (-first +second):\n%s", d)
	}
}

func TestEveryCaseOfABlockUsesTheSameDocuments(t *testing.T) {
	s := newSetting(t, 500)
	s.sched.Config.MaxForks = 2
	s.run(t, t.Context())
	first := map[int]*store.Fork{}
	for _, rec := range s.sink.records {
		f, ok := rec.(*store.Fork)
		if !ok {
			continue
		}
		if first[f.Fork] == nil {
			first[f.Fork] = f
			continue
		}
		if d := cmp.Diff(first[f.Fork].Document, f.Document); d != "" {
			t.Fatalf("fork %d, case %d: other documents than case %d:\n%s", f.Fork, f.Case, first[f.Fork].Case, d)
		}
		if d := cmp.Diff(first[f.Fork].Window, f.Window); d != "" {
			t.Fatalf("fork %d, case %d: other windows:\n%s", f.Fork, f.Case, d)
		}
	}
	if len(first) != 2 {
		t.Errorf("%d forks; want 2", len(first))
	}
}

func TestAFaultCostsOnlyItsOwnCodec(t *testing.T) {
	for _, test := range []struct {
		fault runner.Fault
		want  string // in the outcome of the faulty codec
	}{
		{runner.Fault{Kind: runner.FaultSkip}, "skipped"},
		{runner.Fault{Kind: runner.FaultOutput}, "failed: what it wrote of document 20 differs"},
		{runner.Fault{Kind: runner.FaultLeaf}, "failed: what it decoded differs from the reference"},
		{runner.Fault{Kind: runner.FaultFail}, "failed"},
		{runner.Fault{Kind: runner.FaultFail, After: 30}, "failed"},
		{runner.Fault{Kind: runner.FaultChecksum, After: 8}, "did not do the work it was timed for"},
		{runner.Fault{Kind: runner.FaultChecksum, After: 300}, "did not do the work it was timed for"},
		{runner.Fault{Kind: runner.FaultCrash}, "failed: the runner ended"},
		{runner.Fault{Kind: runner.FaultCrash, After: 20}, "failed: the runner ended"},
		{runner.Fault{Kind: runner.FaultHang}, "failed: the runner did not answer in time"},
		{runner.Fault{Kind: runner.FaultRubbish}, "failed: the runner answered with rubbish"},
	} {
		t.Run(fmt.Sprintf("%s after %d", test.fault.Kind, test.fault.After), func(t *testing.T) {
			s := newSetting(t, 20)
			s.sched.Config.MaxForks = 4
			s.runtime.Faults = map[string]runner.Fault{"twin": test.fault}
			s.run(t, t.Context())
			out := s.sink.outcomes()
			for _, op := range []string{"encode", "decode"} {
				if out["json/"+op] != "measured" || out["slow/"+op] != "measured" {
					t.Errorf("%s: json %q, slow %q", op, out["json/"+op], out["slow/"+op])
				}
				if !strings.Contains(out["twin/"+op], test.want) {
					t.Errorf("%s: twin ended with %q; want %q", op, out["twin/"+op], test.want)
				}
			}
		})
	}
}

func TestAnInterruptKeepsWholeForks(t *testing.T) {
	s := newSetting(t, 20)
	ctx, cancel := context.WithCancel(t.Context())
	forks := 0
	s.sink.onFork = func() {
		if forks++; forks == 3 {
			cancel()
		}
	}
	summary := s.run(t, ctx)
	if !summary.Interrupted || summary.Forks != 3 {
		t.Errorf("summary %+v; want an interrupt after 3 forks", summary)
	}
	per := map[int]int{}
	for _, rec := range s.sink.records {
		if f, ok := rec.(*store.Fork); ok {
			per[f.Fork]++
		}
	}
	if d := cmp.Diff(map[int]int{0: 6, 1: 6, 2: 6}, per); d != "" {
		t.Errorf("records per fork (-want +got):\n%s", d)
	}
}

func TestARunEndsWhenItsTimeIsUpOrItIsPrecise(t *testing.T) {
	quiet := newSetting(t, 5)
	quiet.sched.Config.MaxTime = time.Hour
	summary := quiet.run(t, t.Context())
	if summary.Measure > time.Minute {
		t.Errorf("without noise, precision of 1%% took %s", summary.Measure)
	}
	noisy := newSetting(t, 5)
	noisy.runtime.Noise = runner.Noise{ForkSpread: 0.2}
	noisy.sched.Config.MaxTime = 8 * time.Second
	if summary := noisy.run(t, t.Context()); summary.Measure > 8*time.Second || summary.Measure < 6*time.Second {
		t.Errorf("with noise, 8 s allowed, measured %s", summary.Measure)
	}
}

func TestAResumedRunGoesOnWithTheNextFork(t *testing.T) {
	s := newSetting(t, 5)
	s.sched.Config.MaxForks = 3
	s.run(t, t.Context())
	again := newSetting(t, 5)
	again.sched.Config.MaxForks = 5
	again.sched.Config.Before = map[string]Before{"fake": {Forks: 3}}
	again.sched.Config.Numbers = map[bench.Case]int{}
	for _, rec := range s.sink.records {
		if c, ok := rec.(*store.Case); ok {
			again.sched.Config.Numbers[c.Case] = c.Number
		}
	}
	again.run(t, t.Context())
	for _, rec := range again.sink.records {
		switch r := rec.(type) {
		case *store.Case:
			t.Errorf("case %s has a second record", r.Case)
		case *store.Fork:
			if r.Fork < 3 || r.Fork > 4 || r.Pilot {
				t.Errorf("fork %d, pilot %v", r.Fork, r.Pilot)
			}
		}
	}
}

func TestTimeGoesToWhatIsUndecided(t *testing.T) {
	s := newSetting(t, 5)
	s.runtime.Noise = runner.Noise{ForkSpread: 0.02}
	s.sched.Config.MaxForks = 40
	s.sched.Config.MaxTime = time.Hour
	s.run(t, t.Context())
	forks := map[string]int{}
	names := map[int]string{}
	for _, rec := range s.sink.records {
		switch r := rec.(type) {
		case *store.Case:
			names[r.Number] = r.Case.Codec
		case *store.Fork:
			forks[names[r.Case]]++
		}
	}
	// slow is decided after some ten forks; twin, its equal, takes longer.
	if forks["slow"] >= forks["twin"]*3/4 || forks["json"] != forks["twin"] {
		t.Errorf("forks with each codec: %v", forks)
	}
}
