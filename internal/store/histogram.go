package store

import (
	"maps"
	"math/bits"
	"slices"
)

// HistogramOf counts times, in nanoseconds. Its buckets are less than 0.8% wide;
// times below 256 ns have one each. Negative ones count as 0.
func HistogramOf(ns []int64) Histogram {
	counts := map[int64]int64{}
	for _, t := range ns {
		counts[bucket(max(t, 0))]++
	}
	h := Histogram{NS: slices.Sorted(maps.Keys(counts))}
	for _, t := range h.NS {
		h.Count = append(h.Count, counts[t])
	}
	return h
}

// bucket is the upper end of the bucket that a time falls into: the last time
// with the same eight leading bits.
func bucket(ns int64) int64 {
	shift := max(0, bits.Len64(uint64(ns))-8)
	return ns | (1<<shift - 1)
}
