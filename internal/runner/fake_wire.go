package runner

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"wirecost/internal/bench"
)

// Span is a part of a request over a transport.
type Span string

// The spans, in the order of a get and of a post.
const (
	SpanEncode     Span = "encode"
	SpanCompress   Span = "compress"
	SpanTransfer   Span = "transfer"
	SpanDecompress Span = "decompress"
	SpanDecode     Span = "decode"
)

// FakeNetwork is where fakes find each other's servers. Its zero value is ready.
type FakeNetwork struct {
	mu      sync.Mutex
	servers map[string]*Fake // by address; nil: it is gone
}

func (n *FakeNetwork) add(f *Fake) (address string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.servers == nil {
		n.servers = map[string]*Fake{}
	}
	address = fmt.Sprintf("127.0.0.1:%d", len(n.servers)+1)
	n.servers[address] = f
	return address
}

func (n *FakeNetwork) remove(f *Fake) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for address, server := range n.servers {
		if server == f {
			n.servers[address] = nil
		}
	}
}

// find gives the server at an address. An address that no fake has given is
// taken for that of something in between; it has no server, but is not gone.
func (n *FakeNetwork) find(url string) (server *Fake, gone bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, address, _ := strings.Cut(url, "://")
	server, known := n.servers[address]
	return server, known && server == nil
}

// Serve implements Process.
func (f *Fake) Serve(ctx context.Context, req ServeRequest) (*ServeReply, error) {
	if err := f.begin(ctx, ""); err != nil {
		return nil, err
	}
	if !slices.Contains(f.runtime.Description.Serves, req.Transport) {
		return nil, &FailedError{fmt.Sprintf("this runner does not serve %q", req.Transport)}
	}
	return &ServeReply{Address: f.runtime.Network.add(f)}, nil
}

// Usage implements Process: the time is that spent on requests over transports.
func (f *Fake) Usage(ctx context.Context) (*UsageReply, error) {
	if err := f.begin(ctx, ""); err != nil {
		return nil, err
	}
	return &UsageReply{CPUNS: f.cpu}, nil
}

// Call implements Process. Cost is asked for each span; for the codec's own, once
// per document. The first request of a kind takes ten times as long. What is
// compressed has half its bytes.
func (f *Fake) Call(ctx context.Context, req CallRequest) (*CallReply, error) {
	if err := f.begin(ctx, req.Codec); err != nil {
		return nil, err
	}
	s, err := f.sample(req.Sample, req.Codec)
	if err != nil {
		return nil, err
	}
	if err := f.callable(req, len(s.documents)); err != nil {
		return nil, err
	}
	r := &CallReply{CPUNS: 0, Allocated: 0}
	for i := range req.Requests {
		server, err := f.reach(req)
		if err != nil {
			return nil, err
		}
		f.request(r, server, s, req, carried(req, i))
	}
	if f.faulty(req.Codec, FaultChecksum) {
		r.Checksum++
	}
	return r, nil
}

// callable refuses what the runner is not there for.
func (f *Fake) callable(req CallRequest, documents int) error {
	d := f.runtime.Description
	operations := []bench.Operation{bench.Get, bench.Post}
	if req.Transport == bench.Redis {
		operations = []bench.Operation{bench.Get, bench.Set, bench.GetPipelined, bench.SetPipelined}
	}
	switch {
	case !slices.Contains(d.Calls, req.Transport):
		return &FailedError{fmt.Sprintf("this runner does not call over %q", req.Transport)}
	case !slices.Contains(operations, req.Operation):
		return &FailedError{fmt.Sprintf("%s has no operation %q", req.Transport, req.Operation)}
	case req.Encoding != bench.Identity && !slices.Contains(d.Encodings, req.Encoding):
		return &FailedError{fmt.Sprintf("this runner has no encoding %q", req.Encoding)}
	case req.Requests < 1 || req.Document < 0 || req.Window < 1 || req.Document+req.Window > documents:
		return &FailedError{fmt.Sprintf("%d requests over documents %d to %d of %d", req.Requests, req.Document, req.Document+req.Window, documents)}
	}
	return nil
}

// reach finds the server and brings on its fault.
func (f *Fake) reach(req CallRequest) (*Fake, error) {
	server, gone := f.runtime.Network.find(req.Address)
	if server != nil {
		server.asked[req.Peer]++
		if gone = server.broken != nil || server.faulty(req.Peer, FaultGone); gone {
			_ = server.breaks("ended while it served " + req.Peer)
			f.runtime.Network.remove(server)
		}
	}
	if gone {
		return nil, &FailedError{fmt.Sprintf("the server at %s is gone: connection refused", req.Address)}
	}
	return server, nil
}

// carried lists the documents of request i.
func carried(req CallRequest, i int) []int {
	n := max(1, req.Pipeline)
	all := make([]int, n)
	for j := range all {
		all[j] = req.Document + (i*n+j)%req.Window
	}
	return all
}

// spansOf lists the spans that a request has.
func spansOf(req CallRequest) []Span {
	switch {
	case req.Transport == bench.Redis && (req.Operation == bench.Set || req.Operation == bench.SetPipelined):
		return []Span{SpanEncode, SpanTransfer}
	case req.Transport == bench.Redis:
		return []Span{SpanTransfer, SpanDecode}
	case req.Encoding == bench.Identity:
		return []Span{SpanEncode, SpanTransfer, SpanDecode}
	}
	return []Span{SpanEncode, SpanCompress, SpanTransfer, SpanDecompress, SpanDecode}
}

// request makes up one request.
func (f *Fake) request(r *CallReply, server *Fake, s *fakeSample, req CallRequest, documents []int) {
	factor := f.disturbance(req)
	times, bytes := map[Span]int64{}, 0
	for _, d := range documents {
		bytes += len(s.documents[d])
	}
	for _, span := range spansOf(req) {
		o := FakeOperation{
			Sample: req.Sample, Codec: req.Codec, Operation: req.Operation, Document: documents[0], Bytes: bytes,
			Transport: req.Transport, Encoding: req.Encoding, Peer: req.Peer, Span: span,
		}
		var ns float64
		if span == SpanEncode || span == SpanDecode {
			for _, d := range documents {
				o.Document, o.Bytes = d, len(s.documents[d])
				ns += f.runtime.Cost(o)
			}
		} else {
			ns = f.runtime.Cost(o)
		}
		times[span] = f.steps(ns * factor)
	}
	if f.random.Float64() < f.runtime.Noise.SpikeRate {
		times[SpanTransfer] += f.steps(f.runtime.Noise.SpikeNS)
	}
	f.account(r, server, req, times, bytes)
	for _, d := range documents {
		if slices.Contains(spansOf(req), SpanDecode) {
			r.Checksum += s.leaf[d]
		} else {
			r.Checksum += uint32(len(s.documents[d]))
		}
	}
}

// disturbance is the factor of one request.
func (f *Fake) disturbance(req CallRequest) float64 {
	factor := f.factor(req.Codec, req.Operation) * f.runtime.shared() * math.Exp(f.runtime.Noise.Jitter*f.random.NormFloat64())
	kind := FakeOperation{Codec: req.Codec, Operation: req.Operation, Transport: req.Transport, Encoding: req.Encoding, Peer: req.Peer}
	if !f.called[kind] {
		f.called[kind] = true
		factor *= 10
	}
	return factor
}

// account books a request's times and bytes, and moves the clock.
func (f *Fake) account(r *CallReply, server *Fake, req CallRequest, times map[Span]int64, bytes int) {
	var total int64
	for _, ns := range times {
		total += ns
	}
	r.TotalNS = append(r.TotalNS, total)
	r.EncodeNS = append(r.EncodeNS, times[SpanEncode])
	r.CompressNS = append(r.CompressNS, times[SpanCompress])
	r.TransferNS = append(r.TransferNS, times[SpanTransfer])
	r.DecompressNS = append(r.DecompressNS, times[SpanDecompress])
	r.DecodeNS = append(r.DecodeNS, times[SpanDecode])
	writing, reading := times[SpanEncode]+times[SpanCompress], times[SpanDecompress]+times[SpanDecode]
	client, served := writing, reading
	if req.Operation == bench.Get || req.Operation == bench.GetPipelined {
		client, served = reading, writing
	}
	r.CPUNS += client
	f.cpu += client
	if server != nil {
		server.cpu += served
	}
	if req.Encoding != bench.Identity {
		bytes = (bytes + 1) / 2
	}
	r.WireBytes += int64(bytes)
	r.Allocated += int64(bytes)
	f.runtime.advance(float64(total))
}
