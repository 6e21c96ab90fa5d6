package schema

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/strictjson"
)

// FitOptions are what a user says about the JSON form of a given schema.
type FitOptions struct {
	// Repr maps a field, as "trace_id" (any field of that name or key) or
	// "Span.trace_id", to its representation: native, string, number, hex or uuid.
	Repr map[string]string
}

// FitSample is one sample's documents.
type FitSample struct {
	Sample string
	Docs   [][]byte
}

// FitReport is how documents and a given schema agree.
type FitReport struct {
	Documents  int // how many were read
	Refused    int // how many do not match the schema
	Mismatches []Mismatch
	Further    int    // mismatches that are not listed, because there are too many paths
	Notes      []Note // what was decided, field by field
}

// Mismatch is one way in which documents do not match the schema.
type Mismatch struct {
	Path     string // "$.items[].x"
	What     string // of the first one
	Count    int
	Document int    // index of the first document that has it
	Offset   int    // bytes from the beginning of that document
	Example  string // exact path in that document
}

// MismatchError says that a sample does not match its schema.
type MismatchError struct{ Report *FitReport }

// Error gives a line for each mismatch.
func (e *MismatchError) Error() string {
	lines := make([]string, 0, len(e.Report.Mismatches)+1)
	lines = append(lines, fmt.Sprintf("%d of %d documents do not match the schema:", e.Report.Refused, e.Report.Documents))
	for _, m := range e.Report.Mismatches {
		lines = append(lines, "  "+m.String())
	}
	if n := e.Report.Further; n > 0 {
		lines = append(lines, fmt.Sprintf("  … and %d more at other paths", n))
	}
	return strings.Join(lines, "\n")
}

// String says it in one line.
func (m Mismatch) String() string {
	times := ""
	if m.Count > 1 {
		times = fmt.Sprintf(" (%d times)", m.Count)
	}
	return fmt.Sprintf("%s: %s%s; first in document %d at byte %d", m.Path, m.What, times, m.Document+1, m.Offset)
}

// Err is nil if all documents match.
func (r *FitReport) Err() error {
	if len(r.Mismatches) == 0 {
		return nil
	}
	return &MismatchError{r}
}

// Fit is FitAll for one sample. The error is a *MismatchError where documents do
// not match; the report is there then as well.
func (s *Schema) Fit(sample string, docs [][]byte, opt FitOptions) (*FitReport, error) {
	reports, err := s.FitAll([]FitSample{{sample, docs}}, opt)
	if err != nil {
		return nil, err
	}
	return reports[0], reports[0].Err()
}

// FitAll adjusts the model to how documents spell their JSON: ProtoJSON allows
// json_name or the original name as a key, integers and enums as numbers or
// strings, and a field without presence to be left out or written. What the
// schema's options say stays. Samples that share messages are to be fitted in
// one call. There is a report per sample, in order, which tells of mismatches;
// the error tells of wrong options or of a document that is no JSON.
func (s *Schema) FitAll(samples []FitSample, opt FitOptions) ([]*FitReport, error) {
	f, err := s.newFitter(opt)
	if err != nil {
		return nil, err
	}
	for j, x := range samples {
		root, ok := s.Model.RootOf(x.Sample)
		if !ok {
			return nil, fmt.Errorf("the schema has no root message for the sample %q", x.Sample)
		}
		for i, doc := range x.Docs {
			f.at = docPlace{sample: j, document: i}
			if err := f.observe(root.Type, doc); err != nil {
				return nil, &DocumentError{x.Sample, i, err}
			}
		}
	}
	f.decide()
	f.noteNegatives()
	f.noteTags()
	s.Model.markNil()
	if err := s.Model.check(); err != nil {
		return nil, err
	}
	s.Model.findLeaves(f.alwaysSet)
	reports := make([]*FitReport, len(samples))
	for i, x := range samples {
		if reports[i], err = s.match(x); err != nil {
			return nil, err
		}
		reports[i].Notes = slices.Clone(f.notes)
		f.suspectBytes(i, reports[i])
	}
	return reports, nil
}

// DocumentError is an error in one document of a sample.
type DocumentError struct {
	Sample   string
	Document int // index from 0
	Err      error
}

func (e *DocumentError) Error() string { return fmt.Sprintf("document %d: %v", e.Document+1, e.Err) }

// Unwrap gives a *PathError or a *strictjson.Error.
func (e *DocumentError) Unwrap() error { return e.Err }

// maxMismatches bounds how many mismatches of one document are counted.
const maxMismatches = 1000

// maxMismatchPaths bounds how many paths are listed: keys that the schema lacks
// may be as many as there are data.
const maxMismatchPaths = 100

// match holds every document against the schema, as strictly as codecs will.
func (s *Schema) match(x FitSample) (*FitReport, error) {
	r, err := s.Reference(x.Sample)
	if err != nil {
		return nil, err
	}
	report := &FitReport{Documents: len(x.Docs)}
	index := map[string]int{}
	for i, doc := range x.Docs {
		_, errs, err := r.decode(doc, maxMismatches)
		if err != nil {
			return nil, &DocumentError{x.Sample, i, err}
		}
		if len(errs) > 0 {
			report.Refused++
		}
		for _, e := range errs {
			report.add(index, e, i)
		}
	}
	return report, nil
}

// add counts mismatches of one path and kind together.
func (r *FitReport) add(index map[string]int, e *PathError, doc int) {
	kind, _, _ := strings.Cut(e.What, ", is ")
	key := e.Where + "\x00" + kind
	if i, ok := index[key]; ok {
		r.Mismatches[i].Count++
		return
	}
	if len(r.Mismatches) == maxMismatchPaths {
		r.Further++
		return
	}
	index[key] = len(r.Mismatches)
	r.Mismatches = append(r.Mismatches, Mismatch{e.Where, e.What, 1, doc, e.Offset, e.Path})
}

// fitter counts how documents spell each field.
type fitter struct {
	schema  *Schema
	index   modelIndex
	tallies map[*Field]*fieldTally
	byKey   map[*Message]map[string]*fieldTally
	objects map[*Message]int
	fixed   map[*Field]bool // the representation is given
	notes   []Note
	scan    strictjson.Scanner
	text    []byte
	at      docPlace // the document being observed
}

// docPlace is a place in the samples.
type docPlace struct{ sample, document, offset int }

// fieldTally is how one field was spelt.
type fieldTally struct {
	message  *Message
	field    *Field
	byKey    int // under its key
	byName   int // under its Protobuf name, where that is another
	null     int
	unset    int      // with the default value, or empty
	strings  int      // values given as a string
	numbers  int      // values given as a number
	texts    int      // of bytes: values that are not empty
	hexTexts int      // of bytes: those that look like hexadecimal
	hexSize  int      // of bytes: hexadecimal digits in all
	uuids    int      // of bytes: those that look like a UUID
	first    docPlace // of bytes: the first that is not empty
	varint   bool     // an int32 or int64, which makes negative values long

	negatives, plainBytes, zigzagBytes int
	explicit                           struct{ absent, key bool }
}

func (s *Schema) newFitter(opt FitOptions) (*fitter, error) {
	f := &fitter{
		schema: s, index: s.Model.index(), tallies: map[*Field]*fieldTally{}, byKey: map[*Message]map[string]*fieldTally{},
		objects: map[*Message]int{}, fixed: map[*Field]bool{},
	}
	for _, m := range s.Model.Messages {
		keys := map[string]*fieldTally{}
		f.byKey[m] = keys
		for _, x := range m.Fields {
			t := &fieldTally{message: m, field: x}
			f.readExplicit(t)
			f.tallies[x] = t
			keys[x.Key] = t
		}
		for _, x := range m.Fields {
			if keys[x.Name] == nil && !f.tallies[x].explicit.key {
				keys[x.Name] = f.tallies[x]
			}
		}
	}
	return f, f.applyRepr(opt.Repr)
}

// readExplicit notes what the schema's own options say.
func (f *fitter) readExplicit(t *fieldTally) {
	d := f.schema.descriptor(t.message, t.field)
	t.varint = d.Kind() == protoreflect.Int32Kind || d.Kind() == protoreflect.Int64Kind
	o := readJSONOptions(d.Options())
	t.explicit.absent = o.absent() != ""
	_, t.explicit.key = o.key()
	if _, ok := o.repr(); ok {
		f.fixed[t.field] = true
	}
}

// applyRepr sets the representations that the user asks for.
func (f *fitter) applyRepr(reprs map[string]string) error {
	names := make([]string, 0, len(reprs))
	for name := range reprs {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(a, b string) int { return strings.Count(a, ".") - strings.Count(b, ".") }) // the more exact last
	for _, name := range names {
		r := Repr(reprs[name])
		if r == "native" || r == "base64" {
			r = ReprNative
		}
		if !slices.Contains([]Repr{ReprNative, ReprString, ReprNumber, ReprHex, ReprUUID}, r) {
			return fmt.Errorf("--repr %s=%s: no such representation; native, string, number, hex and uuid are", name, reprs[name])
		}
		found, fits := false, false
		for _, m := range f.schema.Model.Messages {
			for _, x := range m.Fields {
				if !namesField(name, m, x) {
					continue
				}
				found = true
				if reprFits(x.Kind, r) {
					fits = true
					x.Repr, f.fixed[x] = r, true
				}
			}
		}
		switch {
		case !found:
			return fmt.Errorf("--repr %s=%s: the schema has no field %s; write its name, or Message.name", name, reprs[name], name)
		case !fits:
			return fmt.Errorf("--repr %s=%s: a field of that type cannot be spelt so", name, reprs[name])
		}
	}
	return nil
}

// namesField reports whether a name means a field: "field", "Message.field", or
// the same with more of the message's full name. Keys count as names.
func namesField(name string, m *Message, f *Field) bool {
	for _, own := range []string{f.Name, f.Key} {
		if name == own {
			return true
		}
		if message, ok := strings.CutSuffix(name, "."+own); ok && own != "" {
			return message == m.Name || strings.HasSuffix(m.Name, "."+message)
		}
	}
	return false
}
