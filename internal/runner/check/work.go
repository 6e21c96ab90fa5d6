package check

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// sums are what each document adds to a checksum, by operation.
type sums map[bench.Operation][]uint32

// work puts one codec through everything but cold.
func (c *checker) work(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	one, cancel := c.in(ctx)
	defer cancel()
	prepared, err := s.Prepare(one, c.opts.Samples, []string{codec.Name})
	if err != nil {
		return err
	}
	for _, sample := range c.opts.Samples {
		if slices.ContainsFunc(prepared.Skips, func(x runner.Skip) bool { return x.Sample == sample.Sample }) {
			continue
		}
		if err := c.sample(ctx, s, codec, sample); err != nil {
			return err
		}
	}
	return under("cold", c.nobody(ctx, s))
}

func (c *checker) sample(ctx context.Context, s *Session, codec runner.CodecDescription, sample runner.SampleFiles) error {
	want, err := c.verify(ctx, s, codec, sample)
	if err != nil {
		return under("verify", err)
	}
	for _, op := range codec.Operations {
		if err := c.measure(ctx, s, codec, sample, op, want[op]); err != nil {
			return under("measure", err)
		}
		if err := c.memory(ctx, s, codec, sample, op); err != nil {
			return under("memory", err)
		}
	}
	return nil
}

// verify checks checksums and output, and gives what batches must add up to.
func (c *checker) verify(ctx context.Context, s *Session, codec runner.CodecDescription, sample runner.SampleFiles) (sums, error) {
	one, cancel := c.in(ctx)
	defer cancel()
	out := filepath.Join(c.opts.Dir, "verified")
	v, err := s.Verify(one, runner.VerifyRequest{Sample: sample.Sample, Codec: codec.Name, Out: out})
	if err != nil {
		return nil, err
	}
	written, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: sample.Documents, Bytes: 1 << 30})
	if err != nil {
		return nil, err
	}
	if len(written) != sample.Documents {
		return nil, fmt.Errorf("it wrote %d documents; want %d", len(written), sample.Documents)
	}
	if c.opts.Output != nil {
		if err := c.opts.Output(codec, sample.Sample, written); err != nil {
			return nil, fmt.Errorf("what it wrote differs: %w", err)
		}
	}
	visits := slices.Contains(codec.Operations, bench.Visit)
	if visits != (v.Visit != nil) && sample.Documents > 0 {
		return nil, fmt.Errorf("visit among the operations: %v; visit in the reply: %v", visits, v.Visit != nil)
	}
	if c.opts.Checksums != nil {
		leaf, visit, err := c.opts.Checksums(sample.Sample, c.description.StringUnit)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(leaf, v.Leaf) || visits && !slices.Equal(visit, v.Visit) {
			return nil, fmt.Errorf("the checksums are leaf %v, visit %v; want %v, %v", v.Leaf, v.Visit, leaf, visit)
		}
	}
	lengths := make([]uint32, len(written))
	for i, d := range written {
		lengths[i] = uint32(len(d))
	}
	return sums{bench.Encode: lengths, bench.Decode: v.Leaf, bench.Visit: v.Visit}, nil
}

// repeats is how much longer a batch is made to see whether its time grows.
const repeats = 1000

// measure checks parallel arrays, checksums over windows, and that times are
// those of whole batches.
func (c *checker) measure(ctx context.Context, s *Session, codec runner.CodecDescription, sample runner.SampleFiles, op bench.Operation, want []uint32) error {
	batch := func(iterations, document, window int) runner.BatchRequest {
		return runner.BatchRequest{Sample: sample.Sample, Codec: codec.Name, Operation: op, Iterations: iterations, Document: document, Window: window}
	}
	all, last := sample.Documents, sample.Documents-1
	turn := []runner.BatchRequest{
		batch(1, 0, 1), batch(1, last, 1), batch(3, 0, all), batch(2*all+1, 0, all), batch(all+5, last/2, all-last/2),
		batch(1, 0, 1), batch(1, 0, 1), batch(repeats, 0, 1),
	}
	for _, settle := range []bool{false, true} {
		one, cancel := c.in(ctx)
		defer cancel()
		m, err := s.Measure(one, runner.MeasureRequest{Turn: turn, Settle: settle})
		if err != nil {
			return err
		}
		for i, b := range turn {
			if got, sum := m.Checksum[i], total(b, want); got != sum {
				return fmt.Errorf("%s, %d iterations from document %d in a window of %d: the checksum is %d; want %d", op, b.Iterations, b.Document, b.Window, got, sum)
			}
		}
		if once, often := min(m.WallNS[0], m.WallNS[5], m.WallNS[6]), m.WallNS[7]; often <= once {
			return fmt.Errorf("%s once took %d ns, %d times %d ns: not the time of the batch", op, once, repeats, often)
		}
	}
	return nil
}

// total is the checksum that a batch must have.
func total(b runner.BatchRequest, each []uint32) uint32 {
	var sum uint32
	for i := range b.Iterations {
		sum += each[b.Document+i%b.Window]
	}
	return sum
}

// memory accepts a refusal: not every runtime can count.
func (c *checker) memory(ctx context.Context, s *Session, codec runner.CodecDescription, sample runner.SampleFiles, op bench.Operation) error {
	one, cancel := c.in(ctx)
	defer cancel()
	_, err := s.Memory(one, runner.MemoryRequest{Sample: sample.Sample, Codec: codec.Name, Operation: op, Iterations: 10})
	var skipped *runner.SkippedError
	if errors.As(err, &skipped) {
		return nil
	}
	return err
}

// nobody asks for a codec that does not exist.
func (c *checker) nobody(ctx context.Context, s *Session) error {
	one, cancel := c.in(ctx)
	defer cancel()
	_, err := s.Cold(one, runner.ColdRequest{Sample: c.opts.Samples[0].Sample, Codec: "no-such-codec", Operation: bench.Decode, Count: 1})
	var failed *runner.FailedError
	var skipped *runner.SkippedError
	switch {
	case err == nil:
		return errors.New("a codec that does not exist was timed")
	case errors.As(err, &failed) || errors.As(err, &skipped):
		return nil
	}
	return fmt.Errorf("a codec that does not exist: %w", err)
}

// cold checks the first operations of a fresh process.
func (c *checker) cold(ctx context.Context, s *Session, codec runner.CodecDescription, op bench.Operation) error {
	one, cancel := c.in(ctx)
	defer cancel()
	prepared, err := s.Prepare(one, c.opts.Samples[:1], []string{codec.Name})
	if err != nil || len(prepared.Skips) > 0 {
		return err
	}
	_, err = s.Cold(one, runner.ColdRequest{Sample: c.opts.Samples[0].Sample, Codec: codec.Name, Operation: op, Count: 100})
	return err
}
