package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/sched"
	"wirecost/internal/stats"
	"wirecost/internal/store"
)

// The controls are engines with a fault, which the same tests must find.

// peeker stops as soon as an ordinary interval for the median of the forks
// excludes 1, and looks after every fork.
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

// peek adds the fork's log-ratio and looks.
func (p *peeker) peek() {
	if ratio := ratioOf(p.cases, p.fork); !math.IsNaN(ratio) {
		p.logs = append(p.logs, math.Log(ratio))
	}
	clear(p.fork)
	if len(p.logs) == 0 {
		return
	}
	in, _ := stats.MedianInterval(p.logs, 0.95)
	l := look{At: time.Since(p.began).Seconds(), Forks: len(p.logs), Ratio: math.Exp(stats.Median(p.logs)), Low: math.Exp(in.Low), Verdict: bench.Undecided}
	if high := math.Exp(in.High); !math.IsInf(high, 0) {
		l.High = high
	}
	switch in.Position(math.Log1p(0.01)) {
	case stats.Above:
		l.Verdict = bench.Slower
	case stats.Below:
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
func (p *peeker) Settled(float64) bool {
	return len(p.looks) > 0 && p.looks[len(p.looks)-1].differs()
}

// Open implements sched.Judge.
func (p *peeker) Open() map[bench.Case]bool { return nil }

// peek is a trial of the engine that peeks naively.
func (l *lab) peek(ctx context.Context, j job) (trial, error) {
	p := &peeker{watch: *newWatch(), fork: map[int]*store.Fork{}}
	err := l.schedule(ctx, l.lane(j.arms, j.apart), p, sched.Config{Seed: j.seed, MaxTime: seconds(j.limit)})
	return trial{Seconds: time.Since(p.began).Seconds(), Looks: p.looks}, err
}

// recorder keeps a codec's records; it never has enough.
type recorder struct {
	offset  int // added to case numbers
	records []any
}

// Append implements sched.Sink.
func (r *recorder) Append(rec any) error {
	switch x := rec.(type) {
	case *store.Case:
		x.Number += r.offset
		r.records = append(r.records, x)
	case *store.Fork:
		x.Case += r.offset
		r.records = append(r.records, x)
	}
	return nil
}

// Sync implements sched.Sink.
func (*recorder) Sync() error { return nil }

// Settled implements sched.Judge.
func (*recorder) Settled(float64) bool { return false }

// Open implements sched.Judge.
func (*recorder) Open() map[bench.Case]bool { return nil }

// inTurns is a trial of the engine that measures AAABBB: all forks of the first
// codec, then all of the second.
func (l *lab) inTurns(ctx context.Context, j job) (trial, error) {
	w := newWatch()
	var arms [2][]any
	lane := l.lane(j.arms, true)
	for i := range arms {
		r := &recorder{offset: i}
		one := lane
		one.Codecs, one.Cases = lane.Codecs[i:i+1], lane.Cases[i:i+1]
		if err := l.schedule(ctx, one, r, sched.Config{Seed: j.seed, MaxTime: seconds(j.limit / 2)}); err != nil {
			return trial{}, err
		}
		arms[i] = r.records
	}
	for n := range min(len(arms[0]), len(arms[1])) {
		for _, a := range arms {
			if err := w.Append(a[n]); err != nil {
				return trial{}, fmt.Errorf("control: %w", err)
			}
		}
		if err := w.Append(&store.Progress{Forks: n}); err != nil { // record 0 is the case's
			return trial{}, err
		}
	}
	return trial{Seconds: time.Since(w.began).Seconds(), Looks: w.looks}, nil
}
