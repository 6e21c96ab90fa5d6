package sched

import (
	"context"
	"fmt"
	"math"
	"testing"

	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// compiling starts processes whose operations take four times as long until
// they have been run for a while, or change their speed for ever, each time
// after a seventh more batches.
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
		if p.seen[b.Codec] <= p.kind.slow {
			r.WallNS[i] *= 4
		}
		kase := b.Codec + "/" + string(b.Operation)
		p.seen[kase]++
		if changes := int(math.Log(float64(p.seen[kase])) / math.Log(8./7)); p.kind.never && changes%2 == 1 {
			r.WallNS[i] += r.WallNS[i] / 2
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
		{"late", 800, false, true},
		{"never", 0, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSetting(t, 3)
			s.lane.Compiles, s.lane.Isolated = true, true
			s.lane.Starter = compiling{s.runtime, test.slow, test.never}
			s.sched.Config.MaxForks = 3
			s.run(t, t.Context())
			codecs, batches := map[int]string{}, map[string]int{}
			for _, rec := range s.sink.records {
				switch r := rec.(type) {
				case *store.Case:
					codecs[r.Number] = r.Codec
				case *store.Fork:
					if r.NoSteadyState == test.steady {
						t.Errorf("case %d: no steady state: %v", r.Case, r.NoSteadyState)
					}
					if r.WarmupBatches > warmBatches {
						t.Errorf("case %d: %d batches of warming up", r.Case, r.WarmupBatches)
					}
					if !r.Pilot { // which finds out how fast it becomes
						batches[fmt.Sprint(r.Fork, codecs[r.Case])] += r.WarmupBatches
					}
				}
			}
			for name, n := range batches { // a codec's two cases warm each other up
				if test.steady && n < test.slow {
					t.Errorf("fork and codec %s: %d batches of warming up", name, n)
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

// turnCounter starts processes that count turns of one batch again and again, which
// is how cases warm up, and the time that they take.
type turnCounter struct {
	runner.Starter
	turns, ns *int64
}

func (c turnCounter) Start(ctx context.Context) (runner.Process, error) {
	p, err := c.Starter.Start(ctx)
	return &warmingProcess{p, c}, err
}

type warmingProcess struct {
	runner.Process
	turnCounter
}

func (p *warmingProcess) Measure(ctx context.Context, req runner.MeasureRequest) (*runner.MeasureReply, error) {
	r, err := p.Process.Measure(ctx, req)
	if err == nil && len(req.Turn) > 1 && req.Turn[0] == req.Turn[1] {
		*p.turns++
		for _, ns := range r.WallNS {
			*p.ns += ns
		}
	}
	return r, err
}

// A turn costs some milliseconds besides its batches. However far off the costs
// are that were found before anything was compiled, a turn must be worth that.
func TestWarmingUpTakesFewTurns(t *testing.T) {
	for _, slow := range []int{0, 2000} {
		var turns, ns int64
		s := newSetting(t, 3)
		s.lane.Compiles, s.lane.Isolated = true, true
		s.lane.Starter = turnCounter{compiling{s.runtime, slow, false}, &turns, &ns}
		s.sched.Config.MaxForks = 3
		s.run(t, t.Context())
		if mean := ns / max(1, turns); mean < 10e6 {
			t.Errorf("slow for %d batches: %d turns of %d µs", slow, turns, mean/1000)
		}
	}
}
