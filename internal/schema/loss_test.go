package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/testenv"
)

func TestLosses(t *testing.T) {
	const head = `syntax = "proto3"; import "wirecost/json.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/wrappers.proto"; `
	tests := []struct {
		schema string // of message M
		docs   []string
		want   []string // "path: what | documents | example", notes with a leading "note "
	}{
		{"int32 a = 1; optional string b = 2; repeated int32 c = 3;", []string{`{"c":[1],"a":1,"b":"x"}`, `{ "b" : "y", "a": 2 }`}, nil},
		{"double a = 1; repeated double b = 2; float c = 3;", []string{`{"a":1.0,"b":[1e2,-0,0.1],"c":2.50}`, `{"a":1.0,"b":[-0.0,0e5],"c":1}`}, []string{
			"note $.a: the number is spelt differently | 2 | 1.0 → 1",
			"note $.b[]: the number is spelt differently | 2 | 1e2 → 100",
			"note $.c: the number is spelt differently | 1 | 2.50 → 2.5"}},
		{"int32 a = 1; uint64 b = 2;", []string{`{"a":-0,"b":-0}`}, []string{"note $.a: the sign of zero is lost | 1 | -0 → 0", "note $.b: the sign of zero is lost | 1 | -0 → 0"}},
		{"repeated double a = 1; repeated float b = 2;", []string{`{"a":[9007199254740993,0.10000000000000000555,123456789012345678901234567890],"b":[2.123456789,16777217]}`}, []string{
			"$.a[]: the integer is rounded to a double | 1 | 9007199254740993 → 9007199254740992",
			"note $.a[]: the number is spelt differently (the same double) | 1 | 0.10000000000000000555 → 0.1",
			"$.b[]: the integer is rounded to a float | 1 | 16777217 → 16777216",
			"$.b[]: the number is rounded to a float | 1 | 2.123456789 → 2.1234567"}},
		{"int32 a = 1; optional int32 b = 2 [(wirecost.absent) = NULL]; repeated int32 c = 3; map<string, int32> d = 4;",
			[]string{`{"a":0,"b":null,"c":[1],"d":{"x":1}}`, `{"a":1,"c":[],"d":{}}`, `{"b":null,"c":null,"d":null}`, `{"a":null,"b":1}`}, []string{
				"$.a: missing became the default value | 1 | no member → 0",
				"$.a: null became the default value | 1 | null → 0",
				"$.b: missing became null | 1 | no member → null",
				"$.c: [] became missing | 1 | [] → no member",
				"$.c: null became missing | 1 | null → no member",
				"$.d: null became missing | 1 | null → no member",
				"$.d: {} became missing | 1 | {} → no member"}},
		{"string a = 1 [(wirecost.absent) = OMIT];", []string{`{"a":""}`}, []string{`$.a: the default value became missing | 1 | "" → no member`}},
		{"google.protobuf.Timestamp a = 1; google.protobuf.Duration b = 2; bytes c = 3; bytes d = 4 [(wirecost.repr) = HEX]; int64 e = 5 [(wirecost.repr) = STRING]; double f = 6 [(wirecost.repr) = STRING];",
			[]string{`{"a":"2024-05-01T10:00:00+02:30","b":"1.50s","c":"-_8","d":"AB","e":"1","f":"1.0"}`}, []string{
				`$.a: the time is spelt differently (UTC, with 0, 3, 6 or 9 decimals) | 1 | "2024-05-01T10:00:00+02:30" → "2024-05-01T07:30:00Z"`,
				`$.b: the duration is spelt differently (with 0, 3, 6 or 9 decimals) | 1 | "1.50s" → "1.500s"`,
				`$.c: the bytes are spelt differently | 1 | "-_8" → "+/8="`,
				`$.d: the bytes are spelt differently | 1 | "AB" → "ab"`,
				`$.f: the number in the string is spelt differently | 1 | "1.0" → "1"`}},
		{"map<string, M> a = 1; repeated M b = 2; double c = 3 [(wirecost.absent) = OMIT];", []string{`{"a":{"x":{"c":1.0},"y":{"c":2.0}},"b":[{"c":1.50},{"c":0}]}`}, []string{
			"note $.a{}.c: the number is spelt differently | 1 | 1.0 → 1",
			"$.b[].c: the default value became missing | 1 | 0 → no member",
			"note $.b[].c: the number is spelt differently | 1 | 1.50 → 1.5"}},
		{"google.protobuf.Value a = 1; google.protobuf.Struct b = 2; google.protobuf.DoubleValue c = 3;", []string{`{"a":[1.0,{"k":[-0.0]},null],"b":{"x":{"y":1E5}},"c":2.0}`}, []string{
			"note $.a[]: the number is spelt differently | 1 | 1.0 → 1",
			"note $.a[].k[]: the number is spelt differently | 1 | -0.0 → -0",
			"note $.b{}.y: the number is spelt differently | 1 | 1E5 → 100000",
			"note $.c: the number is spelt differently | 1 | 2.0 → 2"}},
		{"E a = 1; enum E { option allow_alias = true; X = 0; Y = 1; Z = 1; }", []string{`{"a":"Z"}`}, []string{`$.a: another name of the same value | 1 | "Z" → "Y"`}},
		{"repeated U a = 1; message U { option (wirecost.form) = UNION; oneof v { double n = 1; string s = 2; L l = 3; } } message L { option (wirecost.form) = BARE; repeated int32 v = 1; }", []string{`{"a":[1.0,"1.0",[],[1]]}`}, []string{"note $.a[]: the number is spelt differently | 1 | 1.0 → 1"}},
		{"string a = 1 [(wirecost.repr) = NUMBER];", []string{`{"a":1.000000000000000000000000000000000000000001e400}`}, nil},
		{"map<int32, int32> a = 1;", []string{`{"a":{"1":1}}`}, nil},
	}
	for _, tt := range tests {
		s := mustText(t, head+"message M { "+tt.schema+" }")
		losses, err := s.Losses("", texts(tt.docs...))
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		var got []string
		for _, l := range losses {
			line := fmt.Sprintf("%s: %s | %d | %s", l.Path, l.What, l.Documents, l.Example)
			if l.Note {
				line = "note " + line
			}
			got = append(got, line)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s\nhave %s\nwant %s", tt.schema, strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
		}
	}
}

// However the documents are divided among workers, counts and examples are the same.
func TestLossesManyDocuments(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; message M { double a = 1; }`)
	var docs []string
	for i := range 1001 {
		docs = append(docs, fmt.Sprintf(`{"a":%d.0}`, i+1))
	}
	losses, err := s.Losses("", texts(docs...))
	if err != nil {
		t.Fatal(err)
	}
	want := Loss{"$.a", "the number is spelt differently", true, 1001, "1.0 → 1"}
	if len(losses) != 1 || losses[0] != want {
		t.Errorf("have %+v, want %+v", losses, want)
	}
	if _, err := s.Losses("", texts(`{"a":1}`, `{"a":"x"}`)); err == nil || !strings.Contains(err.Error(), "document 2: $.a: ") {
		t.Errorf("a document that does not match gave %v", err)
	}
}

// Documents that are fitted with the study's schemas lose nothing but spelling
// and what proto3 cannot tell.
func TestViottiLosses(t *testing.T) {
	want := map[string][]string{
		"circleciblank":  {"$.version: the number is spelt differently"},
		"openweathermap": nil, "jsonresume": nil, "epr": nil,
	}
	for name, lines := range want {
		s := compileFile(t, Source{File: testenv.Corpora(t, "viotti", name, "protobuf", "schema.proto"), Message: "Main"})
		doc, err := os.ReadFile(testenv.Corpora(t, "viotti", name, "document.json"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Fit("", [][]byte{doc}, FitOptions{}); err != nil {
			t.Fatal(err)
		}
		losses, err := s.Losses("", [][]byte{doc})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range losses {
			got = append(got, l.Path+": "+l.What)
		}
		if !slices.Equal(got, lines) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Of the corpora, an inferred schema of either track loses nothing.
func TestCorporaLoseNothing(t *testing.T) {
	for _, pattern := range []string{"viotti/*/document.json", "webhooks/*.json", "nativejson/*.json"} {
		files, err := filepath.Glob(filepath.Join(testenv.Corpora(t), pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			doc, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, track := range []string{"literal", "typed"} {
				checkInferred(t, file, doc, track)
			}
		}
	}
}

func checkInferred(t *testing.T, file string, doc []byte, track string) {
	t.Helper()
	p := NewPartial(InferOptions{Track: track})
	if err := p.Add(doc); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	x, err := Infer([]NamedPartial{{Sample: "s", RootName: "s", Partial: p}}, InferOptions{Track: track})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	s, err := CompileText(t.Context(), "inferred.proto", x.Proto, x.Roots)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	losses, err := s.Losses("s", [][]byte{doc})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, l := range losses {
		if !l.Note {
			t.Errorf("%s, %s: %+v", file, track, l)
		}
	}
	roundTripRandom(t, s, 3)
}
