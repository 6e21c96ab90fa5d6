package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// asked is a made-up case that crosses a transport: the parts of a request in ns.
type asked struct {
	bench.Case
	codec    float64 // encode and decode, half each
	coding   float64 // compress and decompress, half each
	transfer float64
	bytes    int64
	gap      float64 // of the time, in no span
	pipeline int
	few      bool // one request a slice
}

func (k asked) total() float64 { return (k.codec + k.coding + k.transfer) / (1 - k.gap) }

// requests is what a fork measures: four slices of ten requests.
func (k asked) requests(number, fork int) *store.Requests {
	r := &store.Requests{Kind: "requests", Case: number, Fork: fork, Pilot: fork == 0, Start: moment, Pipeline: k.pipeline, ColdNS: []int64{int64(20 * k.total()), int64(2 * k.total())}}
	n := 10
	if k.few {
		n = 1
	}
	wobble := 1 + 0.001*float64((fork*7+number*3)%5-2) // of forks and cases, the same in every run
	sum := func(ns float64) int64 { return int64(math.Round(float64(n) * ns * wobble)) }
	var times []int64
	for range 4 {
		s := &r.Spans
		r.Requests, r.Document, r.Window, r.WallNS = append(r.Requests, n), append(r.Document, 0), append(r.Window, 2), append(r.WallNS, sum(k.total()))
		s.Encode, s.Decode, s.Transfer = append(s.Encode, sum(k.codec/2)), append(s.Decode, sum(k.codec/2)), append(s.Transfer, sum(k.transfer))
		unpack := k.coding / 2
		if k.Runtime == "page" { // it gets the body without the coding
			unpack = 0
			s.Transfer[len(s.Transfer)-1] += sum(k.coding / 2)
		}
		s.Compress, s.Decompress = append(s.Compress, sum(k.coding/2)), append(s.Decompress, sum(unpack))
		client, server := sum(k.codec), sum(k.codec/2)
		if k.Transport == bench.Redis {
			server = -1
		}
		r.ClientNS, r.ServerNS = append(r.ClientNS, client), append(r.ServerNS, server)
		r.Bytes, r.Allocated = append(r.Bytes, int64(n)*k.bytes), append(r.Allocated, int64(n)*2000)
		for range n {
			times = append(times, sum(k.total())/int64(n))
		}
	}
	r.Histogram = store.HistogramOf(times)
	return r
}

var moment = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// over are two codecs, and for one runtime a third, in two content codings.
func over(at bench.Case, scale float64, codings ...string) []asked {
	var out []asked
	for _, coding := range codings {
		for _, c := range []asked{
			{Case: bench.Case{Codec: "std", Format: bench.JSON}, codec: 20e3, coding: 120e3, transfer: 80e3, bytes: 3000},
			{Case: bench.Case{Codec: "pb", Format: bench.Protobuf}, codec: 8e3, coding: 82e3, transfer: 72e3, bytes: 1000},
		} {
			x := at
			x.Sample, x.Codec, x.Format, x.Encoding = "s", c.Codec, c.Format, coding
			if x.Peer != "" {
				x.Peer += "/" + c.Codec
			}
			c.Case = x
			c.codec *= scale
			if coding == bench.Identity {
				c.coding = 0
			} else {
				c.bytes /= 3
			}
			out = append(out, c)
		}
	}
	return out
}

// crossings are the cases of testdata/requests.jsonl.
func crossings() []asked {
	own := bench.Case{Runtime: "a", Operation: bench.Get, Transport: bench.HTTP, Peer: "a"}
	all := over(own, 1, bench.Identity, "gzip:6")
	all[0].gap = 0.08 // of std: the parts are not the whole
	post := own
	post.Operation = bench.Post
	all = append(all, over(post, 1.5, bench.Identity)...)
	linked := own
	linked.Link = "10mbit/20ms"
	for _, k := range over(linked, 1, bench.Identity, "gzip:6") {
		k.transfer, k.few = 20e6+float64(k.bytes)*1500/1460*800, true
		all = append(all, k)
	}
	page := bench.Case{Runtime: "page", Operation: bench.Get, Transport: bench.HTTP, Peer: "a"}
	all = append(all, over(page, 3, bench.Identity, "gzip:6")...)
	for _, op := range []bench.Operation{bench.Set, bench.SetPipelined} {
		for _, k := range over(bench.Case{Runtime: "a", Operation: op, Transport: bench.Redis}, 0.1, bench.Identity) {
			k.transfer = 60e3
			if op == bench.SetPipelined {
				k.pipeline, k.codec, k.transfer = 50, 50*k.codec, 200e3
			}
			all = append(all, k)
		}
	}
	return all
}

// made are the records of a run of n forks and a pilot.
func made(n int, redis string, all []asked) []any {
	recs := []any{
		&store.Header{
			Kind: "header", Format: store.FormatV1, Version: "v1", Time: moment, Command: []string{"run", "s.ndjson"}, Machine: store.Machine{OS: "linux", Arch: "amd64", CPU: "Example CPU", Cores: 2},
			Versions: map[string]string{"a": "a 1.0"}, Settings: store.Settings{PrecisionPercent: 1, MaxTimeSeconds: 25, Rate: 200, Link: "10mbit/20ms"},
		},
		&store.Sample{Kind: "sample", Sample: "s", Name: "s.ndjson", Documents: 2, Timed: 2, Bytes: 6000, Digest: "d", Shape: map[string]any{}, Maps: true},
	}
	for i, k := range all {
		c := &store.Case{Kind: "case", Number: i, Case: k.Case, Role: "default", Library: "example.com/" + k.Codec, Version: "1", Compiles: k.Runtime == "page", Client: "example.com/client 1"}
		if k.Transport == bench.HTTP {
			c.Server = "example.com/server 2, example.com/gzip 3"
		}
		recs = append(recs, c)
	}
	skipped := all[0].Case
	skipped.Encoding = "br:4"
	recs = append(recs, &store.Case{Kind: "case", Number: len(all), Case: skipped, Library: "example.com/std", Version: "1"},
		&store.Outcome{Kind: "outcome", Case: len(all), Status: bench.Skipped, Reason: "a does not compress with br"})
	for fork := range n + 1 {
		for i, k := range all {
			recs = append(recs, k.requests(i, fork))
		}
		recs = append(recs, &store.Progress{Kind: "progress", Forks: fork + 1, MeasureNS: int64(fork+1) * 1e9, BatchNS: int64(fork+1) * 8e8,
			RuntimeNS: map[string]int64{"a over http": int64(fork+1) * 5e8, "page over http to a": int64(fork+1) * 4e8, "a over redis": int64(fork+1) * 1e8}})
	}
	for i, k := range all {
		switch {
		case k.Operation == bench.Set:
			recs = append(recs, &store.Storage{Kind: "storage", Case: i, Server: redis, Keys: 1000, ValueBytes: 1000 * k.bytes, MemoryUsage: 1000*k.bytes + 80e3, UsedMemory: 1000*k.bytes + 110e3})
		case k.Operation == bench.Get && k.Runtime == "a" && k.Link == "":
			times := make([]int64, 396)
			for j := range times {
				times[j] = int64(2 * k.total())
			}
			times[0], times[1], times[2], times[3], times[4] = 90e6, 80e6, 70e6, 60e6, 50e6 // the server stalled
			recs = append(recs, &store.OpenLoop{Kind: "open-loop", Case: i, Rate: 200, Seconds: 2, Requests: 400, Errors: 4, Error: "connection reset", Histogram: store.HistogramOf(times)})
		}
		recs = append(recs, &store.Outcome{Kind: "outcome", Case: i, Status: bench.Measured})
	}
	return append(recs, &store.Footer{Kind: "footer", Status: "complete", Time: moment})
}

// lines are records as a file holds them.
func lines(t testing.TB, recs []any) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, rec := range recs {
		if err := json.NewEncoder(&out).Encode(rec); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// reported is the report of made-up records.
func reported(t *testing.T, recs []any) *Report {
	t.Helper()
	f, err := store.Of("made-up", recs[:len(recs)-1])
	if err != nil {
		t.Fatal(err)
	}
	r, err := Build(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRequestsFileIsWhatIsMade(t *testing.T) {
	got := lines(t, made(14, "redis 7.0.15", crossings()))
	path := filepath.Join("testdata", "requests.jsonl")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (run with -update if it should)", path)
	}
}

// Cold requests and steady ones, percentiles and the reuse of the connection
// (CASES D02).
func TestColdRequestsStandApart(t *testing.T) {
	r := reported(t, made(14, "redis 7.0.15", crossings()))
	for _, c := range r.Cases {
		if c.Status != bench.Measured {
			continue
		}
		if c.Cold == nil || c.Cold.First < 15*c.NS.Median*float64(max(1, c.Pipeline)) || c.Latency.P50 == 0 || c.Latency.P99 < c.Latency.P95 || c.Latency.P95 < c.Latency.P50 {
			t.Errorf("%s: %+v, %+v", c.Case, c.Cold, c.Latency)
		}
		if c.Latency.Max > 1.1*c.NS.Median*float64(max(1, c.Pipeline)) {
			t.Errorf("%s: the first requests are among the others: %+v", c.Case, c.Latency)
		}
	}
	text := export(t, "terminal", r, Options{Width: 100})
	for _, part := range []string{"Cold start over HTTP/1.1, a\n", "one request after another on one connection that is kept alive", "p50", "p95", "p99"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// The parts of a request come to the whole, or the report says where not.
func TestPartsComeToTheWhole(t *testing.T) {
	r := reported(t, made(14, "redis 7.0.15", crossings()))
	for _, c := range r.Cases {
		if c.Requests == nil {
			continue
		}
		s := c.Spans
		sum := (s.Encode + s.Compress + s.Transfer + s.Decompress + s.Decode) / c.NS.Median
		if math.Abs(sum-c.SpansSum) > 1e-9 || math.Abs(c.Codec.Median+c.Coding.Median+c.Transfer.Median-sum) > 1e-3 {
			t.Errorf("%s: %v of the time, shares %v %v %v", c.Case, sum, c.Codec.Median, c.Coding.Median, c.Transfer.Median)
		}
		gap := c.Case.Codec == "std" && c.Case.Runtime == "a" && c.Case.Operation == bench.Get && c.Case.Encoding == bench.Identity && c.Case.Link == ""
		if math.Abs(sum-1) > wholeWithin != gap {
			t.Errorf("%s: the parts are %v of the whole", c.Case, sum)
		}
	}
	text := strings.Join(strings.Fields(export(t, "terminal", r, Options{Width: 100})), " ")
	if got := strings.Count(text, "The parts do not come to the whole"); got != 1 || !strings.Contains(text, "The parts do not come to the whole: std 92% of the time") {
		t.Errorf("%d words on it in\n%s", got, text)
	}
}

// Of an embedded server no memory figures are shown, in no form (FINDINGS §6).
func TestEmbeddedRedisHasNoMemoryFigures(t *testing.T) {
	for _, server := range []string{"embedded, in-process", "redis 7.0.15"} {
		r := reported(t, made(14, server, crossings()))
		for _, format := range []string{"terminal", "markdown", "json"} {
			text := export(t, format, r, Options{Width: 100})
			figures := strings.Contains(text, "3.08 kB") || strings.Contains(text, ": 3080") || strings.Contains(text, "MEMORY USAGE")
			if figures != (server == "redis 7.0.15") || !strings.Contains(text, server) {
				t.Errorf("%s, %s: memory figures: %v in\n%s", server, format, figures, text)
			}
		}
	}
}

// A stall of the server shows at a fixed rate, from the intended moment on.
func TestFixedRateShowsStalls(t *testing.T) {
	r := reported(t, made(14, "redis 7.0.15", crossings()))
	n := 0
	for _, c := range r.Cases {
		for _, x := range c.Rates {
			n++
			if x.Rate != 200 || x.Errors != 4 || x.Latency.P99 < 50e6 || x.Latency.P95 > 1e6 || x.Latency.Max < 90e6 {
				t.Errorf("%s: %+v", c.Case, x)
			}
		}
	}
	if text := export(t, "terminal", r, Options{Width: 100}); n != 4 || !strings.Contains(text, "Get over HTTP/1.1, a, at a fixed rate\n") || !strings.Contains(text, "connection reset\n") {
		t.Errorf("%d rates in\n%s", n, text)
	}
}

// Files of one machine go together, those of two stay apart.
func TestRequestsMerge(t *testing.T) {
	file := func(cpu string, all []asked) *store.File {
		recs := made(7, "redis 7.0.15", all)
		recs[0].(*store.Header).Machine.CPU = cpu
		f, err := store.Of(cpu, recs[:len(recs)-1])
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	r, err := Build(file("A", crossings()[:4]), file("A", crossings()[2:]), file("B", crossings()[:4]))
	if err != nil {
		t.Fatal(err)
	}
	forks := map[int]int{}
	for _, c := range r.Cases {
		if c.NS != nil && c.Case == crossings()[2].Case {
			forks[c.Machine] += c.Forks
		}
	}
	if forks[0] != 14 || forks[1] != 7 || len(r.Machines) != 2 {
		t.Errorf("%d machines, forks %v", len(r.Machines), forks)
	}
	if text := export(t, "terminal", r, Options{Width: 100}); !strings.Contains(text, "Get over HTTP/1.1, a, machine 1\n") || !strings.Contains(text, "Get over HTTP/1.1, a, machine 2\n") {
		t.Error(text)
	}
}

func TestSkipsOfTheWireHaveTheirReasons(t *testing.T) {
	text := strings.Join(strings.Fields(export(t, "terminal", load(t, "requests.jsonl"), Options{Width: 100})), " ")
	if want := "a/std get over http, br:4: skipped: a does not compress with br"; !strings.Contains(text, want) {
		t.Errorf("no %q in %s", want, text)
	}
}

func TestTablesAreFolded(t *testing.T) {
	g := &grid{header: []string{"codec", "one", "two", "three"}, keys: 1, rows: [][]cell{{show("aaaaaaaa"), show("1111111111"), show("2222222222"), show("3333333333")}}}
	p := printer{opt: Options{Width: 40}}
	var got []string
	for _, part := range p.fold(g) {
		got = append(got, strings.Join(part.header, " "))
	}
	if s := strings.Join(got, " | "); s != "codec one two | codec three" {
		t.Error(s)
	}
	g.keys = 0
	if len(p.fold(g)) != 1 {
		t.Error("a table without keys is folded")
	}
}

// Levels and what compression takes are in every row (CASES D18).
func TestRowsNameTheirLevel(t *testing.T) {
	text := export(t, "markdown", load(t, "requests.jsonl"), Options{})
	for _, part := range []string{"| std | gzip:6 | 220 µs |", "| 9.1% | 55% | 36% |", "Content codings and their levels: gzip:6."} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}
