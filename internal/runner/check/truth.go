package check

import (
	"fmt"
	"path/filepath"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
)

// Truth is what the reference conversion says of samples of documents. It fits
// Options.Checksums and Options.Output.
type Truth struct {
	schema  *schema.Schema
	dir     string // of the files
	samples map[string]*truthSample
}

type truthSample struct {
	files     runner.SampleFiles
	reference *schema.Reference
	messages  []protoreflect.Message
}

// NewTruth begins with no samples. The files that runners read go to dir.
func NewTruth(s *schema.Schema, dir string) *Truth {
	return &Truth{s, dir, map[string]*truthSample{}}
}

// Add converts the JSON documents of one of the schema's samples to all forms.
func (t *Truth) Add(sample string, documents [][]byte) (runner.SampleFiles, error) {
	root, ok := t.schema.Model.RootOf(sample)
	if !ok {
		return runner.SampleFiles{}, fmt.Errorf("the schema has no root message for %s", sample)
	}
	ref, err := t.schema.Reference(sample)
	if err != nil {
		return runner.SampleFiles{}, err
	}
	x := &truthSample{reference: ref, files: runner.SampleFiles{Sample: sample, Root: root.Type, Documents: len(documents), Files: map[string]string{}}}
	forms := map[string][][]byte{runner.DocumentsJSON: documents}
	writers := map[string]func(protoreflect.Message) ([]byte, error){runner.DocumentsProtobuf: ref.Marshal}
	if t.schema.ProtoJSONProblem() == "" {
		writers[runner.DocumentsProtoJSON] = ref.ProtoJSON
	}
	for i, d := range documents {
		m, err := ref.FromJSON(d)
		if err != nil {
			return runner.SampleFiles{}, fmt.Errorf("%s: document %d: %w", sample, i+1, err)
		}
		x.messages = append(x.messages, m)
		for form, write := range writers {
			b, err := write(m)
			if err != nil {
				return runner.SampleFiles{}, fmt.Errorf("%s: document %d: %w", sample, i+1, err)
			}
			forms[form] = append(forms[form], b)
		}
	}
	for form, all := range forms {
		x.files.Files[form] = filepath.Join(t.dir, sample+"."+form)
		if err := runner.WriteDocumentsFile(x.files.Files[form], all); err != nil {
			return runner.SampleFiles{}, err
		}
	}
	t.samples[sample] = x
	return x.files, nil
}

// Checksums gives the leaf and visit checksum of every document.
func (t *Truth) Checksums(sample, unit string) (leaf, visit []uint32, err error) {
	for _, m := range t.samples[sample].messages {
		l, v, err := t.samples[sample].reference.Checksums(m, unit)
		if err != nil {
			return nil, nil, err
		}
		leaf, visit = append(leaf, l), append(visit, v)
	}
	return leaf, visit, nil
}

// matcher compares a message with what a codec wrote, in meaning.
func (x *truthSample) matcher(codec runner.CodecDescription) func(protoreflect.Message, []byte) (*schema.Difference, error) {
	switch {
	case codec.Format == bench.Protobuf:
		return x.reference.MatchBinary
	case codec.Documents == runner.DocumentsProtoJSON:
		return x.reference.MatchProtoJSON
	}
	return x.reference.MatchJSON
}

// Find tells which of a sample's documents has the meaning of some bytes.
func (t *Truth) Find(codec runner.CodecDescription, sample string, b []byte) (document int, err error) {
	x := t.samples[sample]
	match := x.matcher(codec)
	for i, m := range x.messages {
		difference, err := match(m, b)
		if err != nil {
			return 0, err
		}
		if difference == nil {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s: the bytes mean none of the documents", sample)
}

// Output compares what a codec wrote with the documents, in meaning.
func (t *Truth) Output(codec runner.CodecDescription, sample string, written [][]byte) error {
	x := t.samples[sample]
	match := x.matcher(codec)
	for i, b := range written {
		difference, err := match(x.messages[i], b)
		if err != nil {
			return fmt.Errorf("document %d cannot be read: %w", i+1, err)
		}
		if difference != nil {
			return fmt.Errorf("document %d: %s", i+1, difference)
		}
	}
	return nil
}
