package compare

import (
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/bench"
)

// joined writes the different values that a side's files have.
func joined(values []string) string {
	return strings.Join(distinct(values), " and ")
}

func distinct(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// notes says what differs between the sides beside the figures.
func (r *Result) notes(old, new *gathered) {
	say := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	for _, k := range new.digests.keys {
		before, now := old.digests.of[k], new.digests.of[k]
		if before != nil && joined(before) != joined(now) {
			say("%s: the documents are not the same, so its sizes, allocations and times are those of other data", k)
		}
	}
	if joined(old.schemas.of["schema"]) != joined(new.schemas.of["schema"]) {
		say("the schema differs, and with it the generated code")
	}
	for _, k := range new.versions.keys {
		before, now := old.versions.of[k], new.versions.of[k]
		if before != nil && joined(before) != joined(now) {
			say("%s: %s before, %s now", k, joined(before), joined(now))
		}
	}
	r.onlyOnce(old, new, say)
}

// onlyOnce lists samples and cases that are on one side only.
func (r *Result) onlyOnce(old, new *gathered, say func(string, ...any)) {
	for _, x := range []struct {
		here, there *gathered
		when        string
	}{{old, new, "before"}, {new, old, "now"}} {
		for _, k := range x.here.digests.keys {
			if x.there.digests.of[k] == nil {
				say("%s: only measured %s", k, x.when)
			}
		}
		for _, k := range x.here.cases() {
			if x.there.digests.of[k.Sample] == nil || x.there.outcomes[k].Status == bench.Measured {
				continue
			}
			say("%s: only measured %s%s", k, x.when, reason(x.there.outcomes[k]))
			if x.there == new && x.there.outcomes[k].Status == bench.Failed {
				r.Broken++
			}
		}
	}
}

// cases lists what a side measured.
func (g *gathered) cases() []bench.Case {
	var out []bench.Case
	for c, o := range g.outcomes {
		if o.Status == bench.Measured {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b bench.Case) int { return strings.Compare(a.String(), b.String()) })
	return out
}

func reason(o bench.Outcome) string {
	if o.Status == "" {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", o.Status, o.Reason)
}
