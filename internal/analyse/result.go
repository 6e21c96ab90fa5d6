package analyse

import (
	"wirecost/internal/bench"
	"wirecost/internal/stats"
	"wirecost/internal/store"
)

// Estimate is the median over forks of a time in nanoseconds, with an interval
// for it: at least 95% where six forks or more allow that, else the range.
type Estimate struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Min    float64 `json:"min"`
	Forks  int     `json:"forks"` // 0: nothing is known
}

const (
	confidence    = 0.95
	intervalForks = 6 // that an interval of that confidence needs
)

func estimate(x []float64) Estimate {
	if len(x) == 0 {
		return Estimate{}
	}
	e := Estimate{Median: stats.Median(x), Low: stats.Min(x), High: stats.Quantile(x, 1), Min: stats.Min(x), Forks: len(x)}
	if len(x) >= intervalForks {
		in, _ := stats.MedianInterval(x, confidence)
		e.Low, e.High = in.Low, in.High
	}
	return e
}

// CaseResult is what is known of a case. Times are per operation.
type CaseResult struct {
	store.Case
	Best    bool          // the pilot forks chose its codec as the best of its format
	Outcome bench.Outcome // empty while the case has neither ended nor been measured

	NS   Estimate // mutator time: short batches, collection mostly between them
	CPU  Estimate // process CPU in the long pass, collection included
	Wall Estimate // wall time in the long pass

	ColdFirst Estimate // the first operation of a process
	ColdMean  Estimate // mean of the first operations of a process, up to 100

	Forks []ForkTime // mutator time, fork by fork

	Memory        *store.Memory // nil: not known
	Bytes         float64       // of one document, in the form that the codec reads and writes; 0: not known
	Overhead      float64       // the timing loop's share of the time, before it is subtracted
	Collections   int64         // in the long passes of all forks; -1: the runtime does not tell
	Warmup        float64       // batches before a fork's times were steady: the median
	NoSteadyState bool

	// Of what crosses a transport. NS and Wall are a request's time then, as it was
	// waited for, of a pipelined operation by document.
	Requests *Requests      // nil: none was measured
	Rates    []Rate         // under fixed rates of requests
	Storage  *store.Storage // what a server holds of it; nil: not known
}

// ForkTime is what one fork measured.
type ForkTime struct {
	NS         float64 // per operation
	Operations int     // that were timed
	Fork       int     // its number
}

// MBPerSecond is the throughput in decimal megabytes of the codec's own form;
// 0 if it is not known.
func (c CaseResult) MBPerSecond() float64 {
	if c.NS.Median <= 0 {
		return 0
	}
	return c.Bytes / c.NS.Median * 1e3
}

// Cases lists what is known of every case, by number.
func (a *Analysis) Cases() []CaseResult {
	out := make([]CaseResult, len(a.order))
	for i, c := range a.order {
		out[i] = a.result(c)
	}
	return out
}

func (a *Analysis) result(c *caseState) CaseResult {
	r := CaseResult{Case: c.Case, Outcome: c.outcome, Bytes: a.bytes[sizeKey{c.Sample, Form(c.Case)}], Collections: c.collections}
	if c.ended() {
		return r
	}
	r.Best = a.arenas[arenaOf(c.Case.Case)].best[c.Format] == c.Codec
	if r.Outcome.Status == "" && len(c.ns) > 0 {
		r.Outcome.Status = bench.Measured
	}
	for i, ns := range c.ns {
		r.Forks = append(r.Forks, ForkTime{ns, c.operations[i], c.forks[i]})
	}
	r.NS, r.CPU, r.Wall = estimate(c.ns), estimate(c.cpu), estimate(c.wall)
	r.ColdFirst, r.ColdMean = estimate(c.coldFirst), estimate(c.coldMean)
	r.Memory, r.NoSteadyState = c.memory, c.noSteadyState
	c.wire.result(&r)
	if len(c.warmup) > 0 {
		r.Warmup = stats.Median(c.warmup)
	}
	if len(c.overhead) > 0 {
		r.Overhead = stats.Median(c.overhead)
	}
	return r
}

// Form is the form of the documents that a case's codec reads and writes, as
// sizes name it: compact, protojson or binary.
func Form(c store.Case) string {
	switch {
	case c.Documents == "protojson":
		return "protojson"
	case c.Format == bench.Protobuf:
		return "binary"
	}
	return "compact"
}
