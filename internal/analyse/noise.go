package analyse

import (
	"math"

	"wirecost/internal/bench"
	"wirecost/internal/stats"
	"wirecost/internal/store"
)

// usage is how the measuring time was used. A resumed run counts from 0 again.
type usage struct {
	runs      []store.Progress // the last of each run
	preempted float64
	known     bool
}

func (u *usage) add(r *store.Progress) {
	if n := len(u.runs); n > 0 && r.MeasureNS >= u.runs[n-1].MeasureNS {
		u.runs = u.runs[:n-1]
	}
	u.runs, u.preempted, u.known = append(u.runs, *r), r.Preempted, true
}

// of is the ns that a lane was measured; all of them where the records do not
// tell.
func (u *usage) of(lane string) (ns int64) {
	for _, r := range u.runs {
		if part, ok := r.RuntimeNS[lane]; ok {
			ns += part
		} else if len(r.RuntimeNS) == 0 {
			ns += r.MeasureNS
		}
	}
	return ns
}

// Noise tells how noisy the machine was, before and during measuring: what is
// typical of the cases and comparisons. NaN stands for not known.
func (a *Analysis) Noise() stats.Noise {
	n := stats.Noise{Preempted: math.NaN(), Load: math.NaN()}
	if a.used.known {
		n.Preempted = a.used.preempted
	}
	if a.before != nil {
		n.Load = a.before.Others
	}
	var batches, forks []float64
	for _, c := range a.order {
		if len(c.batchSpread) > 0 {
			batches = append(batches, stats.Median(c.batchSpread))
		}
	}
	for key, s := range a.pairs {
		if key.metric == bench.Mutator && len(s.logs) >= spreadForks {
			forks = append(forks, stats.Spread(s.logs))
		}
	}
	n.BatchSpread, n.ForkSpread = stats.Median(batches), stats.Median(forks)
	return n
}

// Before is what was seen before measuring; nil where it is not known.
func (a *Analysis) Before() *store.Noise { return a.before }

// How many forks a spread is taken of, and batches of a window, at least.
const (
	spreadForks   = 4
	spreadBatches = 4
)

// batchSpread is the interquartile range of the times of a window's batches,
// relative to their median: the median over windows. NaN if there are too few batches.
func batchSpread(f *store.Fork) float64 {
	times, order := byWindow(f)
	var spreads []float64
	for _, w := range order {
		if x := times[w]; len(x) >= spreadBatches {
			spreads = append(spreads, (stats.Quantile(x, 0.75)-stats.Quantile(x, 0.25))/stats.Median(x))
		}
	}
	return stats.Median(spreads)
}
