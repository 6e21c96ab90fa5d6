package sched

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// second makes another runtime beside that of a setting, with the same clock,
// samples and codecs.
func (s *setting) second(name string) (Lane, *runner.FakeRuntime) {
	rt := *s.runtime
	rt.Description.Runtime = name
	lane := s.lane
	lane.Runtime, lane.Starter, lane.Cases = name, &rt, nil
	for _, c := range s.lane.Cases {
		c.Runtime = name
		lane.Cases = append(lane.Cases, c)
	}
	return lane, &rt
}

func (s *setting) runLanes(t *testing.T, lanes ...Lane) Summary {
	t.Helper()
	summary, err := s.sched.Run(t.Context(), lanes)
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// ends gives the outcome of each case, and how many forks it has.
func (s *setting) ends() (outcomes map[string]string, forks map[string]int) {
	names := map[int]string{}
	outcomes, forks = map[string]string{}, map[string]int{}
	for _, rec := range s.sink.records {
		switch r := rec.(type) {
		case *store.Case:
			names[r.Number] = r.CodecID() + "/" + string(r.Operation)
		case *store.Fork:
			forks[names[r.Case]]++
		case *store.Outcome:
			outcomes[names[r.Case]] = strings.TrimSuffix(string(r.Status)+": "+r.Reason, ": ")
		}
	}
	return outcomes, forks
}

func TestEachLaneHasItsOwnTime(t *testing.T) {
	s := newSetting(t, 5)
	slow, rt := s.second("slow")
	rt.Cost = func(o runner.FakeOperation) float64 { return 5 * s.runtime.Cost(o) }
	s.runtime.Noise = runner.Noise{ForkSpread: 0.2}
	rt.Noise = runner.Noise{ForkSpread: 0.2}
	s.sched.Config.MaxTime = 8 * time.Second
	var order []string
	s.sched.Observe = func(e Event) {
		if e.Phase == "measure" {
			order = append(order, e.Runtime)
		}
		if e.Elapsed > 8*time.Second || e.Total > 16*time.Second {
			t.Errorf("%+v", e)
		}
	}
	summary := s.runLanes(t, s.lane, slow)
	if summary.Measure > 16*time.Second || summary.Measure < 13*time.Second {
		t.Errorf("two lanes of 8 s were measured for %s", summary.Measure)
	}
	for i, runtime := range order[:8] { // in turn, so that both meet the same machine
		if want := []string{"fake", "slow"}[i%2]; runtime != want {
			t.Errorf("fork %d is of %s", i, runtime)
		}
	}
	last := s.sink.records[len(s.sink.records)-1].(*store.Progress)
	if sum := last.RuntimeNS["fake"] + last.RuntimeNS["slow"]; sum > last.MeasureNS || sum < last.MeasureNS*99/100 {
		t.Errorf("%+v", last)
	}
}

// A lane that is precise enough stops; the other goes on.
func TestALaneStopsForItself(t *testing.T) {
	s := newSetting(t, 5)
	noisy, rt := s.second("noisy")
	rt.Noise = runner.Noise{ForkSpread: 0.2}
	s.runLanes(t, s.lane, noisy)
	_, forks := s.ends()
	if quiet, loud := forks["fake/json/encode"], forks["noisy/json/encode"]; quiet >= loud || quiet < leastForks {
		t.Errorf("%d forks of the quiet lane, %d of the noisy one", quiet, loud)
	}
}

func TestAFaultCostsNoOtherLane(t *testing.T) {
	for _, isolated := range []bool{false, true} {
		for _, fault := range []runner.Fault{
			{Kind: runner.FaultSkip}, {Kind: runner.FaultOutput}, {Kind: runner.FaultFail, After: 30}, {Kind: runner.FaultChecksum, After: 30},
			{Kind: runner.FaultCrash}, {Kind: runner.FaultCrash, After: 20}, {Kind: runner.FaultHang, After: 20}, {Kind: runner.FaultRubbish, After: 20},
		} {
			t.Run(fmt.Sprintf("%s after %d, isolated %v", fault.Kind, fault.After, isolated), func(t *testing.T) {
				s := newSetting(t, 20)
				s.sched.Config.MaxForks = 6
				other, rt := s.second("other")
				other.Isolated = isolated
				rt.Faults = map[string]runner.Fault{"twin": fault}
				s.runLanes(t, s.lane, other)
				outcomes, forks := s.ends()
				for name, got := range outcomes {
					wrong := strings.HasPrefix(name, "other/twin/")
					if (got == "measured") == wrong {
						t.Errorf("%s: %s", name, got)
					}
					if strings.HasPrefix(name, "fake/") && forks[name] != 6 {
						t.Errorf("%s: %d forks", name, forks[name])
					}
				}
				if len(outcomes) != 12 {
					t.Errorf("%d outcomes", len(outcomes))
				}
			})
		}
	}
}

// startFunc starts processes, or does not.
type startFunc func(context.Context) (runner.Process, error)

func (f startFunc) Start(ctx context.Context) (runner.Process, error) { return f(ctx) }

func TestARuntimeThatDoesNotStartCostsNoOther(t *testing.T) {
	for _, after := range []int{0, 1, 4, 6} { // describing, verifying, calibrating, measuring
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			s := newSetting(t, 5)
			s.sched.Config.MaxForks = 4
			other, rt := s.second("other")
			starts := 0
			other.Starter = startFunc(func(ctx context.Context) (runner.Process, error) {
				if starts++; starts > after {
					return nil, errors.New("exec format error")
				}
				return rt.Start(ctx)
			})
			s.runLanes(t, other, s.lane)
			outcomes, _ := s.ends()
			for name, got := range outcomes {
				switch {
				case strings.HasPrefix(name, "fake/") && got != "measured":
					t.Errorf("%s: %s", name, got)
				case strings.HasPrefix(name, "other/") && !strings.Contains(got, "exec format error"):
					t.Errorf("%s: %s", name, got)
				}
			}
			if len(outcomes) != 12 {
				t.Errorf("%d outcomes", len(outcomes))
			}
		})
	}
}

// One codec whose own process cannot be had any more costs none of the others.
func TestACodecWithoutAProcessCostsOnlyItself(t *testing.T) {
	s := newSetting(t, 5)
	s.sched.Config.MaxForks = 9
	s.lane.Isolated = true
	rt := s.runtime
	prepared := 0
	s.lane.Starter = startFunc(func(ctx context.Context) (runner.Process, error) {
		p, err := rt.Start(ctx)
		return &refusing{p, &prepared}, err
	})
	s.run(t, t.Context())
	outcomes, forks := s.ends()
	for name, got := range outcomes {
		if twin := strings.HasPrefix(name, "fake/twin/"); twin != strings.Contains(got, "stopped early: no memory is left") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if forks["fake/json/encode"] != 9 || forks["fake/twin/encode"] != 2 {
		t.Errorf("%v", forks)
	}
}

// refusing does not prepare twin any more after a while: 1 verification,
// 1 calibration and 2 forks.
type refusing struct {
	runner.Process
	prepared *int
}

func (p *refusing) Prepare(ctx context.Context, samples []runner.SampleFiles, codecs []string) (*runner.PrepareReply, error) {
	if len(codecs) == 1 && codecs[0] == "twin" {
		if *p.prepared++; *p.prepared > 4 {
			return nil, errors.New("no memory is left")
		}
	}
	return p.Process.Prepare(ctx, samples, codecs)
}

// A codec that is far slower than the others must not stop them (D29).
func TestACodecThatIsFarTooSlowTimesOut(t *testing.T) {
	s := newSetting(t, 1)
	cost := s.runtime.Cost
	s.runtime.Cost = func(o runner.FakeOperation) float64 {
		if o.Codec == "twin" && o.Operation == bench.Decode {
			return 10e9
		}
		return cost(o)
	}
	s.run(t, t.Context())
	outcomes, _ := s.ends()
	for name, got := range outcomes {
		if name == "fake/twin/decode" != strings.HasPrefix(got, "failed: timed out: one operation takes 10") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if took := s.runtime.Clock.Elapsed(); took > 3*time.Minute {
		t.Errorf("the run took %s", took)
	}
}

// Slow operations are repeated less, so that four forks fit into the time.
func TestSlowOperationsFitIntoTheTime(t *testing.T) {
	s := newSetting(t, 1)
	s.runtime.Cost = func(o runner.FakeOperation) float64 { return 150e6 }
	summary := s.run(t, t.Context())
	if summary.Forks < leastForks || summary.Measure > 65*time.Second {
		t.Errorf("%d forks in %s", summary.Forks, summary.Measure)
	}
	for name, got := range s.sink.outcomes() {
		if got != "measured" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Warming up has a limit: with many cases and little time it gets shorter, so
// that the least forks end.
func TestWarmingUpFitsIntoTheTime(t *testing.T) {
	s := newSetting(t, 3)
	s.lane.Compiles, s.lane.Isolated = true, true
	s.runtime.Noise = runner.Noise{RegimeSec: 0.03, RegimeLog: 0.5} // never steady
	s.sched.Config.MaxTime = 5 * time.Second
	summary := s.run(t, t.Context())
	if summary.Forks != leastForks || summary.Measure > 25*time.Second {
		t.Errorf("%d forks in %s", summary.Forks, summary.Measure)
	}
}
