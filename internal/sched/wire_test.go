package sched

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/store"
	"wirecost/internal/transport"
)

func TestRequestsShowWhatWasPlanted(t *testing.T) {
	for _, documents := range []int{1, 7, 900} {
		w := newWired(t, documents)
		summary := w.runLanes(t, w.http("identity", "gzip:6"))
		if summary.Measure > 25*time.Second || summary.Forks < leastForks {
			t.Errorf("%d documents: %d forks in %s", documents, summary.Forks, summary.Measure)
		}
		for name, got := range w.wireEnds() {
			if got != "measured" {
				t.Errorf("%d documents: %s: %s", documents, name, got)
			}
		}
		seen := 0
		for _, c := range w.sink.analysis.Comparisons() {
			if c.Metric != bench.Wall || c.Case.Encoding != c.Baseline.Encoding {
				continue
			}
			seen++
			if c.Case.Codec == "twin" && (c.Low > 1.001 || c.High < 0.999) {
				t.Errorf("%d documents: %s is %.3f (%.3f to %.3f)", documents, c.Case, c.Ratio, c.Low, c.High)
			}
			if c.Case.Codec == "slow" && c.Verdict != bench.Slower {
				t.Errorf("%d documents: %s is %s, %.3f", documents, c.Case, c.Verdict, c.Ratio)
			}
		}
		if seen != 8 {
			t.Errorf("%d documents: %d comparisons within a coding", documents, seen)
		}
		w.allClosed(t)
	}
}

func TestRecordsOfRequestsAreWhole(t *testing.T) {
	w := newWired(t, 900)
	w.sched.Config.MaxForks = 8
	w.runLanes(t, w.http("identity", "gzip:6"))
	cases, records := w.all()
	if len(records) != 8*12 {
		t.Fatalf("%d records", len(records))
	}
	first := map[string]*store.Requests{}
	for _, r := range records {
		c := cases[r.Case]
		requests, counted := 0, int64(0)
		for i, n := range r.Requests {
			requests += n
			sum := int64(0)
			for _, ns := range r.Spans.At(i) {
				sum += ns
			}
			if sum != r.WallNS[i] {
				t.Errorf("%s, slice %d: spans of %d ns in %d ns", c, i, sum, r.WallNS[i])
			}
			if n%r.Window[i] != 0 {
				t.Errorf("%s, slice %d: %d requests over %d documents", c, i, n, r.Window[i])
			}
			writes, reads := r.Spans.Encode[i]+r.Spans.Compress[i], r.Spans.Decompress[i]+r.Spans.Decode[i]
			if c.Operation == bench.Post {
				writes, reads = reads, writes
			}
			if r.ServerNS[i] != writes || r.ClientNS[i] != reads {
				t.Errorf("%s, slice %d: CPU of %d and %d ns; want %d and %d", c, i, r.ServerNS[i], r.ClientNS[i], writes, reads)
			}
			if r.Bytes[i] <= 0 || r.Allocated[i] < 0 {
				t.Errorf("%s, slice %d: %d bytes, %d allocated", c, i, r.Bytes[i], r.Allocated[i])
			}
		}
		for _, n := range r.Histogram.Count {
			counted += n
		}
		if int64(requests) != counted || requests == 0 {
			t.Errorf("%s: %d requests, of which the histogram has %d", c, requests, counted)
		}
		if cold := len(r.ColdNS) > 0; cold != (r.Fork < coldWireForks) || len(r.ColdNS) > coldRequests {
			t.Errorf("%s, fork %d: %d cold requests", c, r.Fork, len(r.ColdNS))
		}
		if r.Pilot != (r.Fork == 0) {
			t.Errorf("%s, fork %d: pilot %v", c, r.Fork, r.Pilot)
		}
		key := fmt.Sprint(r.Fork, c.Operation)
		if first[key] == nil {
			first[key] = r
		}
		if d := cmp.Diff(first[key].Document, r.Document) + cmp.Diff(first[key].Window, r.Window); d != "" {
			t.Errorf("%s, fork %d: other documents than %s:\n%s", c, r.Fork, cases[first[key].Case], d)
		}
	}
	if rec := w.sink.records[0].(*store.Case); rec.Client != "fake client" || rec.Server != "fake server" {
		t.Errorf("%+v", rec)
	}
}

func TestTheSameSeedGivesTheSameRequests(t *testing.T) {
	run := func() []any {
		w := newWired(t, 20)
		w.sched.Config.MaxForks = 3
		w.runLanes(t, w.http("identity"))
		return w.sink.records
	}
	if d := cmp.Diff(run(), run()); d != "" {
		t.Errorf("two runs differ (-first +second):\n%s", d)
	}
}

// What a lane in memory has verified is not verified again; alone, a lane over a
// wire does it.
func TestCodecsAreVerifiedOnceForAllLanes(t *testing.T) {
	for _, memory := range []bool{true, false} {
		w := newWired(t, 5)
		w.sched.Config.MaxForks = 4
		w.runtime.Faults = map[string]runner.Fault{"twin": {Kind: runner.FaultOutput}}
		lanes := []Lane{w.http("identity")}
		if memory {
			l := w.lane
			l.Starter = w.starter
			lanes = slices.Insert(lanes, 0, l)
		}
		w.runLanes(t, lanes...)
		for _, codec := range []string{"json", "slow", "twin"} {
			if n := w.starter.asked["verify "+codec]; n != 1 {
				t.Errorf("memory %v: %s was verified %d times", memory, codec, n)
			}
		}
		for name, got := range w.wireEnds() {
			if want := "measured"; strings.HasSuffix(name, "twin") {
				if !strings.Contains(got, "differs from the reference") {
					t.Errorf("memory %v: %s: %s", memory, name, got)
				}
			} else if got != want {
				t.Errorf("memory %v: %s: %s", memory, name, got)
			}
		}
		w.allClosed(t)
	}
}

// path is a link that does nothing.
type path struct {
	address string
	prefix  []string
	closed  *int
}

func (p path) Address() string  { return p.address }
func (p path) Prefix() []string { return p.prefix }
func (p path) Close() error     { *p.closed++; return nil }

func TestRequestsGoThroughTheLink(t *testing.T) {
	for _, prefix := range [][]string{nil, {"enter", "there"}} {
		w := newWired(t, 3)
		w.sched.Config.MaxForks = 4
		opened, closed, within := 0, 0, 0
		lane := w.http("identity")
		for i := range lane.Cases {
			lane.Cases[i].Link = "10mbit/20ms"
		}
		lane.Wire.Link = func(target string) (transport.Path, error) {
			opened++
			return path{"198.18.0.2:" + strings.TrimPrefix(target, "127.0.0.1:"), prefix, &closed}, nil
		}
		lane.Wire.Within = func(p []string) runner.Starter {
			within++
			if !slices.Equal(p, prefix) {
				t.Errorf("prefix %q", p)
			}
			return w.starter
		}
		w.starter.onCall = func(req runner.CallRequest, _ int) {
			if !strings.HasPrefix(req.Address, "http://198.18.0.2:") {
				t.Errorf("called %s", req.Address)
			}
		}
		w.runLanes(t, lane)
		if opened != 4 || closed != 4 || within != min(1, len(prefix))*4 {
			t.Errorf("prefix %q: %d links opened, %d closed, %d clients within", prefix, opened, closed, within)
		}
		w.allClosed(t)
	}
}

func TestAnInterruptLeavesNothing(t *testing.T) {
	for _, at := range []int{1, 3, 30, 200} { // calls
		w := newWired(t, 5)
		ctx, cancel := context.WithCancel(t.Context())
		w.starter.onCall = func(_ runner.CallRequest, calls int) {
			if calls == at {
				cancel()
			}
		}
		summary, err := w.sched.Run(ctx, []Lane{w.http("identity")})
		if err != nil || !summary.Interrupted {
			t.Errorf("after %d calls: %+v, %v", at, summary, err)
		}
		_, records := w.all()
		if len(records)%6 != 0 || len(records) != 6*summary.Forks {
			t.Errorf("after %d calls: %d records, %d forks", at, len(records), summary.Forks)
		}
		w.allClosed(t)
	}
}

func TestAResumedLaneGoesOn(t *testing.T) {
	w := newWired(t, 5)
	w.sched.Config.MaxForks = 3
	w.runLanes(t, w.lane, w.http("identity"))
	again := newWired(t, 5)
	again.sched.Config.MaxForks = 5
	again.sched.Config.Before = map[string]Before{"fake": {Forks: 5}, "fake over http": {Forks: 3}}
	again.sched.Config.Numbers = map[bench.Case]int{}
	for _, rec := range w.sink.records {
		if c, ok := rec.(*store.Case); ok {
			again.sched.Config.Numbers[c.Case] = c.Number
		}
	}
	again.runLanes(t, again.lane, again.http("identity"))
	forks := map[int]int{}
	for _, rec := range again.sink.records {
		switch r := rec.(type) {
		case *store.Case:
			t.Errorf("case %s has a second record", r.Case)
		case *store.Fork:
			t.Errorf("fork %d in memory", r.Fork)
		case *store.Requests:
			forks[r.Fork]++
			if r.Pilot {
				t.Errorf("fork %d is a pilot", r.Fork)
			}
		}
	}
	if d := cmp.Diff(map[int]int{3: 6, 4: 6}, forks); d != "" {
		t.Errorf("forks (-want +got):\n%s", d)
	}
}

func TestLanesInMemoryAndOverAWireTakeTurns(t *testing.T) {
	w := newWired(t, 5)
	w.runtime.Noise = runner.Noise{ForkSpread: 0.2}
	w.sched.Config.MaxTime = 6 * time.Second
	var order []string
	w.sched.Observe = func(e Event) {
		if e.Phase == "measure" {
			order = append(order, e.Lane)
		}
	}
	memory := w.lane
	memory.Starter = w.starter
	summary := w.runLanes(t, memory, w.http("identity"))
	for i, lane := range order[:8] {
		if want := []string{"fake", "fake over http"}[i%2]; lane != want {
			t.Errorf("fork %d is of %s", i, lane)
		}
	}
	last := w.sink.records[len(w.sink.records)-1].(*store.Progress)
	if len(last.RuntimeNS) != 2 || last.RuntimeNS["fake over http"] == 0 || summary.Measure > 12*time.Second {
		t.Errorf("%+v, %s", last, summary.Measure)
	}
	w.allClosed(t)
}

// A slow link leaves room for few requests: forks get shorter, and what can never
// be repeated is told.
func TestSlowRequestsFitIntoTheTime(t *testing.T) {
	for _, test := range []struct {
		request float64
		want    string
		most    time.Duration
	}{
		{150e6, "measured", 3 * time.Minute}, // a process's first requests take ten times as long
		{8e9, "failed: timed out: one request takes", 20 * time.Minute},
	} {
		w := newWired(t, 4)
		w.runtime.Noise = runner.Noise{}
		w.runtime.Cost = func(o runner.FakeOperation) float64 {
			if o.Span == runner.SpanTransfer {
				return test.request
			}
			return wireCost(o)
		}
		w.runLanes(t, w.http("identity", "gzip:6"))
		for name, got := range w.wireEnds() {
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("%s: %s; want %s", name, got, test.want)
			}
		}
		if took := w.runtime.Clock.Elapsed(); took > test.most {
			t.Errorf("requests of %s: the run took %s", time.Duration(test.request), took)
		}
	}
}

// Where a side compiles while it runs, its first requests are slow, and are not
// kept.
func TestRequestsAreWarm(t *testing.T) {
	for _, server := range []bool{false, true} {
		w := newWired(t, 5)
		w.sched.Config.MaxForks = 4
		w.runtime.Noise = runner.Noise{}
		lane := w.http("identity")
		lane.Compiles, lane.Wire.Server.Compiles = !server, server
		calls := map[*counted]int{}
		lane.Starter = startFunc(func(ctx context.Context) (runner.Process, error) {
			p, err := w.starter.Start(ctx)
			return &slowAtFirst{p, calls}, err
		})
		w.runLanes(t, lane)
		cases, records := w.all()
		for _, r := range records {
			for i, ns := range r.WallNS {
				one := float64(ns) / float64(r.Requests[i])
				if c := cases[r.Case]; c.Codec == "json" && (one < 50e3 || one > 150e3) {
					t.Errorf("server %v, fork %d, %s, slice %d: a request takes %.0f ns", server, r.Fork, c, i, one)
				}
			}
		}
	}
}

// slowAtFirst takes three times as long for its first 100 calls.
type slowAtFirst struct {
	runner.Process
	calls map[*counted]int
}

func (p *slowAtFirst) Call(ctx context.Context, req runner.CallRequest) (*runner.CallReply, error) {
	r, err := p.Process.Call(ctx, req)
	key := p.Process.(*counted)
	if p.calls[key]++; err == nil && p.calls[key] < 100 {
		for i := range r.TotalNS {
			r.TotalNS[i] *= 3
			r.TransferNS[i] += r.TotalNS[i] * 2 / 3
		}
	}
	return r, err
}

func TestServersAreTriedAtAFixedRate(t *testing.T) {
	w := newWired(t, 5)
	w.sched.Config.MaxForks, w.sched.Config.Rate = 4, 500
	lane := w.http("identity", "gzip:6")
	var tried []string
	lane.Wire.Attack = func(_ context.Context, o transport.OpenLoop) (*transport.Latencies, error) {
		tried = append(tried, o.URL[strings.Index(o.URL, "/s/"):]+" "+o.Header.Get("Accept-Encoding"))
		if o.Rate != 500 || o.Duration != rateTime || o.HTTP2 {
			t.Errorf("%+v", o)
		}
		return &transport.Latencies{NS: []int64{1000, 2000, 2000}, Requests: 4, Errors: 1, Error: "status 500"}, nil
	}
	w.runLanes(t, lane)
	want := []string{
		"/s/json/identity/2 identity", "/s/slow/identity/2 identity", "/s/twin/identity/2 identity",
		"/s/json/gzip/2 gzip", "/s/slow/gzip/2 gzip", "/s/twin/gzip/2 gzip",
	}
	if d := cmp.Diff(want, tried); d != "" {
		t.Errorf("tried (-want +got):\n%s", d)
	}
	loops := 0
	for _, rec := range w.sink.records {
		if o, ok := rec.(*store.OpenLoop); ok {
			loops++
			if o.Requests != 4 || o.Errors != 1 || o.Error != "status 500" || math.Abs(o.Seconds-2) > 1e-9 || len(o.Histogram.NS) != 2 {
				t.Errorf("%+v", o)
			}
		}
	}
	if loops != 6 {
		t.Errorf("%d records", loops)
	}
	w.allClosed(t)
}

// Fewer than a dozen forks decide nothing, whatever the difference: there must be
// time for them, also on a machine that is slower than it says.
func TestThereIsTimeForEnoughForks(t *testing.T) {
	for _, slow := range []float64{1, 2.5} { // times what requests tell of themselves
		w := newWired(t, 200)
		w.sched.Config.Precision = 0
		w.runtime.RequestNS = 40e3 + (slow-1)*3e6
		w.runtime.StartNS = 100e6
		summary := w.runLanes(t, w.http("identity", "gzip:6"))
		if summary.Forks < 12 || summary.Measure > 27*time.Second {
			t.Errorf("%g times as slow: %d forks in %s", slow, summary.Forks, summary.Measure)
		}
	}
}
