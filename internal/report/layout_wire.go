package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/verdict"
)

// requestBlocks shows what crosses a transport: first what holds of all of it,
// then a table for each operation with a row per codec and content coding.
func requestBlocks(r *Report) []block {
	var out []block
	index := newIndex(r.Comparisons)
	for _, h := range heats(r.Cases) {
		if t := newExchange(r, h); len(t.cases) > 0 {
			out = append(out, t.block(index))
		}
	}
	if len(out) > 0 {
		out = append([]block{carriers(r)}, out...)
	}
	out = append(out, coldRequestBlocks(r)...)
	out = append(out, storedBlocks(r)...)
	return append(out, rateBlocks(r)...)
}

// exchange is the cases of one table.
type exchange struct {
	title string
	cases []Case
}

func newExchange(r *Report, h heat) exchange {
	t := exchange{title: exchangeTitle(r, h)}
	for _, c := range r.Cases {
		if c.Requests != nil && heatOf(c) == h {
			t.cases = append(t.cases, c)
		}
	}
	return t
}

// exchangeTitle names a table: "Get over HTTP/1.1, one runtime from another".
func exchangeTitle(r *Report, h heat) string {
	words := []string{string(h.c.Operation) + " over " + verdict.TransportName(h.c.Transport)}
	if len(r.Samples) > 1 {
		words = append(words, h.c.Sample)
	}
	runtime := h.c.Runtime
	if h.c.Peer != "" && h.c.Peer != runtime {
		runtime += " with " + h.c.Peer + " as the server"
	}
	words = append(words, runtime)
	if h.c.Link != "" {
		words = append(words, h.c.Link)
	}
	words[0] = capital(words[0])
	return clean(onMachine(r, strings.Join(words, ", "), h.machine))
}

func (t exchange) block(index index) block {
	g := &grid{
		header: []string{"codec", "encoding", "time", "±", "ratio", "same coding", "codec %", "compr. %", "transfer %", "p50", "p95", "p99", "wire", "client CPU", "server CPU", "allocated"},
		left:   map[int]bool{1: true, 4: true, 5: true}, keys: 2,
		group: map[int]int{6: 1, 7: 1, 8: 1, 9: 2, 10: 2, 11: 2, 12: 3, 13: 3, 14: 3, 15: 3},
	}
	for _, c := range t.cases {
		g.rows = append(g.rows, t.row(c, index))
	}
	return block{title: t.title, line: t.line(), grid: g.trim(), items: t.notes()}
}

func (t exchange) line() string {
	if n := t.cases[0].Pipeline; n > 0 {
		return fmt.Sprintf("%s in one round trip; percentiles are of a round trip, all else is of a document", count(n, "document"))
	}
	return ""
}

func (t exchange) row(c Case, index index) []cell {
	q := c.Requests
	row := []cell{
		show(c.Case.Codec), t.coding(c), show(verdict.Duration(c.NS.Median)), {spread(c.NS.Low, c.NS.Median, c.NS.High), faint},
		ratioCell(index.find(c, bench.Wall)), index.codingCell(c),
		share(q.Codec), share(q.Coding), share(q.Transfer),
		show(verdict.Duration(q.Latency.P50)), show(verdict.Duration(q.Latency.P95)), show(verdict.Duration(q.Latency.P99)),
		show(verdict.Bytes(whole(q.WireBytes))), {}, {}, {},
	}
	if index.isBaseline(c) {
		row[4] = cell{"baseline", faint}
	}
	if q.ClientCPU != nil {
		row[13] = show(verdict.Duration(*q.ClientCPU))
	}
	if q.ServerCPU != nil {
		row[14] = show(verdict.Duration(*q.ServerCPU))
	}
	if c.Bytes != nil {
		row[15] = show(verdict.Bytes(whole(*c.Bytes)))
	}
	return row
}

// coding names a row's content coding, unless there is never one.
func (t exchange) coding(c Case) cell {
	if c.Case.Transport == bench.Redis && !slices.ContainsFunc(t.cases, func(x Case) bool { return x.Case.Encoding != bench.Identity }) {
		return cell{}
	}
	return show(c.Case.Encoding)
}

// share writes a part of the time; nothing where there is none.
func share(e analyse.Estimate) cell {
	if e.Median == 0 {
		return cell{}
	}
	return show(verdict.Share(e.Median))
}

// coded is the cases of a table in one content coding.
type coded struct {
	heat
	encoding string
}

// codingCell compares a case with the baseline in the same content coding, where
// that is not the table's baseline.
func (x index) codingCell(c Case) cell {
	if k := (indexKey{c.Machine, c.Case, bench.Wall}); x.byCoding[k] != nil {
		return ratioCell(x.byCoding[k])
	}
	if x.codings[coded{heatOf(c), c.Case.Encoding}] == c.Case {
		return cell{"baseline", faint}
	}
	return cell{}
}

// wholeWithin is how far the parts of a request may be from the whole without a
// word about it.
const wholeWithin = 0.03

// fewRequests is how many requests a 99th percentile needs to be more than the
// slowest of them.
const fewRequests = 100

// notes say where a table's figures are not what they seem.
func (t exchange) notes() []string {
	var apart, few, within []string
	for _, c := range t.cases {
		name := c.Case.Codec
		if c.Case.Encoding != bench.Identity {
			name += " " + c.Case.Encoding
		}
		q := c.Requests
		if math.Abs(q.SpansSum-1) > wholeWithin {
			apart = append(apart, fmt.Sprintf("%s %s", name, verdict.Percent(q.SpansSum)))
		}
		if q.Latency.Requests < fewRequests {
			few = append(few, name)
		}
		if c.Case.Encoding != bench.Identity && c.Case.Operation == bench.Get && q.Spans.Decompress == 0 {
			within = append(within, name)
		}
	}
	var out []string
	add := func(format string, names []string) {
		if len(names) > 0 {
			out = append(out, clean(fmt.Sprintf(format, strings.Join(names, ", "))))
		}
	}
	add("The parts do not come to the whole: %s of the time; the rest is between them.", apart)
	add("Fewer than 100 requests: %s; p99 is the slowest of them.", few)
	add("Decompression is in the transfer, since the program gets the body without it: %s.", within)
	return out
}

// carriers says once what holds of all requests.
func carriers(r *Report) block {
	b := block{title: "Requests"}
	add := func(format string, args ...any) { b.items = append(b.items, clean(fmt.Sprintf(format, args...))) }
	var transports, codings, libraries, links []string
	loopback := map[bool]bool{} // of Redis, of others
	for _, c := range r.Cases {
		if c.Requests == nil {
			continue
		}
		transports = appendNew(transports, verdict.TransportName(c.Case.Transport))
		if c.Case.Encoding != bench.Identity {
			codings = appendNew(codings, c.Case.Encoding)
		}
		libraries = appendNew(libraries, carried(c))
		if c.Case.Link == "" {
			loopback[c.Case.Transport == bench.Redis] = true
		} else {
			links = appendNew(links, c.Case.Link)
		}
	}
	add("%s: one request after another on one connection that is kept alive; the first request of a process makes it and is in the cold start.", strings.Join(transports, ", "))
	for _, l := range libraries {
		if l != "" {
			add("%s", l)
		}
	}
	if len(codings) > 0 {
		add("Content codings and their levels: %s.", strings.Join(codings, ", "))
	}
	add("Codec is encoding and decoding, on either side; compression is compressing and decompressing; transfer is what is left from sending to the last byte.")
	if loopback[false] {
		add("Loopback: transfer here is the kernel's, not a network's.")
	}
	if loopback[true] {
		add("Redis: transfer holds the server's own time; where the server runs on this machine it is loopback besides, the kernel's and not a network's.")
	}
	for _, l := range links {
		add("Link %s: shaped between the client and the server on this machine.", l)
	}
	return b
}

// carried names the libraries that carry a case.
func carried(c Case) string {
	switch {
	case c.Client == "" && c.Server == "":
		return ""
	case c.Client == c.Server:
		return fmt.Sprintf("%s: client and server %s", c.Case.Lane(), c.Client)
	case c.Server == "":
		return fmt.Sprintf("%s: client %s", c.Case.Lane(), c.Client)
	}
	return fmt.Sprintf("%s: client %s; server %s", c.Case.Lane(), c.Client, c.Server)
}

func appendNew[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
