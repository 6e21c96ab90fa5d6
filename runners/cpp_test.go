package runners_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/runner/runnertest"
)

// cppSkips are the samples that a codec refuses, with a part of the reason.
var cppSkips = map[string]string{
	"spelt/nlohmann":          "Spelt_.numbers_ keeps a number's text",
	"spelt/rapidjson":         "Spelt_.numbers_ keeps a number's text",
	"spelt/rapidjson-default": "Spelt_.numbers_ keeps a number's text",
}

func buildCpp(t *testing.T, s goSchema, codecs ...string) *goBuild {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	r, builder := runnertest.Runtime(t, "cpp")
	if len(codecs) == 0 {
		codecs = codecNames(r)
	}
	return buildGo(t, builder, r, s, codecs)
}

// TestCppRunner builds every codec for every schema, and checks what each says of
// each document.
func TestCppRunner(t *testing.T) {
	t.Parallel()
	for _, s := range goSchemas {
		t.Run(s.name, func(t *testing.T) {
			b := buildCpp(t, s)
			for _, d := range b.Dropped {
				// protoc before version 27 knows no editions, which groups become as well.
				if s.name == "proto3" || !strings.HasPrefix(d.Codec, "proto") || !strings.Contains(d.Reason, "editions") {
					t.Errorf("%s is not built: %s", d.Codec, d.Reason)
				}
			}
			p := start(t, b.Build)
			b.cppCodecs(t, p, s, cppSkips)
			if s.name == "proto3" {
				b.traits(t, p, b.cppDescription(t, p).Codecs)
			}
		})
	}
}

func (b *goBuild) cppDescription(t *testing.T, p runner.Process) *runner.Description {
	t.Helper()
	d, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Runtime != "cpp" || d.StringUnit != "utf8" || d.ClockStepNS <= 0 || d.ClockStepNS > 1e6 || !strings.Contains(d.Version, "-O2") {
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

// cppCodecs checks every codec on every sample. The skips are those expected, by
// sample and codec.
func (b *goBuild) cppCodecs(t *testing.T, p runner.Process, s goSchema, skips map[string]string) {
	description := b.cppDescription(t, p)
	prepared := b.prepare(t, p)
	for _, sample := range s.samples {
		for _, c := range description.Codecs {
			t.Run(sample.name+"/"+c.Name, func(t *testing.T) {
				want := skips[sample.name+"/"+c.Name]
				got := prepared.skipped(sample.name, c.Name)
				switch {
				case (got == "") != (want == "") || !strings.Contains(got, want):
					t.Errorf("skipped: %q; want %q", got, want)
				case got == "" && c.Name == "rapidjson-default":
					b.cppRounds(t, p, sample, c)
				case got == "":
					sums := b.verify(t, p, sample, c)
					for _, op := range c.Operations {
						cppOperation(t, p, sample, c, op, sums[op])
					}
				}
			})
		}
	}
}

// cppRounds allows that doubles come back a little different, and nothing else:
// everything is put through, but only checksums are compared.
func (b *goBuild) cppRounds(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription) {
	if !slices.Contains(c.Traits, "rounds doubles") {
		t.Errorf("%s does not say that it rounds doubles: %q", c.Name, c.Traits)
	}
	reply, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: sample.name, Codec: c.Name, Out: filepath.Join(b.dir, "out")})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range b.messages[sample.name] {
		leaf, visit, err := b.refs[sample.name].Checksums(m, "utf8")
		if err != nil {
			t.Fatal(err)
		}
		if reply.Leaf[i] != leaf || reply.Visit[i] != visit {
			t.Errorf("document %d: leaf %d, visit %d; want %d, %d", i, reply.Leaf[i], reply.Visit[i], leaf, visit)
		}
	}
}

// cppOperation measures one operation; want is the checksum of one round over the
// documents.
func cppOperation(t *testing.T, p runner.Process, sample goSample, c runner.CodecDescription, op bench.Operation, want uint32) {
	n := len(sample.documents)
	cold, err := p.Cold(t.Context(), runner.ColdRequest{Sample: sample.name, Codec: c.Name, Operation: op, Count: n + 1})
	if err != nil || len(cold.NS) != n+1 || slices.Min(cold.NS) < 0 {
		t.Errorf("cold %s: %v %v", op, cold, err)
	}
	m, err := p.Measure(t.Context(), runner.MeasureRequest{Settle: op == bench.Encode, Turn: []runner.BatchRequest{
		{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 3 * n, Window: n},
		{Sample: sample.name, Codec: c.Name, Operation: op, Iterations: 1, Document: n - 1, Window: 1},
	}})
	if err != nil {
		t.Errorf("measure %s: %v", op, err)
	} else if m.Checksum[0] != 3*want || m.WallNS[0] <= 0 || m.CPUNS < 0 || m.Preemptions < 0 || m.Collections != 0 {
		t.Errorf("measure %s: %+v; want checksum %d", op, m, 3*want)
	}
}
