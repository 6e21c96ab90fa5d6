package runner

import (
	"context"
	"fmt"
	"math"
	"slices"

	"wirecost/internal/bench"
)

// Describe implements Process.
func (f *Fake) Describe(ctx context.Context) (*Description, error) {
	if err := f.begin(ctx, ""); err != nil {
		return nil, err
	}
	d := f.runtime.Description
	d.Protocol = ProtocolVersion
	if d.ClockStepNS == 0 {
		d.ClockStepNS = 1
	}
	if d.StringUnit == "" {
		d.StringUnit = "utf8"
	}
	return &d, nil
}

// Prepare implements Process.
func (f *Fake) Prepare(ctx context.Context, samples []SampleFiles, codecs []string) (*PrepareReply, error) {
	if err := f.begin(ctx, ""); err != nil {
		return nil, err
	}
	clear(f.samples)
	r := &PrepareReply{}
	for _, s := range samples {
		for _, name := range codecs {
			c, ok := f.runtime.codec(name)
			if !ok {
				return nil, &FailedError{fmt.Sprintf("no codec %q", name)}
			}
			if f.runtime.Faults[name].Kind == FaultSkip {
				r.Skips = append(r.Skips, Skip{s.Sample, name, "planted skip of " + name})
				continue
			}
			if err := f.read(s, c.Documents); err != nil {
				return nil, &FailedError{err.Error()}
			}
		}
	}
	return r, nil
}

// read reads a sample in one form and works out its checksums.
func (f *Fake) read(s SampleFiles, form string) error {
	key := s.Sample + "\x00" + form
	if _, ok := f.samples[key]; ok {
		return nil
	}
	documents, err := ReadDocumentsFile(s.Files[form], DocumentLimits{s.Documents, 1 << 30})
	if err != nil {
		return err
	}
	if len(documents) != s.Documents {
		return fmt.Errorf("%s: %d documents; want %d", s.Files[form], len(documents), s.Documents)
	}
	x := &fakeSample{documents: documents}
	for _, d := range documents {
		leaf, visit := uint32(1), uint32(1)
		if f.runtime.Checksums != nil {
			if leaf, visit, err = f.runtime.Checksums(s, form, d); err != nil {
				return err
			}
		}
		x.leaf, x.visit = append(x.leaf, leaf), append(x.visit, visit)
	}
	f.samples[key] = x
	return nil
}

// Verify implements Process: it writes the documents back as they are.
func (f *Fake) Verify(ctx context.Context, req VerifyRequest) (*VerifyReply, error) {
	if err := f.begin(ctx, req.Codec); err != nil {
		return nil, err
	}
	s, err := f.sample(req.Sample, req.Codec)
	if err != nil {
		return nil, err
	}
	documents, leaf := append([][]byte{}, s.documents...), append([]uint32{}, s.leaf...)
	if f.faulty(req.Codec, FaultOutput) {
		c, _ := f.runtime.codec(req.Codec)
		documents[len(documents)-1] = nil
		if c.Format == bench.JSON {
			documents[len(documents)-1] = []byte("{}")
		}
	}
	if f.faulty(req.Codec, FaultLeaf) {
		leaf[0]++
	}
	if err := WriteDocumentsFile(req.Out, documents); err != nil {
		return nil, &FailedError{err.Error()}
	}
	return &VerifyReply{Leaf: leaf, Visit: append([]uint32{}, s.visit...)}, nil
}

// Measure implements Process.
func (f *Fake) Measure(ctx context.Context, req MeasureRequest) (*MeasureReply, error) {
	r := &MeasureReply{}
	for i, b := range req.Turn {
		if i > 0 {
			f.runtime.advance(-f.runtime.RequestNS) // a turn is one request
		}
		if err := f.begin(ctx, b.Codec); err != nil {
			return nil, err
		}
		s, err := f.sample(b.Sample, b.Codec)
		if err != nil {
			return nil, err
		}
		if c, _ := f.runtime.codec(b.Codec); !slices.Contains(c.Operations, b.Operation) {
			return nil, &FailedError{fmt.Sprintf("batch %d: %s has no operation %q", i, b.Codec, b.Operation)}
		}
		if b.Iterations < 1 || b.Document < 0 || b.Window < 1 || b.Document+b.Window > len(s.documents) {
			return nil, &FailedError{fmt.Sprintf("batch %d: %d iterations over documents %d to %d of %d", i, b.Iterations, b.Document, b.Document+b.Window, len(s.documents))}
		}
		ns, spikes := f.time(s, b)
		r.WallNS = append(r.WallNS, ns)
		r.Checksum = append(r.Checksum, f.checksum(s, b))
		r.CPUNS += ns
		r.Preemptions += spikes
		f.runtime.advance(float64(ns))
	}
	return r, nil
}

// time makes up a batch's time, in whole clock steps.
func (f *Fake) time(s *fakeSample, b BatchRequest) (ns, spikes int64) {
	n := f.runtime.Noise
	factor := f.factor(b.Codec, b.Operation) * f.runtime.shared() * math.Exp(n.Jitter*f.random.NormFloat64())
	t := (f.work(s, b) + f.runtime.OverheadNS*float64(b.Iterations)) * factor
	if f.random.Float64() < n.SpikeRate {
		t += n.SpikeNS
		spikes = 1
	}
	return f.steps(t), spikes
}

func (f *Fake) steps(t float64) int64 {
	step := max(1, f.runtime.Description.ClockStepNS)
	return int64(math.Round(math.Round(t/step) * step))
}

// work is the batch's cost on a quiet machine.
func (f *Fake) work(s *fakeSample, b BatchRequest) float64 {
	var total float64
	for i, n := range rounds(b) {
		total += float64(n) * f.runtime.Cost(FakeOperation{Sample: b.Sample, Codec: b.Codec, Operation: b.Operation, Document: i, Bytes: len(s.documents[i])})
	}
	return total
}

// rounds says how often a batch uses each document: operation i uses document
// Document + i mod Window.
func rounds(b BatchRequest) func(yield func(document, times int) bool) {
	return func(yield func(int, int) bool) {
		for w := range b.Window {
			n := b.Iterations / b.Window
			if w < b.Iterations%b.Window {
				n++
			}
			if n > 0 && !yield(b.Document+w, n) {
				return
			}
		}
	}
}

func (f *Fake) checksum(s *fakeSample, b BatchRequest) uint32 {
	var sum uint32
	for i, n := range rounds(b) {
		one := uint32(len(s.documents[i]))
		switch b.Operation {
		case bench.Decode:
			one = s.leaf[i]
		case bench.Visit:
			one = s.visit[i]
		}
		sum += one * uint32(n)
	}
	if f.faulty(b.Codec, FaultChecksum) {
		sum++
	}
	return sum
}

// Cold implements Process: the first operation takes ten times as long as the
// model says, and the extra halves each time.
func (f *Fake) Cold(ctx context.Context, req ColdRequest) (*ColdReply, error) {
	if err := f.begin(ctx, req.Codec); err != nil {
		return nil, err
	}
	s, err := f.sample(req.Sample, req.Codec)
	if err != nil {
		return nil, err
	}
	r := &ColdReply{NS: make([]int64, req.Count)}
	extra := 9.0
	for i := range r.NS {
		ns, _ := f.time(s, BatchRequest{req.Sample, req.Codec, req.Operation, 1, i % len(s.documents), 1})
		r.NS[i] = f.steps(float64(ns) * (1 + extra))
		extra /= 2
		f.runtime.advance(float64(r.NS[i]))
	}
	return r, nil
}

// Memory implements Process: each operation allocates its document once.
func (f *Fake) Memory(ctx context.Context, req MemoryRequest) (*MemoryReply, error) {
	if err := f.begin(ctx, req.Codec); err != nil {
		return nil, err
	}
	s, err := f.sample(req.Sample, req.Codec)
	if err != nil {
		return nil, err
	}
	r := &MemoryReply{Allocations: int64(req.Iterations)}
	for i := range req.Iterations {
		r.Bytes += int64(len(s.documents[i%len(s.documents)]))
	}
	return r, nil
}

// Empty implements Process.
func (f *Fake) Empty(ctx context.Context, req EmptyRequest) (*EmptyReply, error) {
	if err := f.begin(ctx, ""); err != nil {
		return nil, err
	}
	ns := f.steps(f.runtime.OverheadNS * float64(req.Iterations))
	f.runtime.advance(float64(ns))
	return &EmptyReply{WallNS: ns}, nil
}
