package schema

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"wirecost/internal/testenv"
)

// write makes a folder of files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func compileFile(t *testing.T, src Source) *Schema {
	t.Helper()
	s, err := Compile(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustText(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := CompileText(context.Background(), "test.proto", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bareChain declares n bare messages in one another.
func bareChain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "message M%d { option (wirecost.form) = BARE; M%d m = 1; }\n", i, i+1)
	}
	fmt.Fprintf(&b, "message M%d { int32 x = 1; }\n", n)
	return b.String()
}

func TestCompileErrors(t *testing.T) {
	const p3 = "syntax = \"proto3\";\n"
	tests := []struct {
		name  string
		files map[string]string // the first to compile is main.proto
		roots []string          // within the folder
		msg   string
		want  []string // in the error
	}{
		{"several faults", map[string]string{"main.proto": p3 + "message M {\n  required string a = 1;\n  int32 b = 0;\n  int32 c = 19000;\n  int32 d = 536870912;\n  int32 e = 7;\n  int32 f = 7;\n}\nenum E { A = 1; }\n"}, nil, "",
			[]string{"main.proto:3:3: ", "main.proto:4:13: ", "main.proto:5:13: ", "main.proto:6:13: ", "main.proto:8:13: ", "main.proto:10:14: "}},
		{"missing brace", map[string]string{"main.proto": p3 + "message M { int32 a = 1;\n"}, nil, "", []string{"main.proto:3:1: syntax error"}},
		{"unknown type", map[string]string{"main.proto": p3 + "message M { Foo a = 1; Bar b = 2; }\n"}, nil, "", []string{"main.proto:2:13: ", "unknown type Foo", "main.proto:2:24: ", "unknown type Bar"}},
		{"reserved name", map[string]string{"main.proto": p3 + "message M { reserved \"a\"; int32 a = 1; }\n"}, nil, "", []string{"main.proto:2:33: "}},
		{"new edition", map[string]string{"main.proto": "edition = \"2024\";\nmessage M { int32 a = 1; }\n"}, nil, "", []string{"main.proto:1:11: ", "--descriptor_set_out"}},
		{"cycle", map[string]string{"main.proto": p3 + "import \"b.proto\";\nmessage M { B b = 1; }", "b.proto": p3 + "import \"c.proto\"; message B {}", "c.proto": p3 + "import \"main.proto\";"}, nil, "",
			[]string{`c.proto:2:8: imports in a circle: "main.proto" → "b.proto" → "c.proto" → "main.proto"`}},
		{"self-import", map[string]string{"main.proto": p3 + "import \"main.proto\";\nmessage M {}"}, nil, "", []string{`main.proto:2:8: imports in a circle: "main.proto" → "main.proto"`}},
		{"missing import", map[string]string{"sub/main.proto": p3 + "import \"other/b.proto\";\nmessage M {}", "other/b.proto": p3}, nil, "",
			[]string{`main.proto:2:8: the import "other/b.proto" was not found in `, "; try -I "}},
		{"missing everywhere", map[string]string{"main.proto": p3 + "import \"gogo.proto\";\nmessage M {}"}, []string{"inc"}, "", []string{`the import "gogo.proto" was not found in `, "inc, "}},
		{"dots", map[string]string{"sub/main.proto": p3 + "import \"../b.proto\";\nmessage M {}", "b.proto": p3}, nil, "", []string{`main.proto:2:8: the import "../b.proto" is not a plain path`}},
		{"absolute", map[string]string{"main.proto": p3 + "import \"/etc/passwd\";\nmessage M {}"}, nil, "", []string{`the import "/etc/passwd" is not a plain path`}},
		{"transitive use", map[string]string{"main.proto": p3 + "import \"a.proto\";\nmessage M { b.B x = 1; }", "a.proto": p3 + "import \"b.proto\"; message A { b.B b = 1; }", "b.proto": p3 + "package b; message B {}"}, nil, "",
			[]string{"main.proto:3:13: ", "type b.B is in b.proto, which main.proto does not import"}},
		{"well-known type without import", map[string]string{"main.proto": p3 + "message M { google.protobuf.Timestamp t = 1; }"}, nil, "", []string{"type google.protobuf.Timestamp is in google/protobuf/timestamp.proto"}},
		{"no message", map[string]string{"main.proto": p3 + "enum E { A = 0; }"}, nil, "", []string{"declares no message, so there is nothing to measure"}},
		{"several roots", map[string]string{"main.proto": p3 + "message A {} message B {} message C { A a = 1; }"}, nil, "", []string{"2 messages are used by no other", "--message with one of: B, C"}},
		{"mutual use", map[string]string{"main.proto": p3 + "message A { B b = 1; } message B { A a = 1; }"}, nil, "", []string{"--message with one of: A, B"}},
		{"no such message", map[string]string{"main.proto": p3 + "package p; message A {}"}, nil, "X", []string{"the schema has no message X; it has p.A"}},
		{"ambiguous message", map[string]string{"main.proto": p3 + "message A { message X {} } message B { message X {} }"}, nil, "X", []string{"2 messages are called X", "A.X, B.X"}},
		{"union twice the same token", map[string]string{"main.proto": p3 + "import \"wirecost/json.proto\"; message M { option (wirecost.form) = UNION; oneof v { string a = 1; bytes b = 2; } }"}, nil, "", []string{"the members a and b are both a JSON string"}},
		{"union in a union", map[string]string{"main.proto": p3 + "import \"wirecost/json.proto\"; message M { option (wirecost.form) = UNION; oneof v { U u = 1; bool b = 2; } } message U { option (wirecost.form) = UNION; oneof v { string a = 1; } }"}, nil, "M", []string{"a union itself"}},
		{"bare with two fields", map[string]string{"main.proto": p3 + "import \"wirecost/json.proto\"; message M { option (wirecost.form) = BARE; int32 a = 1; int32 b = 2; }"}, nil, "", []string{"a bare message has exactly one field"}},
		{"bare of itself", map[string]string{"main.proto": p3 + "import \"wirecost/json.proto\"; message M { option (wirecost.form) = BARE; M a = 1; }"}, nil, "", []string{"whose JSON value is that of itself"}},
		{"bare too deep", map[string]string{"main.proto": p3 + "import \"wirecost/json.proto\"; message M { M0 m = 1; }" + bareChain(200)}, nil, "M", []string{"more than 100 bare messages lie in one another"}},
		{"impossible representation", map[string]string{"main.proto": p3 + "import \"wirecost/json.proto\"; message M { bool a = 1 [(wirecost.repr) = HEX]; }"}, nil, "", []string{"M.a: a field of kind bool cannot be represented as \"hex\""}},
		{"option without import", map[string]string{"main.proto": p3 + "message M { option (wirecost.form) = BARE; int32 a = 1; }"}, nil, "", []string{`import "wirecost/json.proto"`}},
		{"root is a scalar", map[string]string{"main.proto": p3 + "import \"google/protobuf/timestamp.proto\"; message M {}"}, nil, "google.protobuf.Timestamp", []string{"cannot be the root message"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, tt.files)
			src := Source{File: filepath.Join(dir, "main.proto"), Message: tt.msg}
			if _, ok := tt.files["sub/main.proto"]; ok {
				src.File = filepath.Join(dir, "sub", "main.proto")
			}
			for _, r := range tt.roots {
				if err := os.MkdirAll(filepath.Join(dir, r), 0o755); err != nil {
					t.Fatal(err)
				}
				src.Roots = append(src.Roots, filepath.Join(dir, r))
			}
			_, err := Compile(context.Background(), src)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("the error lacks %q:\n%v", w, err)
				}
			}
		})
	}
}

func TestCompileRefusesSymlinkOutOfRoot(t *testing.T) {
	out := write(t, map[string]string{"secret.proto": "syntax = \"proto3\"; message S {}"})
	dir := write(t, map[string]string{"main.proto": "syntax = \"proto3\"; import \"link.proto\"; message M { S s = 1; }"})
	if err := os.Symlink(filepath.Join(out, "secret.proto"), filepath.Join(dir, "link.proto")); err != nil {
		testenv.Skip(t, "no symbolic links here: "+err.Error())
	}
	_, err := Compile(context.Background(), Source{File: filepath.Join(dir, "main.proto")})
	if err == nil || !strings.Contains(err.Error(), "leaves the folder") {
		t.Fatalf("an import through a link out of its root gave: %v", err)
	}
}

func TestCompileSameFileByTwoPaths(t *testing.T) {
	dir := write(t, map[string]string{
		"main.proto":  "syntax = \"proto3\"; import \"x/a.proto\"; import \"a.proto\"; message M { p.A a = 1; p.B b = 2; }",
		"x/a.proto":   "syntax = \"proto3\"; package p; message A { int32 n = 1; } message B { A a = 1; }",
		"other/b.txt": "",
	})
	s := compileFile(t, Source{File: filepath.Join(dir, "main.proto"), Roots: []string{dir, filepath.Join(dir, "x")}})
	if len(s.Model.Messages) != 3 {
		t.Errorf("%d messages, want M, A and B", len(s.Model.Messages))
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0].Text, "the same file as") {
		t.Errorf("notes: %v", s.Notes)
	}
}

func TestCompileWithoutSyntax(t *testing.T) {
	s := mustText(t, "message M { optional int32 a = 1; }")
	if len(s.Notes) != 1 || s.Notes[0].String() != "test.proto:1:1: no syntax line: read as proto2" {
		t.Errorf("notes: %v", s.Notes)
	}
}

func TestCompileChoosesRoot(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"message A {} message B { A a = 1; }", "B"},
		{"message A { A a = 1; }", "A"},
		{"message A { map<string, B> b = 1; } message B {}", "A"},
		{"message A { message In { int32 x = 1; } In i = 1; }", "A"},
		{"message Scope { message A { int32 x = 1; } }", "Scope.A"},
	} {
		s := mustText(t, "syntax = \"proto3\";"+tt.text)
		if got := s.Model.Message(s.Model.Roots[0].Type).Name; got != tt.want {
			t.Errorf("%s: root %s, want %s", tt.text, got, tt.want)
		}
	}
}

// corpusSchemas are schemas that other people wrote.
var corpusSchemas = []struct {
	file, root, message string
	fails               string // part of the error
}{
	{"googleapis/google/pubsub/v1/pubsub.proto", "googleapis", "google.pubsub.v1.Topic", ""},
	{"googleapis/google/logging/v2/log_entry.proto", "googleapis", "LogEntry", ""},
	{"googleapis/google/pubsub/v1/pubsub.proto", "googleapis", "", "--message"},
	{"googleapis/google/pubsub/v1/pubsub.proto", "", "Topic", "; try -I "},
	{"mvt/vector_tile.proto", "", "", ""},
	{"mvt/vector_tile_2.1.proto", "", "", ""},
	{"gtfs-rt/gtfs-realtime.proto", "", "FeedMessage", ""},
	{"k8s/k8s.io/api/core/v1/generated.proto", "k8s", "Pod", ""},
	{"k8s/k8s.io/api/apps/v1/generated.proto", "k8s", "Deployment", ""},
	{"otlp/opentelemetry/proto/trace/v1/trace.proto", "otlp", "TracesData", ""},
	{"otlp/opentelemetry/proto/collector/metrics/v1/metrics_service.proto", "otlp", "ExportMetricsServiceRequest", ""},
	{"prometheus/prompb/types.proto", "prometheus", "TimeSeries", `the import "gogoproto/gogo.proto" was not found in `},
	{"google_message/datasets/google_message1/proto2/benchmark_message1_proto2.proto", "", "GoogleMessage1", ""},
	{"google_message/datasets/google_message1/proto3/benchmark_message1_proto3.proto", "", "GoogleMessage1", ""},
	{"google_message/datasets/google_message2/benchmark_message2.proto", "", "GoogleMessage2", ""},
	{"google_message/benchmarks.proto", "", "", ""},
	{"protobufjs-bench/buf-perf/perf.proto", "", "", ""},
	{"protobufjs-bench/common/bench.proto", "", "", ""},
	{"protobufjs-bench/vector-tile/vector_tile.proto", "", "", ""},
}

func TestCompileCorpora(t *testing.T) {
	for _, tt := range corpusSchemas {
		t.Run(tt.file+" "+tt.message, func(t *testing.T) {
			src := Source{File: testenv.Corpora(t, tt.file), Message: tt.message}
			if tt.root != "" {
				src.Roots = []string{testenv.Corpora(t, tt.root)}
			}
			s, err := Compile(context.Background(), src)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("want an error with %q, have %v", tt.fails, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, jsonNames := range []bool{false, true} {
				if _, err := s.Normalised(jsonNames); err != nil {
					t.Error(err)
				}
			}
			roundTripRandom(t, s, 20)
		})
	}
}

// A schema may have more fields than any program was made for.
func TestCompileManyFields(t *testing.T) {
	var b strings.Builder
	b.WriteString("syntax = \"proto2\"; message M {\n")
	for i := range 30_000 {
		n := i + 1
		if n >= 19_000 {
			n += 1000
		}
		fmt.Fprintf(&b, "optional int32 f%s%d = %d;\n", strings.Repeat("_", i%7), i, n)
	}
	s := mustText(t, b.String()+"}")
	if n := len(s.Model.Messages[0].Fields); n != 30_000 {
		t.Errorf("%d fields", n)
	}
	if _, err := s.Reference(""); err != nil {
		t.Error(err)
	}
}

func TestCompileDescriptorSet(t *testing.T) {
	file := func(name, pkg string, deps ...string) *descriptorpb.FileDescriptorProto {
		return &descriptorpb.FileDescriptorProto{Name: proto.String(name), Package: proto.String(pkg), Syntax: proto.String("proto3"), Dependency: deps}
	}
	message := func(f *descriptorpb.FileDescriptorProto, name, field string) *descriptorpb.FileDescriptorProto {
		f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: proto.String(name), Field: []*descriptorpb.FieldDescriptorProto{{
			Name: proto.String("some_field"), Number: proto.Int32(1), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), TypeName: proto.String(field),
		}}})
		return f
	}
	edition := message(file("main.proto", "p"), "M", ".p.M")
	edition.Syntax, edition.Edition = proto.String("editions"), descriptorpb.Edition_EDITION_2024.Enum()
	edition.MessageType[0].Field[0].Options = &descriptorpb.FieldOptions{Features: &descriptorpb.FeatureSet{MessageEncoding: descriptorpb.FeatureSet_DELIMITED.Enum()}}
	withTime := message(file("main.proto", "p", "google/protobuf/timestamp.proto"), "M", ".google.protobuf.Timestamp")
	for _, tt := range []struct {
		name  string
		files []*descriptorpb.FileDescriptorProto
		want  string // of the error
	}{
		{"plain", []*descriptorpb.FileDescriptorProto{message(file("main.proto", "p"), "M", ".p.M")}, ""},
		{"edition 2024", []*descriptorpb.FileDescriptorProto{edition}, ""},
		{"standard imports left out", []*descriptorpb.FileDescriptorProto{withTime}, ""},
		{"out of order", []*descriptorpb.FileDescriptorProto{message(file("main.proto", "p", "b.proto"), "M", ".b.B"), message(file("b.proto", "b"), "B", ".b.B")}, ""},
		{"import missing", []*descriptorpb.FileDescriptorProto{message(file("main.proto", "p", "b.proto"), "M", ".b.B")}, `the descriptor set lacks "b.proto", which "main.proto" imports; make it with protoc --include_imports`},
		{"circle", []*descriptorpb.FileDescriptorProto{file("a.proto", "p", "b.proto"), file("b.proto", "p", "a.proto")}, `imports in a circle: "a.proto" → "b.proto" → "a.proto"`},
		{"twice", []*descriptorpb.FileDescriptorProto{file("a.proto", "p"), file("a.proto", "p")}, `holds "a.proto" twice`},
		{"unknown type", []*descriptorpb.FileDescriptorProto{message(file("a.proto", "p"), "M", ".p.X")}, "the schema is not valid"},
		{"empty", nil, "holds no files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: tt.files})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(write(t, map[string]string{"set.binpb": string(b)}), "set.binpb")
			s, err := Compile(t.Context(), Source{File: path})
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), path) {
					t.Errorf("want an error with %q, have %v", tt.want, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if f := s.Model.Message("M_").Fields[0]; f.Key != "someField" {
				t.Errorf("key %q", f.Key)
			}
			roundTripRandom(t, s, 20)
			for _, jsonNames := range []bool{false, true} {
				set, err := s.Normalised(jsonNames)
				if err != nil {
					t.Fatal(err)
				}
				generateGo(t, set)
				generateOthers(t, set, tt.name == "edition 2024")
			}
		})
	}
	path := filepath.Join(write(t, map[string]string{"text.desc": "syntax = \"proto3\";"}), "text.desc")
	if _, err := Compile(t.Context(), Source{File: path}); err == nil || !strings.Contains(err.Error(), "not a serialized FileDescriptorSet") {
		t.Errorf("a text gave %v", err)
	}
}

// No text makes the compiler, the model or the normalised set panic.
func FuzzCompileText(f *testing.F) {
	for _, name := range []string{"kitchen.proto", "hostile.proto", "legacy.proto", "edition.proto"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("message M { optional group G = 1 { required int32 a = 1; } oneof x { string s = 2; } }")
	f.Add("syntax = \"proto3\"; import \"wirecost/json.proto\"; message M { option (wirecost.form) = BARE; map<string, M> a = 1 [(wirecost.absent) = NULL, json_name = \"\"]; }")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := CompileText(context.Background(), "fuzz.proto", text, nil)
		if err != nil {
			return
		}
		if _, err := s.Normalised(false); err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
		if _, err := s.Reference(""); err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
	})
}
