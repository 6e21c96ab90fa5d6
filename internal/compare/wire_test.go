package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// requested adds requests to a made-up run: in two content codings, of so many
// bytes and allocations of the Protobuf codec, which takes a part of JSON's time.
func requested(t *testing.T, name string, seed uint64, ratio float64, bytes, allocated int64) *store.File {
	t.Helper()
	m := usual().with(func(m *made) { m.seed = seed })
	recs := m.records()
	r := rand.New(rand.NewPCG(seed, 9))
	const first = 100
	var cases []store.Case
	for _, coding := range []string{bench.Identity, "gzip:6"} {
		for _, codec := range []string{"text", "wire"} {
			c := store.Case{Number: first + len(cases), Role: "default", Library: "example.com/" + codec, Version: m.version, Case: bench.Case{
				Sample: m.sample, Runtime: "r", Codec: codec, Format: bench.JSON, Operation: bench.Get, Transport: bench.HTTP, Encoding: coding, Peer: "r/" + codec}}
			if codec == "wire" {
				c.Format = bench.Protobuf
			}
			cases = append(cases, c)
			recs = append(recs, &cases[len(cases)-1])
		}
	}
	for fork := range m.forks + 1 {
		for i, c := range cases {
			q := &store.Requests{Case: first + i, Fork: fork, Pilot: fork == 0}
			ns, body, heap := 100e3*(1+0.005*r.NormFloat64()), int64(3000), int64(8000)
			if c.Codec == "wire" {
				ns, body, heap = ns*ratio, bytes, allocated
			}
			for range 3 {
				q.Requests, q.Document, q.Window, q.WallNS = append(q.Requests, 10), append(q.Document, 0), append(q.Window, 5), append(q.WallNS, int64(10*ns))
				q.Bytes, q.Allocated = append(q.Bytes, 10*body), append(q.Allocated, 10*heap)
			}
			none := make([]int64, 3)
			q.Spans, q.ClientNS, q.ServerNS = store.Spans{Encode: none, Compress: none, Transfer: q.WallNS, Decompress: none, Decode: none}, none, none
			recs = append(recs, q)
		}
	}
	f, err := store.Of(name, recs)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Bytes on the wire and allocations are compared exactly, times as ratios to the
// baseline of the run, within a content coding as well.
func TestRequestsAreCompared(t *testing.T) {
	old := requested(t, "old", 1, 0.5, 1000, 4000)
	for _, tt := range []struct {
		name       string
		new        *store.File
		regression string
	}{
		{"the same", requested(t, "new", 2, 0.5, 1000, 4000), ""},
		{"more bytes", requested(t, "new", 2, 0.5, 1100, 4000), "wire wire get\nwire wire get"},
		{"more allocations", requested(t, "new", 2, 0.5, 1000, 4400), "memory wire get\nmemory wire get"},
		{"slower", requested(t, "new", 2, 0.6, 1000, 4000), "time wire get wall\ntime wire get wall\ntime wire get wall"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Files([]*store.File{old}, []*store.File{tt.new}, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{tt.regression, ""}, []string{found(r, Regression), found(r, Improvement)}); d != "" {
				t.Error(d)
			}
			// Beside the figures of memory: bytes and allocations of four cases, and
			// four times: three to the baseline, one within gzip.
			if len(r.Rows) != 2+8+4+8+4 {
				t.Errorf("%d rows", len(r.Rows))
			}
		})
	}
}
