package cli

import (
	"context"
	"fmt"
	"slices"

	"wirecost/internal/analyse"
	"wirecost/internal/env"
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
		Bytes: d.Bytes, Digest: d.Digest, Shape: shape.Map(), Notes: append(notes, in.decisions(d.ID)...), Sweep: in.sweeps[d.ID], Maps: in.schema.Model.HasMaps(d.ID),
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
