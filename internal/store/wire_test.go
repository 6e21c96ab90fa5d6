package store

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
)

const requestsZero = `{"kind":"requests","case":0,"fork":0,"requests":[2],"document":[0],"window":[1],"wall_ns":[100],` +
	`"spans":{"encode":[1],"compress":[0],"transfer":[90],"decompress":[0],"decode":[9]},"client_cpu_ns":[-1],"server_cpu_ns":[-1],"wire_bytes":[8],"allocated":[-1],` +
	`"histogram":{"ns":[40,60],"count":[1,1]}}` + "\n"

func requests(number int) *Requests {
	one := []int64{7}
	return &Requests{
		Fork: number, Requests: []int{2}, Document: []int{0}, Window: []int{1}, WallNS: []int64{40},
		Spans: Spans{one, one, one, one, one}, ClientNS: one, ServerNS: one, Bytes: one, Allocated: one,
		Histogram: Histogram{NS: []int64{20}, Count: []int64{2}},
	}
}

func TestWhatCrossesATransportIsReadAsWritten(t *testing.T) {
	records := []any{
		&Case{Case: bench.Case{Sample: "s", Runtime: "r", Codec: "a", Operation: bench.Get, Transport: bench.HTTP, Encoding: "gzip:6", Peer: "q/a", Link: "10mbit/20ms"}, Client: "c 1", Server: "s 2"},
		requests(3), &OpenLoop{Rate: 100, Seconds: 2, Requests: 200, Errors: 1, Error: "reset", Histogram: Histogram{NS: []int64{5}, Count: []int64{199}}},
		&Storage{Server: "redis 7", Keys: 3, ValueBytes: 30, MemoryUsage: 300, UsedMemory: 330}, progress(1),
	}
	path := write(t, records...)
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	if err := f.Scan(func(rec any) error { got = append(got, rec); return nil }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(records, got[1:]); d != "" {
		t.Error(d)
	}
}

func TestResumeCutsRequestsThatNoProgressCloses(t *testing.T) {
	path := write(t, &Case{Case: bench.Case{Sample: "s", Runtime: "r", Codec: "a", Operation: bench.Get, Transport: bench.HTTP}},
		requests(0), progress(1), &Storage{Keys: 1}, requests(1), &Outcome{Status: bench.Failed})
	w, err := Resume(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close("complete"); err != nil {
		t.Fatal(err)
	}
	want := []string{"header", "case 0 s/r/a/get/http/", "requests 0/0", "progress 1", "storage 0", "footer"}
	if d := cmp.Diff(want, read(t, path)); d != "" {
		t.Error(d)
	}
}

func TestRequestsMerge(t *testing.T) {
	file := func(codec string) *File {
		records := []any{&Header{Machine: Machine{CPU: "A"}}}
		for i, c := range []string{"other", codec} {
			records = append(records, &Case{Number: 4 + i, Case: bench.Case{Sample: "s", Runtime: "r", Codec: c, Operation: bench.Set, Transport: bench.Redis}})
		}
		for n := range 2 {
			r := requests(n)
			r.Case = 5
			records = append(records, r)
		}
		records = append(records, &Storage{Case: 5, Keys: 1}, &OpenLoop{Case: 5, Rate: 1}, progress(2))
		f, err := Of(codec, records)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	var got []string
	for _, e := range Merge(file("x"), file("y"), file("x")) {
		if err := e.Scan(func(rec any) error { got = append(got, word(rec)); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"case 0 s/r/other/set/redis/", "case 1 s/r/x/set/redis/", "requests 1/0", "requests 1/1", "storage 1", "open-loop 1", "progress 2",
		"case 2 s/r/y/set/redis/", "requests 2/2", "requests 2/3", "storage 2", "open-loop 2", "progress 4",
		"requests 1/4", "requests 1/5", "storage 1", "open-loop 1", "progress 6",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestScanRefusesOfTheWire(t *testing.T) {
	with := func(old, new string) string { return header + caseZero + strings.Replace(requestsZero, old, new, 1) }
	if err := Scan(strings.NewReader(with("", "")), "f", func(any) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, data, want string }{
		{"an unknown case", with(`"case":0`, `"case":7`), "f:3: case 7 is not known here"},
		{"a span that is too short", with(`"transfer":[90]`, `"transfer":[]`), "f:3: requests of case 0 have 0 entries of transfer for 1 of wall_ns"},
		{"no bytes", with(`"wire_bytes":[8]`, `"wire_bytes":null`), "f:3: requests of case 0 have 0 entries of wire_bytes"},
		{"a negative span", with(`"decode":[9]`, `"decode":[-9]`), "f:3: entry 0 of requests of case 0 is out of range"},
		{"no requests", with(`"requests":[2]`, `"requests":[0]`), "f:3: entry 0 of requests of case 0 is out of range"},
		{"too many", with(`"requests":[2]`, `"requests":[9223372036854775807]`), "f:3: entry 0 of requests of case 0 is out of range"},
		{"a negative pipeline", with(`"fork":0`, `"fork":0,"pipeline":-1`), "f:3: requests of case 0 have a negative number"},
		{"a torn histogram", with(`"count":[1,1]`, `"count":[1]`), "f:3: a histogram of case 0 has 2 times for 1 counts"},
		{"an empty bucket", with(`"count":[1,1]`, `"count":[1,0]`), "f:3: entry 1 of a histogram of case 0 is out of range"},
		{"no rate", header + caseZero + `{"kind":"open-loop","case":0,"rate":0}` + "\n", "f:3: a fixed rate of case 0 is out of range"},
		{"stored nothing", header + caseZero + `{"kind":"storage","case":0,"keys":0}` + "\n", "f:3: what is stored of case 0 is out of range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Scan(strings.NewReader(tt.data), "f", func(any) error { return nil })
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s…", err, tt.want)
			}
		})
	}
}

func TestPerKey(t *testing.T) {
	for _, tt := range []struct {
		s    Storage
		want [3]float64
	}{
		{Storage{Server: "redis 7", Keys: 1000, ValueBytes: 250e3, MemoryUsage: 312e3, UsedMemory: 339e3}, [3]float64{250, 312, 339}},
		{Storage{Server: "redis 7", Keys: 2, ValueBytes: 500, MemoryUsage: 624, UsedMemory: 14000}, [3]float64{250, 312, 0}}, // mostly other things
		{Storage{Server: "redis 7", Keys: 2, ValueBytes: 500, MemoryUsage: -1, UsedMemory: -5}, [3]float64{250, 0, 0}},
		{Storage{Server: "embedded, in-process", Keys: 1000, ValueBytes: 250e3, MemoryUsage: 312e3, UsedMemory: 339e3}, [3]float64{250, 0, 0}},
	} {
		value, usage, growth := tt.s.PerKey()
		if got := [3]float64{value, usage, growth}; got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.s, got, tt.want)
		}
	}
}

func TestHistogram(t *testing.T) {
	h := HistogramOf([]int64{5, 300, 5, -2, 301, 1 << 40, math.MaxInt64})
	want := Histogram{NS: []int64{0, 5, 301, 1<<40 + 1<<33 - 1, math.MaxInt64}, Count: []int64{1, 2, 2, 1, 1}}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("%+v", h)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		ns := int64(math.Exp(r.Float64() * 43))
		b := bucket(ns)
		if b < ns || float64(b-ns) > 0.008*float64(ns) || bucket(b) != b || bucket(b+1) == b {
			t.Fatalf("%d is in the bucket up to %d", ns, b)
		}
	}
}
