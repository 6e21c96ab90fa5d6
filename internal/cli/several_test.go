package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// severalRunners are the fake runtime, one that compiles while it runs and has a
// process per codec, and one that lacks what it needs.
func severalRunners() fstest.MapFS {
	all := fakeRunners()
	delete(all, "fake/codecs/forgetful.x.tmpl")
	all["jit/runner.json"] = &fstest.MapFile{Data: []byte(`{"format":"wirecost.runner/v1","runtime":"jit","isolation":"codec","compiles_while_running":true,"needs":[],"build":[],"run":["none"]}`)}
	all["jit/codecs/tree.x.tmpl"] = fakeCodec(`{"name":"tree","format":"json","default":true,"role":"default","lazy":true,"library":"example.com/tree","operations":["encode","decode","visit"],"traits":["dom","copies strings","accepts invalid UTF-8"]}`)
	all["jit/codecs/wire.x.tmpl"] = fakeCodec(`{"name":"wire","format":"protobuf","default":true,"role":"default","library":"example.com/wire","operations":["encode","decode","visit"],"traits":["typed","copies strings","validates UTF-8"]}`)
	all["lacking/runner.json"] = &fstest.MapFile{Data: []byte(`{"format":"wirecost.runner/v1","runtime":"lacking","isolation":"shared","needs":[{"program":"no-such-compiler","version":["--version"],"get":"apt-get install -y no-such-compiler"}],"build":[],"run":["none"]}`)}
	all["lacking/codecs/thing.x.tmpl"] = fakeCodec(`{"name":"thing","format":"json","default":true,"role":"default","library":"example.com/thing","operations":["encode","decode"],"traits":["typed"]}`)
	return all
}

// newFakes gives an app with several runtimes on one virtual clock.
func newFakes(t *testing.T) (*App, map[string]*runner.FakeRuntime) {
	t.Helper()
	app, fake := newFake(t)
	app.Runners = severalRunners()
	loaded, err := runner.Load(app.Runners)
	if err != nil {
		t.Fatal(err)
	}
	jit := *fake
	jit.Faults, jit.StartNS = nil, 60e6
	jit.Noise = runner.Noise{ForkSpread: 0.004, Jitter: 0.01, SlowForks: 0.2, SlowFactor: 1.3}
	jit.Cost = func(o runner.FakeOperation) float64 {
		per := map[string]float64{"tree": 12, "wire": 30}[o.Codec]
		return 80 + per*float64(o.Bytes)
	}
	all := map[string]*runner.FakeRuntime{"fake": fake, "jit": &jit}
	for _, r := range loaded {
		if rt := all[r.Runtime]; rt != nil {
			rt.Description.Runtime, rt.Description.Version, rt.Description.Codecs = r.Runtime, r.Runtime+" 1.0", described(r)
		}
	}
	app.Start = func(r *runner.Runner) runner.Starter { return all[r.Runtime] }
	return app, all
}

func described(r *runner.Runner) []runner.CodecDescription {
	var out []runner.CodecDescription
	for _, c := range r.Codecs {
		out = append(out, runner.CodecDescription{
			Name: c.Name, Format: c.Format, Documents: c.Documents, Operations: c.Operations, Traits: c.Traits, Library: c.Library, Version: "v1.0.0",
		})
	}
	return out
}

func TestSeveralRuntimesExactly(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	app, all := newFakes(t)
	for _, rt := range all {
		rt.Checksums = checksums(t, orders)
	}
	inOrders(t)
	code, stdout, stderr := app.test(t, t.Context(), "run", "--runtime", "all", "--encoding", "identity", "--max-time", "60s", "--max-forks", "16", "-o", "result.jsonl", "orders.ndjson")
	if code != exitOK {
		t.Errorf("exit code %d; a runtime that is missing is no fault where all were asked for\n%s", code, stderr)
	}
	if !strings.Contains(stderr, "lacking") || !strings.Contains(stderr, "no-such-compiler is not installed") {
		t.Errorf("nothing is said of the runtime that was skipped:\n%s", stderr)
	}
	for _, format := range []string{"markdown", "csv", "json"} {
		if code, out, _ := app.test(t, t.Context(), "report", "--format", format, "result.jsonl"); code != exitOK || out == "" {
			t.Errorf("%s: exit code %d", format, code)
		}
	}
	severalInJSON(t, app)
	severalInCSV(t, app)
	t.Chdir(dir)
	golden(t, "several.golden", changing.ReplaceAllString(stdout, "wirecost VERSION"))
	golden(t, "several.stderr.golden", stderr)
}

// severalInJSON looks at what the report for programs says of several runtimes.
func severalInJSON(t *testing.T, app *App) {
	t.Helper()
	_, out, _ := app.test(t, t.Context(), "report", "--format", "json", "result.jsonl")
	var r struct {
		Cases []struct {
			Case   bench.Case
			Status bench.Status
			Forks  int
		}
		Comparisons []struct {
			Case, Baseline bench.Case
			Low, High      *float64
			Metric         bench.Metric
		}
		Pairs []struct {
			From, To         string
			Ratio, Low, High float64
		}
		Verdict []struct{ Claim, Runtime string }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cases {
		if c.Status != bench.Measured || c.Forks < 10 {
			t.Errorf("%+v", c)
		}
	}
	for _, c := range r.Comparisons {
		if c.Case.Runtime != c.Baseline.Runtime {
			t.Errorf("%s is compared with %s", c.Case, c.Baseline)
		}
		want := map[string]string{"fake": "plain", "jit": "tree"}[c.Case.Runtime]
		if c.Baseline.Codec != want {
			t.Errorf("%s: the baseline is %s", c.Case, c.Baseline)
		}
	}
	if len(r.Cases) != 12 || len(r.Pairs) != 2 || r.Pairs[0].From != "fake" || r.Pairs[0].To != "jit" {
		t.Errorf("%d cases, pairs %+v", len(r.Cases), r.Pairs)
	}
	for _, p := range r.Pairs {
		if !(p.Low <= p.Ratio && p.Ratio <= p.High) {
			t.Errorf("%+v", p)
		}
	}
	var runtimes []string
	for _, s := range r.Verdict {
		if s.Claim == "cpu" && !slices.Contains(runtimes, s.Runtime) {
			runtimes = append(runtimes, s.Runtime)
		}
	}
	if !slices.Equal(runtimes, []string{"fake", "jit"}) || !slices.ContainsFunc(r.Verdict, func(s struct{ Claim, Runtime string }) bool { return s.Claim == "between" }) {
		t.Errorf("verdicts on %v", runtimes)
	}
}

// severalInCSV: a spreadsheet tells runtimes apart.
func severalInCSV(t *testing.T, app *App) {
	t.Helper()
	_, out, _ := app.test(t, t.Context(), "report", "--format", "csv", "result.jsonl")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(rows[0], "runtime")
	n := map[string]int{}
	for _, row := range rows[1:] {
		n[row[column]]++
	}
	if n["fake"] != 6 || n["jit"] != 6 {
		t.Errorf("rows by runtime: %v", n)
	}
}

// Asked for by name, a runtime that is missing makes the run partial.
func TestARuntimeAskedForByNameThatIsMissing(t *testing.T) {
	app, all := newFakes(t)
	all["fake"].Checksums = checksums(t, orders)
	inOrders(t)
	code, _, stderr := app.test(t, t.Context(), "run", "--runtime", "fake,lacking", "--encoding", "identity", "--max-forks", "5", "-o", "result.jsonl", "orders.ndjson")
	if code != exitPartial || !strings.Contains(stderr, "no-such-compiler is not installed") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// A run of several runtimes that was interrupted goes on with each where it was.
func TestSeveralRuntimesGoOn(t *testing.T) {
	app, all := newFakes(t)
	for _, rt := range all {
		rt.Checksums = checksums(t, orders)
	}
	inOrders(t)
	run := []string{"run", "--runtime", "all", "--encoding", "identity", "--precision", "0", "-o", "result.jsonl"}
	code, _, stderr := app.test(t, t.Context(), append(run, "--max-forks", "5", "orders.ndjson")...)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	code, _, stderr = app.test(t, t.Context(), "run", "--resume", "result.jsonl", "--max-forks", "7")
	if got := forksIn(t, "result.jsonl"); code != exitOK || got != 7 {
		t.Errorf("exit code %d, %d forks\n%s", code, got, stderr)
	}
}

func TestASweepExactly(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	app, rt := newFake(t)
	f := &inputFlags{track: choice{value: "literal"}}
	if err := f.sweep.Set("1,10,100"); err != nil {
		t.Fatal(err)
	}
	rt.Checksums = checksumsOf(t, orders, f)
	// Protobuf costs more for a document, and less for each of its bytes.
	rt.Cost = func(o runner.FakeOperation) float64 {
		if o.Codec == "messages" {
			return 900 + 4*float64(o.Bytes)
		}
		return 50 + 5*float64(o.Bytes)
	}
	inOrders(t)
	args := []string{"run", "--runtime", "fake", "--codec", "plain,messages", "--encoding", "identity,gzip:6", "--max-forks", "20", "--precision", "0", "--sweep", "1,10,100", "-o", "result.jsonl", "orders.ndjson"}
	code, stdout, stderr := app.test(t, t.Context(), args...)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	code, again, stderr := app.test(t, t.Context(), "run", "--resume", "result.jsonl", "--max-forks", "21")
	if code != exitOK || forksIn(t, "result.jsonl") != 21 || !strings.Contains(again, "$.items") {
		t.Errorf("resumed: exit code %d\n%s", code, stderr)
	}
	t.Chdir(dir)
	golden(t, "sweep.golden", changing.ReplaceAllString(stdout, "wirecost VERSION"))
}

func TestLinesThatWouldScrollAwayAreLeftOut(t *testing.T) {
	lines := []string{"a\n", "b\n", "c\n", "d\n", "e\n", "status\n"}
	if got := strings.Join(shorten(lines, 5), ""); got != "a\nb\n… 3 more\nstatus\n" {
		t.Errorf("%q", got)
	}
	for _, height := range []int{0, 7, 80} {
		if got := shorten(lines, height); len(got) != 6 {
			t.Errorf("height %d: %q", height, got)
		}
	}
}
