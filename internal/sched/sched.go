// Package sched measures: it verifies every codec against the reference,
// calibrates batches, and runs fork after fork of interleaved blocks until the
// comparisons are precise enough or the time is up (docs/statistics.md). It
// alone joins runners with what they are asked to do.
package sched

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// Sample is the documents of one sample as runners get them, and the truth
// about them.
type Sample struct {
	Files runner.SampleFiles
	Bytes []int // compact JSON bytes of each document
	Truth Truth
}

// size is how many bytes a window's documents have.
func (x Sample) size(w plan.Window) (bytes int) {
	for _, n := range x.Bytes[w.First : w.First+w.Count] {
		bytes += n
	}
	return bytes
}

// Truth knows what a codec must produce.
type Truth interface {
	// Expected returns every document's leaf and visit checksum, with lengths of
	// strings in the given unit.
	Expected(unit string) (leaf, visit []uint32, err error)
	// Check compares what a codec wrote with the reference, in meaning, and says
	// where they differ first.
	Check(codec runner.CodecDescription, out [][]byte) error
}

// Lane is one runtime's part in a run: how to start its processes and the cases
// they are to measure, in memory or over a wire.
type Lane struct {
	Runtime  string
	Isolated bool // one process per codec instead of one for all
	Compiles bool // the runtime compiles while it runs: cases are warmed up until they are steady
	Codecs   []runner.Codec
	Cases    []bench.Case
	Starter  runner.Starter
	Dropped  map[string]string     // codecs that could not be built for the schema, with the reason
	Broken   string                // why nothing of the runtime could be built; it needs no Starter then
	Wire     *Wire                 // what its requests cross; nil: its cases stay in memory
	Skips    map[bench.Case]string // of its cases those that cannot be, with the reason
}

// Name names the lane as bench.Case.Lane does.
func (l Lane) Name() string {
	if len(l.Cases) == 0 {
		return l.Runtime
	}
	return l.Cases[0].Lane()
}

func (l Lane) program() Program {
	return Program{Runtime: l.Runtime, Compiles: l.Compiles, Codecs: l.Codecs, Starter: l.Starter, Dropped: l.Dropped, Broken: l.Broken}
}

// Sink takes records as they are made.
type Sink interface {
	Append(record any) error
	Sync() error
}

// Judge says from the records so far whether more forks are needed.
type Judge interface {
	// Settled reports whether every comparison within a lane, as bench.Case.Lane
	// names it, is known to the given relative precision, such as 0.01.
	Settled(lane string, precision float64) bool
	// Open returns the cases of comparisons that are not decided yet.
	Open() map[bench.Case]bool
}

// Config says how long and how finely to measure.
type Config struct {
	Seed      uint64
	Precision float64            // relative; 0: never stop for precision
	MaxTime   time.Duration      // of measuring, for each lane
	MaxForks  int                // per lane; 0: no limit
	Before    map[string]Before  // of a resumed run, by lane: what is in the file
	Numbers   map[bench.Case]int // of a resumed run: cases that have a number already
	Rate      float64            // requests per second that servers are tried with as well; 0: they are not
	Scratch   string             // a folder for what codecs write when they are verified
	Now       func() time.Time
}

// Before is what an earlier run measured of a lane.
type Before struct {
	Forks int           // the first number that is free
	Used  time.Duration // of the lane's time
}

// Event is something a user may want to see while a run goes on.
type Event struct {
	Phase   string // "verify", "calibrate", "measure" or "rate"
	Lane    string // as bench.Case.Lane names it
	Runtime string
	Codec   string // verify: the codec being verified; rate: the one being tried
	Fork    int
	Least   int           // measure: forks that are run whatever the time
	Elapsed time.Duration // of the lane's time
	Limit   time.Duration // of the lane's time, judged by its forks so far; 0: not known yet
	Total   time.Duration // of the measuring phase, all lanes together
	Sum     time.Duration // of the lanes' limits
}

// Summary is how a run went.
type Summary struct {
	Forks       int // of the lane that has most
	Interrupted bool
	Measure     time.Duration // the measuring phase
	Timed       time.Duration // of it, inside timed batches
	Batches     int           // short ones
	Preempted   int           // of them, those that something interrupted
}

// Scheduler runs lanes over samples.
type Scheduler struct {
	Config  Config
	Samples map[string]*Sample
	Sink    Sink
	Judge   Judge
	Observe func(Event)

	lanes   []*lane
	parties map[string]*party // by runtime
	summary Summary
	began   time.Time     // of the measuring phase
	lost    time.Duration // of it, in forks that came to nothing
	next    int           // next case number

	requests []runner.BatchRequest // reused from turn to turn
}

// Run verifies, calibrates and measures. What goes wrong with a case ends that
// case, and what goes wrong with a runtime its cases; an error is returned only
// when the records cannot be kept. A cancelled context ends the run early and
// cleanly.
func (s *Scheduler) Run(ctx context.Context, lanes []Lane) (Summary, error) {
	if s.Observe == nil {
		s.Observe = func(Event) {}
	}
	for _, n := range s.Config.Numbers {
		s.next = max(s.next, n+1)
	}
	for _, l := range lanes {
		s.lanes = append(s.lanes, s.newLane(l))
	}
	for _, step := range []func(context.Context, *lane) error{s.admit, s.calibrate} {
		for _, l := range s.lanes {
			err := step(ctx, l)
			if ctx.Err() != nil {
				s.summary.Interrupted = true
				return s.summary, s.Sink.Sync()
			}
			if err != nil {
				return s.summary, err
			}
		}
	}
	s.began = s.Config.Now()
	err := errors.Join(s.measure(ctx), s.progress())
	if err == nil && ctx.Err() == nil {
		err = s.rates(ctx)
	}
	s.summary.Interrupted = ctx.Err() != nil
	return s.summary, err
}

// calibrate prepares a lane's first fork.
func (s *Scheduler) calibrate(ctx context.Context, l *lane) error { return l.kind.calibrate(ctx) }

// measure runs forks, the lanes in turn, until nothing more is to be had. So
// whatever changes slowly meets all lanes, and each has its own time.
func (s *Scheduler) measure(ctx context.Context) error {
	for {
		ran := false
		for _, l := range s.lanes {
			if ctx.Err() != nil {
				return s.finish()
			}
			if len(l.running()) == 0 || s.enough(l) {
				continue
			}
			if err := s.nextFork(ctx, l); err != nil {
				return err
			}
			ran = true
		}
		if !ran {
			return s.finish()
		}
	}
}

// nextFork runs a lane's next fork and accounts for its time.
func (s *Scheduler) nextFork(ctx context.Context, l *lane) error {
	n, kept := l.next, l.kept
	s.Observe(s.event(l, n))
	s.focus(l, n)
	began := s.Config.Now()
	if err := s.fork(ctx, l, n); err != nil || ctx.Err() != nil {
		return err
	}
	l.next++
	took := s.Config.Now().Sub(began)
	if l.kept == kept { // what somebody's fault costs is not taken from the others' time
		s.lost += took
		return s.progress()
	}
	s.summary.Forks = max(s.summary.Forks, l.first+l.kept)
	l.used += took
	if l.longest = max(l.longest, took); kept <= 1 { // the pilot warms up longer
		l.longest = took
	}
	if kept == 0 {
		l.kind.adapt()
	}
	return s.progress()
}

// event is what there is to see before a lane's next fork.
func (s *Scheduler) event(l *lane, fork int) Event {
	e := Event{Phase: "measure", Lane: l.name, Runtime: l.Runtime, Fork: fork, Least: s.least(), Elapsed: l.used, Limit: s.limit(l), Total: s.elapsed()}
	for _, other := range s.lanes {
		e.Sum += max(s.limit(other), s.Config.MaxTime)
	}
	return e
}

// least is how many forks of a lane are run whatever the time.
func (s *Scheduler) least() int {
	if most := s.Config.MaxForks; most > 0 {
		return min(most, leastForks)
	}
	return leastForks
}

// limit is how much time a lane takes at most: its own, or what the least forks
// take if they are like those so far. Before the first one of a runtime that has
// to warm up nobody knows.
func (s *Scheduler) limit(l *lane) time.Duration {
	switch {
	case l.first > 0 || len(l.running()) == 0:
		return s.Config.MaxTime
	case l.kept == 0 && l.Compiles:
		return 0
	}
	missing := time.Duration(max(0, s.least()-l.kept))
	return max(s.Config.MaxTime, l.used+missing*l.longest)
}

// fork measures the lane's active cases once, in fresh processes, and keeps what
// it saw. If it fails, what it measured is dropped and the blame is found.
func (s *Scheduler) fork(ctx context.Context, l *lane, n int) error {
	f := l.kind.fork(n)
	defer f.close()
	err := f.run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return s.blame(l, err)
	}
	l.suspect, l.aborted, l.lost = false, 0, map[string]int{}
	err = f.keep()
	l.kept++
	return err
}

// allCasesEvery is how often a fork measures all cases of a lane; the forks
// between are for the comparisons that are still undecided.
const allCasesEvery = 3

// focus chooses what a fork measures.
func (s *Scheduler) focus(l *lane, fork int) {
	l.only = nil
	if fork < leastForks || fork%allCasesEvery == 0 {
		return
	}
	open := s.Judge.Open()
	for _, c := range l.running() {
		if open[c.Case] {
			l.only = open
		}
	}
}

// leastForks are run whatever the time: fewer say nothing, and the first is the pilot.
const leastForks = 4

func (s *Scheduler) enough(l *lane) bool {
	c := s.Config
	switch {
	case c.MaxForks > 0 && l.first+l.kept >= c.MaxForks:
		return true
	case l.first == 0 && l.kept < leastForks:
		return false
	case l.used+l.longest > c.MaxTime:
		return true
	}
	return c.Precision > 0 && s.Judge.Settled(l.name, c.Precision)
}

// elapsed is how long has been measured; forks that came to nothing do not count.
func (s *Scheduler) elapsed() time.Duration { return s.Config.Now().Sub(s.began) - s.lost }

// finish gives every case that is still running its outcome.
func (s *Scheduler) finish() error {
	for _, l := range s.lanes {
		for _, c := range l.running() {
			status, reason := bench.Measured, ""
			if !c.measured && l.first == 0 {
				status, reason = bench.Failed, "the run ended before this case was measured"
			}
			if err := s.Sink.Append(&store.Outcome{Kind: "outcome", Case: c.number, Status: status, Reason: reason}); err != nil {
				return err
			}
		}
	}
	return s.Sink.Sync()
}

func (s *Scheduler) progress() error {
	s.summary.Measure = s.elapsed()
	share := 0.0
	if s.summary.Batches > 0 {
		share = float64(s.summary.Preempted) / float64(s.summary.Batches)
	}
	used := map[string]int64{}
	for _, l := range s.lanes {
		used[l.name] = (l.used - s.Config.Before[l.name].Used).Nanoseconds()
	}
	err := s.Sink.Append(&store.Progress{
		Kind: "progress", Forks: s.summary.Forks,
		MeasureNS: s.summary.Measure.Nanoseconds(), BatchNS: s.summary.Timed.Nanoseconds(), Preempted: share, RuntimeNS: used,
	})
	return errors.Join(err, s.Sink.Sync())
}

// end closes a case with an outcome that is not "measured".
func (s *Scheduler) end(c *caseState, status bench.Status, reason string) error {
	c.ended = true
	return s.Sink.Append(&store.Outcome{Kind: "outcome", Case: c.number, Status: status, Reason: reason})
}

// explain turns a runner's error into a status and a reason.
func explain(err error) (bench.Status, string) {
	var skipped *runner.SkippedError
	if errors.As(err, &skipped) {
		return bench.Skipped, skipped.Reason
	}
	var memory *runner.MemoryError
	if errors.As(err, &memory) {
		return bench.Skipped, memory.Error()
	}
	if failed, ok := err.(*runner.FailedError); ok { // with nothing around it
		return bench.Failed, failed.Reason
	}
	return bench.Failed, fmt.Sprint(err)
}
