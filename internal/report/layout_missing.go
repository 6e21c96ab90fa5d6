package report

import (
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/bench"
)

// missing is cases of one lane that were not measured, for one reason.
type missing struct {
	lane, runtime string
	codecs        []string
	where         []string // operations, with what they cross
	text          string
}

// missingBlock lists what was not measured, with the reason. What has one reason
// for several codecs or operations of a lane is one item.
func missingBlock(r *Report) []block {
	var items []string
	for _, m := range gatherMissing(r) {
		separator := ", "
		if slices.ContainsFunc(m.where, func(w string) bool { return strings.Contains(w, separator) }) {
			separator = "; "
		}
		items = append(items, clean(fmt.Sprintf("%s/%s %s: %s", m.runtime, strings.Join(m.codecs, ", "), strings.Join(m.where, separator), m.text)))
	}
	if len(items) == 0 {
		return nil
	}
	return []block{{title: "Not measured, or not to the end", items: items}}
}

func gatherMissing(r *Report) []missing {
	var all []missing
	for _, c := range r.Cases {
		if text := missingText(c); text != "" {
			all = append(all, missing{c.Case.Lane(), c.Case.Runtime, []string{c.Case.Codec}, []string{missingWhere(r, c.Case)}, text})
		}
	}
	// First the operations of a codec, then codecs with the same operations.
	all = join(all, func(a, b missing) bool { return slices.Equal(a.codecs, b.codecs) }, func(a *missing, b missing) { a.where = append(a.where, b.where...) })
	return join(all, func(a, b missing) bool { return slices.Equal(a.where, b.where) }, func(a *missing, b missing) { a.codecs = append(a.codecs, b.codecs...) })
}

// join puts those together that are alike and of one lane and reason.
func join(all []missing, alike func(a, b missing) bool, add func(a *missing, b missing)) []missing {
	var out []missing
	for _, m := range all {
		i := slices.IndexFunc(out, func(o missing) bool { return o.lane == m.lane && o.text == m.text && alike(o, m) })
		if i < 0 {
			out = append(out, m)
			continue
		}
		add(&out[i], m)
	}
	return out
}

func missingText(c Case) string {
	switch {
	case c.Status != bench.Measured:
		return fmt.Sprintf("%s: %s", c.Status, c.Reason)
	case c.NS == nil && c.Reason != "":
		return "too few forks for an estimate: " + c.Reason
	case c.NS == nil:
		return "too few forks for an estimate"
	}
	return c.Reason
}

// missingWhere is an operation's name; of another runtime's server only that.
func missingWhere(r *Report, c bench.Case) string {
	if c.PeerRuntime() != c.Runtime {
		c.Peer = c.PeerRuntime()
	}
	return operationName(r, c)
}
