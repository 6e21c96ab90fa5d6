package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"wirecost/bench/versus-benchstat/work"
	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/sched"
	"wirecost/internal/store"
)

// sampleName is what the one document is called.
const sampleName = "message"

// lab makes trials.
type lab struct {
	executable string
	dir        string // for what codecs write
	spin       int    // busy neighbours
	sample     *sched.Sample
	peer       peer
}

// newLab prepares trials; executable is this program.
func newLab(executable, dir string, spin int) (*lab, error) {
	l := &lab{executable: executable, dir: dir, spin: spin}
	message, path := work.Message(), filepath.Join(dir, "message.protobuf")
	if err := runner.WriteDocumentsFile(path, [][]byte{message}); err != nil {
		return nil, err
	}
	l.sample = &sched.Sample{
		Files: runner.SampleFiles{Sample: sampleName, Documents: 1, Files: map[string]string{"protobuf": path}},
		Bytes: []int{len(message)}, Truth: truth(message),
	}
	return l, nil
}

// truth is the message itself; each operation adds 1 to a checksum.
type truth []byte

// Expected implements sched.Truth.
func (truth) Expected(string) (leaf, visit []uint32, err error) {
	return []uint32{1}, []uint32{1}, nil
}

// Check implements sched.Truth.
func (t truth) Check(_ runner.CodecDescription, out [][]byte) error {
	if len(out) != 1 || !bytes.Equal(out[0], t) {
		return errors.New("the message did not come back as it was")
	}
	return nil
}

// Start implements runner.Starter: a fork is this program once more.
func (l *lab) Start(ctx context.Context) (runner.Process, error) {
	child, err := runner.StartCommand(ctx, runner.Command{Words: []string{l.executable}, Environment: map[string]string{roleVariable: "runner"}})
	if err != nil {
		return nil, err
	}
	return child, nil
}

// lane is the arms as codecs of one runtime; the first is the baseline.
func (l *lab) lane(arms []string, apart bool) sched.Lane {
	lane := sched.Lane{Runtime: runtimeName, Isolated: apart, Starter: l}
	for i, arm := range arms {
		d := codec(arm)
		c := runner.Codec{Name: arm, Format: d.Format, Documents: d.Documents, Operations: d.Operations, Library: d.Library, Traits: d.Traits}
		if i == 0 {
			c.Role = "default"
		}
		lane.Codecs = append(lane.Codecs, c)
		lane.Cases = append(lane.Cases, bench.Case{
			Sample: sampleName, Runtime: runtimeName, Codec: arm, Format: d.Format,
			Operation: bench.Decode, Transport: bench.Memory, Encoding: bench.Identity,
		})
	}
	return lane
}

// watch is a run's sink and its judge. The analysis is wirecost's own; only the
// mutator times, which tables show, decide when the run ends.
type watch struct {
	analysis *analyse.Analysis
	began    time.Time
	forks    int
	looks    []look
}

func newWatch() *watch {
	return &watch{analysis: analyse.New(analyse.Options{}), began: time.Now()}
}

// Append implements sched.Sink. A fork ends with a progress record: a user may
// look then, so a look is taken.
func (w *watch) Append(rec any) error {
	w.analysis.Add(rec)
	if p, ok := rec.(*store.Progress); ok && p.Forks > w.forks {
		w.forks = p.Forks
		at := time.Since(w.began).Seconds()
		for _, c := range w.comparisons() {
			w.looks = append(w.looks, lookAt(c, at))
		}
	}
	return nil
}

// Sync implements sched.Sink.
func (w *watch) Sync() error { return nil }

func lookAt(c analyse.Comparison, at float64) look {
	l := look{At: at, Codec: c.Case.Codec, Forks: c.Forks, Ratio: c.Ratio, Low: c.Low, Verdict: c.Verdict}
	if !math.IsInf(c.High, 0) {
		l.High = c.High
	}
	return l
}

func (w *watch) comparisons() (list []analyse.Comparison) {
	for _, c := range w.analysis.Comparisons() {
		if c.Metric == bench.Mutator {
			list = append(list, c)
		}
	}
	return list
}

// Settled implements sched.Judge: every comparison has a verdict, and is
// equivalent or known to the precision asked for.
func (w *watch) Settled(_ string, precision float64) bool {
	list := w.comparisons()
	for _, c := range list {
		if !c.Decided() || c.Verdict != bench.Equivalent && math.Sqrt(c.High/c.Low)-1 > precision {
			return false
		}
	}
	return len(list) > 0
}

// Open implements sched.Judge.
func (w *watch) Open() map[bench.Case]bool {
	open := map[bench.Case]bool{}
	for _, c := range w.comparisons() {
		if !c.Decided() {
			open[c.Case], open[c.Baseline] = true, true
		}
	}
	return open
}

func (w *watch) cpuVerdict() bench.Verdict {
	for _, c := range w.analysis.Comparisons() {
		if c.Metric == bench.CPU {
			return c.Verdict
		}
	}
	return ""
}

// keeper is a sink that also judges.
type keeper interface {
	sched.Sink
	sched.Judge
}

// schedule runs wirecost's scheduler over a lane. It returns the share of the
// measuring phase that was inside batches.
func (l *lab) schedule(ctx context.Context, lane sched.Lane, k keeper, c sched.Config) (inside float64, err error) {
	c.Precision, c.Scratch, c.Now = 0.01, l.dir, time.Now
	s := &sched.Scheduler{Config: c, Samples: map[string]*sched.Sample{sampleName: l.sample}, Sink: k, Judge: k}
	summary, err := s.Run(ctx, []sched.Lane{lane})
	if err == nil {
		err = ctx.Err()
	}
	return summary.Timed.Seconds() / summary.Measure.Seconds(), err
}

// trial makes one trial of whatever kind.
func (l *lab) trial(ctx context.Context, j job) (trial, error) {
	if j.busy {
		var n neighbours
		if err := n.start(l.executable, l.spin); err != nil {
			return trial{}, err
		}
		defer n.stop()
	}
	t, err := l.measure(ctx, j)
	if err != nil {
		return trial{}, fmt.Errorf("%s: %w", j.key(), err)
	}
	t.Kind, t.Cell, t.Index, t.Busy = "trial", j.name, j.index, j.busy
	return t, nil
}

// calibrate finds how long go test's benchmarks have to be, by trials that do not
// count.
func (l *lab) calibrate(ctx context.Context, want float64) error {
	l.peer.first(want)
	for i := range 4 {
		t, err := l.trial(ctx, job{cell: cell{method: goTest, arms: []string{"100a", "100b"}}, busy: i%2 == 1})
		if err != nil {
			return err
		}
		l.peer.follow(t, want, 1)
	}
	return nil
}

func (l *lab) measure(ctx context.Context, j job) (trial, error) {
	lane := l.lane(j.arms, j.apart)
	switch j.method {
	case goTest:
		return l.peer.trial(ctx, j)
	case peeking:
		return l.peek(ctx, j)
	case inTurns:
		lane.Starter = oneAfterAnother{l, j.arms}
	}
	w := newWatch()
	inside, err := l.schedule(ctx, lane, w, sched.Config{Seed: j.seed, MaxTime: seconds(j.limit)})
	return trial{Seconds: time.Since(w.began).Seconds(), Looks: w.looks, CPUVerdict: w.cpuVerdict(), Inside: inside}, err
}
