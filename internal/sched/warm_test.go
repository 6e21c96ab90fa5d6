package sched

import (
	"context"
	"math"
	"testing"

	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// compiling starts processes whose operations take four times as long until
// they have been run for a while, or change their speed for ever.
type compiling struct {
	runner.Starter
	slow  int // batches of a codec that are slow
	never bool
}

func (c compiling) Start(ctx context.Context) (runner.Process, error) {
	p, err := c.Starter.Start(ctx)
	return &compilingProcess{p, c, map[string]int{}}, err
}

type compilingProcess struct {
	runner.Process
	kind compiling
	seen map[string]int
}

func (p *compilingProcess) Measure(ctx context.Context, req runner.MeasureRequest) (*runner.MeasureReply, error) {
	r, err := p.Process.Measure(ctx, req)
	if err != nil {
		return nil, err
	}
	for i, b := range req.Turn {
		p.seen[b.Codec]++
		n := p.seen[b.Codec]
		if n <= p.kind.slow {
			r.WallNS[i] *= 4
		}
		if p.kind.never {
			r.WallNS[i] = int64(float64(r.WallNS[i]) * math.Pow(1.01, float64(n)))
		}
	}
	return r, nil
}

func TestARuntimeThatCompilesIsWarmedUpUntilItIsSteady(t *testing.T) {
	for _, test := range []struct {
		name   string
		slow   int
		never  bool
		steady bool
	}{
		{"soon", 30, false, true},
		{"late", 200, false, true},
		{"never", 0, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSetting(t, 3)
			s.lane.Compiles, s.lane.Isolated = true, true
			s.lane.Starter = compiling{s.runtime, test.slow, test.never}
			s.sched.Config.MaxForks = 2
			s.run(t, t.Context())
			for _, rec := range s.sink.records {
				f, ok := rec.(*store.Fork)
				if !ok {
					continue
				}
				if f.NoSteadyState == test.steady {
					t.Errorf("case %d: no steady state: %v", f.Case, f.NoSteadyState)
				}
				// What is steady from the start may be interpreted: hence the least.
				if test.steady && f.WarmupBatches < 300 || f.WarmupBatches > warmBatches {
					t.Errorf("case %d: %d batches of warming up", f.Case, f.WarmupBatches)
				}
			}
		})
	}
}

// forgetful starts processes that throw compiled code away when their heap is
// settled: the next operations take ten times as long.
type forgetful struct{ runner.Starter }

func (f forgetful) Start(ctx context.Context) (runner.Process, error) {
	p, err := f.Starter.Start(ctx)
	return &forgetfulProcess{p, 0}, err
}

type forgetfulProcess struct {
	runner.Process
	slow int64 // ns that it is slow for
}

func (p *forgetfulProcess) Measure(ctx context.Context, req runner.MeasureRequest) (*runner.MeasureReply, error) {
	r, err := p.Process.Measure(ctx, req)
	if err != nil {
		return nil, err
	}
	if req.Settle {
		p.slow = 90e6
	}
	for i := range r.WallNS {
		if p.slow > 0 {
			r.CPUNS += 9 * r.WallNS[i]
			r.WallNS[i] *= 10
			p.slow -= r.WallNS[i]
		}
	}
	return r, nil
}

// Settling the heap must not make the long pass time the compiler.
func TestALongPassIsWarm(t *testing.T) {
	s := newSetting(t, 3)
	s.lane.Compiles, s.lane.Isolated = true, true
	s.lane.Starter = forgetful{s.runtime}
	s.sched.Config.MaxForks = 4
	s.run(t, t.Context())
	for _, c := range s.sink.analysis.Cases() {
		if ratio := c.CPU.Median / c.NS.Median; ratio < 0.97 || ratio > 1.03 {
			t.Errorf("%s: %.0f ns in the long pass, %.0f ns in short batches", c.Case.Case, c.CPU.Median, c.NS.Median)
		}
	}
}
