package sched

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// counting starts processes, and counts those that have not been closed.
type counting struct {
	runner.Starter
	open, started int
	asked         map[string]int // requests of some kinds
	onCall        func(req runner.CallRequest, calls int)
}

func (c *counting) Start(ctx context.Context) (runner.Process, error) {
	p, err := c.Starter.Start(ctx)
	if err != nil {
		return nil, err
	}
	c.open++
	c.started++
	return &counted{Process: p, of: c}, nil
}

type counted struct {
	runner.Process
	of     *counting
	closed bool
}

func (p *counted) Close() error {
	if !p.closed {
		p.closed = true
		p.of.open--
	}
	return p.Process.Close()
}

func (p *counted) Verify(ctx context.Context, req runner.VerifyRequest) (*runner.VerifyReply, error) {
	p.of.asked["verify "+req.Codec]++
	return p.Process.Verify(ctx, req)
}

func (p *counted) Call(ctx context.Context, req runner.CallRequest) (*runner.CallReply, error) {
	p.of.asked["call"]++
	if p.of.onCall != nil {
		p.of.onCall(req, p.of.asked["call"])
	}
	return p.Process.Call(ctx, req)
}

// wired is a setting whose runtime also serves and calls.
type wired struct {
	*setting
	starter *counting
}

// newWired has the codecs json, slow and twin over HTTP, as they are and
// compressed, and over Redis.
func newWired(t *testing.T, documents int) *wired {
	t.Helper()
	s := newSetting(t, documents)
	d := &s.runtime.Description
	d.Serves, d.Calls, d.Encodings = []bench.Transport{bench.HTTP}, []bench.Transport{bench.HTTP, bench.Redis}, []string{"gzip:6"}
	s.runtime.Cost = wireCost
	s.runtime.Noise = runner.Noise{ForkSpread: 0.005, Jitter: 0.02}
	return &wired{s, &counting{Starter: s.runtime, asked: map[string]int{}}}
}

// wireCost is what the spans of a request cost: the codec much, so that its ratio
// shows.
func wireCost(o runner.FakeOperation) float64 {
	factor := 1.0
	if o.Codec == "slow" {
		factor = 4
	}
	switch o.Span {
	case runner.SpanEncode, runner.SpanDecode:
		return factor * (20e3 + 500*float64(o.Bytes))
	case runner.SpanCompress:
		return 30e3
	case runner.SpanDecompress:
		return 10e3
	case runner.SpanTransfer:
		return 60e3 + 2*float64(o.Bytes)
	}
	return factor * (200 + 10*float64(o.Bytes)) // in memory
}

func (w *wired) program() *Program {
	return &Program{Runtime: "fake", Codecs: w.lane.Codecs, Starter: w.starter, Dropped: map[string]string{}}
}

// http is a lane over HTTP to the runtime's own server.
func (w *wired) http(encodings ...string) Lane {
	l := w.lane
	l.Starter, l.Cases = w.starter, nil
	l.Wire = &Wire{Transport: bench.HTTP, Client: "fake client", Answers: "fake server", Server: w.program()}
	for _, op := range []bench.Operation{bench.Get, bench.Post} {
		for _, encoding := range encodings {
			for _, codec := range []string{"json", "slow", "twin"} {
				l.Cases = append(l.Cases, bench.Case{
					Sample: "s", Runtime: "fake", Codec: codec, Format: bench.JSON, Operation: op,
					Transport: bench.HTTP, Encoding: encoding, Peer: "fake/" + codec,
				})
			}
		}
	}
	return l
}

// redis is a lane over Redis.
func (w *wired) redis(server func(context.Context) (Redis, error)) Lane {
	l := w.lane
	l.Starter, l.Cases = w.starter, nil
	l.Wire = &Wire{Transport: bench.Redis, Client: "fake client", Redis: server}
	for _, op := range []bench.Operation{bench.Set, bench.Get, bench.SetPipelined, bench.GetPipelined} {
		for _, codec := range []string{"json", "slow", "twin"} {
			l.Cases = append(l.Cases, bench.Case{Sample: "s", Runtime: "fake", Codec: codec, Format: bench.JSON, Operation: op, Transport: bench.Redis, Encoding: bench.Identity})
		}
	}
	return l
}

// all gives the records of requests, with their cases.
func (w *wired) all() (cases map[int]bench.Case, records []*store.Requests) {
	cases = map[int]bench.Case{}
	for _, rec := range w.sink.records {
		switch r := rec.(type) {
		case *store.Case:
			cases[r.Number] = r.Case
		case *store.Requests:
			records = append(records, r)
		}
	}
	return cases, records
}

// wireEnds gives the outcome of each case, by its operation, encoding and codec.
func (w *wired) wireEnds() map[string]string {
	names, out := map[int]string{}, map[string]string{}
	for _, rec := range w.sink.records {
		switch r := rec.(type) {
		case *store.Case:
			names[r.Number] = fmt.Sprintf("%s %s %s", r.Operation, r.Encoding, r.Codec)
		case *store.Outcome:
			out[names[r.Case]] = strings.TrimSuffix(string(r.Status)+": "+r.Reason, ": ")
		}
	}
	return out
}

func (w *wired) allClosed(t *testing.T) {
	t.Helper()
	if w.starter.open != 0 || w.starter.started == 0 {
		t.Errorf("%d of %d processes were left open", w.starter.open, w.starter.started)
	}
}
