package compare

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// made is a result file that is made up: one sample, a JSON codec as the
// baseline and a Protobuf codec.
type made struct {
	sample, digest, schema, cpu, version string
	bytes                                int64   // Protobuf's, of ten documents; JSON's are 3000
	allocs                               float64 // of the Protobuf codec's decode
	ratio                                float64 // of the Protobuf codec's time, before noise
	forks                                int
	seed                                 uint64
	failed                               bool // the Protobuf codec's decode
}

// usual is a run to which others are compared.
func usual() made {
	return made{sample: "orders", digest: "d1", schema: "s1", cpu: "Example CPU", version: "v1.0.0", bytes: 2000, allocs: 20, ratio: 0.5, forks: 14, seed: 1}
}

func (m made) with(change func(*made)) made { change(&m); return m }

func (m made) records() []any {
	recs := []any{
		&store.Header{
			Kind: "header", Format: store.FormatV1, Version: "v0.1.0", Time: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Command: []string{"run", m.sample + ".ndjson"}, Seed: m.seed,
			Machine:  store.Machine{OS: "linux", Arch: "amd64", CPU: m.cpu, Cores: 4},
			Versions: map[string]string{"r": "r 1.0"}, Schema: store.SchemaInfo{Source: "inferred", Track: "literal", Digest: m.schema},
		},
		&store.Sample{Kind: "sample", Sample: m.sample, Name: m.sample + ".ndjson", Documents: 10, Timed: 10, Bytes: 3000, Digest: m.digest},
		&store.Size{Kind: "size", Sample: m.sample, Format: bench.JSON, Form: "compact", Encoding: bench.Identity, Unit: store.PerDocument, Bytes: 3000},
		&store.Size{Kind: "size", Sample: m.sample, Format: bench.Protobuf, Form: "binary", Encoding: bench.Identity, Unit: store.PerDocument, Bytes: m.bytes},
	}
	var times []float64
	for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
		for _, x := range []struct {
			codec  string
			format bench.Format
			ns     float64
		}{{"text", bench.JSON, 1000}, {"wire", bench.Protobuf, 1000 * m.ratio}} {
			n := len(times)
			recs = append(recs,
				&store.Case{Kind: "case", Number: n, Role: "default", Library: "example.com/" + x.codec, Version: m.version, Case: bench.Case{
					Sample: m.sample, Runtime: "r", Codec: x.codec, Format: x.format, Operation: op, Transport: bench.Memory, Encoding: bench.Identity}},
				&store.Memory{Kind: "memory", Case: n, AllocsPerOp: m.allocs, BytesPerOp: 640})
			times = append(times, x.ns)
		}
	}
	recs = append(recs, m.measured(times)...)
	for n := range times {
		o := &store.Outcome{Kind: "outcome", Case: n, Status: bench.Measured}
		if m.failed && n == 3 {
			o.Status, o.Reason = bench.Failed, "it crashed"
		}
		recs = append(recs, o)
	}
	return recs
}

// measured are the forks, with a spread of 0.5% between them.
func (m made) measured(times []float64) []any {
	var recs []any
	r := rand.New(rand.NewPCG(m.seed, 2))
	for fork := range m.forks + 1 {
		for n, t := range times {
			t *= 1 + 0.005*r.NormFloat64()
			f := &store.Fork{Kind: "fork", Case: n, Fork: fork, Pilot: fork == 0, CPUNS: int64(t * 1.1e6), CPUWallNS: int64(t * 1e6), CPUIterations: 1e6}
			for range 3 {
				f.Iterations, f.Document, f.Window = append(f.Iterations, 1000), append(f.Document, 0), append(f.Window, 10)
				f.WallNS = append(f.WallNS, int64(t*1000))
			}
			recs = append(recs, f)
		}
		recs = append(recs, &store.Progress{Kind: "progress", Forks: fork + 1})
	}
	return recs
}

func (m made) file(t testing.TB, name string) *store.File {
	t.Helper()
	f, err := store.Of(name, m.records())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// kept are the files in testdata, which tests of commands use too.
func kept() map[string]made {
	return map[string]made{
		"old-1.jsonl":   usual(),
		"old-2.jsonl":   usual().with(func(m *made) { m.seed = 2 }),
		"same.jsonl":    usual().with(func(m *made) { m.seed = 3 }),
		"slower.jsonl":  usual().with(func(m *made) { m.seed, m.ratio, m.version = 4, 0.6, "v1.1.0" }),
		"larger.jsonl":  usual().with(func(m *made) { m.seed, m.bytes, m.allocs, m.schema = 5, 2200, 10, "s2" }),
		"machine.jsonl": usual().with(func(m *made) { m.seed, m.cpu, m.bytes = 6, "Other CPU", 1500 }),
		"few.jsonl":     usual().with(func(m *made) { m.seed, m.forks = 7, 2 }),
		"fails.jsonl":   usual().with(func(m *made) { m.seed, m.failed = 9, true }),
		"else.jsonl": usual().with(func(m *made) {
			m.seed, m.sample, m.digest, m.failed = 8, "<b>|*x*", "d2", true
		}),
	}
}

func TestKeptFilesAreWhatIsMade(t *testing.T) {
	for name, m := range kept() {
		var got bytes.Buffer
		for _, rec := range append(m.records(), &store.Footer{Kind: "footer", Status: "complete", Time: time.Date(2026, 11, 30, 12, 1, 0, 0, time.UTC)}) {
			if err := json.NewEncoder(&got).Encode(rec); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got.Bytes()) {
			t.Errorf("%s differs (run with -update if it should)", path)
		}
	}
}
