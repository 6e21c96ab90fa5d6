package transport

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// OpenLoop asks a server for a URL at a fixed rate, whether answers come or not.
type OpenLoop struct {
	URL      string
	Header   http.Header
	HTTP2    bool          // without TLS
	Rate     float64       // requests per second
	Duration time.Duration // of sending
	Workers  int           // most requests at once; 0: 256

	dial func(ctx context.Context, network, address string) (net.Conn, error) // nil: TCP
}

// Latencies are what requests at a fixed rate took, raw.
type Latencies struct {
	// NS has an entry for each request that was answered as it should be: from the
	// moment at which it was to be sent until its last byte was read. A request that
	// could not be sent in time, because all workers waited, counts from then too.
	NS       []int64
	Requests int    // that were to be sent
	Errors   int    // of them
	Error    string // the first one's
}

const (
	// mostHits bounds the memory of an open loop: 8 bytes a request.
	mostHits = 10_000_000
	// patience is how long a request may take.
	patience = 30 * time.Second
	// behind is how many times its duration an attack may last where client and
	// server together do not manage the rate.
	behind = 3
)

// Run sends all requests and waits for their answers. It ends early, with the
// context's error, when that ends.
func (o OpenLoop) Run(ctx context.Context) (*Latencies, error) {
	hits := math.Round(o.Rate * o.Duration.Seconds())
	if !(hits >= 1 && hits <= mostHits) {
		return nil, fmt.Errorf("%g requests per second for %s are %g requests; 1 to %d are possible", o.Rate, o.Duration, hits, mostHits)
	}
	workers := uint64(o.Workers)
	if o.Workers <= 0 {
		workers = 256
	}
	client, closeClient := o.client(ctx, int(workers))
	defer closeClient()
	attacker := vegeta.NewAttacker(vegeta.Client(client), vegeta.Workers(min(workers, 8)), vegeta.MaxWorkers(workers),
		vegeta.MaxBody(0), vegeta.Redirects(vegeta.NoFollow))
	unhook := context.AfterFunc(ctx, func() { attacker.Stop() })
	defer unhook()
	pace := &pacer{ctx: ctx, rate: o.Rate, hits: uint64(hits), most: behind * o.Duration}
	target := vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: o.URL, Header: o.Header})
	out := &Latencies{Requests: int(hits)}
	sent := 0
	for r := range attacker.Attack(target, pace, 0, "") {
		sent++
		out.add(r, pace)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if sent < out.Requests {
		out.fail(out.Requests-sent, "not sent: server and client did not manage the rate")
	}
	return out, nil
}

func (l *Latencies) add(r *vegeta.Result, pace *pacer) {
	switch {
	case r.Error != "":
		l.fail(1, r.Error)
	case r.Code != http.StatusOK:
		l.fail(1, fmt.Sprintf("status %d", r.Code))
	default:
		l.NS = append(l.NS, r.End().Sub(pace.due(r.Seq)).Nanoseconds())
	}
}

func (l *Latencies) fail(n int, words string) {
	if l.Errors == 0 {
		l.Error = words[:min(len(words), 300)]
	}
	l.Errors += n
}

// client makes a client whose requests all end with the context.
func (o OpenLoop) client(ctx context.Context, connections int) (client *http.Client, closeIdle func()) {
	t := &http.Transport{
		DialContext: o.dial, MaxIdleConns: connections, MaxIdleConnsPerHost: connections,
		DisableCompression: true, IdleConnTimeout: patience, Protocols: new(http.Protocols),
	}
	t.Protocols.SetHTTP1(!o.HTTP2)
	t.Protocols.SetUnencryptedHTTP2(o.HTTP2)
	return &http.Client{Transport: bound{ctx, t}, Timeout: patience}, t.CloseIdleConnections
}

// bound ends requests when a context ends that they do not know. A body that is
// cut short is an error.
type bound struct {
	ctx  context.Context
	next http.RoundTripper
}

func (b bound) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	unhook := context.AfterFunc(b.ctx, cancel)
	response, err := b.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		unhook()
		cancel()
		return nil, err
	}
	response.Body = &boundBody{response.Body, func() { unhook(); cancel() }}
	return response, nil
}

type boundBody struct {
	io.ReadCloser
	release func()
}

func (b *boundBody) Close() error {
	err := b.ReadCloser.Close()
	b.release()
	return err
}

// pacer spaces requests evenly. It knows when each was to be sent, which the
// library does not tell.
type pacer struct {
	ctx   context.Context
	rate  float64
	hits  uint64
	most  time.Duration
	began time.Time
}

// Pace implements vegeta.Pacer. It waits itself for the time of the next request,
// since the library would not heed the context.
func (p *pacer) Pace(elapsed time.Duration, hits uint64) (time.Duration, bool) {
	if hits == 0 {
		p.began = time.Now().Add(-elapsed)
	}
	if hits >= p.hits || elapsed > p.most {
		return 0, true
	}
	return 0, !pause(p.ctx, p.offset(hits)-elapsed)
}

// Rate implements vegeta.Pacer.
func (p *pacer) Rate(time.Duration) float64 { return p.rate }

func (p *pacer) offset(hit uint64) time.Duration {
	return time.Duration(float64(hit) / p.rate * float64(time.Second))
}

// due is when a request is to be sent.
func (p *pacer) due(hit uint64) time.Time { return p.began.Add(p.offset(hit)) }

var _ vegeta.Pacer = (*pacer)(nil)
