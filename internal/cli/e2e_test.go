package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
	"wirecost/internal/env"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fakeCodec is the source file of a fake runner's codec: only its header counts.
func fakeCodec(header string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("// wirecost:codec " + header + "\n")}
}

// fakeRunners is a runtime with three codecs, of which one is wrong.
func fakeRunners() fstest.MapFS {
	return fstest.MapFS{
		"fake/runner.json":             {Data: []byte(`{"format":"wirecost.runner/v1","runtime":"fake","isolation":"shared","needs":[],"build":[],"run":["none"]}`)},
		"fake/codecs/plain.x.tmpl":     fakeCodec(`{"name":"plain","format":"json","default":true,"role":"default","library":"example.com/plain","operations":["encode","decode"],"traits":["typed"]}`),
		"fake/codecs/quick.x.tmpl":     fakeCodec(`{"name":"quick","format":"json","default":true,"library":"example.com/quick","operations":["encode","decode"],"traits":["typed","aliases input"]}`),
		"fake/codecs/messages.x.tmpl":  fakeCodec(`{"name":"messages","format":"protobuf","default":true,"role":"default","library":"example.com/messages","operations":["encode","decode"],"traits":["typed"]}`),
		"fake/codecs/forgetful.x.tmpl": fakeCodec(`{"name":"forgetful","format":"protobuf","default":true,"library":"example.com/forgetful","operations":["encode","decode"],"traits":["typed"]}`),
	}
}

const orders = `{"id":1,"name":"a","discount":null,"items":[{"sku":"x","n":2}]}
{"id":2,"name":"b","discount":1.5,"items":[]}
{"id":3,"name":"c","discount":2.0,"items":[{"sku":"y","n":1},{"sku":"z","n":4}]}
`

// newFake gives an app whose only runtime is fake, on a virtual clock.
func newFake(t *testing.T) (*App, *runner.FakeRuntime) {
	t.Helper()
	rt := &runner.FakeRuntime{
		Clock: &runner.VirtualClock{}, Seed: 11, OverheadNS: 2, RequestNS: 40_000, StartNS: 12e6,
		Noise: runner.Noise{ForkSpread: 0.004, Jitter: 0.01, SpikeRate: 0.02, SpikeNS: 4e6},
		Cost: func(o runner.FakeOperation) float64 {
			per := map[string]float64{"plain": 20, "quick": 6, "messages": 8, "forgetful": 1}[o.Codec]
			if o.Operation == bench.Decode {
				per *= 3
			}
			return 50 + per*float64(o.Bytes)
		},
		Faults: map[string]runner.Fault{"forgetful": {Kind: runner.FaultOutput}},
	}
	rt.Description = runner.Description{Runtime: "fake", Version: "fake 1.0", StringUnit: "utf8", ClockStepNS: 30}
	runners := fakeRunners()
	loaded, err := runner.Load(runners)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range loaded[0].Codecs {
		documents := c.Documents
		if documents == "" {
			documents = string(c.Format)
		}
		rt.Description.Codecs = append(rt.Description.Codecs, runner.CodecDescription{
			Name: c.Name, Format: c.Format, Documents: documents, Operations: c.Operations, Traits: c.Traits, Library: c.Library, Version: "v1.0.0",
		})
	}
	return &App{
		Stdin: strings.NewReader(""), Runners: runners, Now: rt.Clock.Now, Cache: t.TempDir(),
		Start: func(*runner.Runner) runner.Starter { return rt },
		Machine: func() store.Machine {
			return store.Machine{OS: "linux", Arch: "amd64", CPU: "a test", Cores: 2, MemoryByte: 8e9}
		},
		Noise: func(context.Context) env.NoiseReport { return env.NoiseReport{Cores: 2, Others: 0.07, Steal: 0.04} },
	}, rt
}

// checksums lets the fake answer as a right codec would, by the reference.
func checksums(t *testing.T, documents string) func(runner.SampleFiles, string, []byte) (uint32, uint32, error) {
	t.Helper()
	return checksumsOf(t, documents, &inputFlags{track: choice{value: "literal"}})
}

func checksumsOf(t *testing.T, documents string, f *inputFlags) func(runner.SampleFiles, string, []byte) (uint32, uint32, error) {
	t.Helper()
	app := &App{Stdin: strings.NewReader("")}
	path := filepath.Join(t.TempDir(), "orders.ndjson")
	if err := os.WriteFile(path, []byte(documents), 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := app.load(t.Context(), f, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	return func(s runner.SampleFiles, form string, doc []byte) (leaf, visit uint32, err error) {
		ref, err := in.schema.Reference(s.Sample)
		if err != nil {
			return 0, 0, err
		}
		read := ref.FromJSON
		if form == "protobuf" {
			read = ref.Unmarshal
		}
		m, err := read(doc)
		if err != nil {
			return 0, 0, err
		}
		return ref.Checksums(m, "utf8")
	}
}

// run runs a command line in a folder that holds orders.ndjson.
func (a *App) test(t *testing.T, ctx context.Context, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	a.Stdout, a.Stderr = &out, &err
	code = a.Main(ctx, args)
	return code, out.String(), err.String()
}

func inOrders(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("orders.ndjson", []byte(orders), 0o644); err != nil {
		t.Fatal(err)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

// compressTimes are the only figures of a fake run that come from a real clock;
// versions change with every commit.
var changing = regexp.MustCompile(`wirecost [^ ,.\n]+`)

func TestAWholeRunExactly(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	app, rt := newFake(t)
	rt.Checksums = checksums(t, orders)
	inOrders(t)
	code, stdout, stderr := app.test(t, t.Context(), "run", "--runtime", "fake", "--encoding", "identity", "--max-forks", "16", "--rate", "5000", "--link", "10mbit/20ms", "-o", "result.jsonl", "orders.ndjson")
	if code != exitPartial {
		t.Errorf("exit code %d; want %d because a codec was wrong\n%s", code, exitPartial, stderr)
	}
	again, out2, _ := app.test(t, t.Context(), "report", "result.jsonl")
	if again != exitOK || out2 != stdout {
		t.Errorf("report of the file differs from what the run printed, exit code %d:\n%s", again, cmp.Diff(stdout, out2))
	}
	t.Chdir(dir)
	golden(t, "run.golden", changing.ReplaceAllString(stdout, "wirecost VERSION"))
	golden(t, "run.stderr.golden", stderr)
}

func TestAnInterruptedRunGoesOn(t *testing.T) {
	app, rt := newFake(t)
	rt.Checksums = checksums(t, orders)
	inOrders(t)
	ctx, cancel := context.WithCancel(t.Context())
	forks := 0
	app.Start = func(*runner.Runner) runner.Starter {
		return startFunc(func(c context.Context) (runner.Process, error) {
			if forks++; forks == 12 { // after describe, four verifications, calibration and some forks
				cancel()
			}
			return rt.Start(c)
		})
	}
	args := []string{"run", "--runtime", "fake", "--codec", "plain,quick,messages", "--encoding", "identity", "--max-forks", "14", "--precision", "0", "-o", "result.jsonl"}
	code, _, stderr := app.test(t, ctx, append(args, "orders.ndjson")...)
	if code != exitInterrupted || !strings.Contains(stderr, "wirecost run --resume result.jsonl") {
		t.Fatalf("exit code %d; want %d\n%s", code, exitInterrupted, stderr)
	}
	before := forksIn(t, "result.jsonl")
	if before == 0 || before >= 14 {
		t.Fatalf("%d forks were kept", before)
	}
	code, stdout, stderr := app.test(t, t.Context(), "run", "--resume", "result.jsonl")
	if code != exitOK {
		t.Fatalf("resumed: exit code %d\n%s%s", code, stdout, stderr)
	}
	if got := forksIn(t, "result.jsonl"); got != 14 {
		t.Errorf("%d forks after resuming; want 14", got)
	}
	if err := os.WriteFile("orders.ndjson", []byte(strings.Replace(orders, `"name":"a"`, `"name":"b"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = app.test(t, t.Context(), "run", "--resume", "result.jsonl")
	if code != exitError || !strings.Contains(stderr, "have changed since that run") {
		t.Errorf("resumed on other documents: exit code %d\n%s", code, stderr)
	}
}

func TestAnInterruptBeforeMeasuringLosesNothing(t *testing.T) {
	app, rt := newFake(t)
	rt.Checksums = checksums(t, orders)
	inOrders(t)
	ctx, cancel := context.WithCancel(t.Context())
	start := app.Start
	app.Start = func(r *runner.Runner) runner.Starter {
		cancel()
		return start(r)
	}
	code, _, stderr := app.test(t, ctx, "run", "--runtime", "fake", "--codec", "plain,messages", "--encoding", "identity", "--max-forks", "5", "--precision", "0", "-o", "result.jsonl", "orders.ndjson")
	if code != exitInterrupted || !strings.Contains(stderr, "wirecost run --resume result.jsonl") {
		t.Fatalf("exit code %d; want %d\n%s", code, exitInterrupted, stderr)
	}
	app.Start = start
	code, stdout, stderr := app.test(t, t.Context(), "run", "--resume", "result.jsonl")
	if code != exitOK || forksIn(t, "result.jsonl") != 5 || strings.Count(stdout, "as you wrote it 62.7 B") != 1 {
		t.Errorf("resumed: exit code %d\n%s%s", code, stdout, stderr)
	}
}

type startFunc func(context.Context) (runner.Process, error)

func (f startFunc) Start(ctx context.Context) (runner.Process, error) { return f(ctx) }

func forksIn(t *testing.T, path string) int {
	t.Helper()
	f, err := store.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	if err := f.Scan(func(rec any) error {
		if r, ok := rec.(*store.Fork); ok {
			seen[r.Fork] = true
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return len(seen)
}
