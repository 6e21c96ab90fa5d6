package sched

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// lane is a Lane at work.
type lane struct {
	Lane
	unit    string // what a string's length counts in this runtime
	step    float64
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

// start runs one process that is ready for the codecs.
func (s *Scheduler) start(ctx context.Context, l *lane, codecs []string) (runner.Process, *runner.PrepareReply, error) {
	p, err := l.Starter.Start(ctx)
	if err != nil {
		return nil, nil, err
	}
	reply, err := p.Prepare(ctx, s.files(), codecs)
	if err != nil {
		p.Close()
		return nil, nil, err
	}
	return p, reply, nil
}

func (s *Scheduler) files() []runner.SampleFiles {
	var fs []runner.SampleFiles
	for _, x := range s.Samples {
		fs = append(fs, x.Files)
	}
	slices.SortFunc(fs, func(a, b runner.SampleFiles) int { return strings.Compare(a.Sample, b.Sample) })
	return fs
}

// admit numbers a lane's cases and lets through those whose codec the reference
// finds right. Nothing is timed before.
func (s *Scheduler) admit(ctx context.Context, l Lane) (*lane, error) {
	before := s.Config.Before[l.Runtime]
	ln := &lane{Lane: l, plans: map[string]*samplePlan{}, lost: map[string]int{}, first: before.Forks, next: before.Forks, used: before.Used}
	desc, broken := describe(ctx, l)
	if ctx.Err() != nil {
		return ln, nil
	}
	if broken != nil {
		if err := s.number(ln, &runner.Description{}); err != nil {
			return ln, err
		}
		return ln, s.giveUp(ln.running(), broken)
	}
	ln.unit, ln.step = desc.StringUnit, desc.ClockStepNS
	if err := s.number(ln, desc); err != nil {
		return ln, err
	}
	g := gate{s: s, l: ln, desc: desc}
	for _, codec := range codecNames(l.Codecs) {
		if ctx.Err() != nil {
			break
		}
		s.Observe(Event{Phase: "verify", Runtime: l.Runtime, Codec: codec})
		if err := g.codec(ctx, codec); err != nil {
			return ln, err
		}
	}
	return ln, s.Sink.Sync()
}

// describe asks a runtime what it is; the error says why nothing of it can be
// measured.
func describe(ctx context.Context, l Lane) (*runner.Description, error) {
	if l.Broken != "" {
		return nil, errors.New(l.Broken)
	}
	p, err := l.Starter.Start(ctx)
	if err != nil {
		return nil, fmt.Errorf("the %s runner does not start: %w", l.Runtime, err)
	}
	defer p.Close()
	desc, err := p.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("the %s runner does not describe itself: %w", l.Runtime, err)
	}
	return desc, nil
}

func codecNames(cs []runner.Codec) []string {
	var names []string
	for _, c := range cs {
		names = append(names, c.Name)
	}
	return names
}

func (s *Scheduler) number(l *lane, desc *runner.Description) error {
	about := map[string]runner.CodecDescription{}
	for _, c := range desc.Codecs {
		about[c.Name] = c
	}
	for _, c := range l.Cases {
		n, known := s.Config.Numbers[c]
		if !known {
			n = s.next
			s.next++
		}
		state := &caseState{Case: c, number: n, counts: known && l.first > 0}
		l.states = append(l.states, state)
		if known {
			continue
		}
		d := about[c.Codec]
		rec := &store.Case{
			Kind: "case", Number: n, Case: c, Library: d.Library, Version: d.Version,
			Documents: d.Documents, Traits: d.Traits, Note: d.Note, Compiles: l.Compiles, Apart: l.Isolated,
		}
		if i := slices.IndexFunc(l.Codecs, func(x runner.Codec) bool { return x.Name == c.Codec }); i >= 0 {
			rec.Role, rec.Lazy = l.Codecs[i].Role, l.Codecs[i].Lazy
		}
		if err := s.Sink.Append(rec); err != nil {
			return err
		}
	}
	return nil
}

// gate lets codecs through.
type gate struct {
	s    *Scheduler
	l    *lane
	desc *runner.Description
	took time.Duration // the last verification
}

// codec verifies one codec on every sample, in a process of its own, so that
// one that crashes takes no other with it.
func (g *gate) codec(ctx context.Context, codec string) error {
	i := slices.IndexFunc(g.desc.Codecs, func(c runner.CodecDescription) bool { return c.Name == codec })
	if i < 0 {
		reason := g.l.Dropped[codec]
		if reason == "" {
			reason = "it is not built in"
		}
		return g.reject(codec, "", bench.Skipped, reason)
	}
	p, reply, err := g.s.start(ctx, g.l, []string{codec})
	if err != nil {
		status, reason := explain(err)
		return g.reject(codec, "", status, reason)
	}
	defer p.Close()
	for _, skip := range reply.Skips {
		if err := g.reject(skip.Codec, skip.Sample, bench.Skipped, skip.Reason); err != nil {
			return err
		}
	}
	for _, f := range g.s.files() {
		if !g.open(codec, f.Sample) {
			continue
		}
		if err := g.verify(ctx, p, g.desc.Codecs[i], f.Sample); err != nil {
			status, reason := explain(err)
			if err := g.reject(codec, f.Sample, status, reason); err != nil {
				return err
			}
			continue
		}
		if err := g.memory(ctx, p, codec, f.Sample); err != nil {
			return err
		}
	}
	return nil
}

func (g gate) open(codec, sample string) bool {
	return slices.ContainsFunc(g.l.running(), func(c *caseState) bool { return c.Codec == codec && c.Sample == sample })
}

func (g gate) reject(codec, sample string, status bench.Status, reason string) error {
	for _, c := range g.l.running() {
		if c.Codec == codec && (sample == "" || c.Sample == sample) {
			if err := g.s.end(c, status, reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// verify compares what the codec makes of every document with the reference,
// and keeps the checksums that its timed batches must show.
func (g *gate) verify(ctx context.Context, p runner.Process, codec runner.CodecDescription, sample string) error {
	x := g.s.Samples[sample]
	began := g.s.Config.Now()
	defer func() { g.took = g.s.Config.Now().Sub(began) }()
	out := filepath.Join(g.s.Config.Scratch, "verify.bin")
	defer os.Remove(out)
	reply, err := p.Verify(ctx, runner.VerifyRequest{Sample: sample, Codec: codec.Name, Out: out})
	if err != nil {
		return err
	}
	docs, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: x.Files.Documents, Bytes: outputLimit(x)})
	if err != nil {
		return err
	}
	if len(docs) != x.Files.Documents {
		return fmt.Errorf("it wrote %d documents of %d", len(docs), x.Files.Documents)
	}
	if err := x.Truth.Check(codec, docs); err != nil {
		return err
	}
	leaf, visit, err := x.Truth.Expected(g.l.unit)
	if err != nil {
		return err
	}
	if err := sameSums("leaf", reply.Leaf, leaf); err != nil {
		return err
	}
	if len(reply.Visit) > 0 {
		if err := sameSums("visit", reply.Visit, visit); err != nil {
			return err
		}
	}
	lengths := make([]uint32, len(docs))
	for i, d := range docs {
		lengths[i] = uint32(len(d))
	}
	expected := map[bench.Operation][]uint32{bench.Encode: lengths, bench.Decode: leaf, bench.Visit: visit}
	for _, c := range g.l.running() {
		if c.Codec == codec.Name && c.Sample == sample {
			c.sums = prefixSums(expected[c.Operation])
		}
	}
	return nil
}

// outputLimit bounds what a codec may write of a sample: escapes and defaults
// written out may make it larger than the documents, but not without end.
func outputLimit(x *Sample) int64 {
	n := int64(1 << 20)
	for _, b := range x.Bytes {
		n += 16 * int64(b)
	}
	return n
}

func sameSums(what string, got, want []uint32) error {
	if len(got) != len(want) {
		return fmt.Errorf("its %s checksums are %d for %d documents", what, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("what it decoded differs from the reference: %s checksum %d instead of %d in document %d", what, got[i], want[i], i+1)
		}
	}
	return nil
}

func prefixSums(x []uint32) []uint32 {
	sums := make([]uint32, len(x)+1)
	for i, v := range x {
		sums[i+1] = sums[i] + v
	}
	return sums
}

// memoryOperations is how many operations an allocation count is taken over:
// Go's counters are exact from far fewer on.
const memoryOperations = 1000

func (g *gate) memory(ctx context.Context, p runner.Process, codec, sample string) error {
	for _, c := range g.l.running() {
		if c.Codec != codec || c.Sample != sample {
			continue
		}
		docs := g.s.Samples[sample].Files.Documents
		n := (memoryOperations + docs - 1) / docs * docs
		if heavy := g.s.totalBytes(sample) * (n / docs); heavy > memoryBytes {
			n = docs * max(1, memoryBytes/max(1, g.s.totalBytes(sample)))
		}
		if most := int(memoryTime / max(g.took, 1)); n > docs*most {
			n = docs * max(1, most)
		}
		reply, err := p.Memory(ctx, runner.MemoryRequest{Sample: sample, Codec: codec, Operation: c.Operation, Iterations: n})
		if err != nil {
			if status, reason := explain(err); status == bench.Failed {
				if err := g.s.end(c, status, reason); err != nil {
					return err
				}
			}
			continue
		}
		m := &store.Memory{Kind: "memory", Case: c.number, AllocsPerOp: -1, BytesPerOp: float64(reply.Bytes) / float64(n)}
		if reply.Allocations >= 0 {
			m.AllocsPerOp = float64(reply.Allocations) / float64(n)
		}
		err = g.s.Sink.Append(m)
		if err != nil {
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

func (s *Scheduler) totalBytes(sample string) int {
	n := 0
	for _, b := range s.Samples[sample].Bytes {
		n += b
	}
	return n
}
