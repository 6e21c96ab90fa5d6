// Package compare tells what changed between result files that were made at two
// times (docs/compare.md). Sizes and allocations are compared exactly. Times are compared
// as ratios to the baseline that each run measured beside them, with an
// allowance for what differs between runs, and on one machine only.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// FormatV1 names the version of a comparison as JSON (docs/result-format.md).
const FormatV1 = "wirecost.compare/v1"

// Verdict is what a row came to.
type Verdict string

// The verdicts. NoChange means none beyond the threshold.
const (
	Regression  Verdict = "regression"
	Improvement Verdict = "improvement"
	NoChange    Verdict = "no change"
	Undecided   Verdict = "undecided" // only of times
)

// The kinds of rows.
const (
	Size   = "size"   // bytes of the documents
	Allocs = "allocs" // allocations per operation
	Memory = "memory" // bytes allocated per operation; across a transport by the client, per request
	Wire   = "wire"   // bytes of a request's body as they crossed a transport
	Time   = "time"   // ratio to the baseline
)

// Row is one figure before and now.
type Row struct {
	Kind   string `json:"kind"`
	Sample string `json:"sample"`

	// Of a size.
	Form     string `json:"form,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Unit     string `json:"unit,omitempty"`

	// Of what was measured of a codec.
	Case     *bench.Case  `json:"case,omitempty"`
	Baseline *bench.Case  `json:"baseline,omitempty"`
	Metric   bench.Metric `json:"metric,omitempty"`

	Old    float64  `json:"old"` // bytes of a document (or of the stream), allocations, bytes, or the ratio to the baseline
	New    float64  `json:"new"`
	Change *float64 `json:"change"` // new/old; null where old is 0 and new is not
	Low    *float64 `json:"low"`    // of the change, for times; null: exact, or not bounded
	High   *float64 `json:"high"`

	Verdict Verdict `json:"verdict"`
}

// Side is the files of one time.
type Side struct {
	Files    []string          `json:"files"`
	Machine  store.Machine     `json:"machine"`
	Wirecost string            `json:"wirecost"`
	Versions map[string]string `json:"versions"` // runtimes and codecs → version
}

// Result is what changed.
type Result struct {
	Format    string  `json:"format"`
	Threshold float64 `json:"threshold"` // 0.05 for 5%
	Old       Side    `json:"old"`
	New       Side    `json:"new"`
	// TimesLeftOut is why times are not compared; empty if they are.
	TimesLeftOut string   `json:"times_left_out,omitempty"`
	Notes        []string `json:"notes"`  // what else differs between the sides
	Broken       int      `json:"broken"` // cases that were measured before and fail now
	Rows         []Row    `json:"rows"`
}

// Count returns how many rows came to a verdict.
func (r *Result) Count(v Verdict) int {
	n := 0
	for _, row := range r.Rows {
		if row.Verdict == v {
			n++
		}
	}
	return n
}

// Files compares the files of two times, one or several each. A change beyond
// the threshold, such as 0.05, counts. It is an error if nothing is in both.
func Files(old, new []*store.File, threshold float64) (*Result, error) {
	if len(old) == 0 || len(new) == 0 {
		return nil, errors.New("a comparison needs a result file on either side")
	}
	opt := analyse.Options{Baseline: cmp.Or(new[0].Header.Settings.Baseline, old[0].Header.Settings.Baseline)}
	was, err := gather(old, opt, pairing(old, new))
	if err != nil {
		return nil, err
	}
	is, err := gather(new, opt, nil)
	if err != nil {
		return nil, err
	}
	r := &Result{Format: FormatV1, Threshold: threshold, Old: was.side, New: is.side, Notes: []string{}, Rows: []Row{}}
	r.TimesLeftOut = machines(was, is)
	r.sizes(was, is)
	r.memory(was, is)
	if r.TimesLeftOut == "" {
		r.times(was, is)
	}
	r.notes(was, is)
	if len(r.Rows) == 0 {
		return nil, fmt.Errorf("nothing that is in %s can be compared with anything in %s%s", names(was), names(is), r.why())
	}
	return r, nil
}

// why explains that nothing can be compared.
func (r *Result) why() string {
	if r.TimesLeftOut == "" {
		return ": no sample and no codec has the same name in both"
	}
	return ": no sample has the same name in both, and " + r.TimesLeftOut
}

func names(s *gathered) string { return strings.Join(s.side.Files, ", ") }

// machines says why times of the two sides cannot be compared, if so.
func machines(old, new *gathered) string {
	for _, s := range []*gathered{old, new} {
		if len(s.machines) > 1 {
			return fmt.Sprintf("times are left out: %s come from different machines (%s)", names(s), strings.Join(s.machines, "; "))
		}
	}
	if !store.SameMachine(old.side.Machine, new.side.Machine) {
		return fmt.Sprintf("times are left out: they come from different machines (%s; %s)", old.machines[0], new.machines[0])
	}
	return ""
}

func (r *Result) sizes(old, new *gathered) {
	for _, k := range new.sizes.keys {
		before := old.sizes.of[k]
		if len(before) == 0 {
			continue
		}
		row := Row{Kind: Size, Sample: k.sample, Form: k.form, Encoding: k.encoding, Unit: k.unit}
		r.Rows = append(r.Rows, exact(row, before, new.sizes.of[k], r.Threshold))
	}
}

func (r *Result) memory(old, new *gathered) {
	for _, k := range new.memory.keys {
		before := old.memory.of[k]
		if len(before) == 0 {
			continue
		}
		row := Row{Kind: k.kind, Sample: k.c.Sample, Case: &k.c}
		r.Rows = append(r.Rows, exact(row, before, new.memory.of[k], r.Threshold))
	}
}

func (r *Result) times(old, new *gathered) {
	for _, k := range new.times.keys {
		before := old.times.of[k]
		if len(before) == 0 {
			continue
		}
		row := Row{Kind: Time, Sample: k.c.Sample, Case: &k.c, Baseline: &k.baseline, Metric: k.metric}
		r.Rows = append(r.Rows, timed(row, before, new.times.of[k], r.Threshold))
	}
}
