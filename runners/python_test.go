package runners_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/runner/runnertest"
	"wirecost/internal/schema"
)

// pythonSkips are the samples that a codec refuses, and a part of its reason.
var pythonSkips = map[string]string{
	"spelt/json":      "the number 123456789012345678901234567890.50 at $.number of document 0 would be rounded",
	"spelt/orjson":    "would be rounded",
	"spelt/ujson":     "would be rounded",
	"times/msgspec":   `$.ats[2] of document 0 is "9999-12-31T23:59:59.999999999Z": a datetime holds microseconds`,
	"hostile/msgspec": `msgspec cannot have the key "q\"u`,
}

// pythonRunner gives the runner for Python, or skips where it is not set up.
func pythonRunner(t *testing.T) (*runner.Runner, *runner.Builder) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	return runnertest.Runtime(t, "python")
}

// pythonBuild is a build with the truth about its samples, and a process of it.
type pythonBuild struct {
	*goBuild
	process  runner.Process
	codecs   []runner.CodecDescription
	prepared preparation
}

func buildPython(t *testing.T, s goSchema) *pythonBuild {
	t.Helper()
	r, builder := pythonRunner(t)
	b := &pythonBuild{goBuild: buildGo(t, builder, r, s, codecNames(r))}
	if b.Dropped != nil {
		t.Errorf("dropped: %v", b.Dropped)
	}
	b.process = start(t, b.Build)
	d, err := b.process.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Runtime != "python" || d.StringUnit != "rune" || !strings.HasPrefix(d.Version, "CPython 3.") {
		t.Errorf("description %+v", d)
	}
	b.codecs, b.prepared = d.Codecs, b.prepare(t, b.process)
	return b
}

// wanted reports whether a codec takes a sample, and checks the reason where not.
func (b *pythonBuild) wanted(t *testing.T, sample, codec string, skips map[string]string) bool {
	t.Helper()
	reason, want := b.prepared.skipped(sample, codec), skips[sample+"/"+codec]
	if (reason == "") != (want == "") || !strings.Contains(reason, want) {
		t.Errorf("skipped because of %q; want %q", reason, want)
	}
	return reason == ""
}

// verify holds what a codec reads and writes against the reference. It gives the
// checksum of each operation in one round over the documents.
func (b *pythonBuild) verify(t *testing.T, sample goSample, c runner.CodecDescription) map[bench.Operation]uint32 {
	t.Helper()
	ref, messages := b.refs[sample.name], b.messages[sample.name]
	out := filepath.Join(b.dir, "out")
	reply, err := b.process.Verify(t.Context(), runner.VerifyRequest{Sample: sample.name, Codec: c.Name, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	written, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: len(messages), Bytes: 64 << 20})
	if err != nil || len(written) != len(messages) {
		t.Fatalf("%d documents written; want %d: %v", len(written), len(messages), err)
	}
	match := map[string]func(protoreflect.Message, []byte) (*schema.Difference, error){"json": ref.MatchJSON, "protobuf": ref.MatchBinary}[c.Documents]
	want := map[bench.Operation]uint32{}
	for i, m := range messages {
		if d, err := match(m, written[i]); d != nil || err != nil {
			t.Errorf("document %d: %v %v in %.300q", i, d, err, written[i])
		}
		leaf, visit, err := ref.Checksums(m, "rune")
		if err != nil {
			t.Fatal(err)
		}
		if reply.Leaf[i] != leaf || reply.Visit[i] != visit {
			t.Errorf("document %d: leaf %d, visit %d; want %d, %d", i, reply.Leaf[i], reply.Visit[i], leaf, visit)
		}
		want[bench.Decode] += leaf
		want[bench.Visit] += visit
		want[bench.Encode] += uint32(len(written[i]))
	}
	return want
}

// measure checks the checksum of timed batches; want is that of one round.
func (b *pythonBuild) measure(t *testing.T, sample goSample, c runner.CodecDescription, op bench.Operation, want uint32) {
	t.Helper()
	n := len(sample.documents)
	cold, err := b.process.Cold(t.Context(), runner.ColdRequest{Sample: sample.name, Codec: c.Name, Operation: op, Count: n + 1})
	if err != nil || len(cold.NS) != n+1 || slices.Min(cold.NS) <= 0 {
		t.Errorf("cold %s: %v %v", op, cold, err)
	}
	one := runner.BatchRequest{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 3 * n, Window: n}
	last := one
	last.Iterations, last.Document, last.Window = 1000, n-1, 1
	m, err := b.process.Measure(t.Context(), runner.MeasureRequest{Turn: []runner.BatchRequest{one, last}, Settle: op == bench.Encode})
	if err != nil {
		t.Errorf("measure %s: %v", op, err)
		return
	}
	if m.Checksum[0] != 3*want || m.WallNS[0] <= 0 || m.WallNS[1] <= 0 || m.CPUNS < 0 || m.Preemptions < 0 || m.Collections < 0 {
		t.Errorf("measure %s: %+v; want checksum %d", op, m, 3*want)
	}
}

// TestPythonRunner builds every codec for schemas with everything in them.
func TestPythonRunner(t *testing.T) {
	t.Parallel()
	for _, s := range goSchemas {
		t.Run(s.name, func(t *testing.T) {
			b := buildPython(t, s)
			for _, sample := range s.samples {
				for _, c := range b.codecs {
					t.Run(sample.name+"/"+c.Name, func(t *testing.T) {
						if !b.wanted(t, sample.name, c.Name, pythonSkips) {
							return
						}
						want := b.verify(t, sample, c)
						for _, op := range c.Operations {
							b.measure(t, sample, c, op, want[op])
						}
					})
				}
			}
			if s.name == "proto3" {
				b.traits(t, b.process, b.codecs)
			}
		})
	}
}
