package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"wirecost/bench/fidelity/tool"
	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/stats"
)

// within is the largest ratio, or its inverse, that passes.
const within = 1.03

// measured is a case, and what was measured of it: ns per operation.
type measured struct {
	files      runner.SampleFiles
	root       int
	codec      runner.Codec
	operation  bench.Operation
	iterations int       // of a batch; 0: not yet known
	ours, tool []float64 // one entry per round
}

// meter measures all cases.
type meter struct {
	*setup
	*options
	tool  tool.Tool
	cases []*measured
}

// list lists the cases.
func (m *meter) list() {
	for root, files := range m.samples {
		for _, c := range m.codecs {
			for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
				if slices.Contains(m.build.Codecs, c.Name) && slices.Contains(c.Operations, op) {
					m.cases = append(m.cases, &measured{files: files, root: root, codec: c, operation: op})
				}
			}
		}
	}
}

// startTime is about what the two processes of a pair need to get ready.
const startTime = 200 * time.Millisecond

// measure makes all pairs.
func (m *meter) measure(ctx context.Context) error {
	// A batch of each side, with a fifth more for warming up and settling.
	expected := time.Duration(m.pairs) * (startTime + time.Duration(len(m.cases)*2*m.rounds)*m.batch*6/5)
	m.say(fmt.Sprintf("%d cases, %d pairs of processes, %d rounds of batches of %v: about %v", len(m.cases), m.pairs, m.rounds, m.batch, expected.Round(time.Second)))
	random := rand.New(rand.NewPCG(m.seed, 0))
	began, told := time.Now(), time.Now()
	for pair := range m.pairs {
		if err := m.pair(ctx, random); err != nil {
			return err
		}
		if now := time.Now(); now.Sub(told) > 10*time.Second && pair+1 < m.pairs {
			told = now
			left := now.Sub(began) / time.Duration(pair+1) * time.Duration(m.pairs-pair-1)
			m.say(fmt.Sprintf("%d of %d pairs; about %v left", pair+1, m.pairs, left.Round(time.Second)))
		}
	}
	return nil
}

// pair measures every case once on both sides, in fresh processes.
func (m *meter) pair(ctx context.Context, random *rand.Rand) (err error) {
	ours, err := m.build.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.Close()) }()
	reply, err := ours.Prepare(ctx, m.samples, m.build.Codecs)
	if err != nil {
		return err
	}
	m.cases = slices.DeleteFunc(m.cases, func(c *measured) bool {
		return slices.ContainsFunc(reply.Skips, func(s runner.Skip) bool { return s.Codec == c.codec.Name && s.Sample == c.files.Sample })
	})
	theirs, err := m.tool.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, theirs.Close()) }()
	for _, i := range random.Perm(len(m.cases)) {
		c := m.cases[i]
		if c.iterations == 0 {
			if err := m.calibrate(ctx, ours, c); err != nil {
				return err
			}
		}
		for range m.rounds {
			sides := []func() error{
				func() error { return c.byRunner(ctx, ours) },
				func() error { return c.byTool(ctx, theirs) },
			}
			random.Shuffle(2, func(i, j int) { sides[i], sides[j] = sides[j], sides[i] })
			for _, side := range sides {
				if err := side(); err != nil {
					return fmt.Errorf("%s %s %s: %w", c.files.Sample, c.codec.Name, c.operation, err)
				}
			}
		}
	}
	return ctx.Err()
}

// batch is a batch of whole rounds over all documents.
func (c *measured) batch(rounds int) runner.BatchRequest {
	return runner.BatchRequest{
		Sample: c.files.Sample, Codec: c.codec.Name, Operation: c.operation,
		Iterations: rounds * c.files.Documents, Window: c.files.Documents,
	}
}

// calibrate finds how many iterations fill a batch.
func (m *meter) calibrate(ctx context.Context, p runner.Process, c *measured) error {
	for rounds := 1; ; rounds *= 2 {
		reply, err := p.Measure(ctx, runner.MeasureRequest{Turn: []runner.BatchRequest{c.batch(rounds), c.batch(rounds)}})
		if err != nil {
			return err
		}
		took := time.Duration(min(reply.WallNS[0], reply.WallNS[1]))
		if took > m.batch/10 || rounds > 1<<20 {
			c.iterations = max(1, int(math.Round(float64(rounds)*float64(m.batch)/float64(took)))) * c.files.Documents
			return nil
		}
	}
}

// warm is how many iterations come before a batch: a tenth, in whole rounds.
func (c *measured) warm() int {
	return max(1, c.iterations/10/c.files.Documents) * c.files.Documents
}

// byRunner measures as wirecost does: from a settled heap.
func (c *measured) byRunner(ctx context.Context, p runner.Process) error {
	warm, long := c.batch(c.warm()/c.files.Documents), c.batch(c.iterations/c.files.Documents)
	if _, err := p.Measure(ctx, runner.MeasureRequest{Turn: []runner.BatchRequest{warm}}); err != nil {
		return err
	}
	reply, err := p.Measure(ctx, runner.MeasureRequest{Turn: []runner.BatchRequest{long}, Settle: true})
	if err != nil {
		return err
	}
	c.ours = append(c.ours, float64(reply.WallNS[0])/float64(c.iterations))
	return nil
}

// byTool measures as the ecosystem does.
func (c *measured) byTool(ctx context.Context, p tool.Process) error {
	took, err := p.Measure(ctx, tool.Request{
		Codec: c.codec.Name, Operation: c.operation, Root: c.root, File: c.files.Files[c.codec.Documents],
		Warm: c.warm(), Iterations: c.iterations,
	})
	if err != nil {
		return err
	}
	if took <= 0 {
		return fmt.Errorf("%s measured no time", c.codec.Name)
	}
	c.tool = append(c.tool, float64(took.Nanoseconds())/float64(c.iterations))
	return nil
}

// ratio is the median over pairs of processes of ours to the tool's, with a 95%
// interval. A pair's is the median over its rounds.
func (c *measured) ratio(rounds int) (ratio, low, high float64) {
	var logs, pair []float64
	for i := range c.ours {
		pair = append(pair, math.Log(c.ours[i]/c.tool[i]))
		if len(pair) == rounds {
			logs = append(logs, stats.Median(pair))
			pair = pair[:0]
		}
	}
	in, _ := stats.MedianInterval(logs, 0.95)
	return math.Exp(stats.Median(logs)), math.Exp(in.Low), math.Exp(in.High)
}

// print prints the table and reports whether a ratio missed the bound.
func (m *meter) print(w io.Writer) (missed bool) {
	if len(m.cases) == 0 {
		fmt.Fprintln(w, "nothing was measured")
		return true
	}
	const row = "%-12s %-22s %-8s %12s %14s %8s %17s  %s\n"
	fmt.Fprintf(w, row, "sample", "codec", "", "runner ns/op", m.tool.Name(), "ratio", "95% interval", "ok")
	for _, c := range m.cases {
		ratio, low, high := c.ratio(m.rounds)
		ok := "yes"
		if ratio > within || ratio < 1/within {
			ok, missed = "NO", true
			if low < within && high > 1/within { // the interval reaches what would pass
				ok = "NO (not clear: try more -pairs)"
			}
		}
		fmt.Fprintf(w, row, c.files.Sample, c.codec.Name, c.operation,
			fmt.Sprintf("%.1f", stats.Median(c.ours)), fmt.Sprintf("%.1f", stats.Median(c.tool)),
			fmt.Sprintf("%.4f", ratio), fmt.Sprintf("%.4f to %.4f", low, high), ok)
	}
	fmt.Fprintf(w, "The ratio is the median of %d pairs of processes, with %d rounds each; it passes within 3%% of 1.\nTimes are medians; they hold the loop itself, on both sides.\n", m.pairs, m.rounds)
	return missed
}
