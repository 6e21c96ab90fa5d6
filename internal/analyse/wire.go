package analyse

import (
	"slices"

	"wirecost/internal/bench"
	"wirecost/internal/stats"
	"wirecost/internal/store"
)

// Requests is what is known of a case's requests. Times, bytes and CPU are of a
// request, of a pipelined operation by document.
type Requests struct {
	Pipeline int     // documents in one round trip; 0: not pipelined
	Spans    Spans   // parts of the case's NS, in ns
	Sum      float64 // of the spans, as a share of the time: 1 where nothing else took time

	// Shares of the time.
	Codec    Estimate // encode and decode, on either side
	Coding   Estimate // compress and decompress
	Transfer Estimate // what is left between sending and the last byte

	Latency   Latency // of whole requests, pipelined ones as well
	Client    Estimate
	Server    Estimate
	Bytes     float64  // bodies as they crossed
	Allocated Estimate // bytes, by the client's process
}

// Spans are the parts of a request's time, in ns.
type Spans struct {
	Encode     float64 `json:"encode_ns"`
	Compress   float64 `json:"compress_ns"`
	Transfer   float64 `json:"transfer_ns"`
	Decompress float64 `json:"decompress_ns"`
	Decode     float64 `json:"decode_ns"`
}

// Rate is a case under a fixed rate of requests.
type Rate struct {
	Rate     float64
	Seconds  float64
	Requests int
	Errors   int
	Error    string  // the first one
	Latency  Latency // from the moment at which a request was to be sent
}

// wire is what is known of a case that crosses a transport.
type wire struct {
	shares                    [][5]float64 // of the time; one entry per fork
	client, server, allocated []float64    // per operation; one entry per fork
	bytes, operations         float64      // of all forks
	pipeline                  int
	latency                   counts
	rates                     []*rate
	storage                   *store.Storage
}

type rate struct {
	Rate
	latency counts
}

// addRequests keeps what one fork says of a case.
func (a *Analysis) addRequests(c *caseState, r *store.Requests) {
	f := slicesOf(r)
	if !f.Pilot {
		c.wire.add(f, r)
	}
	c.add(f)
	a.meet(a.arenas[arenaOf(c.Case.Case)], c, f)
}

// slicesOf is a fork whose batches are slices of requests: an operation is a
// request, of a pipelined operation a document of it.
func slicesOf(r *store.Requests) *store.Fork {
	f := &store.Fork{
		Case: r.Case, Fork: r.Fork, Pilot: r.Pilot, Start: r.Start, Document: r.Document, Window: r.Window, WallNS: r.WallNS,
		Iterations: slices.Clone(r.Requests), CPUNS: -1, Collections: -1, ColdNS: r.ColdNS,
	}
	for i := range f.Iterations {
		f.Iterations[i] *= max(1, r.Pipeline)
	}
	return f
}

// interrupted is how many times its window's median a slice takes that something
// interrupted. Shares of the time leave such slices out.
const interrupted = 3

func (w *wire) add(f *store.Fork, r *store.Requests) {
	times, _ := byWindow(f)
	medians := map[window]float64{}
	for k, x := range times {
		medians[k] = stats.Median(x)
	}
	var spans [5]float64
	var wall, client, server, allocated total
	for i, n := range f.Iterations {
		client.add(r.ClientNS[i], n)
		server.add(r.ServerNS[i], n)
		allocated.add(r.Allocated[i], n)
		w.bytes += float64(r.Bytes[i])
		w.operations += float64(n)
		if float64(r.WallNS[i])/float64(n) > interrupted*medians[window{f.Document[i], f.Window[i]}] {
			continue
		}
		wall.add(r.WallNS[i], n)
		for k, ns := range r.Spans.At(i) {
			spans[k] += float64(ns)
		}
	}
	if wall.sum > 0 {
		for k := range spans {
			spans[k] /= wall.sum
		}
		w.shares = append(w.shares, spans)
	}
	client.to(&w.client)
	server.to(&w.server)
	allocated.to(&w.allocated)
	w.pipeline = r.Pipeline
	w.latency.add(r.Histogram)
}

// total is a sum over operations, of those where it is known.
type total struct{ sum, operations float64 }

func (t *total) add(x int64, operations int) {
	if x >= 0 {
		t.sum, t.operations = t.sum+float64(x), t.operations+float64(operations)
	}
}

// to appends the mean of an operation, if it is known.
func (t total) to(means *[]float64) {
	if t.operations > 0 {
		*means = append(*means, t.sum/t.operations)
	}
}

func (w *wire) addRate(r *store.OpenLoop) {
	i := slices.IndexFunc(w.rates, func(x *rate) bool { return x.Rate.Rate == r.Rate })
	if i < 0 {
		i = len(w.rates)
		w.rates = append(w.rates, &rate{Rate: Rate{Rate: r.Rate}})
	}
	x := w.rates[i]
	x.Seconds, x.Requests, x.Errors = x.Seconds+r.Seconds, x.Requests+r.Requests, x.Errors+r.Errors
	if x.Error == "" {
		x.Error = r.Error
	}
	x.latency.add(r.Histogram)
}

// result fills in what is known of requests.
func (w *wire) result(r *CaseResult) {
	r.Storage = w.storage
	for _, x := range w.rates {
		out := x.Rate
		out.Latency = x.latency.latency()
		r.Rates = append(r.Rates, out)
	}
	if len(w.shares) == 0 || r.NS.Forks == 0 {
		return
	}
	r.Wall = r.NS
	q := &Requests{
		Pipeline: w.pipeline, Latency: w.latency.latency(), Bytes: w.bytes / w.operations,
		Client: estimate(w.client), Server: estimate(w.server), Allocated: estimate(w.allocated),
		Codec: w.share(0, 4), Coding: w.share(1, 3), Transfer: w.share(2),
	}
	for k, ns := range []*float64{&q.Spans.Encode, &q.Spans.Compress, &q.Spans.Transfer, &q.Spans.Decompress, &q.Spans.Decode} {
		for _, shares := range w.shares {
			*ns += shares[k] / float64(len(w.shares))
		}
		q.Sum += *ns
		*ns *= r.NS.Median
	}
	r.Requests = q
}

// share is the part of the time that some spans take, over forks.
func (w *wire) share(spans ...int) Estimate {
	var x []float64
	for _, shares := range w.shares {
		sum := 0.0
		for _, k := range spans {
			sum += shares[k]
		}
		x = append(x, sum)
	}
	return estimate(x)
}

// acrossWire lists the comparisons of cases that cross a transport: all with the
// baseline as it is, and those of each content coding with the baseline in that
// one.
func (a *Analysis) acrossWire(cases []*caseState) []contender {
	var codings []string
	of := map[string][]*caseState{}
	for _, c := range cases {
		if of[c.Encoding] == nil {
			codings = append(codings, c.Encoding)
		}
		of[c.Encoding] = append(of[c.Encoding], c)
	}
	first := codings[0]
	if of[bench.Identity] != nil {
		first = bench.Identity
	}
	out := against(a.baseline(of[first]), cases)
	for _, coding := range codings {
		if coding != first {
			out = append(out, against(a.baseline(of[coding]), of[coding])...)
		}
	}
	return out
}
