// Package analyse turns raw records into estimates: what an operation costs in
// each case, and how cases compare. It takes records one at a time and keeps a
// few numbers per fork, so that a scheduler can ask it while a run goes on, and
// a report built from the file gives the same answer (docs/statistics.md).
package analyse

import (
	"slices"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// Options say how sure and how fine a verdict is to be.
type Options struct {
	Alpha    float64 // chance of any wrong verdict within a runtime; 0: 0.05
	Delta    float64 // ratios within ±Delta are equivalent; 0: 0.01
	Baseline string  // pattern of path.Match for a codec, with or without its runtime; empty: see Comparisons
}

// Analysis is what is known from the records so far.
type Analysis struct {
	opt    Options
	cases  map[int]*caseState
	order  []*caseState
	arenas map[arena]*contest
	pairs  map[pair]*series
	jit    map[string]bool     // runtimes that compile while they run
	bytes  map[sizeKey]float64 // per document
	docs   map[string]int
	before *store.Noise // the worst that was seen before measuring; nil: not known
	used   usage
}

// arena is where codecs compete: everything of a case but codec and operation.
// Across a transport content codings compete as well.
type arena struct {
	sample, runtime string
	transport       bench.Transport
	encoding        string // in memory
	peer, link      string // across a transport
}

func arenaOf(c bench.Case) arena {
	if c.Crosses() {
		return arena{sample: c.Sample, runtime: c.Runtime, transport: c.Transport, peer: c.PeerRuntime(), link: c.Link}
	}
	return arena{sample: c.Sample, runtime: c.Runtime, transport: c.Transport, encoding: c.Encoding}
}

// contest is an arena's cases, and the codecs that its pilot forks chose.
type contest struct {
	cases []*caseState
	best  map[bench.Format]string // nil until the first fork after the pilots
}

type sizeKey struct{ sample, form string }

// caseState is what is known of a case.
type caseState struct {
	store.Case
	outcome bench.Outcome
	last    *store.Fork // its most recent fork, to be paired with others' of the same number
	pilot   []float64   // mutator time per operation in each pilot fork

	ns, cpu, wall       []float64 // per operation; one entry per fork
	batchSpread         []float64 // of batches of one window; one entry per fork
	operations          []int     // timed in short batches
	forks               []int     // the numbers of those that ns has an entry of
	warmup              []float64 // batches before the steady state; one entry per fork
	collections         int64     // in the long passes; -1: not told
	overhead            []float64 // the timing loop's share of the time
	coldFirst, coldMean []float64
	memory              *store.Memory
	noSteadyState       bool
	wire                wire
}

// New returns an analysis of nothing.
func New(opt Options) *Analysis {
	if opt.Alpha == 0 {
		opt.Alpha = 0.05
	}
	if opt.Delta == 0 {
		opt.Delta = 0.01
	}
	return &Analysis{
		opt: opt, cases: map[int]*caseState{}, arenas: map[arena]*contest{},
		pairs: map[pair]*series{}, jit: map[string]bool{}, bytes: map[sizeKey]float64{}, docs: map[string]int{},
	}
}

// Add takes one record of a result file, a pointer. Those that say nothing of
// times are passed over. A fork that is given is kept until the next one of its
// case and must not change.
func (a *Analysis) Add(rec any) {
	switch r := rec.(type) {
	case *store.Sample:
		a.docs[r.Sample] = r.Documents
	case *store.Size:
		if docs := a.docs[r.Sample]; docs > 0 && r.Encoding == bench.Identity && r.Unit == store.PerDocument {
			a.bytes[sizeKey{r.Sample, r.Form}] = float64(r.Bytes) / float64(docs)
		}
	case *store.Case:
		a.addCase(r)
	case *store.Outcome:
		if c := a.cases[r.Case]; c != nil {
			c.outcome = bench.Outcome{Status: r.Status, Reason: r.Reason}
		}
	case *store.Memory:
		if c := a.cases[r.Case]; c != nil {
			c.memory = r
		}
	case *store.Fork:
		if c := a.cases[r.Case]; c != nil {
			a.addFork(c, r)
		}
	case *store.Requests:
		if c := a.cases[r.Case]; c != nil {
			a.addRequests(c, r)
		}
	case *store.OpenLoop:
		if c := a.cases[r.Case]; c != nil {
			c.wire.addRate(r)
		}
	case *store.Storage:
		if c := a.cases[r.Case]; c != nil {
			c.wire.storage = r
		}
	case *store.Noise:
		if a.before == nil || r.Others > a.before.Others {
			a.before = r
		}
	case *store.Progress:
		a.used.add(r)
	}
}

func (a *Analysis) addCase(r *store.Case) {
	if a.cases[r.Number] != nil {
		return
	}
	c := &caseState{Case: *r, collections: -1}
	a.cases[r.Number] = c
	a.jit[r.Runtime] = a.jit[r.Runtime] || r.Compiles
	a.order = append(a.order, c)
	slices.SortStableFunc(a.order, func(x, y *caseState) int { return x.Number - y.Number })
	key := arenaOf(r.Case)
	if a.arenas[key] == nil {
		a.arenas[key] = &contest{}
	}
	a.arenas[key].cases = append(a.arenas[key].cases, c)
}

func (a *Analysis) addFork(c *caseState, f *store.Fork) {
	contest := a.arenas[arenaOf(c.Case.Case)]
	if !f.Pilot && contest.best == nil {
		contest.choose()
	}
	c.add(f)
	a.meet(contest, c, f)
}

// meet compares a case's fork with those of the same number that other cases
// had before.
func (a *Analysis) meet(contest *contest, c *caseState, f *store.Fork) {
	c.last = f
	if f.Pilot {
		return
	}
	for _, p := range a.wanted(contest, c.Operation) {
		other := p.to
		if other == c {
			other = p.of
		}
		if p.of != c && p.to != c || other.last.Fork != f.Fork || other.last.Pilot {
			continue
		}
		for _, r := range ratios(p.of, p.to) {
			key := pair{p.of.Number, p.to.Number, r.metric}
			if a.pairs[key] == nil {
				a.pairs[key] = &series{skewed: p.of.Compiles || a.jit[p.of.PeerRuntime()]}
			}
			a.pairs[key].logs = append(a.pairs[key].logs, r.log)
		}
	}
}

// ended reports whether a case is out of the race.
func (c *caseState) ended() bool {
	return c.outcome.Status == bench.Skipped || c.outcome.Status == bench.Failed
}

// active reports whether a case takes part in comparisons.
func (c *caseState) active() bool { return c.last != nil && !c.ended() }
