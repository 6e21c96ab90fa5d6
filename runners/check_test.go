package runners_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/runner/check"
	"wirecost/internal/schema"
	"wirecost/internal/testenv"
	"wirecost/runners"
)

const checkedProto = `syntax = "proto3";
message Order {
  int64 id = 1;
  string name = 2;
  repeated Item items = 3;
  map<string, double> prices = 4;
}
message Item { string sku = 1; optional uint32 count = 2; }
`

var checkedDocuments = []string{
	`{"id":7,"name":"ä b","items":[{"sku":"x","count":0},{"sku":"y"}],"prices":{"x":1.5}}`,
	`{"id":-1,"name":"n"}`,
	`{"id":12345678901,"name":"z","items":[{"sku":"long sku","count":3}]}`,
}

// TestRunnersSpeakTheProtocol builds each runner's default codecs and checks
// the program for conformance.
func TestRunnersSpeakTheProtocol(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	all, err := runner.Load(runners.FS)
	if err != nil {
		t.Fatal(err)
	}
	truth := newTruth(t)
	builder := &runner.Builder{Cache: t.TempDir(), Version: "test"}
	for _, r := range all {
		t.Run(r.Runtime, func(t *testing.T) {
			needs, err := r.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range needs {
				if !n.OK() {
					testenv.Skip(t, n.Problem)
				}
			}
			var codecs []string
			for _, c := range r.Codecs {
				if c.Default {
					codecs = append(codecs, c.Name)
				}
			}
			build, err := builder.Build(t.Context(), r, runner.BuildRequest{Model: truth.schema.Model, Sets: truth.sets, Codecs: codecs})
			if err != nil {
				t.Fatal(err)
			}
			if build.Dropped != nil {
				t.Errorf("dropped %v", build.Dropped)
			}
			findings, err := check.Run(t.Context(), check.Command(build.Command()), check.Options{
				Samples: []runner.SampleFiles{truth.files}, Dir: t.TempDir(), Checksums: truth.checksums, Output: truth.output,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				t.Error(f)
			}
		})
	}
}

// truth is what the reference says of the documents.
type truth struct {
	schema    *schema.Schema
	reference *schema.Reference
	sets      map[string][]byte
	messages  []protoreflect.Message
	files     runner.SampleFiles
}

func newTruth(t *testing.T) *truth {
	t.Helper()
	s, err := schema.CompileText(t.Context(), "order.proto", checkedProto, map[string]string{"orders": "Order"})
	if err != nil {
		t.Fatal(err)
	}
	x := &truth{schema: s, sets: map[string][]byte{}, files: runner.SampleFiles{Sample: "orders", Documents: len(checkedDocuments), Files: map[string]string{}}}
	var documents [][]byte
	for _, d := range checkedDocuments {
		documents = append(documents, []byte(d))
	}
	if _, err := s.Fit("orders", documents, schema.FitOptions{}); err != nil {
		t.Fatal(err)
	}
	root, _ := s.Model.RootOf("orders")
	x.files.Root = root.Type
	for name, jsonNames := range map[string]bool{"set.binpb": false, "set-protojson.binpb": true} {
		set, err := s.Normalised(jsonNames)
		if err != nil {
			t.Fatal(err)
		}
		if x.sets[name], err = proto.Marshal(set); err != nil {
			t.Fatal(err)
		}
	}
	if x.reference, err = s.Reference("orders"); err != nil {
		t.Fatal(err)
	}
	x.write(t, documents)
	return x
}

// write writes the documents in all forms.
func (x *truth) write(t *testing.T, documents [][]byte) {
	t.Helper()
	dir := t.TempDir()
	forms := map[string][][]byte{runner.DocumentsJSON: documents}
	for _, d := range documents {
		m, err := x.reference.FromJSON(d)
		if err != nil {
			t.Fatal(err)
		}
		x.messages = append(x.messages, m)
		for form, write := range map[string]func(protoreflect.Message) ([]byte, error){
			runner.DocumentsProtobuf:  x.reference.Marshal,
			runner.DocumentsProtoJSON: x.reference.CanonicalProtoJSON,
		} {
			b, err := write(m)
			if err != nil {
				t.Fatal(err)
			}
			forms[form] = append(forms[form], b)
		}
	}
	for form, all := range forms {
		x.files.Files[form] = filepath.Join(dir, form)
		if err := runner.WriteDocumentsFile(x.files.Files[form], all); err != nil {
			t.Fatal(err)
		}
	}
}

func (x *truth) checksums(_, unit string) (leaf, visit []uint32, err error) {
	for _, m := range x.messages {
		l, v, err := x.reference.Checksums(m, unit)
		if err != nil {
			return nil, nil, err
		}
		leaf, visit = append(leaf, l), append(visit, v)
	}
	return leaf, visit, nil
}

func (x *truth) output(c runner.CodecDescription, _ string, written [][]byte) error {
	match := x.reference.MatchJSON
	switch {
	case c.Format == bench.Protobuf:
		match = x.reference.MatchBinary
	case c.Documents == runner.DocumentsProtoJSON:
		match = x.reference.MatchProtoJSON
	}
	for i, b := range written {
		if difference, err := match(x.messages[i], b); err != nil || difference != nil {
			return fmt.Errorf("document %d: %v, %w", i, difference, err)
		}
	}
	return nil
}
