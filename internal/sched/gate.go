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
)

// Program is how to start a runtime's processes, and what they hold.
type Program struct {
	Runtime  string
	Compiles bool // the runtime compiles while it runs
	Codecs   []runner.Codec
	Starter  runner.Starter
	Dropped  map[string]string // codecs that could not be built for the schema, with the reason
	Broken   string            // why nothing of the runtime could be built; it needs no Starter then
}

// party is a runtime that takes part in a run: what it says of itself, and how
// its codecs stood up to the reference. Its lanes share it.
type party struct {
	Program
	desc   *runner.Description
	broken error // why nothing of it can be measured
	proofs map[trial]*proof
}

// trial is a codec before the reference.
type trial struct{ codec, sample string }

// proof is how it stood up to it.
type proof struct {
	status bench.Status // empty: it did
	reason string
	sums   map[bench.Operation][]uint32 // sums[op][i] is the checksum of documents 0…i−1, modulo 2³²
	wrote  [][]byte                     // what it encoded the documents to, where a server is to store that
	took   time.Duration
}

// meet asks a runtime what it is, once.
func (s *Scheduler) meet(ctx context.Context, program Program) *party {
	if p := s.parties[program.Runtime]; p != nil {
		return p
	}
	p := &party{Program: program, proofs: map[trial]*proof{}}
	p.desc, p.broken = describe(ctx, program)
	if p.broken != nil {
		p.desc = &runner.Description{}
	}
	if s.parties == nil {
		s.parties = map[string]*party{}
	}
	s.parties[program.Runtime] = p
	return p
}

// codec finds what the runtime says of a codec.
func (p *party) codec(name string) (runner.CodecDescription, bool) {
	i := slices.IndexFunc(p.desc.Codecs, func(c runner.CodecDescription) bool { return c.Name == name })
	if i < 0 {
		return runner.CodecDescription{}, false
	}
	return p.desc.Codecs[i], true
}

// describe asks a runtime what it is; the error says why nothing of it can be
// measured.
func describe(ctx context.Context, program Program) (*runner.Description, error) {
	if program.Broken != "" {
		return nil, errors.New(program.Broken)
	}
	p, err := program.Starter.Start(ctx)
	if err != nil {
		return nil, fmt.Errorf("the %s runner does not start: %w", program.Runtime, err)
	}
	defer p.Close()
	desc, err := p.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("the %s runner does not describe itself: %w", program.Runtime, err)
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

// start runs one process that is ready for the codecs.
func (s *Scheduler) start(ctx context.Context, starter runner.Starter, codecs []string) (runner.Process, *runner.PrepareReply, error) {
	p, err := starter.Start(ctx)
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

// prove verifies one codec on those of the samples that it was not tried on
// before, in a process of its own, so that one that crashes takes no other with
// it. What came of it is in the party's proofs, unless the context ended. Then
// gets the process for each sample that the codec passed; it may be nil.
func (s *Scheduler) prove(ctx context.Context, p *party, codec string, samples []string, then func(p runner.Process, sample string) error) error {
	samples = slices.DeleteFunc(slices.Clone(samples), func(x string) bool { return p.proofs[trial{codec, x}] != nil })
	if len(samples) == 0 {
		return nil
	}
	s.Observe(Event{Phase: "verify", Lane: p.Runtime, Runtime: p.Runtime, Codec: codec})
	refuse := func(status bench.Status, reason string, samples ...string) {
		for _, x := range samples {
			p.proofs[trial{codec, x}] = &proof{status: status, reason: reason}
		}
	}
	if p.broken != nil {
		refuse(bench.Failed, p.broken.Error(), samples...)
		return nil
	}
	desc, built := p.codec(codec)
	if !built {
		reason := p.Dropped[codec]
		if reason == "" {
			reason = "it is not built in"
		}
		refuse(bench.Skipped, reason, samples...)
		return nil
	}
	process, reply, err := s.start(ctx, p.Starter, []string{codec})
	if err != nil {
		status, reason := explain(err)
		refuse(status, reason, samples...)
		return nil
	}
	defer process.Close()
	for _, skip := range reply.Skips {
		refuse(bench.Skipped, skip.Reason, skip.Sample)
	}
	for _, x := range samples {
		if p.proofs[trial{codec, x}] != nil || ctx.Err() != nil {
			continue
		}
		good, err := s.verify(ctx, p, process, desc, x)
		if err != nil {
			status, reason := explain(err)
			refuse(status, reason, x)
			continue
		}
		p.proofs[trial{codec, x}] = good
		if then == nil {
			continue
		}
		if err := then(process, x); err != nil {
			return err
		}
	}
	return nil
}

// verify compares what a codec makes of every document with the reference, and
// gives the checksums that whatever is timed must show.
func (s *Scheduler) verify(ctx context.Context, p *party, process runner.Process, codec runner.CodecDescription, sample string) (*proof, error) {
	x := s.Samples[sample]
	began := s.Config.Now()
	out := filepath.Join(s.Config.Scratch, "verify.bin")
	defer os.Remove(out)
	reply, err := process.Verify(ctx, runner.VerifyRequest{Sample: sample, Codec: codec.Name, Out: out})
	if err != nil {
		return nil, err
	}
	docs, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: x.Files.Documents, Bytes: outputLimit(x)})
	if err != nil {
		return nil, err
	}
	if len(docs) != x.Files.Documents {
		return nil, fmt.Errorf("it wrote %d documents of %d", len(docs), x.Files.Documents)
	}
	if err := x.Truth.Check(codec, docs); err != nil {
		return nil, err
	}
	leaf, visit, err := x.Truth.Expected(p.desc.StringUnit)
	if err != nil {
		return nil, err
	}
	if err := sameSums("leaf", reply.Leaf, leaf); err != nil {
		return nil, err
	}
	if len(reply.Visit) > 0 {
		if err := sameSums("visit", reply.Visit, visit); err != nil {
			return nil, err
		}
	}
	lengths := make([]uint32, len(docs))
	for i, d := range docs {
		lengths[i] = uint32(len(d))
	}
	good := &proof{
		sums: map[bench.Operation][]uint32{bench.Encode: prefixSums(lengths), bench.Decode: prefixSums(leaf), bench.Visit: prefixSums(visit)},
		took: s.Config.Now().Sub(began),
	}
	if s.stores() {
		good.wrote = docs
	}
	return good, nil
}

// stores reports whether a lane stores values in a server.
func (s *Scheduler) stores() bool {
	return slices.ContainsFunc(s.lanes, func(l *lane) bool { return l.Wire != nil && l.Wire.Server == nil })
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
