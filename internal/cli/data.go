package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"wirecost/internal/runner"
	"wirecost/internal/sample"
	"wirecost/internal/sched"
	"wirecost/internal/schema"
	"wirecost/internal/size"
	"wirecost/internal/strictjson"
)

// timedBytes is how much of a sample is timed; of larger ones a seeded choice.
const timedBytes = 8 << 20

// data is a sample in every form.
type data struct {
	*sample.Sample
	forms []size.Form // sized: original, compact, protojson, binary
	timed []int       // indexes of the documents that are timed
}

// convert brings a sample into every form, by the reference.
func (in *input) convert(s *sample.Sample, seed uint64) (*data, error) {
	ref, err := in.schema.Reference(s.ID)
	if err != nil {
		return nil, err
	}
	original := documents(s)
	compact, protojson, binary := make([][]byte, len(original)), make([][]byte, len(original)), make([][]byte, len(original))
	for i, doc := range original {
		compact[i] = strictjson.Compact(nil, doc)
		m, err := ref.FromJSON(doc)
		if err != nil {
			return nil, in.place(&schema.DocumentError{Sample: s.ID, Document: i, Err: err})
		}
		if binary[i], err = ref.Marshal(m); err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", s.Name, i+1, err)
		}
		if protojson[i], err = ref.CanonicalProtoJSON(m); err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", s.Name, i+1, err)
		}
	}
	return &data{
		Sample: s, timed: s.Timed(timedBytes, seed),
		forms: []size.Form{
			{Name: "original", Format: "json", Documents: original},
			{Name: "compact", Format: "json", Documents: compact},
			{Name: "protojson", Format: "json", Documents: protojson},
			{Name: "binary", Format: "protobuf", Documents: binary},
		},
	}, nil
}

// form returns the timed documents in one form.
func (d *data) form(name string) [][]byte {
	for _, f := range d.forms {
		if f.Name != name {
			continue
		}
		out := make([][]byte, len(d.timed))
		for i, t := range d.timed {
			out[i] = f.Documents[t]
		}
		return out
	}
	return nil
}

// hand writes the timed documents where runners read them.
func (in *input) hand(d *data, dir string) (*sched.Sample, error) {
	root, ok := in.schema.Model.RootOf(d.ID)
	if !ok {
		return nil, fmt.Errorf("%s: the schema has no root message for it", d.Name)
	}
	ref, err := in.schema.Reference(d.ID)
	if err != nil {
		return nil, err
	}
	out := &sched.Sample{
		Files: runner.SampleFiles{Sample: d.ID, Root: root.Type, Documents: len(d.timed), Files: map[string]string{}},
		Truth: &sched.Reference{Reference: ref, Wire: d.form("binary")},
	}
	compact, binary := d.form("compact"), d.form("binary")
	for _, doc := range compact {
		out.Bytes = append(out.Bytes, len(doc))
	}
	forms := map[string][][]byte{"json": compact, "protobuf": binary}
	if in.schema.ProtoJSONProblem() == "" {
		if forms["protojson"], err = protoJSON(ref, binary); err != nil {
			return nil, err
		}
	}
	for form, docs := range forms {
		path := filepath.Join(dir, d.ID+"."+form)
		if err := runner.WriteDocumentsFile(path, docs); err != nil {
			return nil, err
		}
		out.Files.Files[form] = path
	}
	return out, nil
}

// protoJSON gives documents as the generated ProtoJSON codecs write them, under
// the names of the normalised schema.
func protoJSON(ref *schema.Reference, binary [][]byte) ([][]byte, error) {
	docs := make([][]byte, len(binary))
	for i, b := range binary {
		m, err := ref.Unmarshal(b)
		if err != nil {
			return nil, err
		}
		if docs[i], err = ref.ProtoJSON(m); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// scratch makes a folder for a run's temporary files, and its removal.
func scratch() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "wirecost-")
	return dir, func() { os.RemoveAll(dir) }, err
}
