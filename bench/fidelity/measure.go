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

// within is the largest ratio, or its inverse, that passes for a runtime.
func within(runtime string) float64 {
	if runtime == "go" {
		return 1.03
	}
	return 1.05
}

// compileTime is how long both sides together run a case before it is measured,
// in runtimes that compile while running.
const compileTime = 3 * time.Second

// measured is a case, and what was measured of it: ns per operation.
type measured struct {
	files      runner.SampleFiles
	root       int
	codec      runner.Codec
	operation  bench.Operation
	iterations int       // of a batch; 0: not yet known
	ours, tool []float64 // one entry per pair of processes: of the fastest batch

	settleFirst bool // the heap is settled before the warm-up, and not after it
}

// meter measures all cases.
type meter struct {
	*setup
	*options
	tool     tool.Tool
	compiles bool // the runtime compiles while it runs
	cases    []*measured
}

// list lists the cases.
func (m *meter) list() {
	for root, files := range m.samples {
		for _, c := range m.codecs {
			for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
				if slices.Contains(m.build.Codecs, c.Name) && slices.Contains(c.Operations, op) {
					m.cases = append(m.cases, &measured{files: files, root: root, codec: c, operation: op, settleFirst: tool.SettlesFirst(m.tool)})
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
	if m.compiles {
		expected += time.Duration(m.pairs*len(m.cases)) * compileTime
	}
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

// pair measures every case once on both sides, in fresh processes: one for all
// codecs or one for each, as wirecost runs them.
func (m *meter) pair(ctx context.Context, random *rand.Rand) error {
	groups := [][]string{m.build.Codecs}
	if m.build.Runner.Isolation == isolated {
		groups = nil
		for _, i := range random.Perm(len(m.build.Codecs)) {
			groups = append(groups, []string{m.build.Codecs[i]})
		}
	}
	for _, codecs := range groups {
		if err := m.group(ctx, codecs, random); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// isolated is the manifest's word for one process per codec.
const isolated = "codec"

func (m *meter) group(ctx context.Context, codecs []string, random *rand.Rand) (err error) {
	ours, err := m.build.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.Close()) }()
	reply, err := ours.Prepare(ctx, m.samples, codecs)
	if err != nil {
		return err
	}
	m.cases = slices.DeleteFunc(m.cases, func(c *measured) bool {
		return slices.ContainsFunc(reply.Skips, func(s runner.Skip) bool { return s.Codec == c.codec.Name && s.Sample == c.files.Sample })
	})
	theirs, err := m.tool.Start(ctx, ours)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, theirs.Close()) }()
	for _, i := range random.Perm(len(m.cases)) {
		c := m.cases[i]
		if !slices.Contains(codecs, c.codec.Name) {
			continue
		}
		if err := m.ready(ctx, c, sides{ours, theirs}); err != nil {
			return fmt.Errorf("%s %s %s: %w", c.files.Sample, c.codec.Name, c.operation, err)
		}
		if err := m.inTurns(ctx, c, sides{ours, theirs}, random); err != nil {
			return fmt.Errorf("%s %s %s: %w", c.files.Sample, c.codec.Name, c.operation, err)
		}
	}
	return nil
}

// sides are the two processes of a pair.
type sides struct {
	ours   runner.Process
	theirs tool.Process
}

// ready lets a case run until its code is compiled, where that happens while it
// runs, and finds the length of its batches.
func (m *meter) ready(ctx context.Context, c *measured, s sides) error {
	for began := time.Now(); m.compiles && time.Since(began) < compileTime; {
		probe := *c
		if err := m.calibrate(ctx, s.ours, &probe); err != nil {
			return err
		}
		if _, err := probe.byRunner(ctx, s.ours); err != nil {
			return err
		}
		if _, err := probe.byTool(ctx, s.theirs); err != nil {
			return err
		}
	}
	if c.iterations > 0 {
		return nil
	}
	return m.calibrate(ctx, s.ours, c)
}

// inTurns measures a case in turns on both sides, and keeps the fastest batch of
// each: what disturbs a process only ever adds, and comes and goes in milliseconds.
func (m *meter) inTurns(ctx context.Context, c *measured, s sides, random *rand.Rand) error {
	fastest := []float64{math.Inf(1), math.Inf(1)}
	for range m.rounds {
		for _, side := range random.Perm(2) {
			measure := func() (float64, error) { return c.byRunner(ctx, s.ours) }
			if side == 1 {
				measure = func() (float64, error) { return c.byTool(ctx, s.theirs) }
			}
			ns, err := measure()
			if err != nil {
				return err
			}
			fastest[side] = min(fastest[side], ns)
		}
	}
	c.ours, c.tool = append(c.ours, fastest[0]), append(c.tool, fastest[1])
	return nil
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

// byRunner measures as wirecost does, from a settled heap: ns per operation.
func (c *measured) byRunner(ctx context.Context, p runner.Process) (float64, error) {
	warm, long := c.batch(c.warm()/c.files.Documents), c.batch(c.iterations/c.files.Documents)
	if _, err := p.Measure(ctx, runner.MeasureRequest{Turn: []runner.BatchRequest{warm}, Settle: c.settleFirst}); err != nil {
		return 0, err
	}
	reply, err := p.Measure(ctx, runner.MeasureRequest{Turn: []runner.BatchRequest{long}, Settle: !c.settleFirst})
	if err != nil {
		return 0, err
	}
	return float64(reply.WallNS[0]) / float64(c.iterations), nil
}

// byTool measures as the ecosystem does: ns per operation.
func (c *measured) byTool(ctx context.Context, p tool.Process) (float64, error) {
	took, err := p.Measure(ctx, tool.Request{
		Sample: c.files.Sample, Codec: c.codec.Name, Operation: c.operation, Root: c.root, File: c.files.Files[c.codec.Documents],
		Warm: c.warm(), Iterations: c.iterations,
	})
	if err != nil {
		return 0, err
	}
	if took <= 0 {
		return 0, fmt.Errorf("%s measured no time", c.codec.Name)
	}
	return float64(took.Nanoseconds()) / float64(c.iterations), nil
}

// ratio is the median over pairs of processes of ours to the tool's, with a 95%
// interval.
func (c *measured) ratio() (ratio, low, high float64) {
	logs := make([]float64, len(c.ours))
	for i := range logs {
		logs[i] = math.Log(c.ours[i] / c.tool[i])
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
	bound := within(m.runtime)
	for _, c := range m.cases {
		ratio, low, high := c.ratio()
		ok := "yes"
		if ratio > bound || ratio < 1/bound {
			ok, missed = "NO", true
			if low < bound && high > 1/bound { // the interval reaches what would pass
				ok = "NO (not clear: try more -pairs)"
			}
		}
		fmt.Fprintf(w, row, c.files.Sample, c.codec.Name, c.operation,
			fmt.Sprintf("%.1f", stats.Median(c.ours)), fmt.Sprintf("%.1f", stats.Median(c.tool)),
			fmt.Sprintf("%.4f", ratio), fmt.Sprintf("%.4f to %.4f", low, high), ok)
	}
	fmt.Fprintf(w, "The ratio is the median of %d pairs of processes, of the fastest of %d batches of %v on each side; it passes within %.0f%% of 1.\nTimes are medians over pairs; they hold the loop itself, on both sides.\n", m.pairs, m.rounds, m.batch, 100*(bound-1))
	return missed
}
