package runners_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// TestGoRunnerRefusals checks that wrong requests and bad documents are errors
// of their request, and cost the runner nothing else.
func TestGoRunnerRefusals(t *testing.T) {
	t.Parallel()
	r := goRunner(t)
	s := goSchemas[1]
	codecs := []string{"encoding-json", "protobuf"}
	b := buildGo(t, &runner.Builder{Cache: t.TempDir(), Version: "test"}, r, s, codecs)
	p := start(t, b.Build)
	ctx := t.Context()
	b.prepare(t, p)
	fails := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	measure := func(q runner.BatchRequest) error {
		_, err := p.Measure(ctx, runner.MeasureRequest{Turn: []runner.BatchRequest{q}})
		return err
	}
	good := runner.BatchRequest{Sample: "orders", Codec: "protobuf", Operation: bench.Decode, Iterations: 1, Window: 1}
	for what, change := range map[string]func(*runner.BatchRequest){
		"unknown sample":    func(q *runner.BatchRequest) { q.Sample = "x" },
		"unknown codec":     func(q *runner.BatchRequest) { q.Codec = "goccy" },
		"unknown operation": func(q *runner.BatchRequest) { q.Operation = "x" },
		"no iterations":     func(q *runner.BatchRequest) { q.Iterations = 0 },
		"window too wide":   func(q *runner.BatchRequest) { q.Window = 3 },
		"document too far":  func(q *runner.BatchRequest) { q.Document = 2 },
		"negative document": func(q *runner.BatchRequest) { q.Document = -1 },
		"empty window":      func(q *runner.BatchRequest) { q.Window = 0 },
	} {
		q := good
		change(&q)
		fails(what, measure(q))
	}
	for form, text := range map[string]string{"json": `{"id":5}`, "protobuf": "\x0a\xff"} {
		files := b.files[0]
		files.Files = map[string]string{"json": filepath.Join(b.dir, "bad"), "protobuf": filepath.Join(b.dir, "bad")}
		files.Documents = 1
		if err := runner.WriteDocumentsFile(files.Files[form], [][]byte{[]byte(text)}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Prepare(ctx, []runner.SampleFiles{files}, codecs); err != nil {
			t.Fatal(err)
		}
		codec := map[string]string{"json": "encoding-json", "protobuf": "protobuf"}[form]
		_, err := p.Verify(ctx, runner.VerifyRequest{Sample: "orders", Codec: codec, Out: filepath.Join(b.dir, "out")})
		fails("verify of bad "+form, err)
		q := good
		q.Codec = codec
		fails("decode of bad "+form, measure(q))
		q.Operation = bench.Encode
		fails("encode of bad "+form, measure(q))
	}
	if err := os.WriteFile(filepath.Join(b.dir, "bad"), []byte("\x09\x00\x00\x00short"), 0o644); err != nil {
		t.Fatal(err)
	}
	cut := b.files[0]
	cut.Files = map[string]string{"json": filepath.Join(b.dir, "bad")}
	_, err := p.Prepare(ctx, []runner.SampleFiles{cut}, codecs[:1])
	fails("a cut file", err)
	b.prepare(t, p)
	if err := measure(good); err != nil {
		t.Errorf("after all that: %v", err)
	}
	if e, err := p.Empty(ctx, runner.EmptyRequest{Iterations: 1_000_000}); err != nil || e.WallNS <= 0 || e.WallNS > int64(time.Second) {
		t.Errorf("empty: %+v %v", e, err)
	} else {
		t.Logf("the loop costs %.2f ns per operation", float64(e.WallNS)/1e6)
	}
}

// TestGoRunnerBuildsOnlyWhatIsSelected checks that a JSON library does not bring
// Protobuf along, nor another JSON library.
func TestGoRunnerBuildsOnlyWhatIsSelected(t *testing.T) {
	t.Parallel()
	r := goRunner(t)
	b := buildGo(t, &runner.Builder{Cache: t.TempDir(), Version: "test"}, r, goSchemas[1], []string{"goccy"})
	p := start(t, b.Build)
	d, err := p.Describe(t.Context())
	if err != nil || len(d.Codecs) != 1 {
		t.Fatalf("%+v %v", d, err)
	}
	for _, name := range []string{"pb/wirecost_types.pb.go", "codecs/sonic.go"} {
		if _, err := os.Stat(filepath.Join(b.Dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}
