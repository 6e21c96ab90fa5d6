package sched

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/stats"
	"wirecost/internal/store"
)

// wrongReplyError is a turn's reply whose arrays do not fit its request.
type wrongReplyError struct{ asked, times, sums int }

func (e *wrongReplyError) Error() string {
	return fmt.Sprintf("the runner answered %d batches with %d times and %d checksums", e.asked, e.times, e.sums)
}

// checksumError is a batch that did not do the work it was timed for.
type checksumError struct {
	c         bench.Case
	got, want uint32
}

func (e *checksumError) Error() string {
	return fmt.Sprintf("a timed batch of %s gave checksum %d instead of %d: it did not do the work it was timed for", e.c, e.got, e.want)
}

// member is one process of a fork.
type member struct {
	p        runner.Process
	codecs   []string
	cases    []*caseState
	overhead float64 // ns per operation of the timing loop itself
}

// fork is one fork of a lane in memory at work: every active case is measured in
// interleaved blocks.
type fork struct {
	s       *Scheduler
	l       *lane
	n       int
	order   plan.Order
	members []*member
	records map[*caseState]*store.Fork
	start   time.Time
	batches []batch // gathered for the next turn
}

// coldForks is in how many forks the first operations are timed apart.
const coldForks = 6

func (f *fork) close() {
	for _, m := range f.members {
		m.p.Close()
	}
}

func (f *fork) run(ctx context.Context) error {
	groups := f.l.groups()
	f.order.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	if err := f.join(ctx, groups); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{f.cold, f.warm, f.blocks, f.long} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// emptyLoops is how many times the empty loop goes round when it is timed.
const emptyLoops = 50_000

// join adds fresh processes to the fork, one for each group of codecs. All begin
// at once: it takes a runtime some time to answer, and nothing is timed yet.
func (f *fork) join(ctx context.Context, groups [][]string) error {
	for _, codecs := range groups {
		p, err := f.l.Starter.Start(ctx)
		if err != nil {
			return f.missing(codecs, err)
		}
		f.members = append(f.members, &member{p: p, codecs: codecs, overhead: math.Inf(1)})
	}
	for _, step := range []func(context.Context, *member) error{f.prepare, f.empty} {
		for _, m := range f.members {
			if err := step(ctx, m); err != nil {
				return f.missing(m.codecs, err)
			}
		}
	}
	return nil
}

// missing says that a process cannot be had.
func (f *fork) missing(codecs []string, err error) error {
	if f.l.Isolated {
		return &lost{codecs, err}
	}
	return err
}

// prepare hands the documents to a process.
func (f *fork) prepare(ctx context.Context, m *member) error {
	if _, err := m.p.Prepare(ctx, f.s.files(), m.codecs); err != nil {
		return err
	}
	for _, c := range f.l.active() {
		if slices.Contains(m.codecs, c.Codec) {
			m.cases = append(m.cases, c)
			f.records[c] = &store.Fork{
				Kind: "fork", Case: c.number, Fork: f.n, Pilot: f.l.pilot(), Start: f.start,
				ClockStepNS: f.l.party.desc.ClockStepNS, CPUNS: -1, Preemptions: -1, Collections: -1,
			}
		}
	}
	return nil
}

// empty times a process's empty loop.
func (f *fork) empty(ctx context.Context, m *member) error {
	for range 3 {
		reply, err := m.p.Empty(ctx, runner.EmptyRequest{Iterations: emptyLoops})
		if err != nil {
			return err
		}
		m.overhead = math.Min(m.overhead, float64(reply.WallNS)/emptyLoops)
	}
	for _, c := range m.cases {
		f.records[c].OverheadNS = m.overhead
	}
	return nil
}

func (f *fork) shuffled(cases []*caseState) []*caseState {
	out := slices.Clone(cases)
	f.order.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// cold times the first operations of the process, before anything has warmed up.
func (f *fork) cold(ctx context.Context) error {
	if f.n >= coldForks {
		return nil
	}
	for _, m := range f.members {
		for _, c := range f.shuffled(m.cases) {
			mean := c.pass(plan.Window{Count: len(c.cost)}) / float64(len(c.cost))
			count := min(100, plan.Passes(mean, 5e6))
			reply, err := m.p.Cold(ctx, runner.ColdRequest{Sample: c.Sample, Codec: c.Codec, Operation: c.Operation, Count: count})
			if err != nil {
				return &blamed{c, err}
			}
			f.records[c].ColdNS = reply.NS
			f.s.time(reply.NS)
		}
	}
	return nil
}

// at says that only this case was asked for when err came.
func (f *fork) at(c *caseState, err error) error {
	var sum *checksumError
	if errors.As(err, &sum) {
		return err
	}
	return &blamed{c, err}
}

// block is one round in which every case of a sample is measured once, on the
// same documents.
type block struct {
	sample string
	w      plan.Window
	jitter float64
}

// schedule lays out the fork's blocks: for every sample a few windows, each
// often enough for a median, all samples mixed.
func (f *fork) schedule() []block {
	var blocks []block
	for _, files := range f.s.files() {
		p := f.l.plans[files.Sample]
		if p == nil || p.blocks == 0 {
			continue
		}
		picked := f.order.Pick(p.windows, max(1, p.blocks/perWindow))
		for i := range p.blocks {
			blocks = append(blocks, block{files.Sample, picked[i%len(picked)], f.order.Jitter()})
		}
	}
	f.order.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	return blocks
}

// turnTime is how long a process has its turn, in ns. Where cases compared run in
// different processes, turns are shorter: the machine changes its pace from one
// to the next, and the more turns a fork has, the less of that is left.
func (f *fork) turnTime() float64 {
	if len(f.members) > 1 {
		return float64(apartTime)
	}
	return float64(turnTime)
}

// blocks measures the short batches. Blocks are gathered until every process
// has a turn's worth of work; then each gets its turn, in random order.
func (f *fork) blocks(ctx context.Context) error {
	rest := f.schedule()
	for len(rest) > 0 {
		var round []block
		work := 0.0
		for len(rest) > 0 && work < f.turnTime()*float64(len(f.members)) {
			round = append(round, rest[0])
			work += f.work(rest[0])
			rest = rest[1:]
		}
		f.order.Shuffle(len(f.members), func(i, j int) { f.members[i], f.members[j] = f.members[j], f.members[i] })
		for _, m := range f.members {
			if err := f.round(ctx, m, round); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *fork) work(b block) float64 {
	sum := 0.0
	for _, c := range f.l.active() {
		if c.Sample == b.sample {
			pass := c.pass(b.w)
			sum += pass * float64(plan.Passes(pass, f.l.plans[b.sample].batch))
		}
	}
	return sum
}

// round sends a process its batches of some blocks, in turns.
func (f *fork) round(ctx context.Context, m *member, round []block) error {
	f.batches = f.batches[:0]
	work, bytes := 0.0, 0
	for _, b := range round {
		each := f.s.Samples[b.sample].size(b.w)
		target := f.l.plans[b.sample].batch * b.jitter
		for _, c := range f.shuffled(m.cases) {
			if c.Sample != b.sample {
				continue
			}
			pass := c.pass(b.w)
			x := batch{c, b.w, plan.Passes(pass, target)}
			alone := f.l.suspect && len(f.batches) > 0
			if work > 2*float64(turnTime) || bytes+each > turnBytes || alone {
				if err := f.send(ctx, m); err != nil {
					return err
				}
				work, bytes = 0, 0
			}
			f.batches = append(f.batches, x)
			work += pass * float64(x.passes)
			bytes += each
		}
	}
	return f.send(ctx, m)
}

// send runs the gathered batches as one turn and keeps their times.
func (f *fork) send(ctx context.Context, m *member) error {
	if len(f.batches) == 0 {
		return nil
	}
	batches := f.batches
	f.batches = f.batches[:0]
	reply, err := f.s.turn(ctx, m.p, batches, false)
	if err != nil {
		if f.l.suspect || len(batches) == 1 {
			return f.at(batches[0].c, err)
		}
		return err
	}
	f.s.time(reply.WallNS)
	for i, b := range batches {
		r := f.records[b.c]
		r.Iterations = append(r.Iterations, b.iterations())
		r.Document = append(r.Document, b.w.First)
		r.Window = append(r.Window, b.w.Count)
		r.WallNS = append(r.WallNS, reply.WallNS[i])
	}
	return nil
}

func (s *Scheduler) time(ns []int64) {
	for _, t := range ns {
		s.summary.Timed += time.Duration(t)
	}
}

// keep appends the fork's records. The progress record that follows closes it.
func (f *fork) keep() error {
	if f.l.kept == 0 {
		f.refine()
	}
	for _, c := range f.l.running() {
		r := f.records[c]
		if r == nil {
			continue
		}
		c.measured, c.counts = true, c.counts || !r.Pilot
		c.sink(r)
		f.s.countPreempted(r.WallNS, r.Iterations, r.Document, r.Window)
		if err := f.s.Sink.Append(r); err != nil {
			return err
		}
	}
	return nil
}

// preemptedAbove is how many times a window's median a batch takes that something
// interrupted: collections rarely make it three times, a lost time slice of a
// millisecond or more makes it at least seven.
const preemptedAbove = 3

// countPreempted counts a case's batches, or slices, and those that something
// interrupted.
// Counters of the system would not do: they count what happens to the
// collector's threads too.
func (s *Scheduler) countPreempted(wall []int64, iterations, document, window []int) {
	times := map[plan.Window][]float64{}
	for i, ns := range wall {
		w := plan.Window{First: document[i], Count: window[i]}
		times[w] = append(times[w], float64(ns)/float64(iterations[i]))
	}
	for _, x := range times {
		limit := preemptedAbove * stats.Median(x)
		for _, t := range x {
			s.summary.Batches++
			if t > limit {
				s.summary.Preempted++
			}
		}
	}
}
