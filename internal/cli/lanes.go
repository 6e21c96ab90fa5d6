package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/sched"
)

// atOnce is how many runtimes are compiled for side by side: a compiler takes a
// core or more, and memory.
func atOnce() int { return max(1, runtime.GOMAXPROCS(0)) }

// warming is work that needs no schema, under way.
type warming map[*runner.Runner]chan struct{}

// warm starts compiling what needs no schema, a few runtimes at a time.
func (r *running) warm(ctx context.Context) warming {
	w := warming{}
	if r.app.Start != nil {
		return w
	}
	slots := make(chan struct{}, atOnce())
	for _, c := range r.choices {
		done := make(chan struct{})
		w[c.Runner] = done
		go func() {
			defer close(done)
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
				// What is wrong is told by the build, if it matters to it.
				_ = r.builder.Warm(ctx, c.Runner, c.CodecNames())
			case <-ctx.Done():
			}
		}()
	}
	return w
}

// wait waits until a runtime's libraries are ready.
func (w warming) wait(x *runner.Runner) {
	if done := w[x]; done != nil {
		<-done
	}
}

// end waits for all.
func (w warming) end() {
	for _, done := range w {
		<-done
	}
}

// build makes a lane of every runtime, a few at a time. It fails where none can
// be built at all.
func (r *running) build(ctx context.Context, warm warming) ([]sched.Lane, error) {
	ids := make([]string, len(r.data))
	for i, d := range r.data {
		ids[i] = d.ID
	}
	lanes := make([]sched.Lane, len(r.choices))
	errs := make([]error, len(r.choices))
	r.preparing()
	var group errgroup.Group
	group.SetLimit(atOnce())
	for i, c := range r.choices {
		lanes[i] = sched.Lane{
			Runtime: c.Runner.Runtime, Isolated: c.Runner.Isolation == "codec", Compiles: c.Runner.Compiles,
			Codecs: c.Codecs, Cases: r.selection.Cases(c, ids), Dropped: map[string]string{},
		}
		group.Go(func() error {
			errs[i] = r.starter(ctx, &lanes[i], c, warm)
			return nil
		})
	}
	_ = group.Wait() // each has an error of its own
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	built := 0
	for i, err := range errs {
		if err == nil {
			built++
			continue
		}
		errs[i] = fmt.Errorf("the %s runner does not build: %w", lanes[i].Runtime, err)
		lanes[i].Broken, _, _ = strings.Cut(errs[i].Error(), "\n")
	}
	failed := errors.Join(errs...)
	if built == 0 {
		return nil, failed
	}
	r.unbuilt = failed
	return lanes, nil
}

// preparing says what is being built.
func (r *running) preparing() {
	var names []string
	for _, c := range r.choices {
		names = append(names, c.Runner.Runtime)
	}
	if r.app.Start == nil {
		r.live.phase("preparing the codecs of %s (what has to be compiled takes minutes the first time, and is kept)", strings.Join(names, ", "))
	}
}

// starter gives a lane what starts its processes.
func (r *running) starter(ctx context.Context, lane *sched.Lane, c plan.Choice, warm warming) error {
	if r.app.Start != nil {
		lane.Starter = r.app.Start(c.Runner)
		return nil
	}
	warm.wait(c.Runner)
	build, err := r.buildOne(ctx, c.Runner, c.CodecNames())
	if err != nil {
		return err
	}
	for _, d := range build.Dropped {
		lane.Dropped[d.Codec] = d.Reason
	}
	lane.Starter = build
	return nil
}

func (r *running) buildOne(ctx context.Context, x *runner.Runner, codecs []string) (*runner.Build, error) {
	sets, err := runner.Sets(r.in.schema)
	if err != nil {
		return nil, err
	}
	return r.builder.Build(ctx, x, runner.BuildRequest{
		Model: r.in.schema.Model, Sets: sets, Codecs: codecs,
		Progress: func(line string) { r.live.phase("%s", line) },
	})
}
