package sched

import (
	"context"
	"math"
	"slices"
	"time"

	"wirecost/internal/plan"
	"wirecost/internal/stats"
)

// coldWireForks is in how many forks the first requests are timed apart, where
// forks are not too long for it.
const coldWireForks = 3

// isCold reports whether the fork times first requests: the first one does in any
// case, others not where forks are so long that few fit into the time.
func (f *wireFork) isCold() bool {
	long := f.o.perFork() > 0 && float64(f.l.longest) > 2*f.o.perFork()
	return f.n == 0 || f.n < coldWireForks && !long
}

// coldRequests and coldTime bound the first requests of a case that are timed
// apart. Where there are many cases for the time, all together take coldShare of a
// fork at most, or leastCold each.
const (
	coldRequests = 100
	coldTime     = 200 * time.Millisecond
	leastCold    = 20 * time.Millisecond
	coldShare    = 0.3
)

func (o *overWire) coldTime() float64 {
	share := coldShare * o.perFork() / float64(max(1, len(o.l.running())))
	if share == 0 {
		return float64(coldTime)
	}
	return min(float64(coldTime), max(float64(leastCold), share))
}

// cold times the first requests of each case, before anything has warmed up.
// They also tell what a request costs.
func (f *wireFork) cold(ctx context.Context) error {
	return f.each(ctx, func(m *caller, c *caseState) error {
		if !f.isCold() && c.cost != nil {
			return nil
		}
		ns, err := f.coldCase(ctx, m, c)
		if err != nil {
			return err
		}
		if f.isCold() {
			f.records[c].ColdNS = ns
		}
		if c.cost == nil {
			f.s.learn(c, ns)
		}
		return f.s.tooLong(c)
	})
}

func (f *wireFork) coldCase(ctx context.Context, m *caller, c *caseState) ([]int64, error) {
	docs := f.s.Samples[c.Sample].Files.Documents
	var ns []int64
	rest, last := f.o.coldTime(), math.Inf(1) // time left; of one request
	// The very first may load half a server: it says nothing of those after it, and
	// two are made in any case.
	for len(ns) < 2 || len(ns) < coldRequests && rest >= last {
		n := max(1, min(coldRequests-len(ns), int(rest/last)))
		first := len(ns) * f.s.pipeline(c.Case) % docs
		reply, err := f.call(ctx, m, c, c.Operation, plan.Window{First: first, Count: docs - first}, n)
		if err != nil {
			return nil, err
		}
		took := float64(total(reply.TotalNS))
		f.early.took, f.early.made = f.early.took+time.Duration(took), f.early.made+n
		if len(ns) > 0 {
			rest, last = rest-took, math.Max(1, took/float64(n))
		}
		ns = append(ns, reply.TotalNS...)
	}
	return ns, nil
}

// Requests that are not kept, of each case, where a side compiles while it runs.
// What carries requests is the same code for all cases: they warm each other up.
const (
	warmSlice     = 10 * time.Millisecond  // in one round
	warmWire      = 60 * time.Millisecond  // at least
	warmWirePilot = 200 * time.Millisecond // at least, where no fork before tells how fast it becomes
	warmRequests  = 2000                   // of a client at least: compilers count calls
	warmLoops     = time.Second            // of a case, instead: what long requests run is loops, which compilers count as well
)

// fallen is how much faster the last rounds of a warm-up may be than those before
// them, as a log-ratio, for it to end.
const fallen = 0.03

// warm gives every case requests that are not kept: one pass, or, where a side
// compiles while it runs, rounds of slices until they get no faster, and about as
// fast as forks before were.
func (f *wireFork) warm(ctx context.Context) error {
	cases := f.calibrated()
	groups := f.s.wireGroups(cases)
	target, least, most := 0.0, time.Duration(0), time.Duration(0)
	if f.l.Compiles || f.l.Wire.Server != nil && f.l.Wire.Server.Compiles {
		target, least, most = float64(warmSlice), warmWire, f.s.warmTime(f.l)
		if f.l.pilot() {
			least = warmWirePilot
		}
	}
	least, most = least*time.Duration(len(cases)), most*time.Duration(len(cases))
	pace := map[*caseState]float64{} // what requests take, to what was expected
	for _, c := range cases {
		pace[c] = 1
	}
	var levels []float64
	for spent, made := f.early.took, f.early.made; ; {
		took, requests, err := f.warmRound(ctx, groups, target, pace)
		if err != nil {
			return err
		}
		level := 0.0
		for _, c := range cases {
			level += math.Log(pace[c]) / float64(len(cases))
		}
		levels = append(levels, level)
		spent, made = spent+took, made+requests
		called := made >= warmRequests*len(f.callers) || spent >= warmLoops*time.Duration(len(cases))
		enough := spent >= least && called
		if took == 0 || spent >= most || enough && f.settled(levels, settling(took/time.Duration(len(cases)))) {
			break
		}
	}
	if f.l.pilot() && target > 0 {
		for c, p := range pace {
			c.scale(p)
		}
	}
	return nil
}

// warmRound gives each case one slice, by its pace, which it corrects. It returns
// what the requests took and how many there were.
func (f *wireFork) warmRound(ctx context.Context, groups []*group, target float64, pace map[*caseState]float64) (took time.Duration, made int, err error) {
	err = f.each(ctx, func(m *caller, c *caseState) error {
		g := groupOf(groups, c)
		if g == nil {
			return nil
		}
		w := g.windows[f.order.IntN(len(g.windows))]
		n := g.requests(c, w, target/pace[c])
		reply, err := f.call(ctx, m, c, c.Operation, w, n)
		if err != nil {
			return err
		}
		requests, ns := g.round(c, w)
		sum := total(reply.TotalNS)
		pace[c] = math.Max(1, float64(sum)) / (ns * float64(n/requests))
		took, made = took+time.Duration(sum), made+n
		return nil
	})
	return took, made, err
}

// settling is how many rounds are compared with as many before: fewer where one
// request is so long that most of what it runs is compiled by the end of it.
func settling(slice time.Duration) int {
	if slice >= 10*warmSlice {
		return 2
	}
	return 3
}

// settled reports whether the last k rounds took about as long as the k before, and
// not much longer than forks before told.
func (f *wireFork) settled(levels []float64, k int) bool {
	n := len(levels)
	if n < 2*k {
		return false
	}
	last := stats.Median(levels[n-k:])
	return stats.Median(levels[n-2*k:n-k])-last < fallen && (f.l.pilot() || last < math.Log(warmSlower))
}

func groupOf(groups []*group, c *caseState) *group {
	for _, g := range groups {
		if slices.Contains(g.cases, c) {
			return g
		}
	}
	return nil
}
