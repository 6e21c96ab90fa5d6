package main

import (
	"context"
	"math"
	"slices"
	"time"

	"golang.org/x/perf/benchmath"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/sched"
	"wirecost/internal/store"
)

// The controls are engines with a fault, which the same tests must find.

// peeker stops as soon as an ordinary interval excludes 1, and looks after every
// fork.
type peeker struct {
	watch
	cases []*store.Case
	fork  map[int]*store.Fork // of the fork at hand, by case
	logs  []float64
}

// Append implements sched.Sink.
func (p *peeker) Append(rec any) error {
	switch r := rec.(type) {
	case *store.Case:
		p.cases = append(p.cases, r)
	case *store.Fork:
		p.fork[r.Case] = r
	case *store.Progress:
		if r.Forks > p.forks {
			p.forks = r.Forks
			p.peek()
		}
	}
	return nil
}

// peek adds the fork's log-ratio and looks: Student's interval at 95%, from three
// forks on.
func (p *peeker) peek() {
	if ratio := ratioOf(p.cases, p.fork); !math.IsNaN(ratio) {
		p.logs = append(p.logs, math.Log(ratio))
	}
	clear(p.fork)
	if len(p.logs) < 3 {
		return
	}
	sample := benchmath.NewSample(slices.Clone(p.logs), &benchmath.DefaultThresholds)
	in := benchmath.AssumeNormal.Summary(sample, 0.95)
	l := look{
		At: time.Since(p.began).Seconds(), Forks: len(p.logs),
		Ratio: math.Exp(in.Center), Low: math.Exp(in.Lo), High: math.Exp(in.Hi), Verdict: bench.Undecided,
	}
	switch {
	case in.Lo > 0:
		l.Verdict = bench.Slower
	case in.Hi < 0:
		l.Verdict = bench.Faster
	}
	p.looks = append(p.looks, l)
}

// ratioOf is what one fork says of the second case's time as a ratio to the
// first's: an analysis of that fork alone. NaN for the pilot.
func ratioOf(cases []*store.Case, forks map[int]*store.Fork) float64 {
	a := analyse.New(analyse.Options{})
	for _, c := range cases {
		a.Add(c)
	}
	for _, c := range cases {
		if f := forks[c.Number]; f != nil {
			a.Add(f)
		}
	}
	for _, c := range a.Comparisons() {
		if c.Metric == bench.Mutator {
			return c.Ratio
		}
	}
	return math.NaN()
}

// Settled implements sched.Judge.
func (p *peeker) Settled(string, float64) bool {
	return len(p.looks) > 0 && p.looks[len(p.looks)-1].differs()
}

// Open implements sched.Judge.
func (p *peeker) Open() map[bench.Case]bool { return nil }

// peek is a trial of the engine that peeks naively.
func (l *lab) peek(ctx context.Context, j job) (trial, error) {
	p := &peeker{watch: *newWatch(), fork: map[int]*store.Fork{}}
	_, err := l.schedule(ctx, l.lane(j.arms, j.apart), p, sched.Config{Seed: j.seed, MaxTime: seconds(j.limit)})
	return trial{Seconds: time.Since(p.began).Seconds(), Looks: p.looks}, err
}

// oneAfterAnother starts processes in which all of a fork's batches of the first
// codec run before all of the second.
type oneAfterAnother struct {
	*lab
	arms []string
}

// Start implements runner.Starter.
func (o oneAfterAnother) Start(ctx context.Context) (runner.Process, error) {
	p, err := o.lab.Start(ctx)
	if err != nil {
		return nil, err
	}
	return &rows{Process: p, arms: o.arms, queue: map[string][]float64{}}, nil
}

// rowLength is how many batches of one codec run in a row: about a fork's.
const rowLength = 400

// rows measures ahead, AAABBB, and answers turns from that.
type rows struct {
	runner.Process
	arms  []string
	queue map[string][]float64 // ns per operation that are yet to be told
	turn  []runner.BatchRequest
	reply runner.MeasureReply
}

// Measure implements runner.Process.
func (r *rows) Measure(ctx context.Context, req runner.MeasureRequest) (*runner.MeasureReply, error) {
	mixed := slices.ContainsFunc(req.Turn, func(b runner.BatchRequest) bool { return b.Codec != req.Turn[0].Codec })
	if !mixed { // calibration, warming up, the long pass
		return r.Process.Measure(ctx, req)
	}
	r.reply = runner.MeasureReply{CPUNS: -1, Preemptions: -1, Collections: -1}
	for _, b := range req.Turn {
		if len(r.queue[b.Codec]) == 0 {
			if err := r.ahead(ctx, b); err != nil {
				return nil, err
			}
		}
		ns := r.queue[b.Codec][0]
		r.queue[b.Codec] = r.queue[b.Codec][1:]
		r.reply.WallNS = append(r.reply.WallNS, int64(ns*float64(b.Iterations)))
		r.reply.Checksum = append(r.reply.Checksum, uint32(b.Iterations))
	}
	return &r.reply, nil
}

// ahead measures a row of each codec, in batches such as b.
func (r *rows) ahead(ctx context.Context, b runner.BatchRequest) error {
	for _, b.Codec = range r.arms {
		r.turn = r.turn[:0]
		for range rowLength {
			r.turn = append(r.turn, b)
		}
		reply, err := r.Process.Measure(ctx, runner.MeasureRequest{Turn: r.turn})
		if err != nil {
			return err
		}
		for _, ns := range reply.WallNS {
			r.queue[b.Codec] = append(r.queue[b.Codec], float64(ns)/float64(b.Iterations))
		}
	}
	return nil
}
