package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"wirecost/internal/runner"
	"wirecost/internal/stats"
)

// The runner's loop itself.
const (
	loopBatches = 500 // of one operation each, in a turn
	loopTurns   = 20
	loopBound   = 1000.0      // ns per batch
	loopCompile = time.Second // of turns of a case, at least, in runtimes that compile while running
)

// loop is what the runner's loop adds to a batch, in ns: the CPU time of a turn
// that is not inside its batches. It holds one reading of the clock. It is the
// median over turns that nothing disturbed, of the case where that is
// largest; NaN where the runtime cannot tell, or every turn was disturbed. Where
// compilers work beside the loop, it is the least instead: their time is the process's.
func (m *meter) loop(ctx context.Context) (ns float64, err error) {
	p, err := m.build.Start(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if _, err := p.Prepare(ctx, m.samples, m.build.Codecs); err != nil {
		return 0, err
	}
	largest := math.NaN()
	for _, c := range m.cases {
		one := c.batch(1)
		one.Iterations, one.Window = 1, 1
		turn := slices.Repeat([]runner.BatchRequest{one}, loopBatches)
		var undisturbed []float64
		for began, n := time.Now(), 0; n < loopTurns || m.compiles && time.Since(began) < loopCompile; n++ {
			reply, err := p.Measure(ctx, runner.MeasureRequest{Turn: turn})
			if err != nil {
				return 0, err
			}
			// A preemption is inside of a batch and in no CPU time, a collection may be anywhere.
			if reply.CPUNS >= 0 && reply.Preemptions == 0 && reply.Collections == 0 {
				undisturbed = append(undisturbed, outside(reply))
			}
		}
		x := stats.Median(undisturbed)
		if m.compiles && len(undisturbed) > 0 {
			x = slices.Min(undisturbed)
		}
		if !(x <= largest) && !math.IsNaN(x) {
			largest = x
		}
	}
	return largest, nil
}

// outside is the CPU time per batch outside of batches, in ns.
func outside(r *runner.MeasureReply) float64 {
	inside := int64(0)
	for _, ns := range r.WallNS {
		inside += ns
	}
	return float64(r.CPUNS-inside) / float64(len(r.WallNS))
}

// printLoop prints what the loop adds and reports whether that is too much.
func printLoop(w io.Writer, ns float64) (missed bool) {
	if math.IsNaN(ns) {
		fmt.Fprintln(w, "What the runner's loop adds to a batch cannot be told: every turn was disturbed, or the runtime tells no CPU time.")
		return false
	}
	missed = ns > loopBound
	ok := "yes"
	if missed {
		ok = "NO"
	}
	fmt.Fprintf(w, "The runner's loop adds %.0f ns to a batch, one reading of the clock included (at most %.0f: %s).\n", ns, loopBound, ok)
	return missed
}
