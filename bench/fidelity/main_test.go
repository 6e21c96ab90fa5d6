package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"wirecost/bench/fidelity/tool"
	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

func TestSmoke(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and measures")
	}
	t.Setenv("WIRECOST_CACHE", t.TempDir())
	var out, errs bytes.Buffer
	args := []string{"--runtime", "go", "--pairs", "2", "--rounds", "2", "--batch", "3ms", "--codec", "encoding-json,protobuf", "--file", "../../examples/orders.ndjson"}
	// So short a measurement may miss the bound, but must give the table.
	if err := run(t.Context(), args, &out, &errs); err != nil && !errors.Is(err, errMissed) {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	for _, want := range []string{"testing.B.Loop", "orders", "small", "encoding-json", "protobuf", "encode", "decode"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1+2*2*2+3 {
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{"x", "-runtime none", "-pairs 0", "-rounds 0", "-batch 0s", "-codec nothing -file ../../examples/orders.ndjson", "-what"} {
		err := run(t.Context(), strings.Fields(args), &bytes.Buffer{}, &bytes.Buffer{})
		var usage usageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: error %v; want one of usage", args, err)
		}
	}
}

// clock is a runner whose operations take a fixed time.
type clock struct {
	runner.Process
	ns float64
}

func (c *clock) Measure(_ context.Context, r runner.MeasureRequest) (*runner.MeasureReply, error) {
	reply := &runner.MeasureReply{}
	for _, b := range r.Turn {
		reply.WallNS = append(reply.WallNS, int64(c.ns*float64(b.Iterations)))
	}
	return reply, nil
}

// fixed is a tool whose operations take so many nanoseconds.
type fixed float64

func (f fixed) Measure(_ context.Context, r tool.Request) (time.Duration, error) {
	return time.Duration(float64(f) * float64(r.Iterations)), nil
}

func (fixed) Close() error { return nil }

func TestTableJudgesTheRatio(t *testing.T) {
	for _, c := range []struct {
		ours, tool float64
		missed     bool
	}{{1000, 1000, false}, {1029, 1000, false}, {1000, 1029, false}, {1031, 1000, true}, {1000, 1031, true}} {
		x := &measured{files: runner.SampleFiles{Sample: "s", Documents: 7}, codec: runner.Codec{Name: "c"}, operation: bench.Decode}
		m := &meter{options: &options{runtime: "go", pairs: 6, rounds: 1, batch: 1e6}, cases: []*measured{x}, tool: tools["go"]}
		p := &clock{ns: c.ours}
		if err := m.calibrate(t.Context(), p, x); err != nil {
			t.Fatal(err)
		}
		if x.iterations%7 != 0 || x.iterations < 900 || x.iterations > 1100 || x.warm()%7 != 0 {
			t.Fatalf("%d iterations, %d to warm up", x.iterations, x.warm())
		}
		for range 6 {
			if err := m.inTurns(t.Context(), x, sides{p, fixed(c.tool)}, rand.New(rand.NewPCG(1, 1))); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if got := m.print(&out); got != c.missed {
			t.Errorf("%v to %v: missed %v; want %v\n%s", c.ours, c.tool, got, c.missed, out.String())
		}
	}
	if printLoop(&bytes.Buffer{}, 900) || !printLoop(&bytes.Buffer{}, 1100) || printLoop(&bytes.Buffer{}, math.NaN()) {
		t.Error("the loop's bound is not 1000 ns")
	}
	if x := outside(&runner.MeasureReply{WallNS: []int64{300, 500}, CPUNS: 900}); x != 50 {
		t.Errorf("100 ns outside of two batches are %v for each", x)
	}
	// A table of nothing passes for nothing.
	if !(&meter{options: &options{rounds: 1}, tool: tools["go"]}).print(&bytes.Buffer{}) {
		t.Error("a table without rows passed")
	}
}
