package sched

import (
	"runtime"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// discard keeps nothing, is never content, and looks at the heap as the run goes on.
type discard struct {
	at   map[int]uint64 // bytes in use after so many forks
	when []int
}

func (d *discard) Append(rec any) error {
	p, ok := rec.(*store.Progress)
	if !ok || len(d.when) == 0 || p.Forks != d.when[0] {
		return nil
	}
	d.when = d.when[1:]
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	d.at[p.Forks] = m.HeapAlloc
	return nil
}

func (*discard) Sync() error                  { return nil }
func (*discard) Settled(string, float64) bool { return false }
func (*discard) Open() map[bench.Case]bool    { return nil }

// Raw measurements go to the file: however long a run, the scheduler keeps none.
func TestMemoryDoesNotGrowWithTheRun(t *testing.T) {
	s := newSetting(t, 5)
	s.runtime.Cost = func(runner.FakeOperation) float64 { return 4e6 } // few batches in a fork
	d := &discard{at: map[int]uint64{}, when: []int{50, 500}}
	s.sched.Sink, s.sched.Judge = d, d
	s.sched.Config.MaxForks, s.sched.Config.MaxTime = 500, 1000*time.Hour
	if summary := s.run(t, t.Context()); summary.Forks != 500 {
		t.Fatalf("%d forks", summary.Forks)
	}
	// A fork's records are some ten kilobytes: keeping those of 450 would be megabytes.
	if few, many := d.at[50], d.at[500]; few == 0 || many > few+256<<10 {
		t.Errorf("%d kB in use after 50 forks, %d kB after 500", few>>10, many>>10)
	}
}
