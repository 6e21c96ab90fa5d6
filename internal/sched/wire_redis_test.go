package sched

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/store"
	"wirecost/internal/transport"
)

// fakeRedis is a server of which only its bookkeeping is asked.
type fakeRedis struct {
	opened, closed int
	refuse, gone   error
	stored         []string
}

func (f *fakeRedis) open(context.Context) (Redis, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	f.opened++
	return f, nil
}

func (f *fakeRedis) URL() string                { return "redis://:secret@127.0.0.1:1/0" }
func (f *fakeRedis) Label() string              { return "redis 7" }
func (f *fakeRedis) Prefix() string             { return "wirecost:00:" }
func (f *fakeRedis) Ping(context.Context) error { return f.gone }
func (f *fakeRedis) Close() error               { f.closed++; return nil }

func (f *fakeRedis) Store(_ context.Context, codec string, values [][]byte) (transport.Stored, error) {
	f.stored = append(f.stored, codec)
	out := transport.Stored{Keys: len(values), MemoryUsage: 500, UsedMemory: 600}
	for _, v := range values {
		out.ValueBytes += int64(len(v))
	}
	return out, nil
}

func TestRequestsToRedis(t *testing.T) {
	for documents, pipeline := range map[int]int{1: 100, 7: 98, 250: 83} {
		w := newWired(t, documents)
		w.sched.Config.MaxForks = 4
		server := &fakeRedis{}
		calls := map[string]int{}
		w.starter.onCall = func(req runner.CallRequest, _ int) {
			calls[string(req.Operation)]++
			if req.Prefix != "wirecost:00:s:" || req.TTLMS != transport.RedisTTL.Milliseconds() || req.Address != server.URL() || req.Peer != "" {
				t.Fatalf("%+v", req)
			}
			if piped := strings.HasSuffix(string(req.Operation), "-pipelined"); piped != (req.Pipeline == pipeline) || !piped && req.Pipeline != 0 {
				t.Fatalf("%d documents: %s carries %d", documents, req.Operation, req.Pipeline)
			}
			if calls["set-pipelined"] == 0 {
				t.Fatalf("%s before anything was stored", req.Operation)
			}
		}
		w.runLanes(t, w.redis(server.open))
		cases, records := w.all()
		if len(records) != 4*12 || server.opened != 5 || server.closed != 5 { // once to see what values take
			t.Errorf("%d documents: %d records, %d servers opened, %d closed", documents, len(records), server.opened, server.closed)
		}
		for _, r := range records {
			c := cases[r.Case]
			if piped := strings.HasSuffix(string(c.Operation), "-pipelined"); piped != (r.Pipeline == pipeline) {
				t.Errorf("%s: pipeline %d", c, r.Pipeline)
			}
			for i, n := range r.Requests {
				if (n*max(1, r.Pipeline))%r.Window[i] != 0 || r.ServerNS[i] != -1 {
					t.Errorf("%s: %d requests over %d documents, server %d", c, n, r.Window[i], r.ServerNS[i])
				}
			}
		}
		var storage []string
		for _, rec := range w.sink.records {
			if s, ok := rec.(*store.Storage); ok {
				storage = append(storage, cases[s.Case].Codec+" "+string(cases[s.Case].Operation))
				if s.Server != "redis 7" || s.Keys != documents || s.ValueBytes == 0 || s.MemoryUsage != 500 || s.UsedMemory != 600 {
					t.Errorf("%+v", s)
				}
			}
		}
		if d := cmp.Diff([]string{"json set", "slow set", "twin set"}, storage); d != "" {
			t.Errorf("%d documents: storage (-want +got):\n%s", documents, d)
		}
		for name, got := range w.wireEnds() {
			if got != "measured" {
				t.Errorf("%s: %s", name, got)
			}
		}
		w.allClosed(t)
	}
}

func TestRedisThatCannotBeHad(t *testing.T) {
	w := newWired(t, 3)
	w.sched.Config.MaxForks = 4
	memory := w.lane
	memory.Starter = w.starter
	server := &fakeRedis{refuse: errors.New("the server wants a password; give it in the URL")}
	w.runLanes(t, memory, w.redis(server.open))
	for name, got := range w.wireEnds() {
		want := "measured"
		if strings.Contains(name, "set") || strings.Contains(name, "get") {
			want = "failed: the server wants a password; give it in the URL"
		}
		if got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
	w.allClosed(t)
}

// A server that is full refuses what is written; the rest of its lane and other
// lanes go on. Nobody reads its password.
func TestRedisThatIsFull(t *testing.T) {
	w := newWired(t, 3)
	w.sched.Config.MaxForks = 4
	server := &fakeRedis{}
	lane := w.redis(server.open)
	lane.Starter = startFunc(func(ctx context.Context) (runner.Process, error) {
		p, err := w.starter.Start(ctx)
		return &fullFor{p, "slow"}, err
	})
	w.runLanes(t, lane)
	for name, got := range w.wireEnds() {
		switch slow := strings.HasSuffix(name, "slow"); {
		case slow && got != "failed: OOM at redis://:xxxxx@127.0.0.1:1/0: raise maxmemory":
			t.Errorf("%s: %s", name, got)
		case !slow && got != "measured":
			t.Errorf("%s: %s", name, got)
		}
	}
}

// fullFor cannot store what one codec writes.
type fullFor struct {
	runner.Process
	codec string
}

func (p *fullFor) Call(ctx context.Context, req runner.CallRequest) (*runner.CallReply, error) {
	if req.Codec == p.codec {
		return nil, &runner.FailedError{Reason: "OOM at " + req.Address + ": raise maxmemory"}
	}
	return p.Process.Call(ctx, req)
}

func TestRedisThatIsGone(t *testing.T) {
	w := newWired(t, 3)
	w.sched.Config.MaxForks = 6
	server := &fakeRedis{}
	lane := w.redis(server.open)
	lane.Starter = startFunc(func(ctx context.Context) (runner.Process, error) {
		p, err := w.starter.Start(ctx)
		if server.opened >= 4 { // the third fork, after one that counts
			server.gone = errors.New("connection refused")
			codec := []string{"json", "slow"}[server.opened%2]
			return &fullFor{p, codec}, err
		}
		return p, err
	})
	w.runLanes(t, lane)
	early := 0
	for name, got := range w.wireEnds() {
		switch {
		case strings.HasPrefix(got, "measured: stopped early: Redis is gone: connection refused"):
			early++
		default:
			t.Errorf("%s: %s", name, got)
		}
	}
	if early != 12 {
		t.Errorf("%d cases stopped early: %v", early, w.wireEnds())
	}
	if server.opened != server.closed {
		t.Errorf("%d servers opened, %d closed", server.opened, server.closed)
	}
	w.allClosed(t)
}

func TestChecksumOfRequests(t *testing.T) {
	sums := prefixSums([]uint32{1, 10, 100, 1000})
	for _, test := range []struct {
		w         plan.Window
		documents int
		want      uint32
	}{
		{plan.Window{First: 0, Count: 4}, 4, 1111},
		{plan.Window{First: 1, Count: 2}, 5, 230},
		{plan.Window{First: 3, Count: 1}, 7, 7000},
		{plan.Window{First: 0, Count: 3}, 2, 11},
	} {
		if got := checksum(sums, test.w, test.documents); got != test.want {
			t.Errorf("%d documents of %v: %d; want %d", test.documents, test.w, got, test.want)
		}
	}
}

func TestAPipelineCarriesWholeParts(t *testing.T) {
	for _, test := range []struct{ documents, bytes, want int }{
		{1, 100, 100}, {7, 100, 98}, {99, 100, 99}, {100, 100, 100}, {101, 100, 50}, {1000, 100, 100},
		{10, 1 << 20, 1}, {10, 5 << 20, 1}, {20, 100 << 10, 10}, {3, 400 << 10, 1},
	} {
		sizes := make([]int, test.documents)
		for i := range sizes {
			sizes[i] = test.bytes
		}
		s := &Scheduler{Samples: map[string]*Sample{"s": {Files: runner.SampleFiles{Documents: test.documents}, Bytes: sizes}}}
		if got := s.pipeline(bench.Case{Sample: "s", Operation: bench.SetPipelined}); got != test.want {
			t.Errorf("%d documents of %d bytes: %d in a request; want %d", test.documents, test.bytes, got, test.want)
		}
		if got := s.pipeline(bench.Case{Sample: "s", Operation: bench.Set}); got != 1 {
			t.Errorf("set carries %d documents", got)
		}
	}
}
