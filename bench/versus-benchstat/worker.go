package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"time"

	"wirecost/bench/versus-benchstat/work"
	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// runtimeName is what the built-in runner calls itself.
const runtimeName = "repeat"

// serve makes this process a runner whose codecs are the arms.
func serve() error {
	return runner.Serve(context.Background(), &worker{}, os.Stdin, os.Stdout)
}

// worker measures as the Go runner does: the same loop, the same order of clock
// and usage readings. It is a runner.Process on the runner's side.
type worker struct {
	message []byte
	reply   runner.MeasureReply // used again
	batches []work.Operation
}

// codec describes an arm.
func codec(arm string) runner.CodecDescription {
	return runner.CodecDescription{
		Name: arm, Format: bench.Protobuf, Documents: "protobuf", Operations: []bench.Operation{bench.Decode},
		Traits: []string{"typed"}, Library: "work", Version: "1",
	}
}

// Describe implements runner.Process.
func (w *worker) Describe(context.Context) (*runner.Description, error) {
	d := &runner.Description{
		Protocol: runner.ProtocolVersion, Runtime: runtimeName, Version: runtime.Version(),
		ClockStepNS: float64(clockStep().Nanoseconds()), StringUnit: "utf8",
	}
	for _, arm := range work.Arms {
		d.Codecs = append(d.Codecs, codec(arm))
	}
	return d, nil
}

// clockStep is the smallest difference that two readings of the clock showed.
func clockStep() time.Duration {
	least := time.Hour
	for range 2000 {
		start := time.Now()
		step := time.Since(start)
		for step <= 0 {
			step = time.Since(start)
		}
		least = min(least, step)
	}
	return least
}

// Prepare implements runner.Process.
func (w *worker) Prepare(_ context.Context, samples []runner.SampleFiles, codecs []string) (*runner.PrepareReply, error) {
	for _, s := range samples {
		docs, err := runner.ReadDocumentsFile(s.Files["protobuf"], runner.DocumentLimits{Documents: 1, Bytes: 1 << 20})
		if err != nil {
			return nil, err
		}
		if len(docs) != 1 {
			return nil, fmt.Errorf("%d documents; want 1", len(docs))
		}
		w.message = docs[0]
	}
	for _, c := range codecs {
		if _, err := w.operation(c); err != nil {
			return nil, err
		}
	}
	return &runner.PrepareReply{}, nil
}

func (w *worker) operation(arm string) (work.Operation, error) {
	times, err := work.Times(arm)
	if err != nil {
		return nil, err
	}
	return work.Of(w.message, times), nil
}

// Verify implements runner.Process. The message is written back as it is: the
// operations check by themselves that they decoded it.
func (w *worker) Verify(_ context.Context, req runner.VerifyRequest) (*runner.VerifyReply, error) {
	if err := work.Repeat(w.message, 1); err != nil {
		return nil, err
	}
	if err := runner.WriteDocumentsFile(req.Out, [][]byte{w.message}); err != nil {
		return nil, err
	}
	return &runner.VerifyReply{Leaf: []uint32{1}}, nil
}

// Cold implements runner.Process.
func (w *worker) Cold(_ context.Context, req runner.ColdRequest) (*runner.ColdReply, error) {
	op, err := w.operation(req.Codec)
	if err != nil {
		return nil, err
	}
	r := &runner.ColdReply{NS: make([]int64, req.Count)}
	for i := range r.NS {
		wall, _, err := work.Run(op, 1)
		if err != nil {
			return nil, err
		}
		r.NS[i] = wall.Nanoseconds()
	}
	return r, nil
}

// Measure implements runner.Process.
func (w *worker) Measure(_ context.Context, req runner.MeasureRequest) (*runner.MeasureReply, error) {
	r := &w.reply
	*r = runner.MeasureReply{WallNS: make([]int64, len(req.Turn)), Checksum: make([]uint32, len(req.Turn)), CPUNS: -1, Preemptions: -1}
	w.batches = w.batches[:0]
	for _, b := range req.Turn {
		op, err := w.operation(b.Codec)
		if err != nil {
			return nil, err
		}
		w.batches = append(w.batches, op)
	}
	if req.Settle {
		runtime.GC()
	}
	collections := collected()
	cpu, preemptions := usage()
	for i, op := range w.batches {
		wall, sum, err := work.Run(op, req.Turn[i].Iterations)
		if err != nil {
			return nil, err
		}
		r.WallNS[i], r.Checksum[i] = wall.Nanoseconds(), sum
	}
	if cpuNow, preemptionsNow := usage(); cpu >= 0 {
		r.CPUNS, r.Preemptions = cpuNow-cpu, preemptionsNow-preemptions
	}
	r.Collections = collected() - collections
	return r, nil
}

var cycles = []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}

func collected() int64 {
	metrics.Read(cycles)
	return int64(cycles[0].Value.Uint64())
}

// Memory implements runner.Process: nothing here is about memory.
func (w *worker) Memory(context.Context, runner.MemoryRequest) (*runner.MemoryReply, error) {
	return nil, &runner.SkippedError{Reason: "it is not counted here"}
}

// Empty implements runner.Process.
func (w *worker) Empty(_ context.Context, req runner.EmptyRequest) (*runner.EmptyReply, error) {
	wall, _, err := work.Run(work.Nothing, req.Iterations)
	return &runner.EmptyReply{WallNS: wall.Nanoseconds()}, err
}

// Close implements runner.Process.
func (w *worker) Close() error { return nil }

var errNoTransport = &runner.SkippedError{Reason: "this runner has no transport"}

// Serve implements runner.Process.
func (w *worker) Serve(context.Context, runner.ServeRequest) (*runner.ServeReply, error) {
	return nil, errNoTransport
}

// Usage implements runner.Process.
func (w *worker) Usage(context.Context) (*runner.UsageReply, error) { return nil, errNoTransport }

// Call implements runner.Process.
func (w *worker) Call(context.Context, runner.CallRequest) (*runner.CallReply, error) {
	return nil, errNoTransport
}
