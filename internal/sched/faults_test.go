package sched

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// TestAFaultTakesNoTimeFromOthers plants a fault in the middle of the measuring:
// the other codecs get as many forks as without it, and one of these is the pilot.
func TestAFaultTakesNoTimeFromOthers(t *testing.T) {
	forks := func(faults map[string]runner.Fault) (kept, pilots int) {
		s := newSetting(t, 20)
		s.sched.Config.Precision = 0
		s.runtime.Faults = faults
		s.run(t, t.Context())
		names := map[int]string{}
		for _, rec := range s.sink.records {
			switch r := rec.(type) {
			case *store.Case:
				names[r.Number] = r.Case.Codec + "/" + string(r.Operation)
			case *store.Fork:
				if names[r.Case] == "json/decode" {
					kept++
					if r.Pilot {
						pilots++
					}
				}
			}
		}
		return kept, pilots
	}
	without, _ := forks(nil)
	for _, kind := range []runner.FaultKind{runner.FaultHang, runner.FaultCrash, runner.FaultRubbish} {
		for _, after := range []int{20, 60} {
			kept, pilots := forks(map[string]runner.Fault{"twin": {Kind: kind, After: after}})
			if kept < without*9/10 || pilots != 1 {
				t.Errorf("%s after %d: %d forks, %d of them pilots; %d forks without", kind, after, kept, pilots, without)
			}
		}
	}
}

type starterFunc func(context.Context) (runner.Process, error)

func (f starterFunc) Start(ctx context.Context) (runner.Process, error) { return f(ctx) }

// TestALaneThatDoesNotRunCostsItsOwnCases has a runtime beside one that could
// not be built, one that does not start, and one that starts no more after it was
// verified.
func TestALaneThatDoesNotRunCostsItsOwnCases(t *testing.T) {
	s := newSetting(t, 5)
	s.sched.Config.MaxForks = 4
	other := func(name string) Lane {
		l := s.lane
		l.Runtime, l.Cases = name, nil
		for _, c := range s.lane.Cases {
			c.Runtime = name
			l.Cases = append(l.Cases, c)
		}
		return l
	}
	unbuilt, lame, tired := other("unbuilt"), other("lame"), other("tired")
	unbuilt.Starter, unbuilt.Broken = nil, "it does not build"
	lame.Starter = starterFunc(func(context.Context) (runner.Process, error) { return nil, errors.New("no legs") })
	starts := 0
	tired.Starter = starterFunc(func(ctx context.Context) (runner.Process, error) {
		if starts++; starts > 1+len(tired.Codecs) {
			return nil, errors.New("no more")
		}
		return s.runtime.Start(ctx)
	})
	if _, err := s.sched.Run(t.Context(), []Lane{unbuilt, lame, s.lane, tired}); err != nil {
		t.Fatal(err)
	}
	cases := map[int]bench.Case{}
	ended := map[string]int{}
	for _, rec := range s.sink.records {
		switch r := rec.(type) {
		case *store.Case:
			cases[r.Number] = r.Case
		case *store.Outcome:
			ended[strings.TrimSpace(fmt.Sprintf("%s %s %s", cases[r.Case].Runtime, r.Status, r.Reason))]++
		}
	}
	for _, want := range []string{"unbuilt failed it does not build", "lame failed the lame runner does not start: no legs", "fake measured", "tired failed no more"} {
		if ended[want] != len(s.lane.Cases) {
			t.Errorf("want %d times %q; have %v", len(s.lane.Cases), want, ended)
		}
	}
}
