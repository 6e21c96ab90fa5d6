package sched

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/stats"
	"wirecost/internal/store"
)

// Durations of the measuring design (docs/statistics.md says why).
const (
	batchTime    = 150 * time.Microsecond // a short batch
	turnTime     = 12 * time.Millisecond  // batches sent together
	apartTime    = 3 * time.Millisecond   // the same, where a fork has several processes
	turnBytes    = 4 << 20                // of a turn's documents: a runner has the objects that it encodes, all at once
	longestSlot  = 60 * time.Millisecond  // short batches of one case in one fork
	leastSlot    = 12 * time.Millisecond
	leastBlocks  = 15 // where operations are slow
	perWindow    = 9  // batches that a window's median is taken of, at least
	wantedForks  = 20 // the slot shrinks, down to leastSlot, to fit so many forks in the time
	clockSteps   = 1000
	coarseClock  = 1e3 // ns: a clock with such steps is a page's in a browser
	coarseSteps  = 250 // instead of clockSteps, with such a clock
	beside       = 2.2 // times a case's slot is what it takes of a fork: the long pass, cold operations, the start
	fewestBlocks = 3   // where a fork would otherwise take too much of the time
)

// samplePlan is how a lane measures one sample.
type samplePlan struct {
	windows []plan.Window // of short batches
	long    []plan.Window // of the long pass
	blocks  int           // per fork
	batch   float64       // ns, what a batch should last
	cpu     float64       // ns, what the long pass of a case should last at least
}

// calibrateLane finds what each document costs in each case, on the minimum of a
// few tries, and from that the windows, and how many blocks a fork holds.
func (s *Scheduler) calibrateLane(ctx context.Context, l *lane) error {
	for _, group := range l.groups() {
		s.Observe(Event{Phase: "calibrate", Lane: l.name, Runtime: l.Runtime})
		if err := s.calibrateGroup(ctx, l, group); err != nil {
			return err
		}
	}
	l.slot = s.slot(l)
	s.plan(l)
	return nil
}

// plan lays out what a fork of the lane measures, by its slot.
func (s *Scheduler) plan(l *lane) {
	for id := range s.Samples {
		l.plans[id] = s.planSample(l, id)
	}
}

// adapt plans the forks to come by what the first one showed: they get shorter
// where it took so long that too few would fit into the time.
func (s *Scheduler) adapt(l *lane) {
	if slot := s.slot(l); slot < 0.9*l.slot {
		l.longest = time.Duration(float64(l.longest) * slot / l.slot)
		l.slot = slot
	}
	s.plan(l)
}

// refine corrects the costs of cases by what their batches took in a
// fork; a few operations before the first fork may tell them wrong by a half.
// Cases that cost the same need batches that last the same: longer ones are hit
// by preemptions and collections more often, and would look slower in every fork.
// So how cases compare is the median over blocks, which the machine's pace does
// not move, and what they all take is the first decile, which neighbours do not.
func (f *fork) refine() {
	samples := map[string][]*caseState{}
	for c := range f.records {
		samples[c.Sample] = append(samples[c.Sample], c)
	}
	for _, cases := range samples {
		slices.SortFunc(cases, func(a, b *caseState) int { return a.number - b.number })
		f.refineSample(cases)
	}
}

func (f *fork) refineSample(cases []*caseState) {
	took := make([][]float64, len(cases)) // by case and block: what it took, to what was expected
	for k, c := range cases {
		if took[k] = off(f.records[c], c); len(took[k]) == 0 || len(took[k]) != len(took[0]) {
			return
		}
	}
	all := make([]float64, len(took[0])) // the blocks' geometric means
	for i := range all {
		for _, x := range took {
			all[i] += math.Log(x[i]) / float64(len(took))
		}
	}
	pace := stats.Quantile(all, 0.1)
	own := make([]float64, len(all))
	for k, c := range cases {
		for i := range all {
			own[i] = math.Log(took[k][i]) - all[i]
		}
		factor := math.Exp(pace + stats.Median(own))
		if !(factor > 0) || math.IsInf(factor, 0) { // a clock too coarse for a batch
			continue
		}
		for i := range c.cost {
			c.cost[i] *= factor
		}
	}
}

// off returns for each batch what it took, as a ratio to what was expected.
func off(r *store.Fork, c *caseState) []float64 {
	out := make([]float64, len(r.WallNS))
	for i, ns := range r.WallNS {
		pass := c.pass(plan.Window{First: r.Document[i], Count: r.Window[i]})
		out[i] = float64(ns) / (pass * float64(r.Iterations[i]/r.Window[i]))
	}
	return out
}

func (s *Scheduler) calibrateGroup(ctx context.Context, l *lane, codecs []string) error {
	var p runner.Process
	defer func() {
		if p != nil {
			p.Close()
		}
	}()
	for _, c := range l.running() {
		if !slices.Contains(codecs, c.Codec) {
			continue
		}
		if p == nil {
			q, _, err := s.start(ctx, l.Starter, codecs)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return s.giveUp(uncalibrated(l.running(), codecs), err)
			}
			p = q
		}
		err := s.calibrateCase(ctx, p, c, l.party.desc.ClockStepNS)
		if err == nil {
			err = s.tooSlow(c)
		}
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		status, reason := explain(err)
		if err := s.end(c, status, reason); err != nil {
			return err
		}
		p.Close()
		p = nil
	}
	return nil
}

// uncalibrated lists the cases of some codecs that have no cost yet.
func uncalibrated(cases []*caseState, codecs []string) []*caseState {
	return slices.DeleteFunc(cases, func(c *caseState) bool { return c.cost != nil || !slices.Contains(codecs, c.Codec) })
}

// calibrationDocuments is how many documents, spread over the sample, a case's
// cost is read off; the others' costs follow from their lengths.
const calibrationDocuments = 48

// slowTry is the ns of a try after which no more are needed.
const slowTry = 2e9

// A batch of a try lasts tryTime, in ns, but so many steps of a coarse clock. One
// that shows fewer than leastSteps of them tells nothing but that it was too short.
const (
	tryTime    = 20e3
	trySteps   = 50
	leastSteps = 10
	growth     = 16 // times as many operations after such a batch
	mostGrown  = 5  // tries of that kind
)

func (s *Scheduler) calibrateCase(ctx context.Context, p runner.Process, c *caseState, step float64) error {
	if step < coarseClock {
		step = 0
	}
	x := s.Samples[c.Sample]
	docs := spread(x.Files.Documents, calibrationDocuments)
	ns := make([]float64, len(docs))
	iterations := make([]int, len(docs))
	for i := range ns {
		ns[i], iterations[i] = math.Inf(1), 1
	}
	rounds := 1 // over the documents, in a try
	for try, grown := 0, 0; try < 3; try++ {
		var turn []batch
		for range rounds {
			for i, d := range docs {
				turn = append(turn, batch{c, plan.Window{First: d, Count: 1}, iterations[i]})
			}
		}
		wall, err := s.calibrationTurns(ctx, p, turn)
		if err != nil {
			return err
		}
		if try == 1 { // the one before was cold: it only said how many to do
			for i := range ns {
				ns[i] = math.Inf(1)
			}
		}
		total := 0.0
		for k, w := range wall {
			i := k % len(docs)
			ns[i] = math.Min(ns[i], float64(w)/float64(iterations[i]))
			total += float64(w)
		}
		if total > slowTry {
			break
		}
		short := false
		for i, n := range iterations {
			iterations[i] = plan.Passes(ns[i], math.Max(tryTime, trySteps*step))
			if ns[i]*float64(n) < leastSteps*step {
				iterations[i], short = growth*n, true
			}
		}
		if short && grown < mostGrown {
			for i := range ns {
				ns[i] = math.Inf(1)
			}
			try, grown = -1, grown+1 // again, from the first
			continue
		}
		// Few documents are tried more often, if they are quick.
		rounds = max(1, min(calibrationDocuments/len(docs), int(3e6*float64(rounds)/math.Max(total, 1))))
	}
	c.cost = costs(docs, ns, x.Bytes)
	return nil
}

// calibrationBytes bounds the documents of a turn of calibration: a runner holds
// the objects that a turn's encodes start from, at once.
const calibrationBytes = 256 << 10

// calibrationTurns sends batches in turns of few enough documents, and returns
// what each took, in ns.
func (s *Scheduler) calibrationTurns(ctx context.Context, p runner.Process, all []batch) ([]int64, error) {
	var wall []int64
	for len(all) > 0 {
		n, bytes := 0, 0
		for n < len(all) && (n == 0 || bytes < calibrationBytes) {
			bytes += s.Samples[all[n].c.Sample].Bytes[all[n].w.First]
			n++
		}
		reply, err := s.turn(ctx, p, all[:n], false)
		if err != nil {
			return nil, err
		}
		wall = append(wall, reply.WallNS...)
		all = all[n:]
	}
	return wall, nil
}

// spread returns up to n of the indexes below total, evenly spaced.
func spread(total, n int) []int {
	n = min(n, total)
	out := make([]int, n)
	for i := range out {
		out[i] = i * total / n
	}
	return out
}

// costs extends the times of some documents to all: in proportion to their
// length, with a little for what every operation costs.
func costs(docs []int, ns []float64, bytes []int) []float64 {
	const fixed = 64
	var sumNS, sumBytes float64
	for i, d := range docs {
		sumNS += ns[i]
		sumBytes += float64(bytes[d] + fixed)
	}
	out := make([]float64, len(bytes))
	for i, b := range bytes {
		out[i] = sumNS / sumBytes * float64(b+fixed)
	}
	for i, d := range docs {
		out[d] = ns[i]
	}
	return out
}

// batchLength is what a short batch should last under a clock of such steps, in ns.
func batchLength(step float64) float64 {
	steps := float64(clockSteps)
	if step >= coarseClock {
		steps = coarseSteps
	}
	return math.Max(float64(batchTime), steps*step)
}

func (s *Scheduler) planSample(l *lane, sample string) *samplePlan {
	slowest := make([]float64, s.Samples[sample].Files.Documents)
	var mine []*caseState
	for _, c := range l.running() {
		if c.Sample != sample {
			continue
		}
		mine = append(mine, c)
		for i, ns := range c.cost {
			slowest[i] = math.Max(slowest[i], ns)
		}
	}
	p := &samplePlan{batch: batchLength(l.party.desc.ClockStepNS), cpu: l.slot / 2}
	p.windows = plan.Windows(slowest, p.batch)
	p.long = plan.Windows(slowest, p.cpu/longPieces)
	block := 0.0
	for _, c := range mine {
		for _, w := range p.windows {
			pass := c.pass(w)
			block += pass * float64(plan.Passes(pass, p.batch)) / float64(len(p.windows))
		}
	}
	if block > 0 {
		p.blocks = max(s.leastBlocks(l, block, len(mine)), int(l.slot*float64(len(mine))/block))
	}
	return p
}

// leastBlocks is how many blocks a fork has at least of a sample of which so
// many cases are measured: fewer where leastForks of them would take all of the
// lane's time.
func (s *Scheduler) leastBlocks(l *lane, block float64, cases int) int {
	if s.Config.MaxTime <= 0 {
		return leastBlocks
	}
	share := float64(s.Config.MaxTime) / leastForks * float64(cases) / float64(max(1, len(l.running())))
	return max(fewestBlocks, min(leastBlocks, int(share/beside/block)))
}

// tooSlow says that a case would take all of its lane's time for itself, if so:
// a codec that is a hundred times slower than others must not stop them.
func (s *Scheduler) tooSlow(c *caseState) error {
	slowest := slices.Max(c.cost)
	if s.Config.MaxTime <= 0 || slowest*fewestBlocks*leastForks < float64(s.Config.MaxTime) {
		return nil
	}
	return fmt.Errorf("timed out: one operation takes %s, too long to be repeated in %s; give the run more time (--max-time)",
		time.Duration(slowest).Round(10*time.Millisecond), s.Config.MaxTime)
}

// slot returns how long the short batches of a case take in a fork, in ns: as
// long as leaves time for enough forks, judged by the forks so far where there
// are any, because a busy machine stretches everything.
func (s *Scheduler) slot(l *lane) float64 {
	slot := float64(longestSlot)
	if s.Config.MaxTime > 0 {
		perFork := float64(s.Config.MaxTime) / wantedForks
		cases := beside * float64(max(1, len(l.running())))
		slot = perFork / cases
		if l.longest > 0 {
			slot = l.slot * perFork / float64(l.longest)
			if rest := float64(l.longest) - l.slot*cases; l.Compiles {
				slot = math.Max(slot, rest/4/cases) // warming up is paid for anyway
			}
		}
	}
	return math.Min(float64(longestSlot), math.Max(float64(leastSlot), slot))
}

// pass returns what one pass over a window costs, in ns.
func (c *caseState) pass(w plan.Window) float64 {
	sum := 0.0
	for _, ns := range c.cost[w.First : w.First+w.Count] {
		sum += ns
	}
	return sum
}

// batch is one batch to be sent: so many passes of a case over a window.
type batch struct {
	c      *caseState
	w      plan.Window
	passes int
}

func (b batch) iterations() int { return b.passes * b.w.Count }

// A turn that takes so much longer than was expected hangs.
const (
	leastDeadline = 10 * time.Second
	timesExpected = 50
)

// withDeadline bounds a turn by what its batches should take. Before they are
// calibrated nobody knows.
func withDeadline(ctx context.Context, batches []batch) (context.Context, context.CancelFunc) {
	expected := 0.0
	for _, b := range batches {
		if b.c.cost == nil {
			return ctx, func() {}
		}
		expected += b.c.pass(b.w) * float64(b.passes)
	}
	return context.WithTimeout(ctx, leastDeadline+timesExpected*time.Duration(expected))
}

// turn sends batches and checks every checksum that comes back.
func (s *Scheduler) turn(ctx context.Context, p runner.Process, batches []batch, settle bool) (*runner.MeasureReply, error) {
	s.requests = s.requests[:0]
	for _, b := range batches {
		s.requests = append(s.requests, runner.BatchRequest{
			Sample: b.c.Sample, Codec: b.c.Codec, Operation: b.c.Operation,
			Iterations: b.iterations(), Document: b.w.First, Window: b.w.Count,
		})
	}
	ctx, cancel := withDeadline(ctx, batches)
	defer cancel()
	reply, err := p.Measure(ctx, runner.MeasureRequest{Turn: s.requests, Settle: settle})
	if err != nil {
		return nil, err
	}
	if len(reply.WallNS) != len(batches) || len(reply.Checksum) != len(batches) {
		return nil, &wrongReplyError{len(batches), len(reply.WallNS), len(reply.Checksum)}
	}
	for i, b := range batches {
		if want := b.c.want(b.w.First, b.w.Count, b.passes); reply.Checksum[i] != want {
			return nil, &checksumError{b.c.Case, reply.Checksum[i], want}
		}
		if reply.WallNS[i] < 0 {
			return nil, &wrongReplyError{len(batches), len(reply.WallNS), len(reply.Checksum)}
		}
	}
	return reply, nil
}
