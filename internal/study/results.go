package study

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// Results are what the runs of a study have measured.
type Results struct {
	runs  map[string]*measured
	order []string
}

// measured is what is known of a run.
type measured struct {
	problem string // why nothing is; empty: something is
	file    *store.File
	cases   []*caseData
	sizes   []store.Size
	others  float64 // share of the machine's CPU time that other programs used just before
}

// caseData is what is known of a case.
type caseData struct {
	analyse.CaseResult
	requests []*store.Requests // one per fork
	storage  *store.Storage
}

// NewResults returns what is known before anything was measured.
func NewResults() *Results { return &Results{runs: map[string]*measured{}} }

// Missing notes why a run measured nothing.
func (r *Results) Missing(run, why string) { r.set(run, &measured{problem: why}) }

func (r *Results) set(run string, m *measured) {
	if r.runs[run] == nil {
		r.order = append(r.order, run)
	}
	r.runs[run] = m
}

// Add reads a run's result file.
func (r *Results) Add(run string, file *store.File) error {
	m := &measured{file: file}
	a := analyse.New(analyse.Options{Baseline: file.Header.Settings.Baseline})
	requests, storage := map[int][]*store.Requests{}, map[int]*store.Storage{}
	err := file.Scan(func(rec any) error {
		if x, ok := rec.(*store.Requests); ok {
			// What a study compares is fixed beforehand, so no pilot fork chooses
			// anything; over a wire they are forks as any other.
			x.Pilot = false
		}
		a.Add(rec)
		switch x := rec.(type) {
		case *store.Size:
			m.sizes = append(m.sizes, *x)
		case *store.Requests:
			requests[x.Case] = append(requests[x.Case], x)
		case *store.Storage:
			storage[x.Case] = x
		case *store.Noise:
			m.others = max(m.others, x.Others)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range a.Cases() {
		m.cases = append(m.cases, &caseData{c, requests[c.Number], storage[c.Number]})
	}
	r.set(run, m)
	return nil
}

// Files lists the result files, in the order in which they were added.
func (r *Results) Files() []*store.File {
	var out []*store.File
	for _, name := range r.order {
		if f := r.runs[name].file; f != nil {
			out = append(out, f)
		}
	}
	return out
}

// Others is the largest share of the machine's CPU time that other programs used
// just before a run.
func (r *Results) Others() float64 {
	most := 0.0
	for _, m := range r.runs {
		most = max(most, m.others)
	}
	return most
}

// Measured is when the first of the results was measured; zero: there is none.
func (r *Results) Measured() time.Time {
	var first time.Time
	for _, f := range r.Files() {
		if first.IsZero() || f.Header.Time.Before(first) {
			first = f.Header.Time
		}
	}
	return first
}

// Failed lists the cases that failed, with their reasons.
func (r *Results) Failed() []string {
	var out []string
	for _, name := range r.order {
		for _, c := range r.runs[name].cases {
			if c.Outcome.Status == bench.Failed {
				out = append(out, fmt.Sprintf("%s: %s", c.Case.Case, c.Outcome.Reason))
			}
		}
	}
	return out
}

// Cell names a case of a run.
type Cell struct {
	Run, Sample string
	Codec       string // with its runtime, as in "go/goccy"
	Operation   bench.Operation
	Transport   bench.Transport // empty: memory
	Encoding    string          // empty: identity
	Peer        string          // the server's codec with its runtime, or the runtime alone; empty: whichever there is
}

func (c Cell) fits(b bench.Case) bool {
	transport, encoding := c.Transport, c.Encoding
	if transport == "" {
		transport = bench.Memory
	}
	if encoding == "" {
		encoding = bench.Identity
	}
	return c.Sample == b.Sample && c.Codec == b.CodecID() && c.Operation == b.Operation && transport == b.Transport && b.Link == "" &&
		codes(b.Encoding, encoding) && (c.Peer == "" || c.Peer == b.Peer || c.Peer == b.PeerRuntime())
}

func (c Cell) String() string {
	s := fmt.Sprintf("%s %s of %s", c.Codec, c.Operation, c.Sample)
	if c.Transport != "" {
		s += " over " + string(c.Transport)
	}
	if c.Encoding != "" {
		s += ", " + c.Encoding
	}
	return s
}

// run returns what is known of a run, or why nothing is.
func (r *Results) run(name string) (*measured, string) {
	m := r.runs[name]
	switch {
	case m == nil:
		return nil, fmt.Sprintf("the run %q has not been made", name)
	case m.problem != "":
		return nil, m.problem
	}
	return m, ""
}

// find returns a case that was measured, or why there is none.
func (r *Results) find(c Cell) (*caseData, string) {
	m, problem := r.run(c.Run)
	if m == nil {
		return nil, problem
	}
	i := slices.IndexFunc(m.cases, func(x *caseData) bool { return c.fits(x.Case.Case) })
	if i < 0 {
		return nil, m.absent(c)
	}
	x := m.cases[i]
	if x.Outcome.Status == bench.Skipped || x.Outcome.Status == bench.Failed {
		return nil, fmt.Sprintf("%s: %s", c.Codec, x.Outcome.Reason)
	}
	return x, ""
}

// absent says why the run has no such case.
func (m *measured) absent(c Cell) string {
	runtimes := []string{strings.Split(c.Codec, "/")[0]}
	if c.Peer != "" {
		runtimes = append(runtimes, strings.Split(c.Peer, "/")[0])
	}
	for _, x := range runtimes {
		if _, ready := m.file.Header.Versions[x]; !ready {
			return fmt.Sprintf("%s was not ready: wirecost doctor says what it lacks", x)
		}
	}
	return fmt.Sprintf("%s was not measured", c)
}
