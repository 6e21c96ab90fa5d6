package analyse

import (
	"math"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/stats"
)

// Forecast is what it would take until Settled.
type Forecast struct {
	Settled bool
	// Known: enough forks were measured to tell. The rest is 0 where it is false.
	Known bool
	Time  time.Duration // of measuring, all in all, of the lane that needs most; 0: out of reach
	Forks int           // all in all; 0: out of reach
	Width float64       // relative half width of the widest ratio now; +Inf while it is not bounded
}

// Forecast tells how long measuring has to go on for Settled(precision), judged
// by the spread of the forks so far, if they keep their pace. It is a forecast for about half of all
// runs, and rounded up.
func (a *Analysis) Forecast(precision float64) Forecast {
	f := Forecast{Settled: a.Settled("", precision)}
	if f.Settled || precision <= 0 {
		return f
	}
	factor, reached := map[string]float64{}, true
	levels, typical := a.levels(), a.typicalSpreads()
	for _, c := range a.deciding() {
		if c.Metric == Shown(c.Case) {
			f.Width = max(f.Width, math.Expm1(c.width()))
		}
		if c.settled(precision) {
			continue
		}
		if c.Forks < spreadForks {
			return Forecast{Width: f.Width}
		}
		n := a.pairs[a.key(c)].forksNeeded(c, goal{precision, levels[c.Case.Runtime], typical[kindOf(c.Case, c.Metric)]})
		reached = reached && n <= stats.MaxForks
		lane := c.Case.Lane()
		factor[lane] = max(factor[lane], 1, float64(n)/float64(c.Forks))
		f.Forks = max(f.Forks, n+1) // and the pilot
	}
	f.Known = f.Forks > 0
	for lane, x := range factor {
		f.Time = max(f.Time, time.Duration(x*float64(a.used.of(lane))))
	}
	if !reached {
		f.Time, f.Forks = 0, 0
	}
	return f
}

// kind is what comparisons have in common that spread alike.
type kind struct {
	metric  bench.Metric
	crosses bool
}

func kindOf(c bench.Case, m bench.Metric) kind { return kind{m, c.Crosses()} }

// typicalSpreads is the median over comparisons of the spread between forks, by
// kind.
func (a *Analysis) typicalSpreads() map[kind]float64 {
	all := map[kind][]float64{}
	for key, s := range a.pairs {
		if len(s.logs) >= spreadForks {
			k := kindOf(a.cases[key.of].Case.Case, key.metric)
			all[k] = append(all[k], stats.Spread(s.logs))
		}
	}
	out := map[kind]float64{}
	for k, spreads := range all {
		out[k] = stats.Median(spreads)
	}
	return out
}

// goal is what a comparison's interval is to come to: a relative half width, at a
// level. Typical is the spread that other comparisons have.
type goal struct{ precision, alpha, typical float64 }

// typicalForks is how many forks the typical spread weighs as much as. The spread of few
// forks is often far off, and the forecast goes by the worst of all comparisons.
const typicalForks = 20

// forksNeeded forecasts the forks of one comparison: until its interval is as
// narrow as was asked for, or, where deciding is enough, until it excludes 1.
func (s *series) forksNeeded(c Comparison, g goal) int {
	sd, n := stats.Spread(s.logs), float64(len(s.logs))
	if sd > 0 && g.typical > 0 {
		sd = math.Exp((n*math.Log(sd) + typicalForks*math.Log(g.typical)) / (n + typicalForks))
	}
	forks := stats.ForksNeeded(sd, math.Log1p(g.precision), g.alpha) * 4 / 3 // both ends
	if c.Metric != Shown(c.Case) {
		forks = min(forks, stats.ForksNeeded(sd, math.Abs(math.Log(c.Ratio)), g.alpha))
	}
	if s.skewed {
		forks = forks * 5 / 3 // the sign test
	}
	return max(forks, c.Forks+c.Forks/4+1) // they were not enough
}

// key finds a comparison's series.
func (a *Analysis) key(c Comparison) pair {
	p := pair{metric: c.Metric}
	for n, x := range a.cases {
		switch x.Case.Case {
		case c.Case:
			p.of = n
		case c.Baseline:
			p.to = n
		}
	}
	return p
}
