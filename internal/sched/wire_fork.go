package sched

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/stats"
	"wirecost/internal/store"
	"wirecost/internal/transport"
)

// wireFork is one fork of a lane over a wire at work: a fresh server, fresh
// clients, and the requests of all active cases in interleaved slices.
type wireFork struct {
	s       *Scheduler
	l       *lane
	o       *overWire
	n       int
	order   plan.Order
	start   time.Time
	server  runner.Process // nil: Redis answers
	redis   Redis          // nil: a server does
	link    transport.Path // nil: there is none
	address string         // that clients call
	groups  [][]string     // of codecs, a client each
	callers []*caller
	records map[*caseState]*store.Requests
	times   map[*caseState][]int64 // of every request in slices
	cpu     int64                  // the server's, up to the last slice
	early   struct {               // the first requests
		took time.Duration
		made int
	}
	sliced time.Duration // in slices
}

// caller is one client's process.
type caller struct {
	p     runner.Process
	cases []*caseState
}

// run implements attempt.
func (f *wireFork) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{f.open, f.join, f.fill, f.cold, f.warm, f.slices} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// anyPort is where servers listen: on a free port that only this machine reaches.
const anyPort = "127.0.0.1:0"

// open starts the server, and the link before it. Clients that need not be
// started in a certain way for the link start meanwhile.
func (f *wireFork) open(ctx context.Context) (err error) {
	w := f.l.Wire
	if w.Link == nil {
		if err := f.spawn(ctx); err != nil {
			return err
		}
	}
	if w.Server == nil {
		if f.redis, err = w.Redis(ctx); err != nil {
			return err
		}
		f.address = f.redis.URL()
		return nil
	}
	if f.server, _, err = f.s.start(ctx, w.Server.Starter, codecsOf(f.l.active(), peer)); err != nil {
		return fmt.Errorf("the server does not start: %w", err)
	}
	reply, err := f.server.Serve(ctx, runner.ServeRequest{Transport: w.Transport, Address: anyPort})
	if err != nil {
		return fmt.Errorf("the server does not listen: %w", err)
	}
	f.address = "http://" + reply.Address
	if w.Link == nil {
		return nil
	}
	if f.link, err = w.Link(reply.Address); err != nil {
		return err
	}
	f.address = "http://" + f.link.Address()
	return nil
}

// clients starts the lane's clients where the link, if there is one, lets them
// find the server.
func (f *wireFork) clients() runner.Starter {
	if f.link != nil && len(f.link.Prefix()) > 0 {
		return f.l.Wire.Within(f.link.Prefix())
	}
	return f.l.Starter
}

// spawn starts the clients' processes. All begin at once: some runtimes take
// their time.
func (f *wireFork) spawn(ctx context.Context) error {
	clients := f.clients()
	f.groups = f.l.groups()
	f.order.Shuffle(len(f.groups), func(i, j int) { f.groups[i], f.groups[j] = f.groups[j], f.groups[i] })
	for _, codecs := range f.groups {
		p, err := clients.Start(ctx)
		if err != nil {
			return f.missing(codecs, err)
		}
		f.callers = append(f.callers, &caller{p: p})
	}
	return nil
}

// join hands the clients the documents.
func (f *wireFork) join(ctx context.Context) error {
	if f.callers == nil {
		if err := f.spawn(ctx); err != nil {
			return err
		}
	}
	for i, codecs := range f.groups {
		m := f.callers[i]
		if _, err := m.p.Prepare(ctx, f.s.files(), codecs); err != nil {
			return f.missing(codecs, err)
		}
		for _, c := range f.l.active() {
			if slices.Contains(codecs, c.Codec) {
				m.cases = append(m.cases, c)
				f.records[c] = &store.Requests{Kind: "requests", Case: c.number, Fork: f.n, Pilot: f.l.pilot(), Start: f.start}
				if piped(c.Operation) {
					f.records[c].Pipeline = f.s.pipeline(c.Case)
				}
			}
		}
	}
	return nil
}

// missing says that a client cannot be had.
func (f *wireFork) missing(codecs []string, err error) error {
	if f.l.Isolated {
		return &lost{codecs, err}
	}
	return err
}

// close implements attempt. No process, key or folder is left.
func (f *wireFork) close() {
	for _, m := range f.callers {
		m.p.Close()
	}
	if f.link != nil {
		f.link.Close()
	}
	if f.server != nil {
		f.server.Close()
	}
	if f.redis != nil {
		f.redis.Close()
	}
}

// turn is a case with the client that makes its requests.
type turn struct {
	m *caller
	c *caseState
}

// turns lists the cases that still run, in random order; those of a suspect come
// first.
func (f *wireFork) turns() []turn {
	var all []turn
	for _, m := range f.callers {
		for _, c := range m.cases {
			if !c.ended {
				all = append(all, turn{m, c})
			}
		}
	}
	f.order.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	suspect := func(t turn) int {
		if t.c.Codec == f.o.suspect {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b turn) int { return suspect(a) - suspect(b) })
	return all
}

// each does something with every case that still runs. An error that is the
// case's own ends that case only.
func (f *wireFork) each(ctx context.Context, do func(m *caller, c *caseState) error) error {
	for _, t := range f.turns() {
		err := do(t.m, t.c)
		if err != nil {
			err = f.fault(ctx, t.c, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fault finds out whose fault an error was in requests of a case. It returns nil
// where the case has ended with it and the fork may go on.
func (f *wireFork) fault(ctx context.Context, c *caseState, err error) error {
	if ctx.Err() != nil {
		return err
	}
	gone := f.gone(ctx)
	var broken *runner.ProcessError
	if gone == nil && !errors.As(err, &broken) {
		status, reason := explain(err)
		return f.s.end(c, status, reason)
	}
	if gone != nil {
		err = gone
	}
	// A process died while this case had its turn. Once may be an accident; its
	// codec comes first in the next fork, and if that dies too, it is to blame.
	if f.o.suspect == c.Codec {
		return &blamed{c, err}
	}
	f.o.suspect = c.Codec
	return err
}

// gone returns why the server does not answer, if so.
func (f *wireFork) gone(ctx context.Context) error {
	if f.redis != nil {
		if err := f.redis.Ping(ctx); err != nil {
			return fmt.Errorf("Redis is gone: %w", err)
		}
		return nil
	}
	if _, err := f.server.Usage(ctx); err != nil {
		return fmt.Errorf("the server is gone: %w", err)
	}
	return nil
}

// calibrated lists the active cases whose cost is known.
func (f *wireFork) calibrated() []*caseState {
	return slices.DeleteFunc(f.l.active(), func(c *caseState) bool { return c.cost == nil || f.records[c] == nil })
}

// slices measures: round by round each case has a slice of requests, in random
// order, those of one operation on the same documents.
func (f *wireFork) slices(ctx context.Context) error {
	groups := f.s.wireGroups(f.calibrated())
	rounds := f.o.rounds(groups)
	windows := map[*group][]plan.Window{}
	for _, g := range groups {
		windows[g] = f.order.Pick(g.windows, max(1, rounds/perWireWindow))
	}
	if err := f.usage(ctx, nil); err != nil {
		return err
	}
	began := f.s.Config.Now()
	for i := range rounds {
		target := float64(sliceTime) * f.order.Jitter()
		err := f.each(ctx, func(m *caller, c *caseState) error {
			g := groupOf(groups, c)
			if g == nil {
				return nil
			}
			w := windows[g][i%len(windows[g])]
			return f.slice(ctx, m, c, w, g.requests(c, w, target))
		})
		if err != nil {
			return err
		}
	}
	f.sliced = f.s.Config.Now().Sub(began)
	return nil
}

// slice times requests of one case and keeps what is known of them.
func (f *wireFork) slice(ctx context.Context, m *caller, c *caseState, w plan.Window, requests int) error {
	reply, err := f.call(ctx, m, c, c.Operation, w, requests)
	if err != nil {
		return err
	}
	f.times[c] = append(f.times[c], reply.TotalNS...)
	r := f.records[c]
	r.Requests = append(r.Requests, requests)
	r.Document = append(r.Document, w.First)
	r.Window = append(r.Window, w.Count)
	r.WallNS = append(r.WallNS, total(reply.TotalNS))
	r.Spans.Encode = append(r.Spans.Encode, total(reply.EncodeNS))
	r.Spans.Compress = append(r.Spans.Compress, total(reply.CompressNS))
	r.Spans.Transfer = append(r.Spans.Transfer, total(reply.TransferNS))
	r.Spans.Decompress = append(r.Spans.Decompress, total(reply.DecompressNS))
	r.Spans.Decode = append(r.Spans.Decode, total(reply.DecodeNS))
	r.ClientNS = append(r.ClientNS, reply.CPUNS)
	r.Bytes = append(r.Bytes, reply.WireBytes)
	r.Allocated = append(r.Allocated, reply.Allocated)
	return f.usage(ctx, r)
}

// usage reads how much CPU time the server has used, and adds what it was since
// the last time to a record.
func (f *wireFork) usage(ctx context.Context, r *store.Requests) error {
	now := int64(-1)
	if f.server != nil {
		reply, err := f.server.Usage(ctx)
		if err != nil {
			return fmt.Errorf("the server is gone: %w", err)
		}
		now = reply.CPUNS
	}
	if r != nil {
		since := int64(-1)
		if now >= 0 && f.cpu >= 0 {
			since = now - f.cpu
		}
		r.ServerNS = append(r.ServerNS, since)
	}
	f.cpu = now
	return nil
}

func total(ns []int64) int64 {
	sum := int64(0)
	for _, t := range ns {
		sum += t
	}
	return sum
}

// keep implements attempt.
func (f *wireFork) keep() error {
	f.o.suspect = ""
	f.o.fit(f.s.Config.Now().Sub(f.start), f.sliced, len(f.records))
	for _, c := range f.l.running() {
		r := f.records[c]
		if r == nil || len(r.WallNS) == 0 {
			continue
		}
		c.measured, c.counts = true, c.counts || !r.Pilot
		f.refine(c, r)
		f.s.countPreempted(r.WallNS, r.Requests, r.Document, r.Window)
		r.Histogram = store.HistogramOf(f.times[c])
		if err := f.s.Sink.Append(r); err != nil {
			return err
		}
	}
	return nil
}

// refine corrects a case's cost by what its slices took.
func (f *wireFork) refine(c *caseState, r *store.Requests) {
	ratios := make([]float64, len(r.WallNS))
	for i, ns := range r.WallNS {
		passes := float64(r.Requests[i]*max(1, r.Pipeline)) / float64(r.Window[i])
		ratios[i] = float64(ns) / (passes * c.pass(plan.Window{First: r.Document[i], Count: r.Window[i]}))
	}
	if ratio := stats.Median(ratios); ratio > 0 {
		c.scale(ratio)
	}
}
