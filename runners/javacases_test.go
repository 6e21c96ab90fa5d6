package runners_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
)

// TestJavaCorpora holds every codec against documents of the world, all in one
// build. The matrix has them with types recognised.
func TestJavaCorpora(t *testing.T) {
	t.Parallel()
	javaRunner(t)
	javaInferred(t, inferSamples(t, schema.TrackLiteral, corporaSamples(t)))
}

// TestJavaCases holds every codec against inputs of public reports, by their
// numbers in the list of cases: D10 (names that do not compile: descriptor, class),
// D26 (ASCII and not) and D30 (one string, by length and width) among them.
func TestJavaCases(t *testing.T) {
	t.Parallel()
	javaRunner(t)
	javaInferred(t, inferSamples(t, schema.TrackLiteral, nodeCases()))
}

func javaInferred(t *testing.T, s goSchema) {
	b := buildJava(t, s)
	if b.Dropped != nil {
		t.Errorf("dropped: %v", b.Dropped)
	}
	for _, codec := range b.Codecs {
		p, c, prepared := b.process(t, codec)
		if len(prepared.Skips) > 0 {
			t.Errorf("%s skips %v", codec, prepared.Skips)
		}
		for _, sample := range s.samples {
			t.Run(sample.name+"/"+codec, func(t *testing.T) { b.verify(t, p, sample, c) })
		}
	}
}

// TestJavaAccessors is fields whose generated accessors would meet (items and
// items_count both want getItemsCount), and enum values that are words of Java.
func TestJavaAccessors(t *testing.T) {
	t.Parallel()
	s := goSchema{name: "accessors", proto: `syntax = "proto3";
message Doc {
  repeated int32 items = 1; int32 items_count = 2; repeated string items_list = 3; string name = 4; bytes name_bytes = 5;
  Kind kind = 6; int32 kind_value = 7; oneof choice { int32 a = 8; string b = 9; } optional int32 choice_case = 10; map<string, int32> by = 11; int32 by_map = 12;
}
enum Kind { none = 0; class = 1; }
`, samples: []goSample{{"docs", "Doc", []string{
		`{"items":[1,2],"itemsCount":7,"itemsList":["x"],"name":"n","nameBytes":"AA==","kind":"class","kindValue":3,"b":"","choiceCase":0,"by":{"k":1},"byMap":2}`,
		`{"itemsCount":0,"name":"","nameBytes":"","kind":"none","kindValue":0,"a":5,"byMap":0}`,
	}}}}
	b := buildJava(t, s)
	if len(b.Dropped) != 1 || b.Dropped[0].Codec != "jsonformat" || !strings.Contains(b.Dropped[0].Reason, `the value "class", a keyword of Java`) {
		t.Errorf("dropped %v; want jsonformat, for the value class", b.Dropped)
	}
	for _, codec := range b.Codecs {
		b.everySample(t, s, codec)
	}
}

// TestJavaStrangeShapes is what annotations and types of the libraries cannot say by
// themselves: the empty key, values of any kind behind bare messages, bare messages that
// contain themselves.
func TestJavaStrangeShapes(t *testing.T) {
	t.Parallel()
	s := goSchema{name: "strange", proto: `syntax = "proto3";
import "google/protobuf/struct.proto";
import "wirecost/json.proto";
message Doc {
  optional int64 nameless = 1 [(wirecost.key) = ""]; Tree tree = 2; Box box = 3; repeated Box boxes = 4; map<string, google.protobuf.Value> by = 5;
  map<string, Box> boxed = 6; google.protobuf.Struct object = 7; Text text = 8; Id id = 9; repeated Id ids = 10; Wide wide = 11 [(wirecost.absent) = NULL];
  repeated google.protobuf.NullValue nulls = 12; map<string, google.protobuf.NullValue> nulls_by = 13; Void void = 14;
}
message Tree { option (wirecost.form) = BARE; repeated Tree t = 1; }
message Box { option (wirecost.form) = BARE; google.protobuf.Value v = 1; }
message Text { option (wirecost.form) = BARE; string s = 1 [(wirecost.repr) = NUMBER]; }
message Id { option (wirecost.form) = BARE; optional int64 n = 1 [(wirecost.repr) = STRING]; }
message Wide { map<string, Wide> by = 1; optional string only = 2; }
message Void {}
message Nameless { Doc nameless = 1 [(wirecost.key) = "", (wirecost.absent) = NULL]; repeated string list = 2; }
`, samples: []goSample{
		{"docs", "Doc", []string{
			`{"":9007199254740993,"tree":[[],[[[]]]],"box":null,"boxes":[null,1,{"a":[null,{"b":null}]}],"by":{"n":null,"x":"y"},"boxed":{"n":null,"t":true},"object":{"a":null,"b":{"c":null}},"text":1e400,"id":"-5","ids":["0","9223372036854775807"],"wide":{"by":{"a":{"only":""},"b":{}}},"nulls":[null,null],"nullsBy":{"n":null},"void":{}}`,
			`{"box":{"a":1},"tree":[],"text":0,"id":"0","wide":null}`, `{"":0,"box":[],"wide":null}`, `{"wide":null}`,
		}},
		{"nameless", "Nameless", []string{`{"":{"":5,"wide":null},"list":["x"]}`, `{"":null}`}},
		{"box", "Box", []string{`null`, `[1,null]`, `"x"`, `{"a":1.5,"b":null}`}},
		{"tree", "Tree", []string{`[]`, `[[[]],[]]`}},
		{"id", "Id", []string{`"9007199254740993"`, `"0"`}},
	}}
	b := buildJava(t, s)
	var dropped []string
	for _, d := range b.Dropped {
		dropped = append(dropped, d.Codec)
	}
	if dropped != nil {
		t.Errorf("dropped %v", b.Dropped)
	}
	for _, codec := range b.Codecs {
		b.everySample(t, s, codec)
	}
}

// TestJavaMemory checks that a process stays small, twice its documents and 200
// MB, also after much work; and that allocations are counted exactly.
func TestJavaMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc, which only Linux has")
	}
	t.Parallel()
	var documents []string
	size := 0
	for i := 0; size < 8<<20; i++ {
		d := fmt.Sprintf(`{"id":%d,"name":"name %d","tags":["a","b%d"],"price":%d.25,"nested":{"on":true,"list":[1,2,%d]}}`, i, i, i%100, i, i)
		documents, size = append(documents, d), size+len(d)
	}
	s := inferSamples(t, schema.TrackLiteral, []goSample{{name: "large", documents: documents}})
	b := buildJava(t, s)
	for _, codec := range []string{"jackson2", "gson", "protobuf"} {
		t.Run(codec, func(t *testing.T) {
			peak := b.peak(t, codec, len(documents))
			limit := int64(2*size + 200<<20)
			t.Logf("%d MB at most for %d MB of documents", peak>>20, size>>20)
			if peak > limit {
				t.Errorf("%d MB; want at most %d", peak>>20, limit>>20)
			}
		})
	}
}

// TestJavaLargeDocument is one document in the room that it gets: enough for the
// usual codec, too little for the one that makes most of a document, which more
// room helps.
func TestJavaLargeDocument(t *testing.T) {
	t.Parallel()
	element := `{"id":1234567,"name":"a name of some length","on":true},`
	list := strings.Repeat(element, 8<<20/len(element))
	document := `{"list":[` + list[:len(list)-1] + `]}`
	s := inferSamples(t, schema.TrackLiteral, []goSample{{name: "huge", documents: []string{document}}})
	b := buildJava(t, s)
	b.room = runner.RoomFor([]int{len(document)})
	b.everySample(t, s, "jackson2")
	p, _, _ := b.process(t, "jsonformat")
	var short *runner.MemoryError
	if _, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: "huge", Codec: "jsonformat", Out: filepath.Join(t.TempDir(), "out")}); !errors.As(err, &short) {
		t.Errorf("jsonformat: %v; want that memory is short", err)
	}
	b.room.Bytes = 1e9
	b.everySample(t, s, "jsonformat")
}

// peak puts a process through a run's requests, and gives the most memory it had.
func (b *javaBuild) peak(t *testing.T, codec string, documents int) int64 {
	t.Helper()
	run := b.Command()
	c := exec.CommandContext(t.Context(), run.Words[0], run.Words[1:]...)
	c.Dir, c.Stderr = run.Dir, &bytes.Buffer{}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Wait() }()
	p := runner.NewConn(runner.Streams{Requests: in, Replies: out, Stop: func() { _ = in.Close() }})
	defer p.Close()
	if _, err := p.Prepare(t.Context(), b.files, []string{codec}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: "large", Codec: codec, Out: filepath.Join(t.TempDir(), "out")}); err != nil {
		t.Fatal(err)
	}
	for _, op := range []bench.Operation{bench.Decode, bench.Encode} {
		batch := runner.BatchRequest{Sample: "large", Codec: codec, Operation: op, Iterations: documents, Window: documents}
		for range 8 {
			if _, err := p.Measure(t.Context(), runner.MeasureRequest{Turn: []runner.BatchRequest{batch}, Settle: true}); err != nil {
				t.Fatal(err)
			}
		}
		m, err := p.Memory(t.Context(), runner.MemoryRequest{Sample: "large", Codec: codec, Operation: op, Iterations: documents})
		if err != nil || m.Allocations != -1 || m.Bytes < int64(documents)*16 {
			t.Errorf("memory %s: %+v %v", op, m, err)
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	kb, err := strconv.ParseInt(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(status))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
