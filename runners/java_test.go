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

// javaRunner gives the runner for Java, or skips where it is not set up.
func javaRunner(t *testing.T) (*runner.Runner, *runner.Builder) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	return runnertest.Runtime(t, "java")
}

// javaBuild is a build with the truth about its samples. A process holds one
// codec only, as the scheduler has it.
type javaBuild struct {
	*goBuild
	room runner.Room // of its processes
}

func buildJava(t *testing.T, s goSchema) *javaBuild {
	t.Helper()
	r, builder := javaRunner(t)
	return &javaBuild{goBuild: buildGo(t, builder, r, s, codecNames(r))}
}

// javaSkips are the samples that a codec refuses, and a part of its reason.
var javaSkips = map[string]string{
	"hostile/jsonformat": `the library does not escape keys, and q"u,o\te`,
}

// process starts a process for one codec, and gives the samples that it skips.
func (b *javaBuild) process(t *testing.T, codec string) (runner.Process, runner.CodecDescription, preparation) {
	t.Helper()
	p := start(t, b.Within(b.room))
	d, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Runtime != "java" || d.StringUnit != "utf16" || d.ClockStepNS <= 0 || d.ClockStepNS > 1e6 || !strings.Contains(d.Version, "collector ") {
		t.Errorf("description %+v", d)
	}
	reply, err := p.Prepare(t.Context(), b.files, []string{codec})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(d.Codecs, func(c runner.CodecDescription) bool { return c.Name == codec })
	if d.Codecs[i].Version == "" {
		t.Errorf("%s has no version", codec)
	}
	return p, d.Codecs[i], preparation{reply}
}

// verify holds what a codec reads and writes against the reference. It gives the
// checksum of each operation in one round over the documents.
func (b *javaBuild) verify(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription) map[bench.Operation]uint32 {
	t.Helper()
	ref, messages := b.refs[sample.name], b.messages[sample.name]
	out := filepath.Join(t.TempDir(), "out")
	reply, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: sample.name, Codec: c.Name, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	written, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: len(messages), Bytes: 64 << 20})
	if err != nil || len(written) != len(messages) {
		t.Fatalf("%d documents written; want %d: %v", len(written), len(messages), err)
	}
	match := map[string]func(protoreflect.Message, []byte) (*schema.Difference, error){
		"json": ref.MatchJSON, "protobuf": ref.MatchBinary, "protojson": ref.MatchProtoJSON,
	}[c.Documents]
	want := map[bench.Operation]uint32{}
	for i, m := range messages {
		if d, err := match(m, written[i]); d != nil || err != nil {
			t.Errorf("document %d: %v %v in %.300q", i, d, err, written[i])
		}
		leaf, visit, err := ref.Checksums(m, "utf16")
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

// measure checks the checksum of timed batches, want being that of one round, and
// what is told of the whole turn.
func (b *javaBuild) measure(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription, op bench.Operation, want uint32) {
	t.Helper()
	n := len(sample.documents)
	cold, err := p.Cold(t.Context(), runner.ColdRequest{Sample: sample.name, Codec: c.Name, Operation: op, Count: n + 1})
	if err != nil || len(cold.NS) != n+1 || slices.Min(cold.NS) <= 0 {
		t.Errorf("cold %s: %v %v", op, cold, err)
	}
	one := runner.BatchRequest{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 3 * n, Window: n}
	last := one
	last.Iterations, last.Document, last.Window = 10, n-1, 1
	m, err := p.Measure(t.Context(), runner.MeasureRequest{Turn: []runner.BatchRequest{one, last}, Settle: op == bench.Encode})
	if err != nil {
		t.Errorf("measure %s: %v", op, err)
		return
	}
	if m.Checksum[0] != 3*want || m.WallNS[0] <= 0 || m.WallNS[1] <= 0 || m.CPUNS <= 0 || m.Collections < 0 {
		t.Errorf("measure %s: %+v; want checksum %d", op, m, 3*want)
	}
}

// everySample lets one codec prove itself on all samples of a build.
func (b *javaBuild) everySample(t *testing.T, s goSchema, codec string) {
	p, c, prepared := b.process(t, codec)
	for _, sample := range s.samples {
		t.Run(sample.name+"/"+codec, func(t *testing.T) {
			if reason, skip := prepared.skipped(sample.name, codec), javaSkips[sample.name+"/"+codec]; reason != "" || skip != "" {
				if skip == "" || !strings.Contains(reason, skip) {
					t.Errorf("skipped because of %q; want %q", reason, skip)
				}
				return
			}
			want := b.verify(t, p, sample, c)
			for _, op := range c.Operations {
				b.measure(t, p, sample, c, op, want[op])
			}
		})
	}
}

// TestJavaRunner builds every codec for schemas with everything in them.
func TestJavaRunner(t *testing.T) {
	t.Parallel()
	for _, s := range goSchemas {
		t.Run(s.name, func(t *testing.T) {
			b := buildJava(t, s)
			if b.Dropped != nil {
				t.Errorf("dropped: %v", b.Dropped)
			}
			for _, codec := range b.Codecs {
				b.everySample(t, s, codec)
			}
			if s.name == "proto3" {
				p := start(t, b.Build)
				d, err := p.Describe(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				b.traits(t, p, d.Codecs)
				b.coercions(t, p, d.Codecs)
			}
		})
	}
}

// coercions checks that a JSON codec refuses values of another type, or says in
// its traits what it makes of them.
func (b *javaBuild) coercions(t *testing.T, p runner.Process, codecs []runner.CodecDescription) {
	for _, x := range []struct{ document, trait string }{
		{`{"aInt32":1.9}`, ""},
		{`{"aInt64":1.9}`, ""},
		{`{"aInt64":9223372036854775808}`, "reads 2^63 as 2^63-1"},
		{`{"aInt32":"x"}`, ""},
		{`{"aBool":1}`, ""},
		{`{"aInt32":"12"}`, "reads numbers and bools in strings"},
		{`{"aDouble":"12"}`, "reads numbers and bools in strings"},
		{`{"aBool":"true"}`, "reads numbers and bools in strings"},
		{`{"aString":12}`, "reads numbers and bools as strings"},
		{`{"aString":true}`, "reads numbers and bools as strings"},
		{`{"aInt32":null}`, "reads null as 0"},
		{`{"aColor":1}`, "reads unknown enum names as null"},
		{`{"aColor":"PURPLE"}`, "reads unknown enum names as null"},
		{`{"unknown":1}`, "ignores unknown fields"},
	} {
		for _, c := range codecs {
			if c.Documents != "json" {
				continue
			}
			written, err := b.again(t, p, c, x.document)
			if says := slices.Contains(c.Traits, x.trait); says != (err == nil) {
				t.Errorf("%s: %s: became %s, error %v; the trait %q is claimed: %v", c.Name, x.document, written, err, x.trait, says)
			}
		}
	}
}
