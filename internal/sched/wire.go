package sched

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/store"
	"wirecost/internal/transport"
)

// Wire is what a lane's requests cross, and who answers them.
type Wire struct {
	Transport bench.Transport
	Client    string // the libraries that carry the requests, for the records
	Answers   string // those of the server
	// Server is who answers over HTTP; nil: Redis does.
	Server *Program
	// Link puts a shaped link before a server's address; nil: there is none.
	Link func(target string) (transport.Path, error)
	// Within starts clients with the words that a link asks for before their
	// command; nil: no link does.
	Within func(prefix []string) runner.Starter
	// Redis gives a Redis server for one fork. It fails where there is none to
	// talk to, saying why.
	Redis func(ctx context.Context) (Redis, error)
	// Attack tries a server at a fixed rate of requests; nil: none is tried.
	Attack func(ctx context.Context, o transport.OpenLoop) (*transport.Latencies, error)
}

// Redis is a Redis server that a fork talks to.
type Redis interface {
	URL() string
	Label() string  // "redis 7.0.15", or "embedded, in-process"
	Prefix() string // of every key
	// Ping returns why the server does not answer, if so.
	Ping(ctx context.Context) error
	// Store says what a codec's values take there.
	Store(ctx context.Context, codec string, values [][]byte) (transport.Stored, error)
	// Close removes the keys, and ends the server if it was started for this.
	Close() error
}

// overWire is the kind of a lane whose cases cross a transport.
type overWire struct {
	s       *Scheduler
	l       *lane
	server  *party  // nil: Redis answers
	suspect string  // the codec in whose turn a process of the fork before died
	fixed   float64 // ns, the most that forks took besides slices
}

// peer is the server's codec, without its runtime.
func peer(c bench.Case) string {
	_, codec, _ := strings.Cut(c.Peer, "/")
	return codec
}

// admit implements kind: the codecs of both sides must have passed. What a lane
// before found out is not asked again.
func (o *overWire) admit(ctx context.Context) error {
	w := o.l.Wire
	if !slices.Contains(o.l.party.desc.Calls, w.Transport) {
		return o.s.giveUp(o.l.running(), fmt.Errorf("the %s runner makes no requests over %s", o.l.Runtime, w.Transport))
	}
	if w.Server != nil {
		o.server = o.s.meet(ctx, *w.Server)
		switch {
		case ctx.Err() != nil:
			return nil
		case o.server.broken != nil:
			return o.s.giveUp(o.l.running(), fmt.Errorf("there is no server: %w", o.server.broken))
		case !slices.Contains(o.server.desc.Serves, w.Transport):
			return o.s.giveUp(o.l.running(), fmt.Errorf("the %s runner does not serve %s", w.Server.Runtime, w.Transport))
		}
	}
	for _, c := range o.l.running() {
		if err := o.s.prove(ctx, o.l.party, c.Codec, []string{c.Sample}, nil); err != nil {
			return err
		}
		if o.server == nil {
			continue
		}
		if err := o.s.prove(ctx, o.server, peer(c.Case), []string{c.Sample}, nil); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	for _, c := range o.l.running() {
		if err := o.let(c); err != nil {
			return err
		}
	}
	return nil
}

// let lets a case through, or ends it. The checksum of what is read is the
// reader's, of what is stored the writer's.
func (o *overWire) let(c *caseState) error {
	mine := o.l.party.proofs[trial{c.Codec, c.Sample}]
	if mine.status != "" {
		return o.s.end(c, mine.status, mine.reason)
	}
	c.sums = mine.sums[bench.Decode]
	switch c.Operation {
	case bench.Set, bench.SetPipelined:
		c.sums = mine.sums[bench.Encode]
	}
	if o.server == nil {
		return nil
	}
	theirs := o.server.proofs[trial{peer(c.Case), c.Sample}]
	if theirs.status != "" {
		return o.s.end(c, theirs.status, fmt.Sprintf("the server's codec, %s: %s", c.Peer, theirs.reason))
	}
	if c.Operation == bench.Post {
		c.sums = theirs.sums[bench.Decode]
	}
	return nil
}

// calibrate implements kind: it finds out what values take in Redis. What requests
// cost is told by the first fork's cold ones.
func (o *overWire) calibrate(ctx context.Context) error {
	o.l.slot = float64(longestWireSlot)
	if share := o.perFork() / 2 / float64(max(1, len(o.l.running()))); share > 0 {
		o.l.slot = wireSlot(share)
	}
	if o.server != nil || len(o.l.running()) == 0 || o.l.first > 0 {
		return nil
	}
	return o.store(ctx)
}

// adapt implements kind; forks over a wire do so each by themselves.
func (o *overWire) adapt() {}

// fit makes the forks to come shorter where one took so long, in slices of so many
// cases and all in all, that too few would fit into the time. What starting takes
// is paid for anyway, so slices have some part of it. That forks without cold
// requests are shorter makes more of them, and not longer slices.
func (o *overWire) fit(took, sliced time.Duration, cases int) {
	if o.perFork() == 0 || cases == 0 {
		return
	}
	if o.l.kept <= 1 { // the pilot warms up longer
		o.fixed = 0
	}
	o.fixed = max(o.fixed, float64(took-sliced))
	stretched := max(1, float64(sliced)/(o.l.slot*float64(cases)))
	o.l.slot = wireSlot(max(o.perFork()-o.fixed, o.fixed/4) / float64(cases) / stretched)
}

func (o *overWire) fork(n int) attempt { return o.wireFork(n) }

func (o *overWire) wireFork(n int) *wireFork {
	return &wireFork{
		s: o.s, l: o.l, o: o, n: n, order: plan.NewOrder(o.s.Config.Seed, n), start: o.s.Config.Now(),
		records: map[*caseState]*store.Requests{}, times: map[*caseState][]int64{},
	}
}

// codecsOf lists the codecs of cases, each once: the clients', or the servers'.
func codecsOf(cases []*caseState, of func(bench.Case) string) []string {
	var names []string
	for _, c := range cases {
		if name := of(c.Case); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
