package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wirecost/internal/sample"
	"wirecost/internal/schema"
	"wirecost/internal/store"
	"wirecost/internal/strictjson"
)

// inputFlags say how documents are read and where their schema comes from.
type inputFlags struct {
	schema    string
	roots     []string
	message   string
	messages  []string // of single samples, as sample=message
	track     choice
	expand    []string
	maps      []string
	noMaps    []string
	exactNull bool
	repr      map[string]string
	whole     bool
	replace   bool
	lastWins  bool
	limits    sample.Limits
	maxDoc    byteSize
	maxLine   byteSize
	maxAll    byteSize
	sweep     sweepFlag
}

func (f *inputFlags) add(cmd *cobra.Command, tracks ...string) {
	f.track = choice{"literal", append([]string{"literal", "typed"}, tracks...)}
	f.limits = sample.DefaultLimits()
	f.maxDoc, f.maxLine, f.maxAll = byteSize(f.limits.Document), byteSize(f.limits.Line), byteSize(f.limits.Decoded)
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.schema, "schema", "", "your own schema: a .proto file or a descriptor set (default: inferred)")
	flags.StringArrayVarP(&f.roots, "import", "I", nil, "folder that the schema's imports are looked for in (repeatable)")
	flags.StringVar(&f.message, "message", "", "the documents' message type (default: the one that no other uses)")
	flags.StringArrayVar(&f.messages, "root", nil, "the message type of one sample's documents where it is another, as users=shop.User (repeatable)")
	flags.Var(&f.track, "track", "inference: literal keeps strings; typed recognises times, UUIDs, base64, enums")
	flags.StringArrayVar(&f.expand, "expand", nil, "read the JSON text in the strings at this path, as $.payload (repeatable)")
	flags.StringArrayVar(&f.maps, "map", nil, "infer a map for the objects at this path, as $.pairs (repeatable)")
	flags.StringArrayVar(&f.noMaps, "no-map", nil, "infer no map for the objects at this path (repeatable)")
	flags.BoolVar(&f.exactNull, "exact-null", false, "infer: tell null from missing everywhere, at the cost of more messages")
	flags.StringToStringVar(&f.repr, "repr", nil, "how the documents spell a field of your schema, as trace_id=hex")
	flags.BoolVar(&f.whole, "whole", false, "a top-level array is one document")
	flags.BoolVar(&f.replace, "replace", false, "replace invalid UTF-8 and lone surrogates by U+FFFD, and count them")
	flags.BoolVar(&f.lastWins, "last-wins", false, "of equal keys in an object keep the last, and count them")
	flags.Var(&f.maxDoc, strings.TrimPrefix(sample.FlagDocument, "--"), "largest document")
	flags.Var(&f.maxLine, strings.TrimPrefix(sample.FlagLine, "--"), "longest line of NDJSON")
	flags.Var(&f.maxAll, strings.TrimPrefix(sample.FlagDecoded, "--"), "most bytes read in all, decompressed")
	flags.Float64Var(&f.limits.Ratio, strings.TrimPrefix(sample.FlagRatio, "--"), f.limits.Ratio, "most that a compressed file may expand")
	flags.IntVar(&f.limits.Depth, strings.TrimPrefix(sample.FlagDepth, "--"), f.limits.Depth, "deepest nesting")
	flags.IntVar(&f.limits.Keys, strings.TrimPrefix(sample.FlagKeys, "--"), f.limits.Keys, "most keys of one object")
	flags.IntVar(&f.limits.Documents, strings.TrimPrefix(sample.FlagDocuments, "--"), f.limits.Documents, "most documents")
}

func (f *inputFlags) sampleLimits() sample.Limits {
	l := f.limits
	l.Document, l.Line, l.Decoded = int64(f.maxDoc), int64(f.maxLine), int64(f.maxAll)
	return l
}

func (f *inputFlags) jsonLimits() strictjson.Limits {
	return strictjson.Limits{Depth: f.limits.Depth, Keys: f.limits.Keys, Document: int(f.maxDoc)}
}

func (f *inputFlags) inferOptions(track string) schema.InferOptions {
	return schema.InferOptions{Track: track, Map: f.maps, NoMap: f.noMaps, ExactNull: f.exactNull, Limits: f.jsonLimits()}
}

// input is documents with their schema.
type input struct {
	samples  []*sample.Sample
	schema   *schema.Schema
	inferred *schema.Inferred // nil where the schema was given
	shapes   map[string]schema.Shape
	notes    []string
	// originals has the documents that --expand changed, by index.
	originals map[*sample.Sample]map[int]original
	sweeps    map[string]*store.Sweep // of samples that are steps of one
}

// open reads the files, with the user's schema if there is one.
func (a *App) open(ctx context.Context, f *inputFlags, files []string) (*input, error) {
	in := &input{}
	opt := sample.Options{Whole: f.whole, Limits: f.sampleLimits(), Stdin: a.Stdin, Replace: f.replace, LastWins: f.lastWins}
	if f.schema != "" {
		s, err := schema.Compile(ctx, schema.Source{File: f.schema, Roots: f.roots, Message: f.message})
		if err != nil {
			return nil, err
		}
		s.Limits = f.jsonLimits()
		in.schema = s
		opt.Schema = s.Decoder()
	}
	samples, err := sample.Open(files, opt)
	if err != nil {
		return nil, err
	}
	if err := in.expand(f, samples); err != nil {
		return nil, err
	}
	for _, s := range samples {
		if why := s.Nothing(); why != "" {
			in.notes = append(in.notes, fmt.Sprintf("%s: nothing to measure because %s", s.Name, why))
			continue
		}
		in.samples = append(in.samples, s)
	}
	if len(in.samples) == 0 {
		return nil, errors.New(strings.Join(in.notes, "\n"))
	}
	return in, in.sweep(f)
}

// load reads the files and gives their documents a schema.
func (a *App) load(ctx context.Context, f *inputFlags, files []string) (*input, error) {
	in, err := a.open(ctx, f, files)
	if err != nil {
		return nil, err
	}
	if in.schema != nil {
		return in, in.fit(ctx, f)
	}
	return in, in.infer(ctx, f, f.track.value)
}

// documents returns a sample's documents as the user wrote them.
func documents(s *sample.Sample) [][]byte {
	docs := make([][]byte, len(s.Documents))
	for i, d := range s.Documents {
		docs[i] = d.Data
	}
	return docs
}

// fit makes the given schema the schema of every sample, spelt as the documents
// spell it.
func (in *input) fit(ctx context.Context, f *inputFlags) error {
	roots, err := in.roots(f.messages)
	if err != nil {
		return err
	}
	fitted, err := in.schema.WithRoots(roots)
	if err != nil {
		return err
	}
	in.schema = fitted
	sets := make([]schema.FitSample, len(in.samples))
	for i, s := range in.samples {
		sets[i] = schema.FitSample{Sample: s.ID, Docs: documents(s)}
	}
	reports, err := in.schema.FitAll(sets, schema.FitOptions{Repr: f.repr})
	if err != nil {
		return in.place(err)
	}
	for i, r := range reports {
		if len(r.Mismatches) > 0 {
			return in.mismatch(in.samples[i], r)
		}
		for _, text := range noteTexts(r.Notes) { // those of the schema come with every sample
			if !slices.Contains(in.notes, text) {
				in.notes = append(in.notes, text)
			}
		}
	}
	in.notes = append(in.notes, noteTexts(in.schema.Notes)...)
	parts, err := in.partials(ctx, schema.InferOptions{Limits: f.jsonLimits()})
	if err != nil {
		return err
	}
	shaped, err := schema.Infer(parts, schema.InferOptions{})
	if err != nil {
		return err
	}
	in.shapes = shaped.Shape
	return nil
}

// roots gives every sample its message type: that of --root, or the schema's own
// choice, which is empty.
func (in *input) roots(messages []string) (map[string]string, error) {
	roots := map[string]string{}
	for _, s := range in.samples {
		roots[s.ID] = ""
	}
	for _, m := range messages {
		sample, message, ok := strings.Cut(m, "=")
		if _, known := roots[sample]; !ok || !known {
			return nil, &usageError{fmt.Errorf("--root %s: write it as SAMPLE=MESSAGE; the samples are %s", m, strings.Join(slices.Sorted(maps.Keys(roots)), ", "))}
		}
		roots[sample] = message
	}
	return roots, nil
}

func noteTexts(notes []schema.Note) []string {
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.String()
	}
	return texts
}

// mismatch is the error for documents that do not match the user's schema, each
// kind of mismatch with the place where it is first seen.
func (in *input) mismatch(s *sample.Sample, r *schema.FitReport) error {
	var lines []string
	for _, m := range r.Mismatches {
		times := ""
		if m.Count > 1 {
			times = fmt.Sprintf(" (%d times)", m.Count)
		}
		lines = append(lines, fmt.Sprintf("%s: %s: %s%s", in.at(s, m.Document, m.Offset), m.Path, m.What, times))
	}
	lines = append(lines, fmt.Sprintf("%d of %d documents of %s do not match the schema; nothing is measured of them, because their Protobuf form would not be the same data", r.Refused, r.Documents, s.Name))
	return errors.New(strings.Join(lines, "\n"))
}

// at gives a place within a document as FILE:LINE:COL.
func (in *input) at(s *sample.Sample, document, offset int) string {
	d := s.Documents[document]
	if o, ok := in.originals[s][document]; ok {
		d, offset = o.Document, o.expanded.Origin(offset)
	}
	if d.Line == 0 {
		return fmt.Sprintf("%s: byte %d of document %d", d.Source, offset, d.Index+1)
	}
	line, column := strictjson.Position(d.Data, min(offset, len(d.Data)))
	if line == 1 {
		column += d.Column - 1
	}
	return fmt.Sprintf("%s:%d:%d", d.Source, d.Line+line-1, column)
}

// place gives an error in a document its file, line and column.
func (in *input) place(err error) error {
	var doc *schema.DocumentError
	if !errors.As(err, &doc) {
		return err
	}
	for _, s := range in.samples {
		if s.ID == doc.Sample && doc.Document < len(s.Documents) {
			return in.placeIn(s, doc.Document, doc.Err)
		}
	}
	return err
}

// placeIn does so where the document is known.
func (in *input) placeIn(s *sample.Sample, document int, err error) error {
	offset, text := 0, err.Error()
	var syntax *strictjson.Error
	var path *schema.PathError
	switch {
	case errors.As(err, &syntax):
		offset, text = syntax.Offset, syntax.Text()
	case errors.As(err, &path):
		offset = path.Offset
	}
	return fmt.Errorf("%s: %s", in.at(s, document, offset), text)
}

// infer infers one schema for all samples, a root message for each.
func (in *input) infer(ctx context.Context, f *inputFlags, track string) error {
	opt := f.inferOptions(track)
	parts, err := in.partials(ctx, opt)
	if err != nil {
		return err
	}
	inferred, err := schema.Infer(parts, opt)
	if err != nil {
		return err
	}
	shapes, roots := inferred.Shape, inferred.Roots
	if len(in.sweeps) > 0 {
		if inferred, roots, err = in.inferSwept(ctx, opt); err != nil {
			return err
		}
	}
	compiled, err := schema.CompileText(ctx, "inferred.proto", inferred.Proto, roots)
	if err != nil {
		return fmt.Errorf("the inferred schema does not compile, which is a fault of wirecost: %w", err)
	}
	compiled.Limits = opt.Limits
	in.notes = append(in.notes, noteTexts(compiled.Notes)...)
	in.inferred, in.schema, in.shapes = inferred, compiled, shapes
	return nil
}

// partials looks at every sample's documents.
func (in *input) partials(ctx context.Context, opt schema.InferOptions) ([]schema.NamedPartial, error) {
	var parts []schema.NamedPartial
	for _, s := range in.samples {
		p, err := schema.InferAll(ctx, documents(s), opt, runtime.GOMAXPROCS(0))
		var doc *schema.DocumentError
		if errors.As(err, &doc) {
			doc.Sample = s.ID
		}
		if err != nil {
			return nil, in.place(err)
		}
		parts = append(parts, schema.NamedPartial{Sample: s.ID, RootName: s.ID, Partial: p})
	}
	return parts, nil
}
