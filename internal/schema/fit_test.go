package schema

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

func texts(docs ...string) [][]byte {
	out := make([][]byte, len(docs))
	for i, d := range docs {
		out[i] = []byte(d)
	}
	return out
}

// fieldNamed finds a field of the root.
func fieldNamed(t *testing.T, s *Schema, name string) *Field {
	t.Helper()
	for _, f := range s.Model.Message(s.Model.Roots[0].Type).Fields {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no field %s", name)
	return nil
}

func TestFitDecides(t *testing.T) {
	const enum = " enum E { ZERO = 0; ONE = 1; }"
	tests := []struct {
		field  string // named f
		docs   []string
		key    string
		absent Absent
		repr   Repr
	}{
		{"int32 f_g = 1", []string{`{"fG":1}`, `{"fG":2}`}, "fG", AbsentWrite, ""},
		{"int32 f_g = 1", []string{`{"f_g":1}`, `{"f_g":2}`}, "f_g", AbsentWrite, ""},
		{"int32 f_g = 1", []string{`{"f_g":0}`, `{"f_g":2}`}, "f_g", AbsentWrite, ""},
		{"int32 f_g = 1", []string{`{"f_g":1}`, `{}`}, "f_g", AbsentOmit, ""},
		{"int32 f_g = 1", []string{`{"f_g":null}`, `{"f_g":7}`}, "f_g", AbsentNull, ""},
		{"int32 f_g = 1", []string{`{"f_g":0}`, `{"f_g":0}`, `{}`}, "f_g", AbsentWrite, ""},
		{"int32 f_g = 1", []string{`{"f_g":0}`, `{}`, `{}`}, "f_g", AbsentOmit, ""},
		{"optional int32 f_g = 1", []string{`{"f_g":0}`, `{"f_g":1}`}, "f_g", AbsentOmit, ""},
		{"optional int32 f_g = 1", []string{`{"f_g":null}`, `{"f_g":1}`}, "f_g", AbsentNull, ""},
		{"repeated int32 f_g = 1", []string{`{"f_g":[]}`, `{"f_g":[1]}`}, "f_g", AbsentWrite, ""},
		{"repeated int32 f_g = 1", []string{`{}`, `{"f_g":[1]}`}, "f_g", AbsentOmit, ""},
		{"repeated int32 f_g = 1", []string{`{"f_g":null}`, `{"f_g":[1]}`}, "f_g", AbsentNull, ""},
		{"map<string, int32> f_g = 1", []string{`{"f_g":{}}`}, "f_g", AbsentWrite, ""},
		{"int64 f_g = 1", []string{`{"f_g":"1"}`, `{"f_g":"0"}`}, "f_g", AbsentWrite, ReprString},
		{"repeated uint64 f_g = 1", []string{`{"f_g":["18446744073709551615"]}`}, "f_g", AbsentOmit, ReprString},
		{"int64 f_g = 1", []string{`{"f_g":9223372036854775807}`}, "f_g", AbsentWrite, ""},
		{"double f_g = 1", []string{`{"f_g":"NaN"}`}, "f_g", AbsentWrite, ""},
		{"double f_g = 1", []string{`{"f_g":"1.5"}`, `{"f_g":"-Infinity"}`}, "f_g", AbsentWrite, ReprString},
		{"E f_g = 1", []string{`{"f_g":"ONE"}`, `{"f_g":"ZERO"}`}, "f_g", AbsentWrite, ""},
		{"E f_g = 1", []string{`{"f_g":1}`, `{"f_g":0}`}, "f_g", AbsentWrite, ReprNumber},
		{"E f_g = 1 [(wirecost.repr) = NATIVE]", []string{`{"f_g":"ONE"}`}, "f_g", AbsentWrite, ""},
		{"int32 f_g = 1 [(wirecost.absent) = OMIT]", []string{`{"f_g":0}`, `{"f_g":0}`}, "f_g", AbsentOmit, ""},
	}
	for _, tt := range tests {
		s := mustText(t, `syntax = "proto3"; import "wirecost/json.proto"; message M { `+tt.field+`; }`+enum)
		if _, err := s.Fit("", texts(tt.docs...), FitOptions{}); err != nil {
			t.Errorf("%s %v: %v", tt.field, tt.docs, err)
			continue
		}
		f := s.Model.Messages[len(s.Model.Messages)-1].Fields[0]
		if f.Key != tt.key || f.Absent != tt.absent || f.Repr != tt.repr {
			t.Errorf("%s %v: key %q, absent %s, repr %q; want %q, %s, %q", tt.field, tt.docs, f.Key, f.Absent, f.Repr, tt.key, tt.absent, tt.repr)
		}
	}
}

func TestFitMismatches(t *testing.T) {
	tests := []struct {
		name, schema string // in message M
		doc          string
		want         []string // of the error
	}{
		{"unknown key", "int32 a = 1;", `{"a":1,"b":{"c":[1,2]},"d":3}`, []string{"$.b: the schema has no such field; first in document 1 at byte 7", "$.d: "}},
		{"wrong types", "string a = 1; bool b = 2; repeated int32 c = 3; M d = 4; map<string, int32> e = 5;", `{"a":1,"b":"x","c":{},"d":[],"e":7}`,
			[]string{"$.a: should be a string, is the number 1; first in document 1 at byte 5", "$.b: should be true or false, is the string \"x\"", "$.c: should be an array, is an object", "$.d: should be an object, is an array", "$.e: should be an object, is the number 7"}},
		{"out of range", "repeated int32 a = 1; uint32 b = 2; uint64 c = 3; float d = 4; double e = 5;", `{"a":[2147483648,1,-2147483649],"b":-1,"c":18446744073709551616,"d":1e39,"e":1e400}`,
			[]string{"$.a[]: should be a 32-bit integer, is the number 2147483648, which is out of range (2 times)", "$.b: ", "$.c: ", "$.d: ", "$.e: "}},
		{"fraction", "int32 a = 1; int64 b = 2;", `{"a":1.0,"b":1e2}`, []string{"$.a: should be a 32-bit integer, is the number 1.0, which is not written as an integer", "$.b: "}},
		{"null in a list", "repeated int32 a = 1; map<string, string> b = 2;", `{"a":[1,null],"b":{"x":null}}`, []string{"$.a[]: should be a 32-bit integer, is null", "$.b{}: should be a string, is null"}},
		{"duplicate keys", "int32 a = 1; map<string, int32> b = 2;", `{"a":1,"\u0061":2,"b":{"x":1,"x":2}}`, []string{"$.a: the key is there twice; first in document 1 at byte 7", "$.b{}: the key is there twice"}},
		{"map keys", "map<int32, int32> a = 1; map<bool, int32> b = 2;", `{"a":{"x":1},"b":{"1":1}}`, []string{"$.a{}: the key should be a 32-bit integer", "$.b{}: the key should be true or false"}},
		{"enum", "E a = 1; enum E { A = 0; B = 1; }", `{"a":"C"}`, []string{"$.a: should be one of the names of ME_, is the string \"C\""}},
		{"any value", "google.protobuf.Value a = 1;", `{"a":[9007199254740993]}`, []string{"$.a[]: the integer 9007199254740993 would be rounded"}},
		{"times", "google.protobuf.Timestamp a = 1; google.protobuf.Duration b = 2;", `{"a":"2024-05-01T10:00:00","b":"1.5"}`, []string{"$.a: should be an RFC 3339 time with zone", "$.b: should be a duration"}},
		{"not base64", "bytes a = 1;", `{"a":"*"}`, []string{"$.a: should be a base64 string"}},
		{"mixed spelling", "repeated int64 a = 1;", `{"a":["1","2",3]}`, []string{"$.a[]: should be a string with a 64-bit integer, is the number 3"}},
		{"Any", "google.protobuf.Any a = 1;", `{"a":{}}`, []string{"$.a: the schema has no such field"}},
		{"union", "repeated U a = 1; message U { option (wirecost.form) = UNION; oneof v { string s = 1; bool b = 2; } }", `{"a":["x",true,1]}`, []string{"$.a[]: should be one of bool, string, is the number 1"}},
		{"top level", "int32 a = 1;", `[]`, []string{"$: should be an object, is an array"}},
		{"hostile key", "int32 a = 1;", `{"x\n\"<b>":1,"":2}`, []string{`$["x\n\"<b>"]: `, `$[""]: `}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := mustText(t, `syntax = "proto3"; import "wirecost/json.proto"; import "google/protobuf/any.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto"; message M { `+tt.schema+` }`)
			report, err := s.Fit("", texts(tt.doc), FitOptions{})
			if mismatch := (*MismatchError)(nil); !errors.As(err, &mismatch) {
				t.Fatalf("want a mismatch, have %v", err)
			}
			if len(report.Mismatches) != len(tt.want) {
				t.Errorf("%d mismatches, want %d", len(report.Mismatches), len(tt.want))
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("the error lacks %q:\n%v", w, err)
				}
			}
		})
	}
}

func TestFitRequired(t *testing.T) {
	s := mustText(t, `syntax = "proto2"; message M { required int32 a = 1; repeated M m = 2; }`)
	_, err := s.Fit("", texts(`{"a":1}`, `{"a":1,"m":[{},{"a":1}]}`), FitOptions{})
	if err == nil || !strings.Contains(err.Error(), "1 of 2 documents") || !strings.Contains(err.Error(), "$.m[].a: missing, but the schema requires it; first in document 2 at byte 12") {
		t.Errorf("have %v", err)
	}
}

func TestFitInvalidDocument(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; message M { int32 a = 1; }`)
	_, err := s.Fit("", texts(`{"a":1}`, `{"a":`), FitOptions{})
	var doc *DocumentError
	var syntax *strictjson.Error
	if !errors.As(err, &doc) || doc.Document != 1 || !errors.As(err, &syntax) {
		t.Errorf("have %v", err)
	}
}

func TestFitRepr(t *testing.T) {
	const text = `syntax = "proto3"; message M { bytes trace_id = 1; N n = 2; string s = 3; } message N { bytes trace_id = 1; }`
	for _, tt := range []struct {
		repr map[string]string
		want [2]Repr // of M.trace_id and N.trace_id
		err  string
	}{
		{map[string]string{"trace_id": "hex"}, [2]Repr{ReprHex, ReprHex}, ""},
		{map[string]string{"traceId": "hex"}, [2]Repr{ReprHex, ReprHex}, ""},
		{map[string]string{"N.trace_id": "uuid"}, [2]Repr{"", ReprUUID}, ""},
		{map[string]string{"trace_id": "hex", "N.trace_id": "base64"}, [2]Repr{ReprHex, ""}, ""},
		{map[string]string{"x": "hex"}, [2]Repr{}, "the schema has no field x"},
		{map[string]string{"s": "hex"}, [2]Repr{}, "cannot be spelt so"},
		{map[string]string{"s": "octal"}, [2]Repr{}, "no such representation"},
	} {
		s := mustText(t, text)
		_, err := s.Fit("", nil, FitOptions{Repr: tt.repr})
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v: %v", tt.repr, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", tt.repr, err)
			continue
		}
		n := s.Model.Message("N_").Fields[0].Repr
		if got := [2]Repr{fieldNamed(t, s, "trace_id").Repr, n}; got != tt.want {
			t.Errorf("%v: %v, want %v", tt.repr, got, tt.want)
		}
	}
}

func TestFitSuspectsHex(t *testing.T) {
	const text = `syntax = "proto3"; message M { bytes trace_id = 1; }`
	for _, tt := range []struct {
		docs []string
		repr map[string]string
		want string
	}{
		{[]string{`{"traceId":"0af1c2d3e4b5968778695a4b3c2d1e0f"}`}, nil, "M.trace_id: bytes field fed with hex? read as base64, 32 digits would give 24 bytes instead of 16; try --repr M.trace_id=hex"},
		{[]string{`{"traceId":"5B8EFFF798038103D269B633813FC60C"}`}, nil, "fed with hex?"},
		{[]string{`{"traceId":"0af1c2d3e4b5968778695a4b3c2d1e0f"}`}, map[string]string{"trace_id": "hex"}, ""},
		{[]string{`{"traceId":"0af1c2d3e4b5968778695a4b3c2d1e0f"}`}, map[string]string{"trace_id": "native"}, ""},
		{[]string{`{"traceId":"0af1c2d3"}`}, nil, ""},
		{[]string{`{"traceId":"0af1c2d3e4b5968778695a4b3c2d1e0f"}`, `{"traceId":"AAEC"}`}, nil, ""},
		{[]string{`{"traceId":"123e4567-e89b-12d3-a456-426614174000"}`}, nil, "fed with UUIDs? try --repr M.trace_id=uuid"},
		{[]string{`{"traceId":"123e4567-e89b-12d3-a456-426614174000"}`}, map[string]string{"trace_id": "uuid"}, ""},
	} {
		s := mustText(t, text)
		_, err := s.Fit("", texts(tt.docs...), FitOptions{Repr: tt.repr})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v %v: want %q, have %v", tt.docs, tt.repr, tt.want, err)
		}
	}
}

func TestFitAllSharesMessages(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; message M { int32 a = 1; int64 b = 2; }`)
	s, err := s.WithRoots(map[string]string{"one": "", "two": "M"})
	if err != nil {
		t.Fatal(err)
	}
	reports, err := s.FitAll([]FitSample{{"one", texts(`{"a":1,"b":"1"}`)}, {"two", texts(`{"b":"1"}`, `{"b":"2"}`)}}, FitOptions{})
	if err != nil || reports[0].Err() != nil || reports[1].Err() != nil {
		t.Fatal(err, reports)
	}
	m := s.Model.Message("M_")
	if m.Fields[0].Absent != AbsentOmit || m.Fields[1].Repr != ReprString {
		t.Errorf("%+v %+v", m.Fields[0], m.Fields[1])
	}
}

func TestFitPricesNegatives(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; message M { repeated int32 deltas = 1; repeated sint32 fine = 2; }`)
	report, err := s.Fit("", texts(`{"deltas":[-1,-2,-1,0,-3,-1],"fine":[-1,-2]}`), FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := "M.deltas: negative values in int32 cost 10 bytes each: its 6 values take 51 bytes, as sint32 they would take 6"
	if len(report.Notes) != 1 || report.Notes[0].String() != want {
		t.Errorf("notes %v, want %s", report.Notes, want)
	}
}

func TestFitLeaf(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; message M { optional string rare = 1; repeated int32 empty = 2; N n = 3; } message N { string zero = 1; int32 always = 2; }`)
	if _, err := s.Fit("", texts(`{"rare":"x","empty":[],"n":{"zero":"","always":1}}`, `{"empty":[1],"n":{"zero":"a","always":2}}`), FitOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Model.Roots[0].Leaf, "."); got != "n_.always_" {
		t.Errorf("leaf %s", got)
	}
}

// OTLP's JSON has identifiers in hexadecimal where ProtoJSON has base64.
func TestFitOTLP(t *testing.T) {
	for _, tt := range []struct {
		example, schema, message string
		repr                     map[string]string
	}{
		{"trace", "trace/v1/trace.proto", "TracesData", map[string]string{"trace_id": "hex", "span_id": "hex", "parent_span_id": "hex"}},
		{"logs", "logs/v1/logs.proto", "LogsData", map[string]string{"trace_id": "hex", "span_id": "hex"}},
		{"events", "logs/v1/logs.proto", "LogsData", map[string]string{"trace_id": "hex", "span_id": "hex"}},
		{"metrics", "metrics/v1/metrics.proto", "MetricsData", nil},
	} {
		t.Run(tt.example, func(t *testing.T) {
			src := Source{File: testenv.Corpora(t, "otlp", "opentelemetry", "proto", tt.schema), Roots: []string{testenv.Corpora(t, "otlp")}, Message: tt.message}
			doc, err := os.ReadFile(testenv.Corpora(t, "otlp", "examples", tt.example+".json"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := compileFile(t, src).Fit("", [][]byte{doc}, FitOptions{}); tt.example == "trace" && (err == nil || !strings.Contains(err.Error(), "fed with hex?")) {
				t.Errorf("hexadecimal read as base64 gave: %v", err)
			}
			s := compileFile(t, src)
			if _, err := s.Fit("", [][]byte{doc}, FitOptions{Repr: tt.repr}); err != nil {
				t.Fatal(err)
			}
			losses, err := s.Losses("", [][]byte{doc})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range losses {
				if !strings.HasSuffix(l.Path, "Id") || !strings.HasPrefix(l.What, "the bytes are spelt differently") {
					t.Errorf("unexpected loss: %+v", l)
				}
			}
		})
	}
}

func TestFitBoundsMismatches(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; message M { int32 a = 1; }`)
	var doc strings.Builder
	for i := range 500 {
		fmt.Fprintf(&doc, `,"k%d":1`, i)
	}
	report, err := s.Fit("", texts("{"+doc.String()[1:]+"}"), FitOptions{})
	if err == nil || len(report.Mismatches) != maxMismatchPaths || report.Further != 400 || !strings.Contains(err.Error(), "… and 400 more at other paths") {
		t.Errorf("%d listed, %d further", len(report.Mismatches), report.Further)
	}
}
