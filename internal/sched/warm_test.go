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
