package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/store"
	"wirecost/internal/verdict"
)

// grouped sorts cases into tables, in the order in which they come.
func grouped[K comparable](cases []Case, key func(Case) (K, bool)) ([]K, map[K][]Case) {
	var order []K
	of := map[K][]Case{}
	for _, c := range cases {
		k, ok := key(c)
		if !ok {
			continue
		}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], c)
	}
	return order, of
}

// coldRequestBlocks shows what the first requests of a process take.
func coldRequestBlocks(r *Report) []block {
	order, cold := grouped(r.Cases, func(c Case) (heat, bool) {
		h := heatOf(c)
		h.c.Operation = ""
		return h, c.Cold != nil && c.Case.Crosses()
	})
	var out []block
	for _, h := range order {
		name := h
		name.c.Operation = "cold start"
		out = append(out, block{
			title: exchangeTitle(r, name), line: "the first request of a process, and the mean of its first ones, up to 100; the very first makes the connection",
			grid: coldRequests(cold[h]).trim(),
		})
	}
	return out
}

// coldRequests has a row per codec and content coding, and two columns per
// operation.
func coldRequests(cases []Case) *grid {
	g := &grid{header: []string{"codec", "encoding"}, left: map[int]bool{1: true}, keys: 2}
	column := map[bench.Operation]int{}
	for _, c := range cases {
		if column[c.Case.Operation] == 0 {
			column[c.Case.Operation] = len(g.header)
			g.header = append(g.header, string(c.Case.Operation), "mean")
		}
	}
	rows := map[[2]string]int{}
	for _, c := range cases {
		k := [2]string{c.Case.Codec, c.Case.Encoding}
		i, ok := rows[k]
		if !ok {
			i = len(g.rows)
			rows[k] = i
			g.rows = append(g.rows, make([]cell, len(g.header)))
			g.rows[i][0] = show(c.Case.Codec)
			if c.Case.Transport != bench.Redis || c.Case.Encoding != bench.Identity {
				g.rows[i][1] = show(c.Case.Encoding)
			}
		}
		at := column[c.Case.Operation]
		g.rows[i][at], g.rows[i][at+1] = show(verdict.Duration(c.Cold.First)), show(verdict.Duration(c.Cold.Mean))
	}
	return g
}

// storedBlocks shows what a server holds of a document.
func storedBlocks(r *Report) []block {
	type key struct {
		machine        int
		sample, server string
	}
	order, stored := grouped(r.Cases, func(c Case) (key, bool) {
		if c.Stored == nil {
			return key{}, false
		}
		return key{c.Machine, c.Case.Sample, c.Stored.Server}, true
	})
	var out []block
	for _, k := range order {
		b := block{title: placeTitle(r, "Stored, by key", place{k.machine, k.sample}), line: clean(k.server)}
		g := &grid{header: []string{"codec", "value", "MEMORY USAGE", "used_memory"}}
		seen := map[string]bool{}
		for _, c := range stored[k] {
			name := c.Case.Codec
			if len(runtimesOf(r)) > 1 {
				name = c.Case.CodecID()
			}
			if !seen[name] {
				seen[name] = true
				g.rows = append(g.rows, []cell{show(name), show(verdict.Bytes(whole(c.Stored.Value))), bytesCell(c.Stored.MemoryUsage), bytesCell(c.Stored.UsedMemory)})
			}
		}
		switch {
		case store.Embedded(k.server):
			b.items = []string{"What an embedded server takes of memory says nothing of a real one, so it is not shown."}
		case stored[k][0].Stored.UsedMemory == nil:
			b.items = []string{"used_memory grew too little to be told from the server's own work, so it is not shown: that needs more documents."}
		}
		b.grid = g.trim()
		out = append(out, b)
	}
	return out
}

func bytesCell(x *float64) cell {
	if x == nil {
		return cell{}
	}
	return show(verdict.Bytes(whole(*x)))
}

// rateBlocks shows latencies at a fixed rate of requests.
func rateBlocks(r *Report) []block {
	order, rated := grouped(r.Cases, func(c Case) (heat, bool) { return heatOf(c), len(c.Rates) > 0 })
	var out []block
	for _, h := range order {
		b := block{
			title: exchangeTitle(r, h) + ", at a fixed rate",
			line:  "latency counts from the moment at which a request was to be sent, so that a server that stalls cannot hide it",
		}
		g := &grid{header: []string{"codec", "encoding", "rate", "requests", "errors", "p50", "p95", "p99", "max"}, left: map[int]bool{1: true}, keys: 2}
		errors := map[string][]string{}
		for _, c := range rated[h] {
			for _, x := range c.Rates {
				g.rows = append(g.rows, rateRow(c, x))
				if x.Error != "" {
					errors[x.Error] = append(errors[x.Error], c.Case.Codec+" "+c.Case.Encoding)
				}
			}
		}
		for _, text := range slices.Sorted(maps.Keys(errors)) {
			b.items = append(b.items, clean(fmt.Sprintf("%s: %s", strings.Join(errors[text], ", "), text)))
		}
		b.grid = g
		out = append(out, b)
	}
	return out
}

func rateRow(c Case, x Rate) []cell {
	row := []cell{show(c.Case.Codec), show(c.Case.Encoding), show(verdict.Digits(x.Rate) + "/s"), show(fmt.Sprint(x.Requests)), show(fmt.Sprint(x.Errors)), {}, {}, {}, {}}
	if x.Errors > 0 {
		row[4].tone = bad
	}
	if l := x.Latency; l.Requests > 0 {
		for i, ns := range []float64{l.P50, l.P95, l.P99, l.Max} {
			row[5+i] = show(verdict.Duration(ns))
		}
	}
	return row
}
