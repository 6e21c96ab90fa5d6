// Package runners_test builds the runners and holds their codecs against the
// reference conversion.
package runners_test

import (
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
	"wirecost/internal/testenv"
	"wirecost/runners"
)

// goRunner loads the runner for Go, or skips where it cannot be built.
func goRunner(t *testing.T) *runner.Runner {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	all, err := runner.Load(runners.FS)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(r *runner.Runner) bool { return r.Runtime == "go" })
	needs, err := all[i].Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range needs {
		if !n.OK() {
			testenv.Skip(t, n.Problem)
		}
	}
	return all[i]
}

func codecNames(r *runner.Runner) []string {
	var names []string
	for _, c := range r.Codecs {
		names = append(names, c.Name)
	}
	return names
}

// TestGoRunner builds every codec for every schema, and checks what each says of
// each document.
func TestGoRunner(t *testing.T) {
	t.Parallel()
	r := goRunner(t)
	builder := &runner.Builder{Cache: t.TempDir(), Version: "test"}
	for _, s := range goSchemas {
		t.Run(s.name, func(t *testing.T) {
			b := buildGo(t, builder, r, s, codecNames(r))
			wantDropped(t, s, b.Dropped)
			p := start(t, b.Build)
			description := describe(t, p, b.Build)
			prepared := b.prepare(t, p)
			for _, sample := range s.samples {
				for _, c := range description.Codecs {
					t.Run(sample.name+"/"+c.Name, func(t *testing.T) {
						if reason := prepared.skipped(sample.name, c.Name); reason != "" {
							if c.Name != "hyperpb" {
								t.Errorf("skipped: %s", reason)
							}
							return
						}
						b.codec(t, p, sample, c)
					})
				}
			}
			if s.name == "proto3" {
				b.traits(t, p, description.Codecs)
			}
		})
	}
}

// wantDropped says which codecs cannot be built for a schema.
func wantDropped(t *testing.T, s goSchema, dropped []runner.Dropped) {
	t.Helper()
	var got []string
	for _, d := range dropped {
		got = append(got, d.Codec)
	}
	var want []string
	if s.noVT { // groups, implicit presence in editions
		want = []string{"vtprotobuf", "vtprotobuf-unsafe"}
	}
	if !slices.Equal(got, want) {
		t.Errorf("dropped %v; want %v", dropped, want)
	}
}

// goBuild is a build with the truth about its samples.
type goBuild struct {
	*runner.Build
	schema   *schema.Schema
	dir      string // of the documents
	messages map[string][]protoreflect.Message
	refs     map[string]*schema.Reference
	files    []runner.SampleFiles
}

func buildGo(t *testing.T, builder *runner.Builder, r *runner.Runner, s goSchema, codecs []string, transports ...bench.Transport) *goBuild {
	t.Helper()
	roots := map[string]string{}
	for _, sample := range s.samples {
		roots[sample.name] = sample.root
	}
	compiled, err := schema.CompileText(t.Context(), s.name+".proto", s.proto, roots)
	if err != nil {
		t.Fatal(err)
	}
	if s.fit {
		fit(t, compiled, s)
	}
	b := &goBuild{schema: compiled, dir: t.TempDir(), messages: map[string][]protoreflect.Message{}, refs: map[string]*schema.Reference{}}
	for _, sample := range s.samples {
		b.documents(t, sample)
	}
	sets := map[string][]byte{}
	for name, jsonNames := range map[string]bool{"set.binpb": false, "set-protojson.binpb": true} {
		set, err := compiled.Normalised(jsonNames)
		if err != nil {
			t.Fatal(err)
		}
		if sets[name], err = proto.Marshal(set); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	b.Build, err = builder.Build(t.Context(), r, runner.BuildRequest{
		Model: compiled.Model, Sets: sets, Codecs: codecs, Transports: transports, Progress: func(s string) { t.Log(s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("built in %v", time.Since(began).Round(time.Millisecond))
	return b
}

// documents writes a sample's documents in every form.
func (b *goBuild) documents(t *testing.T, sample goSample) {
	t.Helper()
	ref, err := b.schema.Reference(sample.name)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string][][]byte{}
	for _, text := range sample.documents {
		m, err := ref.FromJSON([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v in %s", sample.name, err, text)
		}
		wire, err := ref.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		protojson, err := ref.ProtoJSON(m)
		if err != nil {
			t.Fatal(err)
		}
		b.messages[sample.name] = append(b.messages[sample.name], m)
		forms["json"] = append(forms["json"], []byte(text))
		forms["protobuf"] = append(forms["protobuf"], wire)
		forms["protojson"] = append(forms["protojson"], protojson)
	}
	root, _ := b.schema.Model.RootOf(sample.name)
	files := runner.SampleFiles{Sample: sample.name, Root: root.Type, Documents: len(sample.documents), Files: map[string]string{}}
	for form, documents := range forms {
		files.Files[form] = filepath.Join(b.dir, url.PathEscape(sample.name)+"."+form)
		if err := runner.WriteDocumentsFile(files.Files[form], documents); err != nil {
			t.Fatal(err)
		}
	}
	b.refs[sample.name], b.files = ref, append(b.files, files)
}

func start(t *testing.T, b runner.Starter) runner.Process {
	t.Helper()
	p, err := b.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return p
}

func describe(t *testing.T, p runner.Process, b *runner.Build) *runner.Description {
	t.Helper()
	d, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Runtime != "go" || d.StringUnit != "utf8" || d.ClockStepNS <= 0 || d.ClockStepNS > 1e6 {
		t.Errorf("description %+v", d)
	}
	var names []string
	for _, c := range d.Codecs {
		names = append(names, c.Name)
		if c.Version == "" || len(c.Traits) == 0 {
			t.Errorf("%s: version %q, traits %q", c.Name, c.Version, c.Traits)
		}
	}
	if !slices.Equal(names, b.Codecs) {
		t.Errorf("codecs %v; want %v", names, b.Codecs)
	}
	return d
}

type preparation struct{ *runner.PrepareReply }

func (p preparation) skipped(sample, codec string) string {
	for _, s := range p.Skips {
		if s.Sample == sample && s.Codec == codec {
			return s.Reason
		}
	}
	return ""
}

func (b *goBuild) prepare(t *testing.T, p runner.Process) preparation {
	t.Helper()
	reply, err := p.Prepare(t.Context(), b.files, b.Codecs)
	if err != nil {
		t.Fatal(err)
	}
	return preparation{reply}
}

// codec verifies one codec on one sample and then measures it, with checksums.
func (b *goBuild) codec(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription) {
	want := b.verify(t, p, sample, c)
	for _, op := range c.Operations {
		b.operation(t, p, sample, c, op, want[op])
	}
}

// verify holds what a codec reads and writes against the reference. It gives the
// checksum of each operation in one round over the documents.
func (b *goBuild) verify(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription) map[bench.Operation]uint32 {
	t.Helper()
	ref, messages := b.refs[sample.name], b.messages[sample.name]
	out := filepath.Join(b.dir, "out")
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
			t.Errorf("document %d: %v %v in %q", i, d, err, written[i])
		}
		leaf, visit, err := ref.Checksums(m, "utf8")
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

// operation measures one operation; want is the checksum of one round over the
// documents. Map order must not matter: encoded lengths are equal.
func (b *goBuild) operation(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription, op bench.Operation, want uint32) {
	n := len(sample.documents)
	cold, err := p.Cold(t.Context(), runner.ColdRequest{Sample: sample.name, Codec: c.Name, Operation: op, Count: n + 1})
	if err != nil || len(cold.NS) != n+1 || slices.Min(cold.NS) <= 0 {
		t.Errorf("cold %s: %v %v", op, cold, err)
	}
	turn := []runner.BatchRequest{
		{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 3 * n, Window: n},
		{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 1, Document: n - 1, Window: 1},
	}
	m, err := p.Measure(t.Context(), runner.MeasureRequest{Turn: turn, Settle: op == bench.Encode})
	if err != nil {
		t.Errorf("measure %s: %v", op, err)
		return
	}
	if m.Checksum[0] != 3*want || m.WallNS[0] <= 0 || m.WallNS[1] <= 0 {
		t.Errorf("measure %s: %+v; want checksum %d", op, m, 3*want)
	}
	memory, err := p.Memory(t.Context(), runner.MemoryRequest{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 100})
	if err != nil || memory.Allocations < 0 || memory.Bytes < 0 || op == bench.Decode && memory.Allocations == 0 {
		t.Errorf("memory %s: %+v %v", op, memory, err)
	}
}
