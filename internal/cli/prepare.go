package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"

	"wirecost/internal/analyse"
	"wirecost/internal/env"
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

// warm starts compiling what needs no schema; the returned function waits.
func (r *running) warm(ctx context.Context) func() error {
	var group errgroup.Group
	if r.app.Start == nil {
		for _, c := range r.choices {
			group.Go(func() error { return r.builder.Warm(ctx, c.Runner, c.CodecNames()) })
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

// build makes a lane of every runtime. A runtime that cannot be built at all is
// an error only if no other is left.
func (r *running) build(ctx context.Context, warm func() error) ([]sched.Lane, error) {
	ids := make([]string, len(r.data))
	for i, d := range r.data {
		ids[i] = d.ID
	}
	var lanes []sched.Lane
	var failed error
	for _, c := range r.choices {
		lane := sched.Lane{
			Runtime: c.Runner.Runtime, Isolated: c.Runner.Isolation == "codec", Compiles: c.Runner.Compiles,
			Codecs: c.Codecs, Cases: r.selection.Cases(c, ids), Dropped: map[string]string{},
		}
		if r.app.Start != nil {
			lane.Starter = r.app.Start(c.Runner)
			lanes = append(lanes, lane)
			continue
		}
		r.live.phase("preparing the %s codecs (what has to be compiled takes minutes the first time, and is kept)", c.Runner.Runtime)
		if err := warm(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("the libraries of %s do not build: %w", c.Runner.Runtime, err))
			continue
		}
		build, err := r.buildOne(ctx, c.Runner, c.CodecNames())
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("the %s runner does not build: %w", c.Runner.Runtime, err))
			continue
		}
		for _, d := range build.Dropped {
			lane.Dropped[d.Codec] = d.Reason
		}
		lane.Starter = build
		lanes = append(lanes, lane)
	}
	if len(lanes) == 0 {
		return nil, failed
	}
	if failed != nil {
		r.missing = append(r.missing, failed.Error())
	}
	return lanes, nil
}

func (r *running) buildOne(ctx context.Context, x *runner.Runner, codecs []string) (*runner.Build, error) {
	sets, err := r.in.sets()
	if err != nil {
		return nil, err
	}
	return r.builder.Build(ctx, x, runner.BuildRequest{
		Model: r.in.schema.Model, Sets: sets, Codecs: codecs,
		Progress: func(line string) { r.live.phase("%s", line) },
	})
}

// sets gives the files that Protobuf generators read.
func (in *input) sets() (map[string][]byte, error) {
	model, err := json.Marshal(in.schema.Model)
	if err != nil {
		return nil, err
	}
	sets := map[string][]byte{"model.json": model}
	for name, jsonNames := range map[string]bool{"set.binpb": false, "set-protojson.binpb": true} {
		set, err := in.schema.Normalised(jsonNames)
		if err != nil {
			return nil, err
		}
		if sets[name], err = (proto.MarshalOptions{Deterministic: true}).Marshal(set); err != nil {
			return nil, err
		}
	}
	return sets, nil
}
