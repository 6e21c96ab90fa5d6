package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/study"
)

// smallMessage is what the study's operations take, in ns, as it was published
// where it was.
func smallMessage(o runner.FakeOperation) float64 {
	ns := map[string][2]float64{ // encode, decode
		"goccy int64": {55, 95.23}, "goccy timestamp": {150, 200}, "protobuf int64": {50, 70}, "protobuf timestamp": {89.64, 127.8},
	}[o.Codec+" "+o.Sample]
	switch {
	case ns[0] == 0:
		return 300
	case o.Operation == bench.Encode:
		return ns[0]
	}
	return ns[1]
}

// newStudied gives an app whose only runtime has the codecs of small-message, on a
// virtual clock.
func newStudied(t *testing.T, cost func(runner.FakeOperation) float64) (*App, *int) {
	t.Helper()
	app, rt := newFake(t)
	runners := fstest.MapFS{"go/runner.json": {Data: []byte(`{"format":"wirecost.runner/v1","runtime":"go","isolation":"shared","needs":[],"build":[],"run":["none"]}`)}}
	rt.Description.Runtime, rt.Description.Codecs, rt.Cost = "go", nil, cost
	rt.Noise = runner.Noise{ForkSpread: 0.004, Jitter: 0.01}
	s, err := study.Named([]string{"small-message"})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range s[0].Runs[0].Codecs {
		name := strings.TrimPrefix(id, "go/")
		format, documents := bench.JSON, "json"
		switch {
		case name == "protojson":
			documents = "protojson"
		case strings.Contains(name, "protobuf"):
			format, documents = bench.Protobuf, "protobuf"
		}
		runners["go/codecs/"+name+".x.tmpl"] = fakeCodec(fmt.Sprintf(`{"name":%q,"format":%q,"documents":%q,"default":true,"library":"example.com/%s","operations":["encode","decode"],"traits":["typed"]}`, name, format, documents, name))
		rt.Description.Codecs = append(rt.Description.Codecs, runner.CodecDescription{
			Name: name, Format: format, Documents: documents, Operations: []bench.Operation{bench.Encode, bench.Decode}, Traits: []string{"typed"}, Library: "example.com/" + name, Version: "v1",
		})
	}
	app.Runners = runners
	rt.Checksums = studySums(t, app, s[0])
	started := new(int)
	app.Start = func(*runner.Runner) runner.Starter {
		return startFunc(func(ctx context.Context) (runner.Process, error) {
			*started++
			return rt.Start(ctx)
		})
	}
	return app, started
}

func TestAStudyIsRunAndDecided(t *testing.T) {
	app, started := newStudied(t, smallMessage)
	dir := filepath.Join(t.TempDir(), "results")
	code, stdout, stderr := app.test(t, t.Context(), "study", "run", "small-message", "--results", dir)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{"Claim 1 holds", "Claim 2 holds", "goccy/go-json encode", "55.0 ns", "small-message, 1 of 1 (memory): verifying go/goccy", "raw measurements are in " + dir} {
		if !strings.Contains(stdout+stderr, want) {
			t.Errorf("%q is not there:\n%s%s", want, stdout, stderr)
		}
	}
	// What is complete is not measured again, and gives the same page.
	*started = 0
	code, again, _ := app.test(t, t.Context(), "study", "run", "small-message", "--results", dir)
	if code != exitOK || again != stdout || *started > 0 {
		t.Errorf("from the result files: exit code %d, %d processes, the same page: %v", code, *started, again == stdout)
	}
	out := filepath.Join(t.TempDir(), "page.json")
	if code, _, stderr := app.test(t, t.Context(), "study", "run", "small-message", "--results", dir, "--format", "json", "-o", out, "--quiet"); code != exitOK || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Format  string
		Studies []struct {
			Claims []struct {
				ID, Outcome string
				Ratio       *float64
			}
		}
	}
	if err := json.Unmarshal(b, &page); err != nil || page.Format != "wirecost.study/v1" || page.Studies[0].Claims[0].Outcome != "holds" {
		t.Errorf("%v: %+v", err, page)
	}
}

// TestSwappedCodecsReverseAClaim plants a falsification.
func TestSwappedCodecsReverseAClaim(t *testing.T) {
	app, _ := newStudied(t, func(o runner.FakeOperation) float64 {
		o.Sample = map[string]string{"int64": "timestamp", "timestamp": "int64"}[o.Sample]
		o.Codec = strings.NewReplacer("goccy", "protobuf", "protobuf", "goccy").Replace(o.Codec)
		return smallMessage(o)
	})
	code, stdout, stderr := app.test(t, t.Context(), "study", "run", "small-message")
	if code != exitOK || !strings.Contains(stdout, "Claim 1 is reversed") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestAStudyWithoutItsRuntimes: what is missing is said, and leaves claims undecided.
func TestAStudyWithoutItsRuntimes(t *testing.T) {
	app, _ := newStudied(t, smallMessage)
	code, stdout, stderr := app.test(t, t.Context(), "study", "run", "address-book", "--quiet")
	if code != exitPartial {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{"Claim 1 holds", "Claim 2 is undecided", "608,060 B, equal", "python: there is no such runtime", "not measured"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not there:\n%s", want, stdout)
		}
	}
}

func TestAnInterruptedStudyGoesOn(t *testing.T) {
	app, started := newStudied(t, smallMessage)
	ctx, cancel := context.WithCancel(t.Context())
	start := app.Start
	app.Start = func(r *runner.Runner) runner.Starter {
		s := start(r)
		return startFunc(func(c context.Context) (runner.Process, error) {
			if *started == 14 { // after the verifications
				cancel()
			}
			return s.Start(c)
		})
	}
	dir := filepath.Join(t.TempDir(), "results")
	code, _, stderr := app.test(t, ctx, "study", "run", "small-message", "--results", dir)
	if code != exitInterrupted || !strings.Contains(stderr, "wirecost study run small-message --results "+dir) {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	app.Start = start
	if code, stdout, stderr := app.test(t, t.Context(), "study", "run", "small-message", "--results", dir); code != exitOK || !strings.Contains(stdout, "Claim 1 holds") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// studySums answers as right codecs would.
func studySums(t *testing.T, app *App, s *study.Study) func(runner.SampleFiles, string, []byte) (uint32, uint32, error) {
	t.Helper()
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	cmd, f := app.newRunCommand()
	if err := cmd.ParseFlags(s.Args(s.Runs[0], dir, false)); err != nil {
		t.Fatal(err)
	}
	in, err := app.load(t.Context(), &f.input, cmd.Flags().Args())
	if err != nil {
		t.Fatal(err)
	}
	return func(s runner.SampleFiles, form string, doc []byte) (leaf, visit uint32, err error) {
		ref, err := in.schema.Reference(s.Sample)
		if err != nil {
			return 0, 0, err
		}
		read := map[string]func([]byte) (protoreflect.Message, error){"json": ref.FromJSON, "protobuf": ref.Unmarshal, "protojson": ref.FromProtoJSON}[form]
		m, err := read(doc)
		if err != nil {
			return 0, 0, err
		}
		return ref.Checksums(m, "utf8")
	}
}
