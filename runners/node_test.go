package runners_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
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

// nodeSkips are the samples that a codec refuses, with a part of the reason.
var nodeSkips = map[string]string{
	"scalars/json":             "the integer 9223372036854775807 at $.aInt64 is beyond 2^53, and JSON.parse makes 9223372036854776000 of it",
	"many/json":                "the integer 9007199254740993 at $.empty.k is beyond 2^53",
	"spelt/json":               "the number 123456789012345678901234567890.50 at $.number is kept as text",
	"unions/json":              "the integer 9007199254740993 at $.whole is beyond 2^53",
	"chosen/json":              "the integer 9007199254740993 at $.object.object.number is beyond 2^53",
	"keys/fast-json-stringify": `takes the "__proto__" that every object inherits`,
	"orders/json":              "the integer 9007199254740993 at $.part[0].sizes[1] is beyond 2^53",
}

func buildNode(t *testing.T, s goSchema) *goBuild {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	r, builder := runnertest.Runtime(t, "node")
	return buildGo(t, builder, r, s, codecNames(r))
}

// TestNodeRunner builds every codec for every schema, and checks what each says of
// each document.
func TestNodeRunner(t *testing.T) {
	t.Parallel()
	for _, s := range goSchemas {
		t.Run(s.name, func(t *testing.T) {
			b := buildNode(t, s)
			if b.Dropped != nil {
				t.Errorf("dropped %v", b.Dropped)
			}
			b.nodeCodecs(t, s, nodeSkips)
			if s.name == "proto3" {
				p := start(t, b.Build)
				d, err := p.Describe(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				b.traits(t, p, d.Codecs)
				b.nodeUnknown(t, p, d.Codecs)
			}
		})
	}
}

// nodeUnknown checks what codecs say of fields that the schema lacks.
func (b *goBuild) nodeUnknown(t *testing.T, p runner.Process, codecs []runner.CodecDescription) {
	const unknown = "\xc2\x3e\x03abc" // number 1000
	for _, c := range codecs {
		if c.Documents != "protobuf" {
			continue
		}
		written, err := b.again(t, p, c, "\x5a\x01x"+unknown)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		trait := "drops unknown fields"
		if strings.Contains(string(written), unknown) {
			trait = "keeps unknown fields"
		}
		if !slices.Contains(c.Traits, trait) {
			t.Errorf("%s %s, and claims %q", c.Name, trait, c.Traits)
		}
	}
}

// nodeCodecs checks every codec on every sample, each codec in a process of its
// own. The skips are those expected, by sample and codec.
func (b *goBuild) nodeCodecs(t *testing.T, s goSchema, skips map[string]string) {
	for _, name := range b.Codecs {
		p := start(t, b.Build)
		d, err := p.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := d.Codecs[slices.IndexFunc(d.Codecs, func(c runner.CodecDescription) bool { return c.Name == name })]
		reply, err := p.Prepare(t.Context(), b.files, []string{name})
		if err != nil {
			t.Fatal(err)
		}
		prepared := preparation{reply}
		for _, sample := range s.samples {
			t.Run(sample.name+"/"+name, func(t *testing.T) {
				want := skips[sample.name+"/"+name]
				if want == "" && strings.Contains(name, "json") { // they lose the same
					want = skips[sample.name+"/json"]
				}
				if got := prepared.skipped(sample.name, name); (got == "") != (want == "") || !strings.Contains(got, want) {
					t.Errorf("skipped: %q; want %q", got, want)
				} else if got == "" {
					b.nodeCodec(t, p, sample, c)
				}
			})
		}
	}
}

// nodeCodec verifies one codec on one sample, and then measures it.
func (b *goBuild) nodeCodec(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription) {
	out := filepath.Join(b.dir, "out")
	reply, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: sample.name, Codec: c.Name, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	ref, messages := b.refs[sample.name], b.messages[sample.name]
	written, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: len(messages), Bytes: 1 << 30})
	if err != nil || len(written) != len(messages) {
		t.Fatalf("%d documents written; want %d: %v", len(written), len(messages), err)
	}
	match := map[string]func(protoreflect.Message, []byte) (*schema.Difference, error){"json": ref.MatchJSON, "protobuf": ref.MatchBinary}[c.Documents]
	visits := slices.Contains(c.Operations, bench.Visit)
	want := map[bench.Operation]uint32{}
	for i, m := range messages {
		if d, err := match(m, written[i]); d != nil || err != nil {
			t.Errorf("document %d: %v %v in %.300q", i, d, err, written[i])
		}
		leaf, visit, err := ref.Checksums(m, "utf16")
		if err != nil {
			t.Fatal(err)
		}
		if reply.Leaf[i] != leaf || visits && reply.Visit[i] != visit {
			t.Errorf("document %d: leaf %d, visit %v; want %d, %d", i, reply.Leaf[i], reply.Visit, leaf, visit)
		}
		want[bench.Decode] += leaf
		want[bench.Visit] += visit
		want[bench.Encode] += uint32(len(written[i]))
	}
	for _, op := range c.Operations {
		b.nodeOperation(t, p, sample, c, op, want[op])
	}
}

// nodeOperation measures one operation; want is the checksum of one round over the
// documents. Browsers have coarse clocks, and do not tell what they use.
func (b *goBuild) nodeOperation(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription, op bench.Operation, want uint32) {
	n := len(sample.documents)
	tells, least := true, int64(1)
	if b.Runner.Runtime != "node" {
		tells, least = false, 0
	}
	cold, err := p.Cold(t.Context(), runner.ColdRequest{Sample: sample.name, Codec: c.Name, Operation: op, Count: n + 1})
	if err != nil || len(cold.NS) != n+1 || slices.Min(cold.NS) < least {
		t.Errorf("cold %s: %v %v", op, cold, err)
	}
	m, err := p.Measure(t.Context(), runner.MeasureRequest{Settle: op == bench.Encode, Turn: []runner.BatchRequest{
		{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 3 * n, Window: n},
		{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 1, Document: n - 1, Window: 1},
	}})
	if err != nil {
		t.Errorf("measure %s: %v", op, err)
	} else if m.Checksum[0] != 3*want || min(m.WallNS[0], m.WallNS[1]) < least || tells != (m.CPUNS >= 0 && m.Collections >= 0) {
		t.Errorf("measure %s: %+v; want checksum %d", op, m, 3*want)
	}
}

// TestNodeCountsCollections checks that a turn that makes much garbage tells of
// collections, and one that makes none does not.
func TestNodeCountsCollections(t *testing.T) {
	b := buildNode(t, goSchemas[1])
	p := start(t, b.Build)
	b.prepare(t, p)
	for _, x := range []struct {
		iterations int
		collects   bool
	}{{1, false}, {500_000, true}, {1, false}} {
		m, err := p.Measure(t.Context(), runner.MeasureRequest{Settle: true, Turn: []runner.BatchRequest{
			{Sample: "orders", Codec: "protobufjs", Operation: bench.Decode, Iterations: x.iterations, Window: 2}}})
		if err != nil {
			t.Fatal(err)
		}
		if (m.Collections > 0) != x.collects {
			t.Errorf("%d iterations: %d collections", x.iterations, m.Collections)
		}
	}
}

// overwriting decodes a document with a codec, overwrites the input, and prints
// what then is not as it was.
const overwriting = `
import { readFileSync } from 'node:fs';
const schema = { model: JSON.parse(readFileSync('schema.json')), set: readFileSync('set.binpb'), parse: JSON.parse };
const [name, root, file] = process.argv.slice(2);
const { once } = await import(process.cwd() + '/harness/operations.mjs');
const codec = (await import(process.cwd() + '/codecs/' + name + '.mjs')).default(schema);
const input = readFileSync(file).subarray(4);
const { decode } = once(codec, codec.root(Number(root)), 'test');
const text = object => JSON.stringify(object, (key, v) => typeof v === 'bigint' ? String(v) : ArrayBuffer.isView(v) ? [...v] : v);
const object = decode(codec.input ? codec.input(input) : input);
const before = text(object);
input.fill(0);
const after = text(object);
if (before !== after) console.log(after.includes('plain text') && after.includes('inner text') ? 'bytes' : 'strings');
if (Object.getOwnPropertyNames(Object.prototype).length !== 12) console.log('Object.prototype was changed');
`

// TestNodeOverwritesTheInput checks what codecs say of who owns strings and bytes.
func TestNodeOverwritesTheInput(t *testing.T) {
	t.Parallel()
	s := goSchema{name: "owned", proto: `syntax = "proto3";
message Doc { string text = 1; bytes raw = 2; repeated Doc inner = 3; map<string, string> by = 4; }
`, samples: []goSample{{"docs", "Doc", []string{`{"text":"plain text","raw":"AQID","inner":[{"text":"inner text"}],"by":{"__proto__":"p"}}`}}}}
	b := buildNode(t, s)
	script := filepath.Join(t.TempDir(), "overwriting.mjs")
	if err := os.WriteFile(script, []byte(overwriting), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Runner.Codecs {
		run := exec.Command("node", script, c.Name, "0", b.files[0].Files[c.Documents])
		run.Dir = b.Dir
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.Name, err, out)
		}
		want := ""
		if slices.Contains(c.Traits, "bytes alias the input") {
			want = "bytes"
		}
		if got := strings.TrimSpace(string(out)); got != want {
			t.Errorf("%s: overwriting the input changes %q; want %q", c.Name, got, want)
		}
	}
}

// TestNodeLibrariesAreListed checks that the documentation has what npm is asked for.
func TestNodeLibrariesAreListed(t *testing.T) {
	t.Parallel()
	var packages struct{ Dependencies, DevDependencies map[string]string }
	b, err := os.ReadFile("node/setup/package.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &packages); err != nil {
		t.Fatal(err)
	}
	listed, err := os.ReadFile("../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(packages.Dependencies, packages.DevDependencies)
	for name, version := range packages.Dependencies {
		if row := fmt.Sprintf("\n| %s | %s | ", name, version); !strings.Contains(string(listed), row) {
			t.Errorf("docs/dependencies.md lacks the row %q", row)
		}
	}
}
