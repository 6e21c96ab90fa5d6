package report

import (
	"math"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"

	"wirecost/internal/bench"
)

// What benchstat reads must be what was measured: a sample per fork, and the
// median and ratio that follow.
func TestBenchfmtIsReadByBenchstatsParser(t *testing.T) {
	r := load(t, "orders.jsonl")
	samples := map[string][]float64{}
	allocs := map[string]float64{}
	in := benchfmt.NewReader(strings.NewReader(export(t, "benchfmt", r, Options{})), "orders")
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.Result:
			ns, ok := rec.Value("sec/op")
			if !ok || rec.Iters < 1 {
				t.Fatalf("%s has no time", rec.Name)
			}
			samples[string(rec.Name)] = append(samples[string(rec.Name)], ns*1e9)
			allocs[string(rec.Name)], _ = rec.Value("allocs/op")
			if rec.GetConfig("goos") != "linux" || rec.GetConfig("cpu") != "Example CPU 3.0 GHz" {
				t.Fatalf("configuration %v", rec.Config)
			}
		case *benchfmt.SyntaxError:
			t.Fatal(rec)
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	if len(samples) != 10 {
		t.Errorf("%d benchmarks: %v", len(samples), samples)
	}
	for _, c := range r.Cases {
		if c.NS == nil {
			continue
		}
		name := string(benchmarkName(c.Case))
		x := samples[name]
		if len(x) != c.Forks {
			t.Errorf("%s: %d samples of %d forks", name, len(x), c.Forks)
			continue
		}
		centre := benchmath.AssumeNothing.Summary(benchmath.NewSample(x, &benchmath.DefaultThresholds), 0.95).Center
		if math.Abs(centre/c.NS.Median-1) > 1e-5 || allocs[name] != *c.Allocs {
			t.Errorf("%s: median %v and %v allocations, want %v and %v", name, centre, allocs[name], c.NS.Median, *c.Allocs)
		}
	}
}

// Parts of a name are what benchstat's -row and -col ask for.
func TestBenchmarkNames(t *testing.T) {
	var parser benchproc.ProjectionParser
	p, err := parser.Parse("/sample,/codec", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		c    bench.Case
		want string
	}{
		{bench.Case{Sample: "orders", Runtime: "go", Codec: "goccy", Operation: bench.Decode, Transport: bench.Memory}, "/sample:orders /codec:go-goccy"},
		{bench.Case{Sample: "GET /a b=c\x1b", Runtime: "go", Codec: "x", Operation: bench.Encode, Transport: "http", Encoding: "gzip:6"}, "/sample:GET__a_b_c_ /codec:go-x"},
	} {
		res := &benchfmt.Result{Name: benchmarkName(tt.c)}
		if got := p.Project(res).String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
