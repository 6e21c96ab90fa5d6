package sched

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/transport"
)

func TestAFaultInRequestsCostsItsOwnCases(t *testing.T) {
	for _, test := range []struct {
		fault runner.Fault
		want  string
	}{
		{runner.Fault{Kind: runner.FaultFail, After: 2}, "failed: planted failure of twin"},
		{runner.Fault{Kind: runner.FaultChecksum, After: 2}, "what was read is not what was sent"},
		{runner.Fault{Kind: runner.FaultCrash, After: 2}, "failed: the runner ended"},
		{runner.Fault{Kind: runner.FaultHang, After: 9}, "failed: the runner did not answer in time"},
		{runner.Fault{Kind: runner.FaultRubbish, After: 9}, "failed: the runner answered with rubbish"},
		{runner.Fault{Kind: runner.FaultGone, After: 40}, "failed: the server is gone: the runner ended while it served twin"},
		{runner.Fault{Kind: runner.FaultSkip}, "skipped: planted skip of twin"},
	} {
		t.Run(fmt.Sprintf("%s after %d", test.fault.Kind, test.fault.After), func(t *testing.T) {
			w := newWired(t, 5)
			w.sched.Config.MaxForks = 5
			w.runtime.Faults = map[string]runner.Fault{"twin": test.fault}
			w.runLanes(t, w.http("identity"))
			for name, got := range w.wireEnds() {
				switch twin := strings.HasSuffix(name, "twin"); {
				case twin && !strings.Contains(got, test.want):
					t.Errorf("%s: %s; want %s", name, got, test.want)
				case !twin && got != "measured":
					t.Errorf("%s: %s", name, got)
				}
			}
			cases, records := w.all()
			forks := map[string]int{}
			for _, r := range records {
				forks[cases[r.Case].Codec]++
			}
			if forks["json"] != 10 || forks["slow"] != 10 {
				t.Errorf("forks with each codec: %v", forks)
			}
			w.allClosed(t)
		})
	}
}

// A server that somebody kills costs a fork, no case.
func TestAServerThatIsKilledOnceCostsNoCase(t *testing.T) {
	w := newWired(t, 5)
	w.sched.Config.MaxForks = 5
	servers := &counting{Starter: w.runtime, asked: map[string]int{}}
	lane := w.http("identity")
	var last runner.Process
	lane.Wire.Server.Starter = startFunc(func(ctx context.Context) (runner.Process, error) {
		p, err := servers.Start(ctx)
		last = p
		return p, err
	})
	w.starter.onCall = func(_ runner.CallRequest, calls int) {
		if calls == 60 {
			last.Close()
		}
	}
	w.runLanes(t, lane)
	for name, got := range w.wireEnds() {
		if got != "measured" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, records := w.all(); len(records) != 5*6 || servers.started != 6 || servers.open != 0 {
		t.Errorf("%d records of %d servers, %d left open", len(records), servers.started, servers.open)
	}
	w.allClosed(t)
}

// browser makes a lane of another runtime that calls this one's server.
func (w *wired) browser() (Lane, *runner.FakeRuntime) {
	l, rt := w.second("browser")
	rt.Description.Serves = nil
	l.Wire = &Wire{Transport: bench.HTTP, Server: w.program()}
	l.Cases = nil
	for _, codec := range []string{"json", "twin"} {
		for _, op := range []bench.Operation{bench.Get, bench.Post} {
			l.Cases = append(l.Cases, bench.Case{Sample: "s", Runtime: "browser", Codec: codec, Format: bench.JSON, Operation: op, Transport: bench.HTTP, Encoding: "identity", Peer: "fake/" + codec})
		}
	}
	return l, rt
}

func TestAClientOfAnotherRuntime(t *testing.T) {
	w := newWired(t, 5)
	w.sched.Config.MaxForks = 4
	w.runtime.Network = &runner.FakeNetwork{}
	w.runtime.Faults = map[string]runner.Fault{"twin": {Kind: runner.FaultLeaf}}
	lane, rt := w.browser()
	rt.Faults, lane.Starter, lane.Isolated = nil, rt, true
	var names []string
	w.sched.Observe = func(e Event) {
		if e.Phase == "measure" {
			names = append(names, e.Lane)
		}
	}
	w.runLanes(t, lane)
	for name, got := range w.wireEnds() {
		want := "measured"
		if strings.HasSuffix(name, "twin") {
			want = "failed: the server's codec, fake/twin: what it decoded differs from the reference: leaf checksum 2 instead of 1 in document 1"
		}
		if got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
	if len(names) != 4 || names[0] != "browser over http to fake" {
		t.Errorf("lanes %q", names)
	}
}

func TestSidesThatCannot(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(*Lane, *wired)
		want  string
	}{
		{"a client without the transport", func(l *Lane, w *wired) { w.runtime.Description.Calls = nil }, "failed: the fake runner makes no requests over http"},
		{"a server without it", func(l *Lane, w *wired) { w.runtime.Description.Serves = nil }, "failed: the fake runner does not serve http"},
		{"a server that was not built", func(l *Lane, w *wired) {
			l.Wire.Server = &Program{Runtime: "other", Broken: "it does not compile"}
			for i := range l.Cases {
				l.Cases[i].Peer = "other/json"
			}
		}, "failed: there is no server: it does not compile"},
		{"cases that cannot be", func(l *Lane, w *wired) {
			l.Skips = map[bench.Case]string{}
			for _, c := range l.Cases {
				l.Skips[c] = "no such thing"
			}
		}, "skipped: no such thing"},
		{"a server that does not start any more", func(l *Lane, w *wired) {
			l.Wire.Server.Starter = startFunc(func(context.Context) (runner.Process, error) { return nil, errors.New("no memory") })
		}, "failed: the server does not start: no memory"},
		{"a link that cannot be", func(l *Lane, w *wired) {
			l.Wire.Link = func(string) (transport.Path, error) { return nil, errors.New("no port") }
		}, "failed: no port"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWired(t, 3)
			w.sched.Config.MaxForks = 4
			lane := w.http("identity")
			test.spoil(&lane, w)
			w.runLanes(t, lane)
			ends := w.wireEnds()
			for name, got := range ends {
				if got != test.want {
					t.Errorf("%s: %s; want %s", name, got, test.want)
				}
			}
			if len(ends) != 6 {
				t.Errorf("%d outcomes", len(ends))
			}
			if w.starter.open != 0 {
				t.Errorf("%d processes were left open", w.starter.open)
			}
		})
	}
}
