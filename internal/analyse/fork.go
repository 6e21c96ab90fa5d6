package analyse

import (
	"math"

	"wirecost/internal/bench"
	"wirecost/internal/stats"
	"wirecost/internal/store"
)

// window is a run of documents that batches go round.
type window struct{ first, count int }

// add keeps what one fork says of a case.
func (c *caseState) add(f *store.Fork) {
	raw := mutatorTime(f)
	net := raw - c.loop(f)
	if f.Pilot {
		if net > 0 {
			c.pilot = append(c.pilot, net)
		}
		return
	}
	if s := batchSpread(f); !math.IsNaN(s) {
		c.batchSpread = append(c.batchSpread, s)
	}
	if net > 0 {
		c.ns = append(c.ns, net)
		c.overhead = append(c.overhead, f.OverheadNS/raw)
		c.operations = append(c.operations, sum(f.Iterations))
		c.forks = append(c.forks, f.Fork)
	}
	if f.Collections >= 0 {
		c.collections = max(c.collections, 0) + f.Collections
	}
	c.warmup = append(c.warmup, float64(f.WarmupBatches))
	if t := c.longPass(f, f.CPUNS); t > 0 {
		c.cpu = append(c.cpu, t)
	}
	if t := c.longPass(f, f.CPUWallNS); t > 0 {
		c.wall = append(c.wall, t)
	}
	if len(f.ColdNS) > 0 {
		c.coldFirst = append(c.coldFirst, float64(f.ColdNS[0]))
		c.coldMean = append(c.coldMean, mean(f.ColdNS))
	}
	if f.NoSteadyState {
		c.noSteadyState = true
	}
}

// loop is the part of an operation's time that the timing loop itself takes and
// that is to be subtracted. Where the runtime compiles while it runs, a loop
// around nothing does not say what the loop around something costs.
func (c *caseState) loop(f *store.Fork) float64 {
	if c.Compiles {
		return 0
	}
	return f.OverheadNS
}

// longPass is the time of one operation in the long pass, in ns; 0 if it is not
// known.
func (c *caseState) longPass(f *store.Fork, total int64) float64 {
	if total <= 0 || f.CPUIterations == 0 {
		return 0
	}
	return math.Max(0, float64(total)/float64(f.CPUIterations)-c.loop(f))
}

func sum(x []int) int {
	total := 0
	for _, n := range x {
		total += n
	}
	return total
}

func mean(ns []int64) float64 {
	total := 0.0
	for _, t := range ns {
		total += float64(t)
	}
	return total / float64(len(ns))
}

// mutatorTime is the time of one operation over the documents of a fork, in ns:
// the median of the batches of each window, weighted by its documents.
func mutatorTime(f *store.Fork) float64 {
	times, order := byWindow(f)
	total, documents := 0.0, 0.0
	for _, w := range order {
		total += float64(w.count) * stats.Median(times[w])
		documents += float64(w.count)
	}
	if documents == 0 {
		return 0
	}
	return total / documents
}

// byWindow gives the times per operation of a fork's batches, in ns, and the
// windows in the order in which they came.
func byWindow(f *store.Fork) (map[window][]float64, []window) {
	times := map[window][]float64{}
	var order []window
	for i, ns := range f.WallNS {
		w := window{f.Document[i], f.Window[i]}
		if times[w] == nil {
			order = append(order, w)
		}
		times[w] = append(times[w], float64(ns)/float64(f.Iterations[i]))
	}
	return times, order
}

// shown is the metric of a case's time that tables show: that of short batches,
// or, across a transport, that of requests as they were waited for.
func (c *caseState) shown() bench.Metric { return Shown(c.Case.Case) }

// Shown is the metric of the ratios that tables show of a case.
func Shown(c bench.Case) bench.Metric {
	if c.Crosses() {
		return bench.Wall
	}
	return bench.Mutator
}

// metricRatio is a log-ratio of two cases in one fork.
type metricRatio struct {
	metric bench.Metric
	log    float64
}

// ratios compares two cases in the fork that both ran last.
func ratios(of, to *caseState) []metricRatio {
	var out []metricRatio
	add := func(m bench.Metric, log float64) {
		if !math.IsNaN(log) && !math.IsInf(log, 0) {
			out = append(out, metricRatio{m, log})
		}
	}
	add(of.shown(), blockRatio(of, to))
	x, y := of.longPass(of.last, of.last.CPUNS), to.longPass(to.last, to.last.CPUNS)
	if x > 0 && y > 0 {
		add(bench.CPU, math.Log(x/y))
	}
	x, y = of.longPass(of.last, of.last.CPUWallNS), to.longPass(to.last, to.last.CPUWallNS)
	if x > 0 && y > 0 {
		add(bench.Wall, math.Log(x/y))
	}
	return out
}

// blockPair is what two cases took for one operation in the blocks of a window.
type blockPair struct{ of, to []float64 }

// stretch is how many blocks of a window make a stretch, out of which only the
// fastest batches count where codecs have processes of their own: about as many
// as a process has in one turn.
const stretch = 15

// floors replaces the blocks by their stretches: of each, the fastest batch of
// either case. What is left of an incomplete stretch joins the one before it.
func (b *blockPair) floors() {
	var of, to []float64
	for n := len(b.of); n > 0; n = len(b.of) {
		if n >= 2*stretch {
			n = stretch
		}
		of, to = append(of, stats.Min(b.of[:n])), append(to, stats.Min(b.to[:n]))
		b.of, b.to = b.of[n:], b.to[n:]
	}
	b.of, b.to = of, to
}

// logs are the log-ratios of the blocks.
func (b *blockPair) logs() []float64 {
	out := make([]float64, len(b.of))
	for i := range out {
		out[i] = math.Log(b.of[i] / b.to[i])
	}
	return out
}

// blockRatio is the log-ratio of the time that two cases take for the documents
// of a fork, from the blocks and windows that both have; NaN if there are none.
// Within a window the ratio is the median over blocks of the ratio of the two
// batches of a block, which neither a preemption nor a change of the machine's
// pace in mid-fork moves; windows count by their time. Swapping the cases
// changes the sign and nothing else.
//
// Where the two run in processes of their own, the batches of a block are
// milliseconds apart, and in between the machine's pace may have changed, or the
// process just have been woken, on another core. There a stretch of blocks takes
// a block's place, with the fastest batch of each case.
func blockRatio(of, to *caseState) float64 {
	f, g := of.last, to.last
	blocks := map[window]*blockPair{}
	var order []window
	for i := range min(len(f.WallNS), len(g.WallNS)) {
		w := window{f.Document[i], f.Window[i]}
		if w != (window{g.Document[i], g.Window[i]}) {
			continue
		}
		x := float64(f.WallNS[i])/float64(f.Iterations[i]) - of.loop(f)
		y := float64(g.WallNS[i])/float64(g.Iterations[i]) - to.loop(g)
		if x <= 0 || y <= 0 {
			continue
		}
		b := blocks[w]
		if b == nil {
			b = &blockPair{}
			blocks[w] = b
			order = append(order, w)
		}
		b.of, b.to = append(b.of, x), append(b.to, y)
	}
	var sumOf, sumTo float64
	for _, w := range order {
		b := blocks[w]
		if of.Apart && of.Codec != to.Codec && !of.Crosses() {
			b.floors()
		}
		half := stats.Median(b.logs()) / 2
		middle := float64(w.count) * math.Sqrt(stats.Median(b.of)*stats.Median(b.to))
		sumOf += middle * math.Exp(half)
		sumTo += middle * math.Exp(-half)
	}
	return math.Log(sumOf / sumTo)
}
