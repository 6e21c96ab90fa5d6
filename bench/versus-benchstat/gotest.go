package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"wirecost/internal/bench"
)

// count is how often each benchmark is run, as benchstat's users do.
const count = 10

// peer is the usual way: a compiled test binary, run for one arm after the other,
// and benchstat's verdict on the two outputs.
type peer struct {
	binary    string
	benchtime map[bool]time.Duration // that makes a trial last as long as it should, beside neighbours and without
}

// compile builds the test binary in dir.
func (p *peer) compile(ctx context.Context, dir string) error {
	p.binary = filepath.Join(dir, "work.test.exe") // Windows wants the ending, and others do not mind
	c := exec.CommandContext(ctx, "go", "test", "-c", "-o", p.binary, "wirecost/bench/versus-benchstat/work")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c: %w\n%s\nrun this within the wirecost checkout", err, out)
	}
	return nil
}

// first sets the benchtime to begin with.
func (p *peer) first(want float64) {
	p.benchtime = map[bool]time.Duration{false: seconds(want / 2 / count / 1.2), true: seconds(want / 2 / count / 1.6)}
}

// follow brings the trials to come nearer to the time wanted, by a part of what a
// trial was off.
func (p *peer) follow(t trial, want, part float64) {
	factor := math.Pow(math.Min(4, math.Max(0.25, want/t.Seconds)), part)
	p.benchtime[t.Busy] = max(time.Millisecond, time.Duration(float64(p.benchtime[t.Busy])*factor))
}

// trial compares two arms.
func (p *peer) trial(ctx context.Context, j job) (trial, error) {
	began := time.Now()
	var samples [2]*benchmath.Sample
	for i, arm := range j.arms {
		output, err := p.run(ctx, arm, p.benchtime[j.busy])
		if err != nil {
			return trial{}, err
		}
		values, err := times(output)
		if err != nil {
			return trial{}, err
		}
		samples[i] = benchmath.NewSample(values, &benchmath.DefaultThresholds)
	}
	l := benchstat(samples[0], samples[1])
	l.At = time.Since(began).Seconds()
	return trial{Seconds: l.At, Looks: []look{l}}, nil
}

// run runs one arm's benchmark.
func (p *peer) run(ctx context.Context, arm string, benchtime time.Duration) ([]byte, error) {
	c := exec.CommandContext(ctx, p.binary, "-test.run=^$", "-test.bench=^BenchmarkRepeat$/^"+arm+"$",
		fmt.Sprintf("-test.count=%d", count), "-test.benchtime="+benchtime.String())
	c.Stderr = os.Stderr
	return c.Output()
}

// times reads the times per operation from a benchmark's output.
func times(output []byte) ([]float64, error) {
	var values []float64
	in := benchfmt.NewReader(bytes.NewReader(output), "go test")
	for in.Scan() {
		if r, ok := in.Result().(*benchfmt.Result); ok {
			if v, ok := r.Value("sec/op"); ok {
				values = append(values, v)
			}
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(values) != count {
		return nil, fmt.Errorf("go test gave %d times; want %d:\n%s", len(values), count, output)
	}
	return values, nil
}

// benchstat gives the verdict that benchstat prints: "~", or the difference of
// the medians where the Mann-Whitney test finds one at its usual level.
func benchstat(before, after *benchmath.Sample) look {
	x := benchmath.AssumeNothing.Summary(before, 0.95).Center
	y := benchmath.AssumeNothing.Summary(after, 0.95).Center
	c := benchmath.AssumeNothing.Compare(before, after)
	l := look{Ratio: y / x, P: c.P, Verdict: bench.Undecided}
	switch {
	case c.P > c.Alpha || x == y:
	case y > x:
		l.Verdict = bench.Slower
	default:
		l.Verdict = bench.Faster
	}
	return l
}
