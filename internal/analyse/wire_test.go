package analyse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// asked is a case that crosses a transport: the parts of a request, in ns.
type asked struct {
	codec      string
	format     bench.Format
	coding     string
	codecNS    float64 // encode and decode, half each
	codingNS   float64 // compress and decompress, half each
	transferNS float64
	bytes      int64
}

func (k asked) total() float64 { return k.codecNS + k.codingNS + k.transferNS }

func (k asked) at() bench.Case {
	return bench.Case{Sample: "s", Runtime: "r", Codec: k.codec, Format: k.format, Operation: bench.Get, Transport: bench.HTTP, Encoding: k.coding, Peer: "r/" + k.codec}
}

// requests is what a fork measures: so many slices of ten requests, each part times
// the factor.
func (k asked) requests(number, fork, slices int, factor float64) *store.Requests {
	r := &store.Requests{Case: number, Fork: fork, Pilot: fork == 0, ColdNS: []int64{int64(9 * k.total()), int64(2 * k.total())}}
	ten := func(ns float64) int64 { return int64(math.Round(10 * ns * factor)) }
	var times []int64
	for range slices {
		r.Requests, r.Document, r.Window = append(r.Requests, 10), append(r.Document, 0), append(r.Window, 5)
		r.WallNS = append(r.WallNS, ten(k.total()))
		s := &r.Spans
		s.Encode, s.Decode = append(s.Encode, ten(k.codecNS/2)), append(s.Decode, ten(k.codecNS/2))
		s.Compress, s.Decompress = append(s.Compress, ten(k.codingNS/2)), append(s.Decompress, ten(k.codingNS/2))
		s.Transfer = append(s.Transfer, ten(k.transferNS))
		r.ClientNS, r.ServerNS = append(r.ClientNS, ten(k.codecNS)), append(r.ServerNS, -1)
		r.Bytes, r.Allocated = append(r.Bytes, 10*k.bytes), append(r.Allocated, 5000)
		for range 10 {
			times = append(times, ten(k.total())/10)
		}
	}
	r.Histogram = store.HistogramOf(times)
	return r
}

func aCase(number int, k asked) *store.Case {
	c := &store.Case{Number: number, Case: k.at()}
	if k.codec == "std" || k.codec == "pb" {
		c.Role = "default"
	}
	return c
}

// exchanged are the records of a run of n forks after one pilot, with noise of
// the given relative size.
func exchanged(n int, noise float64, cases ...asked) []any {
	r := rand.New(rand.NewPCG(3, 4))
	var recs []any
	for i, k := range cases {
		recs = append(recs, aCase(i, k))
	}
	for fork := range n + 1 {
		for i, k := range cases {
			recs = append(recs, k.requests(i, fork, 5, 1+noise*r.NormFloat64()))
		}
	}
	return recs
}

var (
	plainStd  = asked{"std", bench.JSON, bench.Identity, 20e3, 0, 80e3, 3000}
	plainWire = asked{"pb", bench.Protobuf, bench.Identity, 8e3, 0, 72e3, 1000}
	fastText  = asked{"quick", bench.JSON, bench.Identity, 10e3, 0, 80e3, 3000}
	packStd   = asked{"std", bench.JSON, "gzip:6", 20e3, 120e3, 60e3, 800}
	packWire  = asked{"pb", bench.Protobuf, "gzip:6", 8e3, 82e3, 60e3, 700}
)

func TestARequestByHand(t *testing.T) {
	// Three slices of 10 requests at 100, 100 and, interrupted, 1000 µs.
	k := plainStd
	r := k.requests(0, 1, 3, 1)
	r.WallNS[2], r.Spans.Transfer[2] = 10e6, 10e6-200e3
	r.Allocated[1] = -1
	got := analysis(Options{}, aCase(0, k), r).Cases()[0]
	one := func(x float64) Estimate { return Estimate{x, x, x, x, 1} }
	want := &Requests{
		Spans: Spans{Encode: 10e3, Transfer: 80e3, Decode: 10e3}, Sum: 1,
		Codec: one(0.2), Coding: one(0), Transfer: one(0.8), Client: one(20e3), Bytes: 3000, Allocated: one(500),
	}
	approx := cmpopts.EquateApprox(1e-9, 1e-9)
	if d := cmp.Diff(want, got.Requests, approx, cmpopts.IgnoreFields(Requests{}, "Latency")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Estimate{one(100e3), one(100e3), one(900e3), one(550e3)}, []Estimate{got.NS, got.Wall, got.ColdFirst, got.ColdMean}, approx); d != "" {
		t.Error(d)
	}
}

func TestPipelinedRequestsCountByDocument(t *testing.T) {
	r := plainStd.requests(0, 1, 3, 1)
	r.Pipeline = 50
	got := analysis(Options{}, aCase(0, plainStd), r).Cases()[0]
	q := got.Requests
	if got.NS.Median != 2000 || q.Spans.Encode != 200 || q.Bytes != 60 || q.Client.Median != 400 || q.Pipeline != 50 || q.Allocated.Median != 10 {
		t.Errorf("%v, %+v", got.NS, q)
	}
	if q.Latency.P50 < 100e3 || q.Latency.Requests != 30 {
		t.Errorf("a round trip is one request: %+v", q.Latency)
	}
}

// Parts that do not come to the whole are shown as they are.
func TestWhatNoSpanHolds(t *testing.T) {
	r := plainStd.requests(0, 1, 4, 1)
	for i := range r.WallNS {
		r.WallNS[i] += r.WallNS[i] / 10
	}
	q := analysis(Options{}, aCase(0, plainStd), r).Cases()[0].Requests
	if math.Abs(q.Sum-1/1.1) > 1e-6 || math.Abs(q.Spans.Transfer-80e3) > 1e-3 {
		t.Errorf("%+v", q)
	}
}

// A stall of one request in fifty shows in p99 and in the largest, and neither in
// the median nor in the time that tables show.
func TestAStallShowsInP99(t *testing.T) {
	k := plainStd
	calm, stalled := k.requests(0, 1, 10, 1), k.requests(1, 1, 10, 1)
	const stall = 40e6
	stalled.WallNS[3] += 2 * stall
	stalled.Spans.Transfer[3] += 2 * stall
	times := []int64{100e3 + stall, 100e3 + stall}
	for range 98 {
		times = append(times, 100e3)
	}
	stalled.Histogram = store.HistogramOf(times)
	a := analysis(Options{}, aCase(0, k), aCase(1, packStd), calm, stalled)
	with, without := a.Cases()[1], a.Cases()[0]
	l := with.Requests.Latency
	if l.P99 < stall || l.Max < stall || l.P95 > 1.01*100e3 || l.P50 > 1.01*100e3 || l.Requests != 100 {
		t.Errorf("%+v", l)
	}
	if l := without.Requests.Latency; l.P99 > 1.01*100e3 || l.Max > 1.01*100e3 {
		t.Errorf("without a stall: %+v", l)
	}
	if with.NS != without.NS || math.Abs(with.Requests.Codec.Median-0.2) > 1e-9 {
		t.Errorf("the time is %+v, of it codec %+v", with.NS, with.Requests.Codec)
	}
}

func TestPercentiles(t *testing.T) {
	c := counts{}
	c.add(store.Histogram{NS: []int64{3, 1}, Count: []int64{4, 95}})
	c.add(store.Histogram{NS: []int64{3, 9}, Count: []int64{100, 1}})
	if d := cmp.Diff(Latency{200, 3, 3, 3, 9}, c.latency()); d != "" { // 95 of 1, 104 of 3, 1 of 9
		t.Error(d)
	}
	if d := cmp.Diff(Latency{}, counts(nil).latency()); d != "" {
		t.Error(d)
	}
	c = counts{}
	c.add(store.Histogram{NS: []int64{1, 2, 3}, Count: []int64{50, 45, 5}})
	if d := cmp.Diff(Latency{100, 1, 2, 3, 3}, c.latency()); d != "" {
		t.Error(d)
	}
}

func TestComparisonsAcrossATransport(t *testing.T) {
	a := analysis(Options{}, exchanged(25, 0.003, packStd, packWire, plainStd, plainWire, fastText)...)
	type row struct {
		Of, To  string
		Ratio   float64
		Verdict bench.Verdict
	}
	var got []row
	for _, c := range a.Comparisons() {
		if c.Metric != bench.Wall || c.Forks != 25 || c.Low > c.Ratio || c.Ratio > c.High {
			t.Errorf("%+v", c)
		}
		got = append(got, row{c.Case.Codec + " " + c.Case.Encoding, c.Baseline.Codec + " " + c.Baseline.Encoding, c.Ratio, c.Verdict})
	}
	want := []row{
		{"std gzip:6", "std identity", 2, bench.Slower},
		{"pb gzip:6", "std identity", 1.5, bench.Slower},
		{"pb identity", "std identity", 0.8, bench.Faster},
		{"quick identity", "std identity", 0.9, bench.Faster},
		{"pb gzip:6", "std gzip:6", 0.75, bench.Faster},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0.01, 0)); d != "" {
		t.Error(d)
	}
	if k := a.hypotheses("r"); k != 5 {
		t.Errorf("%d hypotheses", k)
	}
}

// What crosses a transport shares its runtime's error probability, and is known
// as a lane of its own.
func TestLanes(t *testing.T) {
	memory := records(20, 0.003, slowJSON, plainPB)
	recs := append(append([]any{}, memory...), exchanged(2, 0.05, plainStd, plainWire)...)
	for _, rec := range recs[len(memory):] { // case numbers of their own
		switch r := rec.(type) {
		case *store.Case:
			r.Number += 100
		case *store.Requests:
			r.Case += 100
		}
	}
	a := analysis(Options{}, recs...)
	if k := a.hypotheses("r"); k != 3 {
		t.Errorf("%d hypotheses", k)
	}
	if !a.Settled("r", 0.02) || a.Settled("r over http", 0.02) || a.Settled("", 0.02) || a.Settled("r over redis", 0.02) {
		t.Error("a lane is judged by another's comparisons")
	}
	open := a.Open()
	if !open[plainStd.at()] || !open[plainWire.at()] || len(open) != 2 {
		t.Errorf("open: %v", open)
	}
}

// Cases of one operation are paired within a fork of the same number, and never
// with those over another link or of another peer.
func TestOtherLinksAndPeersAreApart(t *testing.T) {
	var recs []any
	for i, change := range []func(*bench.Case){
		func(*bench.Case) {}, func(c *bench.Case) { c.Link = "10mbit/20ms" }, func(c *bench.Case) { c.Peer = "q/std" },
		func(c *bench.Case) { c.Transport = bench.HTTP2 }, func(c *bench.Case) { c.Operation = bench.Post },
	} {
		c := aCase(i, plainStd)
		change(&c.Case)
		recs = append(recs, c)
	}
	for fork := range 12 {
		for i := range 5 {
			recs = append(recs, plainStd.requests(i, fork, 2, 1))
		}
	}
	if cs := analysis(Options{}, recs...).Comparisons(); len(cs) > 0 {
		t.Errorf("%+v", cs)
	}
}

// The sign test takes over where the client's or the server's runtime compiles
// while it runs: eleven forks that agree decide one comparison of eight, by
// symmetry eight would.
func TestRequestsToRuntimesThatCompileAreComparedBySigns(t *testing.T) {
	for _, tt := range []struct {
		name     string
		compiles func(*store.Case)
		skewed   bool
	}{
		{"neither", func(*store.Case) {}, false},
		{"the client", func(c *store.Case) { c.Compiles = true }, true},
		{"the server", func(c *store.Case) { c.Peer = "jit/x" }, true},
	} {
		recs := []any{&store.Case{Number: 9, Compiles: true, Case: bench.Case{Sample: "s", Runtime: "jit", Codec: "x", Operation: bench.Encode, Transport: bench.Memory}}}
		for _, rec := range exchanged(8, 0.001, plainStd, plainWire) {
			if c, ok := rec.(*store.Case); ok {
				tt.compiles(c)
			}
			recs = append(recs, rec)
		}
		a := analysis(Options{}, recs...)
		for _, s := range a.pairs {
			if s.skewed != tt.skewed {
				t.Errorf("%s: skewed %v", tt.name, s.skewed)
			}
		}
		if len(a.pairs) != 1 {
			t.Errorf("%s: %d pairs", tt.name, len(a.pairs))
		}
	}
}

func TestForecastOfALane(t *testing.T) {
	recs := append(exchanged(6, 0.02, plainStd, plainWire),
		&store.Progress{MeasureNS: 30e9, RuntimeNS: map[string]int64{"r": 20e9, "r over http": 10e9}})
	f := analysis(Options{}, recs...).Forecast(0.01)
	if f.Settled || !f.Known || f.Forks <= 7 || f.Width == 0 {
		t.Fatalf("%+v", f)
	}
	if want := 10e9 * float64(f.Forks-1) / 6; math.Abs(float64(f.Time)/want-1) > 1e-6 {
		t.Errorf("%v for %d forks, want %v s", f.Time, f.Forks, want/1e9)
	}
}

func TestWhatIsStoredAndFixedRates(t *testing.T) {
	s := &store.Storage{Case: 0, Server: "redis 7", Keys: 10, ValueBytes: 100}
	rate := func(rate float64, requests int, ns ...int64) *store.OpenLoop {
		return &store.OpenLoop{Case: 0, Rate: rate, Seconds: 2, Requests: requests, Histogram: store.HistogramOf(ns)}
	}
	failing := rate(100, 3, 5, 200)
	failing.Errors, failing.Error = 1, "refused"
	c := analysis(Options{}, aCase(0, plainStd), s, rate(100, 2, 5, 6), rate(500, 1, 9), failing).Cases()[0]
	want := []Rate{
		{Rate: 100, Seconds: 4, Requests: 5, Errors: 1, Error: "refused", Latency: Latency{4, 5, 200, 200, 200}},
		{Rate: 500, Seconds: 2, Requests: 1, Latency: Latency{1, 9, 9, 9, 9}},
	}
	if d := cmp.Diff(want, c.Rates); d != "" || c.Storage != s || c.Requests != nil {
		t.Error(d, c.Storage, c.Requests)
	}
}
