package schema

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
