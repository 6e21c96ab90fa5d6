package sched

import (
	"fmt"
	"math"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/stats"
)

// Durations of requests over a wire (docs/statistics.md).
const (
	sliceTime       = 20 * time.Millisecond  // requests of one case before others have theirs
	longestWireSlot = 600 * time.Millisecond // slices of one case in one fork
	leastWireSlot   = 40 * time.Millisecond
	leastSlices     = 2  // of a case in a fork, where the time allows it
	mostSlices      = 30 // also where they are short
	perWireWindow   = 3  // slices of a window, at least: the more windows, the more of the sample is seen
	wireForks       = 18 // the slot shrinks, down to leastWireSlot, to fit so many forks in the time: fewer than a dozen decide nothing
)

func wireSlot(ns float64) float64 {
	return math.Min(float64(longestWireSlot), math.Max(float64(leastWireSlot), ns))
}

// perFork is the time that a fork may take, in ns; 0: as it likes.
func (o *overWire) perFork() float64 { return float64(o.s.Config.MaxTime) / wireForks }

// A pipelined request carries up to so many documents, and so many bytes.
const (
	pipelineDocuments = 100
	pipelineBytes     = 1 << 20
)

// pipeline is how many documents one request of an operation carries. It divides
// the sample into about equal parts, or is a multiple of it.
func (s *Scheduler) pipeline(c bench.Case) int {
	if !piped(c.Operation) {
		return 1
	}
	docs := s.Samples[c.Sample].Files.Documents
	most := max(1, min(pipelineDocuments, pipelineBytes*docs/max(1, s.totalBytes(c.Sample))))
	if docs < most {
		return most / docs * docs
	}
	parts := (docs + most - 1) / most
	return docs / parts
}

func piped(op bench.Operation) bool { return op == bench.SetPipelined || op == bench.GetPipelined }

// group is the cases of one operation on one sample. In each round they use the
// same documents.
type group struct {
	cases    []*caseState
	pipeline int // documents in a request
	windows  []plan.Window
}

// groups sorts cases that have a cost.
func (s *Scheduler) wireGroups(cases []*caseState) []*group {
	type key struct {
		sample string
		op     bench.Operation
	}
	var all []*group
	of := map[key]*group{}
	for _, c := range cases {
		k := key{c.Sample, c.Operation}
		if of[k] == nil {
			of[k] = &group{pipeline: s.pipeline(c.Case)}
			all = append(all, of[k])
		}
		of[k].cases = append(of[k].cases, c)
	}
	for _, g := range all {
		g.cut()
	}
	return all
}

// cut cuts the sample into windows: runs of documents that the slowest case gets
// through in a slice. A pipelined request carries a whole one.
func (g *group) cut() {
	slowest := make([]float64, len(g.cases[0].cost))
	for _, c := range g.cases {
		for i, ns := range c.cost {
			slowest[i] = math.Max(slowest[i], ns)
		}
	}
	if g.pipeline == 1 {
		g.windows = plan.Windows(slowest, float64(sliceTime))
		return
	}
	count := min(g.pipeline, len(slowest))
	for first := 0; first+count <= len(slowest); first += count {
		g.windows = append(g.windows, plan.Window{First: first, Count: count})
	}
}

// round is the fewest requests that go round a window a whole number of times,
// and what they cost a case, in ns.
func (g *group) round(c *caseState, w plan.Window) (requests int, ns float64) {
	if w.Count >= g.pipeline {
		return w.Count / g.pipeline, c.pass(w)
	}
	return 1, c.pass(w) * float64(g.pipeline/w.Count)
}

// requests is how many requests a slice of a case has, to last about target ns.
func (g *group) requests(c *caseState, w plan.Window, target float64) int {
	n, ns := g.round(c, w)
	return n * plan.Passes(ns, target)
}

// lasts is what a round of slices of all cases takes, in ns, over windows of
// middling size.
func (g *group) lasts() float64 {
	sum := 0.0
	for _, c := range g.cases {
		for _, w := range g.windows {
			_, ns := g.round(c, w)
			sum += ns * float64(plan.Passes(ns, float64(sliceTime))) / float64(len(g.windows))
		}
	}
	return sum
}

// rounds is how many slices each case has in a fork: as many as fit into its
// slot, and fewer than leastSlices only where they would take more than half of a
// fork's time.
func (o *overWire) rounds(groups []*group) int {
	lasts, cases := 0.0, 0
	for _, g := range groups {
		lasts += g.lasts()
		cases += len(g.cases)
	}
	if lasts == 0 {
		return 0
	}
	least := leastSlices
	if o.perFork() > 0 {
		least = max(1, min(least, int(o.perFork()/2/lasts)))
	}
	return min(mostSlices, max(least, int(o.l.slot*float64(cases)/lasts)))
}

// requestBytes is how many bytes of a document cost as much as a request costs
// whatever it carries, where only one size was seen.
const requestBytes = 16 << 10

// learn takes what requests of a case cost from its first ones: those of the
// second half, when connections are made and code is loaded.
func (s *Scheduler) learn(c *caseState, ns []int64) {
	var late []float64
	for _, t := range ns[len(ns)/2:] {
		late = append(late, float64(t))
	}
	x := s.Samples[c.Sample]
	mean := float64(s.totalBytes(c.Sample)) / float64(len(x.Bytes))
	one := math.Max(1, stats.Median(late)/float64(s.pipeline(c.Case)))
	c.cost = make([]float64, len(x.Bytes))
	for i, b := range x.Bytes {
		c.cost[i] = one * (float64(b) + requestBytes) / (mean + requestBytes)
	}
}

// scale corrects a case's cost.
func (c *caseState) scale(factor float64) {
	for i := range c.cost {
		c.cost[i] *= factor
	}
}

// tooLong says that the requests of a case would take all of its lane's time, if
// so.
func (s *Scheduler) tooLong(c *caseState) error {
	request := 0.0
	for _, ns := range c.cost {
		request = math.Max(request, ns*float64(s.pipeline(c.Case)))
	}
	if s.Config.MaxTime <= 0 || request*leastForks < float64(s.Config.MaxTime) {
		return nil
	}
	return fmt.Errorf("timed out: one request takes %s, too long to be repeated in %s; give the run more time (--max-time)",
		time.Duration(request).Round(10*time.Millisecond), s.Config.MaxTime)
}
