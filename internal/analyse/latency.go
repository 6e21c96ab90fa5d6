package analyse

import (
	"maps"
	"math"
	"slices"

	"wirecost/internal/store"
)

// Latency is how long requests take, in ns: percentiles of all that were made.
// The p-th is the least time that p% of the requests do not exceed, rounded up to
// the end of its bucket.
type Latency struct {
	Requests int64   `json:"requests"` // 0: nothing is known
	P50      float64 `json:"p50_ns"`
	P95      float64 `json:"p95_ns"`
	P99      float64 `json:"p99_ns"`
	Max      float64 `json:"max_ns"`
}

// counts is histograms put together: how many requests took how many ns.
type counts map[int64]int64

func (c *counts) add(h store.Histogram) {
	if *c == nil {
		*c = counts{}
	}
	for i, ns := range h.NS {
		(*c)[ns] += h.Count[i]
	}
}

func (c counts) latency() Latency {
	var l Latency
	for _, n := range c {
		l.Requests += n
	}
	if l.Requests == 0 {
		return l
	}
	times := slices.Sorted(maps.Keys(c))
	l.Max = float64(times[len(times)-1])
	for _, q := range []struct {
		share float64
		at    *float64
	}{{0.50, &l.P50}, {0.95, &l.P95}, {0.99, &l.P99}} {
		rank := int64(math.Ceil(q.share*float64(l.Requests) - 1e-9))
		seen := int64(0)
		for _, ns := range times {
			if seen += c[ns]; seen >= rank {
				*q.at = float64(ns)
				break
			}
		}
	}
	return l
}
