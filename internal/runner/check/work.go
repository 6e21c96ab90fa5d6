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

// foreign asks whether the runner was built for another schema.
func (c *checker) foreign(ctx context.Context) (refused bool, err error) {
	if !c.opts.Foreign {
		return false, nil
	}
	err = c.session(ctx, func(ctx context.Context, s *Session) error {
		one, cancel := c.in(ctx)
		defer cancel()
		var names []string
		for _, d := range c.description.Codecs {
			names = append(names, d.Name)
		}
		_, err := s.Prepare(one, c.opts.Samples, names)
		if why, ok := refusal(err); ok {
			refused = true
			c.opts.Report(Line{Rule: "prepare", Expected: "it reads the documents", Skipped: why + "; its codecs were not checked, since it seems to be built for another schema"})
		}
		return nil // other errors are found when codecs are checked
	})
	return refused, err
}

// prepare hands over samples for one codec. It gives the reasons why it cannot
// handle some, by sample.
func (c *checker) prepare(ctx context.Context, s *Session, codec string, samples []runner.SampleFiles) (map[string]string, error) {
	one, cancel := c.in(ctx)
	defer cancel()
	reply, err := s.Prepare(one, samples, []string{codec})
	if err != nil {
		return nil, err
	}
	skips := map[string]string{}
	for _, x := range reply.Skips {
		skips[x.Sample] = x.Reason
	}
	return skips, nil
}

// work puts one codec through everything but cold.
func (c *checker) work(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	var skips map[string]string
	err := c.step("prepare", codec.Name, "it reads the documents, or says for which sample it cannot, and why", func() (err error) {
		skips, err = c.prepare(ctx, s, codec.Name, c.opts.Samples)
		return err
	})
	if err != nil {
		return err
	}
	for _, sample := range c.opts.Samples {
		if why, skipped := skips[sample.Sample]; skipped {
			c.opts.Report(Line{Rule: "verify", Codec: codec.Name, Expected: c.of(sample.Sample) + "every document comes back", Skipped: why})
			continue
		}
		if err := c.sample(ctx, s, codec, sample); err != nil {
			return err
		}
	}
	return c.step("unknown", codec.Name, "a codec that does not exist is refused", func() error { return c.nobody(ctx, s) })
}

// of names the sample where there are several.
func (c *checker) of(sample string) string {
	if len(c.opts.Samples) == 1 {
		return ""
	}
	return sample + ": "
}

func (c *checker) sample(ctx context.Context, s *Session, codec runner.CodecDescription, sample runner.SampleFiles) error {
	var want sums
	of := c.of(sample.Sample)
	err := c.step("verify", codec.Name, of+"every document comes back with the same meaning, and its checksums are right", func() (err error) {
		want, err = c.verify(ctx, s, codec, sample)
		return err
	})
	if err != nil {
		return err
	}
	err = c.step("measure", codec.Name, of+"batches have checksums and times of all their operations", func() error {
		for _, op := range codec.Operations {
			if err := c.measure(ctx, s, codec, sample, op, want[op]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.step("memory", codec.Name, of+"allocations are counted, or skipped where the runtime cannot", func() error {
		for _, op := range codec.Operations {
			if err := c.memory(ctx, s, codec, sample, op); err != nil {
				return err
			}
		}
		return nil
	})
}

// verify checks checksums and output, and gives what batches must add up to.
func (c *checker) verify(ctx context.Context, s *Session, codec runner.CodecDescription, sample runner.SampleFiles) (sums, error) {
	v, written, err := c.roundTrip(ctx, s, codec, sample)
	if err != nil {
		return nil, err
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

// roundTrip has a codec decode and encode a sample's documents.
func (c *checker) roundTrip(ctx context.Context, s *Session, codec runner.CodecDescription, sample runner.SampleFiles) (*runner.VerifyReply, [][]byte, error) {
	one, cancel := c.in(ctx)
	defer cancel()
	out := filepath.Join(c.opts.Dir, "verified")
	v, err := s.Verify(one, runner.VerifyRequest{Sample: sample.Sample, Codec: codec.Name, Out: out})
	if err != nil {
		return nil, nil, err
	}
	written, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: sample.Documents, Bytes: 1 << 30})
	if err != nil {
		return nil, nil, err
	}
	if len(written) != sample.Documents {
		return nil, nil, fmt.Errorf("it wrote %d documents; want %d", len(written), sample.Documents)
	}
	return v, written, nil
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
	if err == nil {
		return errors.New("a codec that does not exist was timed")
	}
	if _, ok := refusal(err); !ok {
		return fmt.Errorf("asked for a codec that does not exist, %w", err)
	}
	return nil
}

// cold checks the first operations of a fresh process. Encode needs an object, so
// that one decode comes before it; each further operation wants a process of its own.
func (c *checker) cold(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	return c.step("cold", codec.Name, "the first 100 operations of a process are timed one by one", func() error {
		for i, op := range codec.Operations {
			fresh := s
			if i > 0 {
				var err error
				if fresh, err = c.start(ctx); err != nil {
					return err
				}
				defer fresh.Kill()
			}
			skips, err := c.prepare(ctx, fresh, codec.Name, c.opts.Samples[:1])
			if err != nil || len(skips) > 0 {
				return err
			}
			one, cancel := c.in(ctx)
			defer cancel()
			request := runner.ColdRequest{Sample: c.opts.Samples[0].Sample, Codec: codec.Name, Operation: op, Count: 100}
			if _, err := fresh.Cold(one, request); err != nil {
				return err
			}
		}
		return nil
	})
}
