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
	"wirecost/internal/verdict"
)

// timedBytes is how much of a sample is timed; of larger ones a seeded choice.
const timedBytes = 8 << 20

// data is a sample in every form.
type data struct {
	*sample.Sample
	forms []size.Form // sized: original, compact, protojson, binary, and binary-json where it differs
	timed []int       // indexes of the documents that are timed
	free  *schema.ValueText
}

// convert brings a sample into every form, by the reference.
func (in *input) convert(s *sample.Sample, seed uint64) (*data, error) {
	ref, err := in.schema.Reference(s.ID)
	if err != nil {
		return nil, err
	}
	free, err := in.schema.ValueText(ref)
	if err != nil {
		return nil, err
	}
	original := documents(s)
	compact, protojson, binary := make([][]byte, len(original)), make([][]byte, len(original)), make([][]byte, len(original))
	var binaryJSON [][]byte
	for i, doc := range original {
		compact[i] = strictjson.Compact(nil, doc)
		m, err := ref.FromJSON(doc)
		if err != nil {
			return nil, in.place(&schema.DocumentError{Sample: s.ID, Document: i, Err: err})
		}
		failed := func(err error) error { return fmt.Errorf("%s: document %d: %w", s.Name, i+1, err) }
		if binary[i], err = ref.Marshal(m); err != nil {
			return nil, failed(err)
		}
		if protojson[i], err = ref.CanonicalProtoJSON(m); err != nil {
			return nil, failed(err)
		}
		if free == nil {
			continue
		}
		wire, err := free.Marshal(m)
		if err != nil {
			return nil, failed(err)
		}
		binaryJSON = append(binaryJSON, wire)
	}
	d := &data{
		Sample: s, timed: s.Timed(timedBytes, seed), free: free,
		forms: []size.Form{
			{Name: "original", Format: "json", Documents: original},
			{Name: "compact", Format: "json", Documents: compact},
			{Name: "protojson", Format: "json", Documents: protojson},
			{Name: "binary", Format: "protobuf", Documents: binary},
		},
	}
	if free != nil && free.Values > 0 {
		d.forms = append(d.forms, size.Form{Name: "binary-json", Format: "protobuf", Documents: binaryJSON})
	}
	return d, nil
}

// bytes is the size of all documents in one form.
func (d *data) bytes(form string) int64 {
	var sum int64
	for _, f := range d.forms {
		for _, doc := range f.Documents {
			if f.Name == form {
				sum += int64(len(doc))
			}
		}
	}
	return sum
}

// freeShare is the share of the compact JSON that is under google.protobuf.Value.
func (d *data) freeShare() float64 {
	if d.free == nil {
		return 0
	}
	return float64(d.free.Bytes) / float64(max(1, d.bytes("compact")))
}

// freeNote says what is under google.protobuf.Value, and what else could be done.
func (d *data) freeNote() string {
	if d.free == nil || d.free.Values == 0 {
		return ""
	}
	return fmt.Sprintf("google.protobuf.Value holds %d values, %s of compact JSON (%s of all): Protobuf saves neither bytes nor time there; with each kept as JSON text in a bytes field the messages take %s instead of %s",
		d.free.Values, verdict.Bytes(float64(d.free.Bytes)), verdict.Percent(d.freeShare()),
		verdict.Bytes(float64(d.bytes("binary-json"))), verdict.Bytes(float64(d.bytes("binary"))))
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
