package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"wirecost/internal/analyse"
	"wirecost/internal/env"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/sched"
	"wirecost/internal/size"
	"wirecost/internal/store"
)

// resultFile is the result file being written, read along by the analysis.
type resultFile struct {
	*store.Writer
	path     string
	analysis *analyse.Analysis
}

// Append implements sched.Sink.
func (f *resultFile) Append(rec any) error {
	f.analysis.Add(rec)
	return f.Writer.Append(rec)
}

func (f *resultFile) close(status string) error { return f.Close(status) }

// warm starts compiling what needs no schema; the returned function waits. An
// error does not matter yet: it may be one codec's, which the build then drops,
// or else tells.
func (r *running) warm(ctx context.Context) (wait func()) {
	var group sync.WaitGroup
	if r.app.Start == nil {
		for _, c := range r.choices {
			group.Go(func() { _ = r.builder.Warm(ctx, c.Runner, c.CodecNames()) })
		}
	}
	return group.Wait
}

// begin opens the result file and writes what is known before measuring.
func (r *running) begin(files []string) error {
	r.analysis = analyse.New(analyse.Options{Baseline: r.f.baseline})
	if r.resumed != nil {
		return r.goOn()
	}
	path := r.f.file
	if path == "" {
		var err error
		if path, err = r.app.resultPath(r.data[0].ID); err != nil {
			return err
		}
	}
	w, err := store.Create(path, r.header(files))
	if err != nil {
		return err
	}
	r.file = &resultFile{w, path, r.analysis}
	for _, d := range r.data {
		records, err := r.in.describe(d)
		if err != nil {
			return err
		}
		for _, rec := range records {
			if err := r.file.Append(rec); err != nil {
				return err
			}
		}
	}
	return r.file.Sync()
}

func (r *running) header(files []string) store.Header {
	h := store.Header{
		Version: env.Version(), Time: r.app.Now().UTC(), Command: r.command(files), Seed: r.f.seed,
		Machine: r.app.machine(), Versions: r.versions,
		Schema: store.SchemaInfo{Source: "given", Message: r.f.input.message, Digest: r.in.schema.Digest()},
		Settings: store.Settings{
			PrecisionPercent: float64(r.f.precision) * 100, MaxTimeSeconds: r.f.maxTime.Seconds(), MaxForks: r.f.maxForks,
			Baseline: r.f.baseline, Rate: r.f.rate, Link: r.f.link,
		},
	}
	if r.in.inferred != nil {
		h.Schema.Source, h.Schema.Track = "inferred", r.f.input.track.value
	}
	return h
}

// describe gives a sample's records: what it is, and what its schema loses of it.
func (in *input) describe(d *data) ([]any, error) {
	shape := in.shapes[d.ID]
	shape.ValueShare = d.freeShare() // as the schema has it, not as it would be inferred
	notes := slices.Clone(d.Notes)
	if n := d.freeNote(); n != "" {
		notes = append(notes, n)
	}
	records := []any{&store.Sample{
		Sample: d.ID, Name: d.Name, Documents: len(d.Documents), Timed: len(d.timed),
		Bytes: d.Bytes, Digest: d.Digest, Shape: shape.Map(), Notes: append(notes, in.decisions(d.ID)...),
	}}
	losses, err := in.schema.Losses(d.ID, documents(d.Sample))
	if err != nil {
		return nil, err
	}
	for _, l := range losses {
		records = append(records, &store.Loss{Sample: d.ID, Path: l.Path, What: l.What, Note: l.Note, Documents: l.Documents, Example: l.Example})
	}
	return records, nil
}

// shownNotes is how many of a schema's uncertain decisions a result tells of.
const shownNotes = 6

// decisions lists the uncertain decisions behind a sample's schema.
func (in *input) decisions(sample string) []string {
	notes := slices.Clone(in.notes)
	if in.inferred != nil {
		notes = append(notes, noteTexts(in.inferred.Notes)...)
	}
	if more := len(notes) - shownNotes; more > 0 {
		notes = append(notes[:shownNotes], fmt.Sprintf("and %d more decisions: wirecost infer lists them all", more))
	}
	return notes
}

// sizes measures and records the sizes of every form of every sample.
func (r *running) sizes(ctx context.Context) error {
	for _, d := range r.data {
		if r.resumed != nil && r.resumed.sized[d.ID] {
			continue
		}
		r.live.phase("compressing %s", d.Name)
		rows, err := size.Measure(ctx, size.Request{Sample: d.ID, Forms: d.forms, Codings: r.codings.of(r.in.shapes[d.ID]), Times: true})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := r.file.Append(&row); err != nil {
				return err
			}
		}
	}
	return r.file.Sync()
}

// build makes a lane of every runtime. It fails where none can be built at all.
func (r *running) build(ctx context.Context, warm func()) ([]sched.Lane, error) {
	ids := make([]string, len(r.data))
	for i, d := range r.data {
		ids[i] = d.ID
	}
	var lanes []sched.Lane
	var failed error
	built := 0
	for _, c := range r.choices {
		lane := sched.Lane{
			Runtime: c.Runner.Runtime, Isolated: c.Runner.Isolation == "codec", Compiles: c.Runner.Compiles,
			Codecs: c.Codecs, Cases: r.selection.Cases(c, ids), Dropped: map[string]string{},
		}
		if err := r.starter(ctx, &lane, c, warm); err != nil {
			err = fmt.Errorf("the %s runner does not build: %w", lane.Runtime, err)
			lane.Broken, _, _ = strings.Cut(err.Error(), "\n")
			failed = errors.Join(failed, err)
		} else {
			built++
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		lanes = append(lanes, lane)
	}
	if built == 0 {
		return nil, failed
	}
	r.unbuilt = failed
	return lanes, nil
}

// starter gives a lane what starts its processes.
func (r *running) starter(ctx context.Context, lane *sched.Lane, c plan.Choice, warm func()) error {
	if r.app.Start != nil {
		lane.Starter = r.app.Start(c.Runner)
		return nil
	}
	r.live.phase("preparing the %s codecs (what has to be compiled takes minutes the first time, and is kept)", lane.Runtime)
	warm()
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
