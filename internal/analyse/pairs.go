package analyse

import (
	"cmp"
	"math"
	"path"
	"slices"

	"wirecost/internal/bench"
	"wirecost/internal/stats"
)

// pair is a comparison as a key: case numbers and metric.
type pair struct {
	of, to int
	metric bench.Metric
}

// contender is a case and what it is compared with.
type contender struct {
	of, to *caseState
	best   bool // best codec of one format against best of the other
}

// series is the log-ratios of a comparison, one per fork, and what follows.
type series struct {
	logs     []float64
	skewed   bool // a runtime that compiles while it runs: forks may have two modes
	alpha    float64
	taken    int
	sequence stats.ConfidenceSequence
}

// at returns the confidence sequence over all forks at a level.
func (s *series) at(alpha float64) stats.ConfidenceSequence {
	if s.sequence == nil || s.alpha != alpha {
		s.alpha, s.taken = alpha, 0
		if s.sequence = stats.NewSequence(alpha); s.skewed {
			s.sequence = stats.NewSignSequence(alpha)
		}
	}
	for ; s.taken < len(s.logs); s.taken++ {
		s.sequence.Add(s.logs[s.taken])
	}
	return s.sequence
}

// wanted lists the comparisons of an arena's operation.
func (a *Analysis) wanted(c *contest, op bench.Operation) []contender {
	return a.among(c, op, (*caseState).active)
}

// among lists the comparisons of those cases that take part: every case against
// the baseline, and the best codec of Protobuf against the best of JSON.
func (a *Analysis) among(c *contest, op bench.Operation, takes func(*caseState) bool) []contender {
	cases := slices.DeleteFunc(slices.Clone(c.cases), func(x *caseState) bool { return x.Operation != op || !takes(x) })
	if len(cases) > 0 && cases[0].Crosses() {
		return a.acrossWire(cases)
	}
	out := against(a.baseline(cases), cases)
	of, to := ofCodec(cases, c.best[bench.Protobuf]), ofCodec(cases, c.best[bench.JSON])
	if of == nil || to == nil {
		return out
	}
	for i, x := range out {
		if x.of == of && x.to == to || x.of == to && x.to == of {
			out[i].best = true
			return out
		}
	}
	return append(out, contender{of: of, to: to, best: true})
}

// against compares all cases with one of them; nil: there is none.
func against(base *caseState, cases []*caseState) []contender {
	var out []contender
	for _, x := range cases {
		if x != base {
			out = append(out, contender{of: x, to: base})
		}
	}
	return out
}

// find returns the active case of a codec and operation, or nil.
func (c *contest) find(codec string, op bench.Operation) *caseState {
	return ofCodec(slices.DeleteFunc(slices.Clone(c.cases), func(x *caseState) bool { return x.Operation != op || !x.active() }), codec)
}

// ofCodec returns the case of a codec, or nil.
func ofCodec(cases []*caseState, codec string) *caseState {
	for _, x := range cases {
		if x.Codec == codec {
			return x
		}
	}
	return nil
}

// baseline is the case that others are compared with: the codec that was asked
// for; else the runtime's default for JSON, another native codec for JSON, or the
// default for whatever there is.
func (a *Analysis) baseline(cases []*caseState) *caseState {
	var best *caseState
	for _, x := range cases {
		if best == nil || a.rank(x) > a.rank(best) {
			best = x
		}
	}
	return best
}

func (a *Analysis) rank(c *caseState) int {
	native := c.Format == bench.JSON && c.Documents != "protojson"
	switch {
	case a.opt.Baseline != "" && matches(a.opt.Baseline, c.Case.Case):
		return 4
	case native && c.Role == "default":
		return 3
	case native:
		return 2
	case c.Role == "default":
		return 1
	}
	return 0
}

func matches(pattern string, c bench.Case) bool {
	for _, name := range []string{c.Codec, c.CodecID()} {
		if ok, err := path.Match(pattern, name); err == nil && ok {
			return true
		}
	}
	return false
}

// choose names the best codec of each format by the pilot forks: the one with
// the least time to encode and read back. Codecs that are faster because they
// give less stay out, and so do lazy ones where nothing says what a full reading
// takes.
func (c *contest) choose() {
	c.best = map[bench.Format]string{}
	least := map[bench.Format]float64{}
	read := c.reading()
	for _, x := range c.cases {
		if x.Operation != bench.Encode || !x.fair() || x.Lazy && read == bench.Decode {
			continue
		}
		y := c.find(x.Codec, read)
		if y == nil || len(x.pilot) == 0 || len(y.pilot) == 0 || !x.active() {
			continue
		}
		t := stats.Median(x.pilot) + stats.Median(y.pilot)
		if old, ok := least[x.Format]; !ok || t < old {
			c.best[x.Format], least[x.Format] = x.Codec, t
		}
	}
}

// reading is the operation that reads like with like: decode, unless a lazy
// codec takes part and all have visit.
func (c *contest) reading() bench.Operation {
	lazy := false
	for _, x := range c.cases {
		if x.Operation != bench.Decode || !x.active() || !x.fair() {
			continue
		}
		lazy = lazy || x.Lazy
		if c.find(x.Codec, bench.Visit) == nil {
			return bench.Decode
		}
	}
	if lazy {
		return bench.Visit
	}
	return bench.Decode
}

// lesser are the traits of modes that are fast because they give up something
// that programs rely on.
var lesser = []string{"aliases input", "unsafe", "lossy", "imprecise doubles"}

// fair reports whether a case may stand for its format.
func (c *caseState) fair() bool {
	return c.Documents != "protojson" && !slices.ContainsFunc(lesser, func(t string) bool { return slices.Contains(c.Traits, t) })
}

// hypotheses is the number of comparisons within a runtime, for one metric:
// each gets its part of alpha. Cases that wait for their first fork count.
func (a *Analysis) hypotheses(runtime string) int {
	n := 0
	for key, c := range a.arenas {
		if key.runtime != runtime {
			continue
		}
		for _, op := range c.operations() {
			n += len(a.among(c, op, func(x *caseState) bool { return !x.ended() }))
		}
	}
	return n
}

func (c *contest) operations() []bench.Operation {
	var ops []bench.Operation
	for _, x := range c.cases {
		if !slices.Contains(ops, x.Operation) {
			ops = append(ops, x.Operation)
		}
	}
	return ops
}

// Comparison is a case's time as a ratio to another's.
type Comparison struct {
	Case     bench.Case    `json:"case"`
	Baseline bench.Case    `json:"baseline"`
	Metric   bench.Metric  `json:"metric"`
	Best     bool          `json:"best,omitempty"` // the best codec of Protobuf against the best of JSON
	Ratio    float64       `json:"ratio"`          // below 1: the case takes less time
	Low      float64       `json:"low"`            // 0 where it is not bounded yet
	High     float64       `json:"high"`           // +Inf where it is not bounded yet
	Verdict  bench.Verdict `json:"verdict"`
	Forks    int           `json:"forks"`
	// Unsteady: the forks contradict each other, as when the ratio changed
	// during the run; the interval is what it was before.
	Unsteady bool `json:"unsteady,omitempty"`
}

// width is half the interval's width, as a log-ratio.
func (c Comparison) width() float64 { return math.Log(c.High/c.Low) / 2 }

// Decided reports whether the comparison has a verdict.
func (c Comparison) Decided() bool { return c.Verdict != bench.Undecided }

// Comparisons lists what is compared, in the order of the cases, within sample,
// runtime, operation, transport and encoding: every case with the baseline, and
// the best codec of Protobuf with the best of JSON, each for every metric that
// the forks tell. Across a transport it is within sample, runtime, transport, the
// peer's runtime, link and operation: every case with the baseline as it is
// (uncompressed), and those of each content coding with the baseline in that one.
// Pilot forks chose the best and are left out. All verdicts of a runtime and
// metric hold together at level Alpha.
func (a *Analysis) Comparisons() []Comparison {
	var out []Comparison
	level := a.levels()
	for _, key := range a.arenaOrder() {
		c := a.arenas[key]
		for _, op := range c.operations() {
			for _, x := range a.wanted(c, op) {
				out = append(out, a.compare(x, level[key.runtime])...)
			}
		}
	}
	return out
}

// levels gives each runtime's error probability of one comparison.
func (a *Analysis) levels() map[string]float64 {
	out := map[string]float64{}
	for key := range a.arenas {
		if _, ok := out[key.runtime]; !ok {
			out[key.runtime] = a.opt.Alpha / float64(max(1, a.hypotheses(key.runtime)))
		}
	}
	return out
}

func (a *Analysis) arenaOrder() []arena {
	var keys []arena
	for _, c := range a.order {
		if k := arenaOf(c.Case.Case); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

func (a *Analysis) compare(x contender, alpha float64) []Comparison {
	var out []Comparison
	for _, m := range []bench.Metric{bench.Mutator, bench.CPU, bench.Wall} {
		s := a.pairs[pair{x.of.Number, x.to.Number, m}]
		if s == nil {
			continue
		}
		seq := s.at(alpha)
		in := seq.Interval()
		out = append(out, Comparison{
			Case: x.of.Case.Case, Baseline: x.to.Case.Case, Metric: m, Best: x.best,
			Ratio: math.Exp(seq.Estimate()), Low: math.Exp(in.Low), High: math.Exp(in.High),
			Verdict: verdict(in, a.opt.Delta), Forks: len(s.logs), Unsteady: seq.Contradicted(),
		})
	}
	return out
}

func verdict(in stats.Interval, delta float64) bench.Verdict {
	switch in.Position(math.Log1p(delta)) {
	case stats.Below:
		return bench.Faster
	case stats.Above:
		return bench.Slower
	case stats.Inside:
		return bench.Equivalent
	}
	return bench.Undecided
}

// deciding are the comparisons that a run goes on for: all but those of wall
// time where CPU time is known, which a verdict prefers.
func (a *Analysis) deciding() []Comparison {
	type duel struct{ of, to bench.Case }
	cpu := map[duel]bool{}
	return slices.DeleteFunc(a.Comparisons(), func(c Comparison) bool {
		d := duel{c.Case, c.Baseline}
		cpu[d] = cpu[d] || c.Metric == bench.CPU // which comes before wall
		return c.Metric == bench.Wall && cpu[d]
	})
}

// Precision says how far the comparisons have come.
type Precision struct {
	Comparisons int
	Decided     int
	Forks       int         // of the comparison that has the fewest
	Widest      *Comparison // the undecided one with the widest interval; nil if all are decided
	Width       float64     // its half width, relative: 0.02 for ±2%; +Inf while it is not bounded
}

// Precision returns how far the comparisons have come, for a rule to stop by.
func (a *Analysis) Precision() Precision {
	var p Precision
	for i, c := range a.deciding() {
		if p.Comparisons == 0 || c.Forks < p.Forks {
			p.Forks = c.Forks
		}
		p.Comparisons = i + 1
		if c.Decided() {
			p.Decided++
			continue
		}
		if w := math.Expm1(c.width()); p.Widest == nil || cmp.Compare(w, p.Width) > 0 {
			p.Widest, p.Width = &c, w
		}
	}
	return p
}

// Settled reports whether more forks of a lane, as bench.Case.Lane names it,
// would add little; of all, if it is empty: every ratio that tables show is
// equivalent or known to the given relative precision, such as 0.01, and every
// other comparison is decided or as precise.
func (a *Analysis) Settled(lane string, precision float64) bool {
	n := 0
	for _, c := range a.deciding() {
		if lane != "" && c.Case.Lane() != lane {
			continue
		}
		if !c.settled(precision) {
			return false
		}
		n++
	}
	return n > 0
}

func (c Comparison) settled(precision float64) bool {
	return c.Verdict == bench.Equivalent || c.Metric != Shown(c.Case) && c.Decided() || math.Expm1(c.width()) <= precision
}

// Open returns the cases of comparisons that are not decided yet, baselines
// included: those that more forks are for. It is empty when all are decided.
func (a *Analysis) Open() map[bench.Case]bool {
	open := map[bench.Case]bool{}
	for _, c := range a.deciding() {
		if !c.Decided() {
			open[c.Case], open[c.Baseline] = true, true
		}
	}
	return open
}
