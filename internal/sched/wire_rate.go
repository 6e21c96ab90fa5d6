package sched

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/store"
	"wirecost/internal/transport"
)

// rateTime is how long each case is tried at a fixed rate, or longer, until there
// were leastHits requests.
const (
	rateTime  = 2 * time.Second
	leastHits = 5
)

// answer is what a server is asked for.
type answer struct {
	sample, peer, encoding, link string
	transport                    bench.Transport
}

// rates tries the servers at a fixed rate of requests: each codec and content
// coding that was measured, once.
func (s *Scheduler) rates(ctx context.Context) error {
	if s.Config.Rate <= 0 {
		return nil
	}
	tried := map[answer]bool{}
	for _, l := range s.lanes {
		o, ok := l.kind.(*overWire)
		if !ok || l.Wire.Attack == nil {
			continue
		}
		var cases []*caseState
		for _, c := range l.running() {
			a := answer{c.Sample, c.Peer, c.Encoding, c.Link, c.Transport}
			if c.Operation == bench.Get && c.counts && !tried[a] {
				tried[a] = true
				cases = append(cases, c)
			}
		}
		if len(cases) == 0 {
			continue
		}
		if err := o.attack(ctx, cases); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return s.Sink.Sync()
}

// attack tries one server. The error is one of keeping records.
func (o *overWire) attack(ctx context.Context, cases []*caseState) error {
	o.l.only = nil
	f := o.wireFork(o.l.next)
	defer f.close()
	gone := f.open(ctx)
	for _, c := range cases {
		if ctx.Err() != nil {
			return nil
		}
		o.s.Observe(Event{Phase: "rate", Lane: o.l.name, Runtime: o.l.Runtime, Codec: c.Peer})
		rec := &store.OpenLoop{Kind: "open-loop", Case: c.number, Rate: o.s.Config.Rate}
		if gone == nil {
			gone = o.attackWith(ctx, f, c, rec)
		}
		if ctx.Err() != nil {
			return nil
		}
		if gone != nil && rec.Error == "" {
			_, rec.Error = explain(gone)
		}
		if err := o.s.Sink.Append(rec); err != nil {
			return err
		}
	}
	return nil
}

// attackWith fills in a record; the error says why the server can be tried no more.
func (o *overWire) attackWith(ctx context.Context, f *wireFork, c *caseState, rec *store.OpenLoop) error {
	coding, _, _ := strings.Cut(c.Encoding, ":")
	loop := transport.OpenLoop{
		URL:    fmt.Sprintf("%s/%s/%s/%s/%d", f.address, url.PathEscape(c.Sample), url.PathEscape(peer(c.Case)), coding, o.s.middling(c.Sample)),
		Header: http.Header{"Accept-Encoding": {coding}}, HTTP2: c.Transport == bench.HTTP2, Rate: rec.Rate, Duration: rateTime,
	}
	if least := time.Duration(leastHits / rec.Rate * float64(time.Second)); loop.Duration < least {
		loop.Duration = least
	}
	got, err := o.l.Wire.Attack(ctx, loop)
	if err != nil {
		return err
	}
	rec.Seconds, rec.Requests, rec.Errors, rec.Error = loop.Duration.Seconds(), got.Requests, got.Errors, got.Error
	rec.Histogram = store.HistogramOf(got.NS)
	if got.Errors > 0 {
		return f.gone(ctx)
	}
	return nil
}

// middling is the index of a document of middling size.
func (s *Scheduler) middling(sample string) int {
	bytes := s.Samples[sample].Bytes
	order := make([]int, len(bytes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return bytes[a] - bytes[b] })
	return order[len(order)/2]
}
