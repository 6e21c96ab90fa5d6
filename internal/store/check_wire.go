package store

import (
	"fmt"
	"math"
	"slices"
)

// mostRequests bounds the requests of a slice and the documents of a request, so
// that their product is a number.
const mostRequests = 1 << 30

func (r *Requests) check() error {
	n := len(r.WallNS)
	for _, a := range []struct {
		name string
		len  int
	}{
		{"requests", len(r.Requests)}, {"document", len(r.Document)}, {"window", len(r.Window)},
		{"encode", len(r.Spans.Encode)}, {"compress", len(r.Spans.Compress)}, {"transfer", len(r.Spans.Transfer)},
		{"decompress", len(r.Spans.Decompress)}, {"decode", len(r.Spans.Decode)},
		{"client_cpu_ns", len(r.ClientNS)}, {"server_cpu_ns", len(r.ServerNS)}, {"wire_bytes", len(r.Bytes)}, {"allocated", len(r.Allocated)},
	} {
		if a.len != n {
			return fmt.Errorf("requests of case %d have %d entries of %s for %d of wall_ns", r.Case, a.len, a.name, n)
		}
	}
	for i := range n {
		counts := r.Requests[i] >= 1 && r.Requests[i] <= mostRequests && r.Window[i] >= 1 && r.Document[i] >= 0
		if !counts || r.WallNS[i] < 0 || r.Bytes[i] < 0 || slices.ContainsFunc(r.Spans.At(i), func(ns int64) bool { return ns < 0 }) {
			return fmt.Errorf("entry %d of requests of case %d is out of range", i, r.Case)
		}
	}
	if r.Fork < 0 || r.Pipeline < 0 || r.Pipeline > mostRequests {
		return fmt.Errorf("requests of case %d have a negative number, or too large a one", r.Case)
	}
	return r.Histogram.check(r.Case)
}

// At gives the spans of a slice: encode, compress, transfer, decompress, decode.
func (s Spans) At(i int) []int64 {
	return []int64{s.Encode[i], s.Compress[i], s.Transfer[i], s.Decompress[i], s.Decode[i]}
}

func (h Histogram) check(number int) error {
	if len(h.NS) != len(h.Count) {
		return fmt.Errorf("a histogram of case %d has %d times for %d counts", number, len(h.NS), len(h.Count))
	}
	for i := range h.NS {
		if h.NS[i] < 0 || h.Count[i] < 1 || h.Count[i] > math.MaxInt32 {
			return fmt.Errorf("entry %d of a histogram of case %d is out of range", i, number)
		}
	}
	return nil
}

func (o *OpenLoop) check() error {
	if !(o.Rate > 0) || !(o.Seconds >= 0) || o.Requests < 0 || o.Errors < 0 {
		return fmt.Errorf("a fixed rate of case %d is out of range", o.Case)
	}
	return o.Histogram.check(o.Case)
}

func (s *Storage) check() error {
	if s.Keys < 1 || s.ValueBytes < 0 || s.MemoryUsage < -1 {
		return fmt.Errorf("what is stored of case %d is out of range", s.Case)
	}
	return nil
}
