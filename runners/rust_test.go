package runners_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/runner/runnertest"
)

// buildRust builds codecs for a schema; none named are all.
func buildRust(t *testing.T, s goSchema, codecs ...string) *goBuild {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	r, builder := runnertest.Runtime(t, "rust")
	if codecs == nil {
		codecs = codecNames(r)
	}
	return buildGo(t, builder, r, s, codecs)
}

// describeRust checks what the runner says of itself.
func describeRust(t *testing.T, p runner.Process, b *runner.Build) []runner.CodecDescription {
	t.Helper()
	d, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`^rustc \d+\.\d+\.\d+\S* \S+, target-cpu \S+ \(\S*\), opt-level \d$`)
	if d.Runtime != "rust" || d.StringUnit != "utf8" || !version.MatchString(d.Version) || d.ClockStepNS <= 0 || d.ClockStepNS > 1e6 {
		t.Errorf("description %+v", d)
	}
	var names []string
	for _, c := range d.Codecs {
		names = append(names, c.Name)
		if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(c.Version) {
			t.Errorf("%s: version %q", c.Name, c.Version)
		}
	}
	if !slices.Equal(names, b.Codecs) {
		t.Errorf("codecs %v; want %v", names, b.Codecs)
	}
	return d.Codecs
}

// TestRustRunner builds every codec for every schema, and checks what each says
// of each document.
func TestRustRunner(t *testing.T) {
	t.Parallel()
	for _, s := range goSchemas {
		t.Run(s.name, func(t *testing.T) {
			b := buildRust(t, s)
			var dropped []string
			for _, d := range b.Dropped {
				dropped = append(dropped, d.Codec)
			}
			var want []string
			if s.name != "proto3" { // groups and editions
				want = []string{"prost"}
			}
			if !slices.Equal(dropped, want) {
				t.Errorf("dropped %v; want %v", b.Dropped, want)
			}
			p := start(t, b.Build)
			codecs := describeRust(t, p, b.Build)
			prepared := b.prepare(t, p)
			for _, sample := range s.samples {
				for _, c := range codecs {
					t.Run(sample.name+"/"+c.Name, func(t *testing.T) {
						if reason := prepared.skipped(sample.name, c.Name); reason != "" {
							t.Fatalf("skipped: %s", reason)
						}
						b.rustCodec(t, p, sample, c)
					})
				}
			}
			if s.name == "proto3" {
				b.traits(t, p, codecs)
			}
		})
	}
}

// rustCodec verifies one codec on one sample and then measures it, with checksums.
func (b *goBuild) rustCodec(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription) {
	want, n := b.verify(t, p, sample, c), len(sample.documents)
	for _, op := range c.Operations {
		cold, err := p.Cold(t.Context(), runner.ColdRequest{Sample: sample.name, Codec: c.Name, Operation: op, Count: n + 1})
		if err != nil || len(cold.NS) != n+1 || slices.Min(cold.NS) <= 0 {
			t.Errorf("cold %s: %v %v", op, cold, err)
		}
		m, err := p.Measure(t.Context(), runner.MeasureRequest{Settle: op == bench.Encode, Turn: []runner.BatchRequest{
			{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 3 * n, Window: n},
			{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 1, Document: n - 1, Window: 1},
		}})
		if err != nil {
			t.Errorf("measure %s: %v", op, err)
		} else if m.Checksum[0] != 3*want[op] || m.WallNS[0] <= 0 || m.WallNS[1] <= 0 || m.CPUNS < 0 || m.Preemptions < 0 || m.Collections != 0 {
			t.Errorf("measure %s: %+v; want checksum %d", op, m, 3*want[op])
		}
	}
}

// TestRustDoubles sends random doubles through every codec. That the default mode
// of serde_json changes some, as its trait says, also shows that the two copies of
// the library are two.
func TestRustDoubles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]string, 10_000)
	for i := range values {
		values[i] = fmt.Sprint(math.Ldexp(random.Float64(), random.IntN(200)-100))
	}
	sample := goSample{name: "doubles", root: "Doubles", documents: []string{`{"values":[` + strings.Join(values, ",") + `]}`}}
	b := buildRust(t, goSchema{name: "doubles", proto: `syntax = "proto3"; message Doubles { repeated double values = 1; }`, samples: []goSample{sample}})
	p := start(t, b.Build)
	b.prepare(t, p)
	for _, c := range describeRust(t, p, b.Build) {
		t.Run(c.Name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			if _, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: sample.name, Codec: c.Name, Out: out}); err != nil {
				t.Fatal(err)
			}
			written, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: 1, Bytes: 1 << 20})
			if err != nil || len(written) != 1 {
				t.Fatalf("%d documents: %v", len(written), err)
			}
			ref, message := b.refs[sample.name], b.messages[sample.name][0]
			match := ref.MatchJSON
			if c.Format == bench.Protobuf {
				match = ref.MatchBinary
			}
			difference, err := match(message, written[0])
			if err != nil {
				t.Fatal(err)
			}
			if rounds := slices.Contains(c.Traits, "rounds doubles"); rounds != (difference != nil) {
				t.Errorf("traits %q, and the difference is %v", c.Traits, difference)
			}
		})
	}
}

const deepProto = `syntax = "proto3"; message Deep { Deep deeper = 1; }`

// TestRustDeepNesting checks that documents deeper than a library goes are an
// error, not the end of the runner.
func TestRustDeepNesting(t *testing.T) {
	t.Parallel()
	b := buildRust(t, goSchema{name: "deep", proto: deepProto, samples: []goSample{{"deep", "Deep", []string{`{"deeper":{}}`}}}})
	p := start(t, b.Build)
	codecs := describeRust(t, p, b.Build)
	for _, levels := range []int{90, 5_000} {
		message := []byte{}
		for range levels {
			message = append(binary.AppendUvarint([]byte{0x0a}, uint64(len(message))), message...)
		}
		forms := map[string]string{"json": strings.Repeat(`{"deeper":`, levels) + "{}" + strings.Repeat("}", levels), "protobuf": string(message)}
		files := b.files[0]
		files.Files = map[string]string{}
		for form, text := range forms {
			files.Files[form] = filepath.Join(b.dir, "deep."+form)
			if err := runner.WriteDocumentsFile(files.Files[form], [][]byte{[]byte(text)}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Prepare(t.Context(), []runner.SampleFiles{files}, b.Codecs); err != nil {
			t.Fatal(err)
		}
		for _, c := range codecs {
			reply, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: "deep", Codec: c.Name, Out: filepath.Join(b.dir, "out")})
			switch {
			case levels == 90 && (err != nil || reply.Visit[0] != uint32(levels)+1):
				t.Errorf("%s, %d levels: %+v, %v", c.Name, levels, reply, err)
			case levels > 90 && (err == nil || !regexp.MustCompile("(?i)recursion|layers deep").MatchString(err.Error())):
				t.Errorf("%s, %d levels: %v; want an error that says how deep is too deep", c.Name, levels, err)
			}
		}
	}
}

// TestRustCountsAllocations checks the count where it is known: one allocation of
// its own length for each string that is decoded.
func TestRustCountsAllocations(t *testing.T) {
	sample := goSample{"names", "Names", []string{`{"first":"Ada Lovelace","second":"Grace Brewster","number":7}`}}
	b := buildRust(t, goSchema{name: "names", proto: `syntax = "proto3"; message Names { string first = 1; string second = 2; int64 number = 3; }`, samples: []goSample{sample}})
	p := start(t, b.Build)
	b.prepare(t, p)
	for _, c := range describeRust(t, p, b.Build) {
		const n = 50
		m, err := p.Memory(t.Context(), runner.MemoryRequest{Sample: sample.name, Codec: c.Name, Operation: bench.Decode, Iterations: n})
		if err != nil || m.Allocations != 2*n || m.Bytes != n*(12+14) {
			t.Errorf("%s: decode: %+v, %v; want %d allocations of %d bytes", c.Name, m, err, 2*n, n*(12+14))
		}
		m, err = p.Memory(t.Context(), runner.MemoryRequest{Sample: sample.name, Codec: c.Name, Operation: bench.Encode, Iterations: n})
		if err != nil || m.Allocations < n || m.Bytes < n*30 {
			t.Errorf("%s: encode: %+v, %v", c.Name, m, err)
		}
	}
}

// TestRustBuildsOnlyWhatIsSelected checks that a codec does not bring another's
// messages or source along.
func TestRustBuildsOnlyWhatIsSelected(t *testing.T) {
	t.Parallel()
	for _, codec := range []string{"sonic-rs", "serde-json-default", "buffa"} {
		b := buildRust(t, goSchemas[1], codec)
		p := start(t, b.Build)
		if codecs := describeRust(t, p, b.Build); len(codecs) != 1 {
			t.Errorf("%s: %d codecs", codec, len(codecs))
		}
		for pattern, want := range map[string]bool{"codecs/serde-json.rs": false, "generated/prost/*": false, "generated/buffa/*": codec == "buffa"} {
			if found, err := filepath.Glob(filepath.Join(b.Dir, filepath.FromSlash(pattern))); err != nil || (found != nil) != want {
				t.Errorf("%s: %s gives %v, %v", codec, pattern, found, err)
			}
		}
	}
}
