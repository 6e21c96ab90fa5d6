package study

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// world says what everything takes on a machine of a test.
type world struct {
	ns        func(c bench.Case) float64 // of an operation
	allocated func(c bench.Case) float64 // bytes
	size      func(s *Study, sample, form, encoding string) int64
	noise     float64 // between forks
	forks     int
	lacks     string // a runtime that is not ready
}

// measure writes the result files that a study's runs would give there.
func (w world) measure(t *testing.T, s *Study) *Results {
	t.Helper()
	r := NewResults()
	for _, run := range s.Runs {
		f, err := store.Of(run.Name, w.records(s, run))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Add(run.Name, f); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// versions are those of the runtimes that are ready.
func (w world) versions(run Run) map[string]string {
	out := map[string]string{}
	for _, x := range append(slices.Clone(run.Runtimes), run.Server) {
		if x != "" && x != w.lacks {
			out[x] = x + " 1.0"
		}
	}
	return out
}

func (w world) records(s *Study, run Run) []any {
	out := []any{&store.Header{
		Time: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Versions: w.versions(run), Command: []string{"run"},
		Machine: store.Machine{CPU: "a test", Cores: 2, OS: "linux", Arch: "amd64"},
	}}
	for _, name := range run.Payloads {
		out = append(out, &store.Sample{Sample: name, Name: name, Documents: 1, Timed: 1})
		encodings := run.Encodings
		if len(encodings) == 0 {
			encodings = []string{bench.Identity}
		}
		for _, form := range []string{"original", "compact", "binary"} {
			for _, encoding := range encodings {
				out = append(out, &store.Size{Sample: name, Form: form, Encoding: encoding, Unit: store.PerDocument, Bytes: w.size(s, name, form, encoding)})
			}
		}
	}
	for n, c := range w.cases(run) {
		out = append(out, &store.Case{Number: n, Case: c, Library: "library", Version: "1.0", Compiles: c.Runtime == "java"})
		r := rand.New(rand.NewPCG(7, uint64(n)))
		for fork := range w.forks {
			out = append(out, w.fork(c, n, fork, w.ns(c)*math.Exp(w.noise*r.NormFloat64())))
		}
		if c.Crosses() {
			if c.Transport == bench.Redis {
				out = append(out, &store.Storage{Case: n, Server: "redis 7.0", Keys: 10, ValueBytes: 470, MemoryUsage: 900, UsedMemory: 1000})
			}
		} else {
			out = append(out, &store.Memory{Case: n, AllocsPerOp: 1, BytesPerOp: w.allocated(c)})
		}
		out = append(out, &store.Outcome{Case: n, Status: bench.Measured})
	}
	return out
}

// cases lists what a run would measure.
func (w world) cases(run Run) []bench.Case {
	if run.SizesOnly {
		return nil
	}
	ops := run.Operations
	if len(ops) == 0 {
		ops = []bench.Operation{bench.Encode, bench.Decode}
	}
	var out []bench.Case
	for _, codec := range run.Codecs {
		runtime, name, _ := strings.Cut(codec, "/")
		if runtime == w.lacks {
			continue
		}
		for _, sample := range run.Payloads {
			for _, op := range ops {
				for _, c := range crossings(run, op) {
					c.Sample, c.Runtime, c.Codec = sample, runtime, name
					if c.Transport == bench.HTTP {
						c.Peer = peerOf(runtime, name)
					}
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// crossings are an operation of a codec, by the transport of its run.
func crossings(run Run, op bench.Operation) []bench.Case {
	if len(run.Over) == 0 {
		return []bench.Case{{Operation: op, Transport: bench.Memory, Encoding: bench.Identity}}
	}
	over := map[bench.Transport]map[bench.Operation][]bench.Operation{
		bench.Redis: {bench.Encode: {bench.Set, bench.SetPipelined}, bench.Decode: {bench.Get, bench.GetPipelined}},
		bench.HTTP:  {bench.Encode: {bench.Post}, bench.Decode: {bench.Get}},
	}
	encodings := run.Encodings
	if len(encodings) == 0 {
		encodings = []string{bench.Identity}
	}
	var out []bench.Case
	for _, x := range over[run.Over[0]][op] {
		for _, e := range encodings {
			out = append(out, bench.Case{Operation: x, Transport: run.Over[0], Encoding: e})
		}
	}
	return out
}

func peerOf(runtime, codec string) string {
	switch {
	case runtime == "go" || runtime == "java":
		return runtime + "/" + codec
	case codec == "json":
		return "java/jackson2"
	}
	return "java/protobuf"
}

// fork is one fork's record: a few slices or batches of equal length.
func (w world) fork(c bench.Case, number, fork int, ns float64) any {
	const operations = 1000
	one := func(x float64) []int64 { return []int64{int64(x), int64(x), int64(x)} }
	counts, first, window := []int{operations, operations, operations}, []int{0, 0, 0}, []int{1, 1, 1}
	pilot := fork == 0
	if !c.Crosses() {
		return &store.Fork{
			Case: number, Fork: fork, Pilot: pilot, Iterations: counts, Document: first, Window: window, WallNS: one(ns * operations),
			CPUNS: -1, Preemptions: -1, Collections: -1,
		}
	}
	q := &store.Requests{
		Case: number, Fork: fork, Pilot: pilot, Requests: counts, Document: first, Window: window, WallNS: one(ns * operations),
		Spans:    store.Spans{Encode: one(ns * operations / 10), Compress: one(0), Transfer: one(ns * operations * 7 / 10), Decompress: one(0), Decode: one(ns * operations / 5)},
		ClientNS: one(-1), ServerNS: one(-1), Bytes: one(100), Allocated: one(w.allocated(c) * operations),
	}
	if strings.HasSuffix(string(c.Operation), "-pipelined") {
		q.Pipeline = 10
		for i := range q.WallNS {
			q.WallNS[i] *= 10
		}
	}
	return q
}

// published is a machine on which every study comes out as it was published.
func publishedWorld() world {
	return world{ns: publishedNS, allocated: publishedBytes, size: publishedSize, noise: 0.004, forks: 41}
}

// swapped exchanges two codecs.
func (w world) swapped(a, b string) world {
	exchange := func(c bench.Case) bench.Case {
		runtime, name, _ := strings.Cut(map[string]string{a: b, b: a}[c.CodecID()], "/")
		if name != "" {
			c.Runtime, c.Codec = runtime, name
		}
		return c
	}
	ns, allocated := w.ns, w.allocated
	w.ns = func(c bench.Case) float64 { return ns(exchange(c)) }
	w.allocated = func(c bench.Case) float64 { return allocated(exchange(c)) }
	return w
}

func publishedSize(s *Study, sample, form, encoding string) int64 {
	p := s.payload(sample)
	size := p.JSON
	if form == "binary" {
		size = p.Protobuf
	}
	if sample == everyone && strings.HasPrefix(encoding, "gzip") {
		return map[string]int64{"original": 1_134_000, "compact": 1_134_000, "binary": 1_044_000}[form]
	}
	return size
}

func publishedBytes(c bench.Case) float64 {
	for _, f := range goRedisFigures() {
		if f.Unit == Bytes && f.Name == redisFigure(c) {
			return f.Published / requested
		}
	}
	return 48
}

// redisFigure names the figure that a case of go-redis is in.
func redisFigure(c bench.Case) string {
	what := map[string]string{single: "single", listOf10: "list of 10"}[c.Sample]
	format := formats[c.CodecID()]
	op := map[bench.Operation]string{bench.Set: "encode and SET", bench.Get: "GET and decode"}[c.Operation]
	return what + ", " + format + ", " + op
}

func publishedNS(c bench.Case) float64 {
	for _, f := range goRedisFigures() {
		if f.Unit == Seconds && f.Name == redisFigure(c) {
			return f.Published / requested * 1e9
		}
	}
	if ms, ok := peopleMS[c.CodecID()+" "+string(c.Operation)+" "+c.Encoding]; ok {
		return ms * 1e6
	}
	if ns, ok := smallNS[c.CodecID()+" "+string(c.Operation)+" "+c.Sample]; ok {
		return ns
	}
	if number, ok := strings.CutPrefix(c.Sample, "phones-"); ok {
		return phonesNS(c, number)
	}
	return 1000
}

var peopleMS = map[string]float64{
	"firefox/protobufjs get identity": 620, "firefox/json get identity": 583, "chromium/protobufjs get identity": 524, "chromium/json get identity": 761,
	"firefox/protobufjs post identity": 3.19527, "firefox/json post identity": 3.31738, "chromium/protobufjs post identity": 3.19527, "chromium/json post identity": 3.31738,
	"java/protobuf get gzip:6": 234, "java/jsonformat get gzip:6": 701, "java/protobuf get identity": 146, "java/jsonformat get identity": 590,
	"java/jackson2 get identity": 200, "java/jackson2 get gzip:6": 290,
}

var smallNS = map[string]float64{
	"go/goccy encode int64": 55.00, "go/goccy decode int64": 95.23, "go/protobuf encode timestamp": 89.64, "go/protobuf decode timestamp": 127.8,
	"go/protobuf encode int64": 50, "go/protobuf decode int64": 70, "go/goccy encode timestamp": 150, "go/goccy decode timestamp": 200,
	"go/encoding-json encode one": 190, "go/protobuf encode one": 205, "go/encoding-json decode one": 900, "go/protobuf decode one": 300,
}

// phonesNS is what address-book published, and a guess where it has nothing.
func phonesNS(c bench.Case, number string) float64 {
	n := 0.0
	for _, r := range number {
		n = 10*n + float64(r-'0')
	}
	column := -1
	for k, codec := range pythonCodecs {
		if codec == c.CodecID() {
			column = k
		}
	}
	switch {
	case c.CodecID() == "cpp/protobuf":
		return 1e9 * addressBookTimes[16000][2] / 2.25
	case column < 0:
		return 500 * n
	case c.Operation == bench.Encode:
		column += 3
	}
	t := addressBookTimes[int(n)][column]
	if t == 0 {
		t = 8e-6
	}
	if c.Operation == bench.Visit {
		t *= 1.5
	}
	return t * 1e9
}
