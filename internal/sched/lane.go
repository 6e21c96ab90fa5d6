package sched

import (
	"context"
	"errors"
	"slices"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// lane is a Lane at work.
type lane struct {
	Lane
	kind    kind
	name    string
	party   *party // its runtime
	states  []*caseState
	plans   map[string]*samplePlan // set by calibration
	only    map[bench.Case]bool    // what the fork at hand is for; nil: everything
	suspect bool                   // a process died in a turn of several cases: ask one case at a time
	aborted int                    // forks in a row that failed without a case to blame
	lost    map[string]int         // by codec: how often a process of its own could not be had
	first   int                    // the number of its first fork; > 0 in a resumed run
	next    int                    // the number of its next fork
	kept    int                    // forks of this run whose records were kept
	used    time.Duration          // of its time
	longest time.Duration          // of its forks so far
	slot    float64                // ns that a fork spends on a case's short batches
}

// kind is what lanes in memory and lanes over a wire do each in their way.
type kind interface {
	// admit lets through the cases whose codecs the reference finds right.
	admit(ctx context.Context) error
	// calibrate finds out what the first fork has to know.
	calibrate(ctx context.Context) error
	fork(n int) attempt
	// adapt plans the forks to come by what the first one showed.
	adapt()
}

// attempt is one fork.
type attempt interface {
	run(ctx context.Context) error
	keep() error // appends its records
	close()
}

func (s *Scheduler) newLane(l Lane) *lane {
	before := s.Config.Before[l.Name()]
	ln := &lane{
		Lane: l, name: l.Name(), plans: map[string]*samplePlan{}, lost: map[string]int{},
		first: before.Forks, next: before.Forks, used: before.Used,
	}
	ln.kind = inMemory{s, ln}
	if l.Wire != nil {
		ln.kind = &overWire{s: s, l: ln}
	}
	return ln
}

// inMemory is the kind of a lane whose cases cross nothing.
type inMemory struct {
	s *Scheduler
	l *lane
}

func (m inMemory) calibrate(ctx context.Context) error { return m.s.calibrateLane(ctx, m.l) }
func (m inMemory) adapt()                              { m.s.adapt(m.l) }

func (m inMemory) fork(n int) attempt {
	return &fork{s: m.s, l: m.l, n: n, order: plan.NewOrder(m.s.Config.Seed, n), records: map[*caseState]*store.Fork{}, start: m.s.Config.Now()}
}

// caseState is a case at work.
type caseState struct {
	bench.Case
	number   int
	ended    bool      // has an outcome other than measured
	measured bool      // in this run
	counts   bool      // in a fork that is no pilot
	sums     []uint32  // sums[i] is the checksum expected of documents 0…i−1, modulo 2³²
	cost     []float64 // calibrated ns for each document
	floor    float64   // the fastest that forks became, as a ratio to cost; 0: not known
}

// want returns the checksum expected of passes over a window.
func (c *caseState) want(first, count, passes int) uint32 {
	return (c.sums[first+count] - c.sums[first]) * uint32(passes)
}

func (l *lane) running() []*caseState {
	return slices.DeleteFunc(slices.Clone(l.states), func(c *caseState) bool { return c.ended })
}

// active returns the running cases that the fork at hand measures.
func (l *lane) active() []*caseState {
	return slices.DeleteFunc(l.running(), func(c *caseState) bool { return l.only != nil && !l.only[c.Case] })
}

// pilot reports whether the fork at hand is the one that chooses the best codecs.
func (l *lane) pilot() bool { return l.first == 0 && l.kept == 0 }

// groups splits codecs into those that share a process.
func (l *lane) groups() [][]string {
	var codecs []string
	for _, c := range l.active() {
		if !slices.Contains(codecs, c.Codec) {
			codecs = append(codecs, c.Codec)
		}
	}
	if !l.Isolated {
		if len(codecs) == 0 {
			return nil
		}
		return [][]string{codecs}
	}
	var out [][]string
	for _, c := range codecs {
		out = append(out, []string{c})
	}
	return out
}

// admit numbers a lane's cases and lets through those whose codecs the reference
// finds right. Nothing is timed before.
func (s *Scheduler) admit(ctx context.Context, l *lane) error {
	l.party = s.meet(ctx, l.program())
	if ctx.Err() != nil {
		return nil
	}
	if err := s.number(l); err != nil {
		return err
	}
	for _, c := range l.running() {
		if reason := l.Skips[c.Case]; reason != "" {
			if err := s.end(c, bench.Skipped, reason); err != nil {
				return err
			}
		}
	}
	if l.party.broken != nil {
		return s.giveUp(l.running(), l.party.broken)
	}
	return errors.Join(l.kind.admit(ctx), s.Sink.Sync())
}

// number gives each case that has none a number, and writes down what is behind it.
func (s *Scheduler) number(l *lane) error {
	for _, c := range l.Cases {
		n, known := s.Config.Numbers[c]
		if !known {
			n = s.next
			s.next++
		}
		l.states = append(l.states, &caseState{Case: c, number: n, counts: known && l.first > 0})
		if known {
			continue
		}
		if err := s.Sink.Append(l.record(c, n)); err != nil {
			return err
		}
	}
	return nil
}

func (l *lane) record(c bench.Case, number int) *store.Case {
	d, _ := l.party.codec(c.Codec)
	rec := &store.Case{
		Kind: "case", Number: number, Case: c, Library: d.Library, Version: d.Version,
		Documents: d.Documents, Traits: d.Traits, Note: d.Note, Compiles: l.Compiles, Apart: l.Isolated,
	}
	if i := slices.IndexFunc(l.Codecs, func(x runner.Codec) bool { return x.Name == c.Codec }); i >= 0 {
		rec.Role, rec.Lazy = l.Codecs[i].Role, l.Codecs[i].Lazy
	}
	if l.Wire != nil {
		rec.Client, rec.Server = l.Wire.Client, l.Wire.Answers
	}
	return rec
}

// admit implements kind: it verifies codec by codec, and counts allocations on the
// way.
func (m inMemory) admit(ctx context.Context) error {
	for _, codec := range codecNames(m.l.Codecs) {
		samples := m.l.samplesOf(codec)
		if ctx.Err() != nil || len(samples) == 0 {
			continue
		}
		err := m.s.prove(ctx, m.l.party, codec, samples, func(p runner.Process, sample string) error {
			return m.memory(ctx, p, codec, sample)
		})
		if err != nil || ctx.Err() != nil {
			return err
		}
		for _, c := range m.l.running() {
			if c.Codec != codec {
				continue
			}
			x := m.l.party.proofs[trial{codec, c.Sample}]
			if x.status != "" {
				if err := m.s.end(c, x.status, x.reason); err != nil {
					return err
				}
				continue
			}
			c.sums = x.sums[c.Operation]
		}
	}
	return nil
}

// samplesOf lists the samples that a codec has running cases of.
func (l *lane) samplesOf(codec string) []string {
	var names []string
	for _, c := range l.running() {
		if c.Codec == codec && !slices.Contains(names, c.Sample) {
			names = append(names, c.Sample)
		}
	}
	return names
}

// memoryOperations is how many operations an allocation count is taken over:
// Go's counters are exact from far fewer on.
const memoryOperations = 1000

// memory counts what the operations of a codec allocate.
func (m inMemory) memory(ctx context.Context, p runner.Process, codec, sample string) error {
	n := m.s.memoryIterations(sample, m.l.party.proofs[trial{codec, sample}].took)
	for _, c := range m.l.running() {
		if c.Codec != codec || c.Sample != sample {
			continue
		}
		reply, err := p.Memory(ctx, runner.MemoryRequest{Sample: sample, Codec: codec, Operation: c.Operation, Iterations: n})
		if err != nil {
			if status, reason := explain(err); status == bench.Failed {
				if err := m.s.end(c, status, reason); err != nil {
					return err
				}
			}
			continue
		}
		rec := &store.Memory{Kind: "memory", Case: c.number, AllocsPerOp: -1, BytesPerOp: float64(reply.Bytes) / float64(n)}
		if reply.Allocations >= 0 {
			rec.AllocsPerOp = float64(reply.Allocations) / float64(n)
		}
		if err := m.s.Sink.Append(rec); err != nil {
			return err
		}
	}
	return nil
}

// memoryBytes bounds the text that one allocation count goes through, and
// memoryTime what it takes, judged by the time that verifying took.
const (
	memoryBytes = 64 << 20
	memoryTime  = 2 * time.Second
)

// memoryIterations is how many operations allocations are counted over: whole
// rounds over the documents.
func (s *Scheduler) memoryIterations(sample string, verified time.Duration) int {
	docs := s.Samples[sample].Files.Documents
	n := (memoryOperations + docs - 1) / docs * docs
	if heavy := s.totalBytes(sample) * (n / docs); heavy > memoryBytes {
		n = docs * max(1, memoryBytes/max(1, s.totalBytes(sample)))
	}
	if most := int(memoryTime / max(verified, 1)); n > docs*most {
		n = docs * max(1, most)
	}
	return n
}

func (s *Scheduler) totalBytes(sample string) int {
	n := 0
	for _, b := range s.Samples[sample].Bytes {
		n += b
	}
	return n
}
