package size

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
	"wirecost/internal/store"
	"wirecost/internal/testenv"
)

// documents makes n documents of varying length, the same for the same n.
func documents(n int) [][]byte {
	random := rand.New(rand.NewPCG(uint64(n), 7))
	out := make([][]byte, n)
	for i := range out {
		out[i] = fmt.Appendf(nil, `{"id":%d,"name":%q}`, i, strings.Repeat("ab", random.IntN(400)))
	}
	return out
}

func request(n int, codings []Coding) Request {
	return Request{
		Sample: "orders",
		Forms: []Form{
			{"compact", bench.JSON, documents(n)},
			{"binary", bench.Protobuf, documents(n / 2)},
		},
		Codings: codings,
	}
}

func measure(t *testing.T, r Request) []store.Size {
	t.Helper()
	rows, err := Measure(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestMeasureRows(t *testing.T) {
	codings := parsed(t, "identity,gzip,br:11")
	docs := [][]byte{[]byte(`{"a":1}`), {}, bytes.Repeat([]byte("x"), 300)}
	rows := measure(t, Request{Sample: "s", Codings: codings, Forms: []Form{
		{"original", bench.JSON, docs},
		{"binary", bench.Protobuf, docs},
	}})
	var got []string
	for _, r := range rows {
		got = append(got, strings.Join([]string{r.Kind, r.Sample, string(r.Format), r.Form, r.Encoding, r.Unit, r.Note}, " "))
	}
	want := []string{
		"size s json original identity document ",
		"size s json original identity concatenated ",
		"size s json original gzip:6 document ",
		"size s json original gzip:6 concatenated ",
		"size s json original br:11 document static assets only",
		"size s json original br:11 concatenated static assets only",
		"size s protobuf binary identity document ",
		"size s protobuf binary identity concatenated ",
		"size s protobuf binary gzip:6 document ",
		"size s protobuf binary gzip:6 concatenated ",
		"size s protobuf binary br:11 document static assets only",
		"size s protobuf binary br:11 concatenated static assets only",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// 307 bytes; a newline each; a varint each, of two bytes for the last.
	for i, want := range map[int]int64{0: 307, 1: 310, 6: 307, 7: 311} {
		if rows[i].Bytes != want {
			t.Errorf("row %d: %d bytes, want %d", i, rows[i].Bytes, want)
		}
	}
	gzipped := int64(0)
	for _, d := range docs {
		packed, err := codings[1].Compress(nil, d)
		if err != nil {
			t.Fatal(err)
		}
		gzipped += int64(len(packed))
	}
	if rows[2].Bytes != gzipped {
		t.Errorf("gzip per document: %d bytes, want %d", rows[2].Bytes, gzipped)
	}
}

// TestMeasureRepeats: workers and times change nothing about sizes.
func TestMeasureRepeats(t *testing.T) {
	r := request(800, parsed(t, Defaults))
	r.Workers = 1
	want := measure(t, r)
	for _, workers := range []int{2, 7} {
		r.Workers = workers
		if d := cmp.Diff(want, measure(t, r)); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
	r.Times = true
	got := measure(t, r)
	for i, row := range got {
		timed := row.CompressNS > 0 && row.DecompressNS > 0
		if timed == (row.Encoding == bench.Identity) {
			t.Errorf("%s %s %s: %d ns, %d ns", row.Form, row.Encoding, row.Unit, row.CompressNS, row.DecompressNS)
		}
		got[i].CompressNS, got[i].DecompressNS = 0, 0
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("timed: %s", d)
	}
}

// TestTimingIsQuiet: small samples are timed several times on one core, large
// ones once on all.
func TestTimingIsQuiet(t *testing.T) {
	form := func(bytes int) Form { return Form{"compact", bench.JSON, [][]byte{make([]byte, bytes)}} }
	for _, test := range []struct {
		name           string
		request        Request
		workers, tries int
	}{
		{"untimed", Request{Forms: []Form{form(10)}, Workers: 3}, 3, 0},
		{"small", Request{Forms: []Form{form(quiet), form(10)}, Workers: 3, Times: true}, 1, 3},
		{"large", Request{Forms: []Form{form(10), form(quiet + 1)}, Workers: 3, Times: true}, 3, 1},
		{"large on all", Request{Forms: []Form{form(quiet + 1)}, Times: true}, runtime.GOMAXPROCS(0), 1},
	} {
		if w, n := test.request.workers(), test.request.tries(); w != test.workers || n != test.tries {
			t.Errorf("%s: %d workers, %d tries; want %d and %d", test.name, w, n, test.workers, test.tries)
		}
	}
}

func TestMeasureNothing(t *testing.T) {
	rows := measure(t, Request{Codings: parsed(t, "identity,zstd"), Forms: []Form{{"compact", bench.JSON, nil}}})
	if len(rows) != 4 || rows[0].Bytes != 0 || rows[2].Bytes != 0 {
		t.Errorf("no documents: %+v", rows)
	}
}

func TestProgressEndsAtTotal(t *testing.T) {
	r := request(4000, parsed(t, "identity,zstd:1"))
	var last, whole int64
	r.Progress = func(done, total int64) {
		if done < last || (whole != 0 && total != whole) {
			t.Errorf("progress went from %d of %d to %d of %d", last, whole, done, total)
		}
		last, whole = done, total
	}
	measure(t, r)
	if last == 0 || last != whole {
		t.Errorf("progress ended at %d of %d", last, whole)
	}
}

func TestMeasureStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := request(4000, parsed(t, Defaults))
	r.Progress = func(int64, int64) { cancel() }
	if _, err := Measure(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// faulty is a coding that gives back something else after some documents.
type faulty struct {
	Coding
	left atomic.Int64
}

func (f *faulty) Compress(dst, src []byte) ([]byte, error) {
	if f.left.Add(-1) < 0 && len(src) > 0 {
		src = append([]byte("!"), src[1:]...)
	}
	return f.Coding.Compress(dst, src)
}

type faultyStream struct{ Coding }

func (f faultyStream) Reader(r io.Reader) (io.ReadCloser, error) {
	in, err := f.Coding.Reader(r)
	return io.NopCloser(io.LimitReader(in, 1000)), err
}

func TestMeasureFindsFaultyCodings(t *testing.T) {
	single := &faulty{Coding: parsed(t, "gzip")[0]}
	single.left.Store(5)
	for _, test := range []struct {
		coding Coding
		want   string
	}{
		{single, `form "compact", document 6: gzip:6 does not give back`},
		{faultyStream{parsed(t, "zstd")[0]}, `form "compact" as one stream: zstd:3 does not give back`},
	} {
		r := request(100, []Coding{test.coding})
		r.Workers = 1
		if _, err := Measure(t.Context(), r); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestWireFrames(t *testing.T) {
	docs := documents(500)
	var lines, delimited []byte
	for _, d := range docs {
		lines = append(append(lines, d...), '\n')
		delimited = append(binary.AppendUvarint(delimited, uint64(len(d))), d...)
	}
	for format, want := range map[bench.Format][]byte{bench.JSON: lines, bench.Protobuf: delimited} {
		form := Form{Format: format, Documents: docs}
		if err := iotest.TestReader(newWire(form), want); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// TestAccountMerge: however documents are cut into chunks and merged, the sum
// is the same.
func TestAccountMerge(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	entry := func() (Key, Total) {
		k := Key{Form: fmt.Sprint(random.IntN(2)), Encoding: "gzip:6", Unit: PerDocument}
		return k, Total{1, random.Int64N(1000), random.Int64N(1000), random.Int64N(1000)}
	}
	var whole Account
	parts := make([]Account, 9)
	for range 1000 {
		k, total := entry()
		whole.Add(k, total)
		parts[random.IntN(8)].Add(k, total) // the last one stays empty
	}
	for range 20 {
		left := make([]Account, len(parts))
		for i, p := range parts {
			left[i].Merge(p)
		}
		for len(left) > 1 {
			random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
			left[0].Merge(left[1])
			left = append(left[:1], left[2:]...)
		}
		if d := cmp.Diff(whole.totals, left[0].totals); d != "" {
			t.Fatal(d)
		}
	}
	if whole.Total(Key{Form: "none"}) != (Total{}) {
		t.Error("a form that was not counted has a total")
	}
}

// TestViotti holds on real documents that compact JSON is what it says, and that
// concatenation helps every coding.
func TestViotti(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testenv.Corpora(t, "viotti"), "*", "document.json"))
	if err != nil || len(files) != 27 {
		t.Fatalf("found %d documents, want 27 (error %v)", len(files), err)
	}
	var docs [][]byte
	for _, file := range files {
		docs = append(docs, compact(t, file))
	}
	rows := measure(t, Request{Codings: parsed(t, Defaults), Times: true, Forms: []Form{{"compact", bench.JSON, docs}}})
	for i := 0; i < len(rows); i += 2 {
		single, joined := rows[i], rows[i+1]
		if single.Encoding == bench.Identity {
			if joined.Bytes != single.Bytes+27 {
				t.Errorf("raw: %d and %d bytes", single.Bytes, joined.Bytes)
			}
			continue
		}
		if joined.Bytes >= single.Bytes || single.Bytes >= rows[0].Bytes {
			t.Errorf("%s: %d bytes raw, %d alone, %d as one", single.Encoding, rows[0].Bytes, single.Bytes, joined.Bytes)
		}
	}
}

func compact(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Compact(&out, data); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
