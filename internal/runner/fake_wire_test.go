package runner

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
)

// wireRuntime is a fake that serves and calls; each span has a cost of its own.
func wireRuntime() *FakeRuntime {
	f := testRuntime()
	f.Description.Serves = []bench.Transport{bench.HTTP}
	f.Description.Calls = []bench.Transport{bench.HTTP, bench.Redis}
	f.Description.Encodings = []string{"gzip:6"}
	f.RequestNS = 0
	f.Cost = func(o FakeOperation) float64 {
		costs := map[Span]float64{SpanEncode: 10, SpanCompress: 100, SpanTransfer: 1000, SpanDecompress: 50, SpanDecode: 20}
		return costs[o.Span] + float64(o.Bytes)
	}
	f.Checksums = func(_ SampleFiles, _ string, d []byte) (leaf, visit uint32, err error) {
		return 7 * uint32(len(d)), 1, nil
	}
	return f
}

// wire is a prepared client and a server of one runtime.
func wire(t *testing.T, f *FakeRuntime) (client, server Process, call CallRequest) {
	t.Helper()
	s := prepared(t, "ab", "cdef")
	server, client = fork(t, f, s), fork(t, f, s)
	r, err := server.Serve(context.Background(), ServeRequest{Transport: bench.HTTP, Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	return client, server, CallRequest{
		Transport: bench.HTTP, Address: "http://" + r.Address, Sample: "s", Codec: "quick", Peer: "compact",
		Operation: bench.Get, Encoding: bench.Identity, Requests: 2, Window: 2,
	}
}

func TestFakeCallIsExact(t *testing.T) {
	ctx := context.Background()
	f := wireRuntime()
	client, server, call := wire(t, f)
	for _, x := range []struct {
		change func(*CallRequest)
		want   CallReply
		served int64
	}{
		{func(*CallRequest) {}, CallReply{ // the very first request takes ten times as long
			TotalNS: []int64{10360, 1042}, EncodeNS: []int64{120, 14}, CompressNS: []int64{0, 0}, TransferNS: []int64{10020, 1004},
			DecompressNS: []int64{0, 0}, DecodeNS: []int64{220, 24}, WireBytes: 6, Checksum: 42, CPUNS: 244, Allocated: 6,
		}, 134},
		{func(*CallRequest) {}, CallReply{
			TotalNS: []int64{1036, 1042}, EncodeNS: []int64{12, 14}, CompressNS: []int64{0, 0}, TransferNS: []int64{1002, 1004},
			DecompressNS: []int64{0, 0}, DecodeNS: []int64{22, 24}, WireBytes: 6, Checksum: 42, CPUNS: 46, Allocated: 6,
		}, 26},
		{func(q *CallRequest) { q.Operation, q.Encoding, q.Requests = bench.Post, "gzip:6", 1 }, CallReply{
			TotalNS: []int64{11900}, EncodeNS: []int64{120}, CompressNS: []int64{1020}, TransferNS: []int64{10020},
			DecompressNS: []int64{520}, DecodeNS: []int64{220}, WireBytes: 1, Checksum: 14, CPUNS: 1140, Allocated: 1,
		}, 740},
		{func(q *CallRequest) {
			q.Transport, q.Operation, q.Address, q.Pipeline, q.Requests, q.Peer = bench.Redis, bench.SetPipelined, "redis://127.0.0.1:6379", 3, 1, ""
		}, CallReply{ // ab, cdef, ab
			TotalNS: []int64{10460}, EncodeNS: []int64{380}, CompressNS: []int64{0}, TransferNS: []int64{10080},
			DecompressNS: []int64{0}, DecodeNS: []int64{0}, WireBytes: 8, Checksum: 8, CPUNS: 380, Allocated: 8,
		}, 0},
		{func(q *CallRequest) {
			q.Transport, q.Operation, q.Address, q.Requests, q.Document, q.Window, q.Peer = bench.Redis, bench.Get, "redis://127.0.0.1:6379", 1, 1, 1, ""
		}, CallReply{
			TotalNS: []int64{10280}, EncodeNS: []int64{0}, CompressNS: []int64{0}, TransferNS: []int64{10040},
			DecompressNS: []int64{0}, DecodeNS: []int64{240}, WireBytes: 4, Checksum: 28, CPUNS: 240, Allocated: 4,
		}, 0},
	} {
		q := call
		x.change(&q)
		before, clock := usage(t, server), f.Clock.Elapsed()
		got, err := client.Call(ctx, q)
		if err != nil || !reflect.DeepEqual(*got, x.want) {
			t.Errorf("%s over %s: have %+v, %v; want %+v", q.Operation, q.Transport, got, err, x.want)
			continue
		}
		if served := usage(t, server) - before; served != x.served {
			t.Errorf("%s over %s: the server spent %d ns; want %d", q.Operation, q.Transport, served, x.served)
		}
		var total int64
		for _, ns := range x.want.TotalNS {
			total += ns
		}
		if moved := f.Clock.Elapsed() - clock; moved != time.Duration(total) {
			t.Errorf("%s over %s: the clock moved by %v; want %d ns", q.Operation, q.Transport, moved, total)
		}
	}
}

func usage(t *testing.T, p Process) int64 {
	t.Helper()
	u, err := p.Usage(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return u.CPUNS
}

func TestFakeCallFaults(t *testing.T) {
	ctx := context.Background()
	for _, x := range []struct {
		codec string
		fault Fault
		first string // error of the first call of two requests; none: it goes well
		then  string
		ends  bool // the client
	}{
		{"compact", Fault{FaultGone, 3}, "", "is gone: connection refused", false},
		{"compact", Fault{FaultGone, 0}, "is gone: connection refused", "is gone: connection refused", false},
		{"quick", Fault{FaultFail, 1}, "", "planted failure of quick", false},
		{"quick", Fault{FaultCrash, 1}, "", "ended while it was asked for quick", true},
		{"quick", Fault{FaultHang, 0}, "did not answer in time", "did not answer in time", true},
		{"quick", Fault{FaultChecksum, 1}, "", "", false},
	} {
		f := wireRuntime()
		f.Faults = map[string]Fault{x.codec: x.fault}
		client, _, call := wire(t, f)
		for i, want := range []string{x.first, x.then} {
			r, err := client.Call(ctx, call)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s of %s, call %d: have %v; want %q", x.fault.Kind, x.codec, i+1, err, want)
			}
			if x.fault.Kind == FaultChecksum && r.Checksum != uint32(42+i) {
				t.Errorf("%s, call %d: %d", x.fault.Kind, i+1, r.Checksum)
			}
		}
		var ended *ProcessError
		if _, err := client.Describe(ctx); errors.As(err, &ended) != x.ends {
			t.Errorf("%s of %s: then %v", x.fault.Kind, x.codec, err)
		}
	}
}

func TestFakeNetworks(t *testing.T) {
	ctx := context.Background()
	servers, clients := wireRuntime(), wireRuntime()
	servers.Network = &FakeNetwork{}
	clients.Network = servers.Network
	_, server, call := wire(t, servers)
	client, _, _ := wire(t, clients)
	if _, err := client.Call(ctx, call); err != nil || usage(t, server) == 0 {
		t.Errorf("the server of another runtime was not reached: %v", err)
	}
	through := call
	through.Address = "http://127.0.0.1:40404" // of a link in between
	if _, err := client.Call(ctx, through); err != nil {
		t.Errorf("through a link: %v", err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	var failed *FailedError
	if _, err := client.Call(ctx, call); !errors.As(err, &failed) {
		t.Errorf("after the server has ended: %v", err)
	}
}

func TestFakeRefusesCalls(t *testing.T) {
	ctx := context.Background()
	client, server, good := wire(t, wireRuntime())
	var failed *FailedError
	for name, change := range map[string]func(*CallRequest){
		"transport": func(q *CallRequest) { q.Transport = bench.HTTP2 },
		"operation": func(q *CallRequest) { q.Operation = bench.Set },
		"encoding":  func(q *CallRequest) { q.Encoding = "gzip:9" },
		"requests":  func(q *CallRequest) { q.Requests = 0 },
		"window":    func(q *CallRequest) { q.Window = 3 },
		"document":  func(q *CallRequest) { q.Document = -1 },
		"sample":    func(q *CallRequest) { q.Sample = "z" },
		"codec":     func(q *CallRequest) { q.Codec = "z" },
	} {
		q := good
		change(&q)
		if _, err := client.Call(ctx, q); !errors.As(err, &failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := server.Serve(ctx, ServeRequest{Transport: bench.Redis}); !errors.As(err, &failed) {
		t.Errorf("serve: %v", err)
	}
}
