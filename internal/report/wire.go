package report

import (
	"wirecost/internal/analyse"
	"wirecost/internal/store"
)

// cross fills in what is known of a case that crosses a transport.
func (c *Case) cross(of analyse.CaseResult) {
	c.Client, c.Server = of.Client, of.Server
	for _, r := range of.Rates {
		c.Rates = append(c.Rates, Rate(r))
	}
	c.Stored = newStored(of.Storage)
	q := of.Requests
	if q == nil {
		return
	}
	c.Requests = &Requests{
		Spans: q.Spans, SpansSum: q.Sum, Codec: q.Codec, Coding: q.Coding, Transfer: q.Transfer, Latency: q.Latency,
		ClientCPU: median(q.Client), ServerCPU: median(q.Server), WireBytes: q.Bytes, Pipeline: q.Pipeline,
	}
	c.Bytes = median(q.Allocated)
}

// newStored gives what a server holds by document.
func newStored(s *store.Storage) *Stored {
	if s == nil {
		return nil
	}
	value, usage, growth := s.PerKey()
	known := func(x float64) *float64 {
		if x == 0 {
			return nil
		}
		return &x
	}
	return &Stored{Server: s.Server, Keys: s.Keys, Value: value, MemoryUsage: known(usage), UsedMemory: known(growth)}
}
