package schema

import (
	"fmt"
	"strings"
	"testing"
)

// What null, missing and empty become, for each combination that documents may show.
func TestAbsence(t *testing.T) {
	const (
		full    = `{"x":%s}`
		null    = `{"x":null}`
		missing = `{}`
	)
	for _, c := range []struct {
		value string
		docs  []string // besides one that is full
		want  string
		exact bool
	}{
		{"5", nil, "int32 x = 1;", true},
		{"5", []string{`{"x":0}`}, "int32 x = 1;", true},
		{"5", []string{null}, "optional int32 x = 1 [(wirecost.absent) = NULL];", true},
		{"5", []string{missing, `{"x":0}`}, "optional int32 x = 1;", true},
		{"5", []string{null, missing}, "optional int32 x = 1;", false},
		{"5", []string{null, null, missing}, "optional int32 x = 1 [(wirecost.absent) = NULL];", false},
		{`"a"`, []string{missing, `{"x":""}`}, "optional string x = 1;", true},
		{"false", nil, "bool x = 1;", true},
		{"1.5", []string{`{"x":-0.0}`, `{"x":0}`}, "double x = 1;", true},
		{"null", nil, "google.protobuf.NullValue x = 1;", true},
		{"null", []string{missing}, "optional google.protobuf.NullValue x = 1;", true},
		{`{"a":1}`, nil, "X x = 1;", true},
		{`{"a":1}`, []string{missing}, "X x = 1;", true},
		{`{"a":1}`, []string{null}, "X x = 1 [(wirecost.absent) = NULL];", true},
		{"[1]", nil, "repeated int32 x = 1;", true},
		{"[1]", []string{`{"x":[]}`}, "repeated int32 x = 1 [(wirecost.absent) = WRITE];", true},
		{"[1]", []string{missing}, "repeated int32 x = 1;", true},
		{"[1]", []string{null}, "repeated int32 x = 1 [(wirecost.absent) = NULL];", true},
		{"[1]", []string{missing, `{"x":[]}`}, "XList x = 1;", true},
		{"[1]", []string{null, `{"x":[]}`}, "XList x = 1 [(wirecost.absent) = NULL];", true},
		{"[1]", []string{null, missing}, "repeated int32 x = 1;", false},
		{"[1]", []string{null, null, missing}, "repeated int32 x = 1 [(wirecost.absent) = NULL];", false},
		{"[1]", []string{null, missing, `{"x":[]}`, `{"x":[]}`}, "repeated int32 x = 1 [(wirecost.absent) = WRITE];", false},
		{"[]", nil, "repeated google.protobuf.Value x = 1 [(wirecost.absent) = WRITE];", true},
		{"[]", []string{missing}, "XList x = 1;", true},
		{`{"1":2,"3":4}`, nil, "map<string, int32> x = 1;", true},
		{`{"1":2,"3":4}`, []string{`{"x":{}}`}, "map<string, int32> x = 1 [(wirecost.absent) = WRITE];", true},
		{`{"1":2,"3":4}`, []string{missing}, "map<string, int32> x = 1;", true},
		{`{"1":2,"3":4}`, []string{missing, `{"x":{}}`}, "XMap x = 1;", true},
		{`{"1":2,"3":4}`, []string{null, `{"x":{}}`}, "XMap x = 1 [(wirecost.absent) = NULL];", true},
		{`{"1":[2],"3":[]}`, nil, "map<string, XList> x = 1;", true},
		{`{"1":null,"3":4}`, nil, "map<string, XUnion> x = 1;", true},
		{`{"1":{"5":6},"3":{"7":8}}`, nil, "map<string, XMap> x = 1;", true},
		{"[1,null]", nil, "repeated XUnion x = 1;", true},
		{"[null]", nil, "repeated google.protobuf.NullValue x = 1;", true},
		{"[[1],[]]", nil, "repeated XList x = 1;", true},
		{`[1,"a",true,null,[1],{"a":1}]`, nil, "repeated XUnion x = 1;", true},
		{`"a"`, []string{`{"x":1}`, null, missing}, "XUnion x = 1;", true},
		{`"a"`, []string{`{"x":1}`, null}, "XUnion x = 1 [(wirecost.absent) = NULL];", true},
		{"1e999", []string{missing}, "optional string x = 1 [(wirecost.repr) = NUMBER];", true},
	} {
		docs := append([]string{fmt.Sprintf(full, c.value)}, c.docs...)
		lines := strings.Join(docs, "\n")
		x := inferLines(t, InferOptions{}, lines).has(c.want)
		if c.exact {
			x.exact()
		} else {
			x.notes("$.x", "--exact-null")
			x.back()
		}
		inferLines(t, InferOptions{ExactNull: true}, lines).exact()
	}
}

func TestRoots(t *testing.T) {
	for lines, want := range map[string]string{
		`{"a":1}`:               "int32 a = 1;",
		"[1,2]\n[]":             "repeated int32 v = 1;",
		`{"1":2,"3":4}`:         "map<string, int32> v = 1;",
		"[1]\n{\"a\":1}":        "oneof v {",
		"{\"a\":1}\nnull":       "google.protobuf.NullValue null_value = 1;",
		"1\n2":                  "optional int32 v = 1;",
		"null":                  "optional google.protobuf.NullValue v = 1;",
		"\"x\"\n5\n{\"a\":[1]}": "Root object_value = 3;",
	} {
		x := inferLines(t, InferOptions{}, lines)
		if strings.HasPrefix(lines, "\"x\"") { // the name is the root's; its object gets another
			want = "RootItem object_value = 3;"
		}
		x.exact().has(want)
	}
}

func TestRecursion(t *testing.T) {
	for doc, want := range map[string][]string{
		`{"v":1,"kids":[{"v":2,"kids":[{"v":3,"kids":[]},{"v":4}]}]}`:                                                   {"KidsList kids = 2;", "repeated Root v = 1;", "int32 v = 1;"},
		`{"tree":{"v":1,"next":{"v":2,"next":{"v":3}}}}`:                                                                {"Tree tree = 1;", "Tree next = 2;"},
		`{"op":"+","left":{"op":"*","left":{"n":1},"right":{"n":2}},"right":{"op":"-","left":{"n":4},"right":{"n":5}}}`: {"Root left = 3;", "Root right = 4;"},
		`{"id":1,"name":"a","owner":{"id":2,"name":"b"}}`:                                                               {"Owner owner = 3;"},
		`{"spec":{"replicas":1,"template":{"spec":{"containers":[{"name":"x"}]}}}}`:                                     {"Spec spec = 1;", "int32 replicas = 1;", "!optional"},
		`{"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`:                                   {"!repeated"},
	} {
		x := inferLines(t, InferOptions{}, doc).exact()
		for _, w := range want {
			if no, ok := strings.CutPrefix(w, "!"); ok {
				x.lacks(no)
			} else {
				x.has(w)
			}
		}
	}
	// However deep, one message.
	deep := strings.Repeat(`{"v":1,"next":`, 200) + "null" + strings.Repeat("}", 200)
	if x := inferLines(t, InferOptions{}, deep).exact(); strings.Count(x.Proto, "message ") != 1 {
		t.Errorf("not one message:\n%s", x.Proto)
	}
}

func TestMaps(t *testing.T) {
	var records, labels []string
	for i := range 30 {
		records = append(records, fmt.Sprintf(`{"r":{"24h":%d,"7d":%d,"30d":%d}}`, i, i, i))
		labels = append(labels, fmt.Sprintf(`{"l":{"k%c":"v","k%c":"w"}}`, 'a'+i%26, 'A'+i%25))
	}
	for lines, want := range map[string]string{
		`{"x":{"2024-01-01":1,"2024-01-02":2}}`:                                 "map<string, int32> x = 1;",
		`{"x":{"0af1c2d3-e4b5-4968-8778-695a4b3c2d1e":{"a":1}}}`:                "map<string, X> x = 1;",
		`{"x":{"a@b.example":1,"c@d.example":2}}`:                               "map<string, int32> x = 1;",
		`{"x":{"1":"a","2":{"b":1}}}`:                                           "X x = 1;", // values of two kinds
		`{"x":{"1":{"2020-01-01":5},"2":{"2020-01-02":6,"2020-01-03":7}}}`:      "map<string, XMap> x = 1;",
		`{"x":{"a":1,"b":2}}`:                                                   "X x = 1;",
		`{"_links":{"self":{"href":"a"},"html":{"href":"b"},"x":{"href":"c"}}}`: "Links links = 1 [json_name = \"_links\"];",
		strings.Join(records, "\n"):                                             "R r = 1;", // a fixed set of keys
		strings.Join(labels, "\n"):                                              "map<string, string> l = 1;",
	} {
		inferLines(t, InferOptions{}, lines).exact().has(want)
	}
}

func TestOverrides(t *testing.T) {
	doc := `{"a":{"x":{"k":1}},"l":[{"m":{"y":2}}],"odd key":{"z":{"w":1}},"n":{"1":2,"2":3}}`
	opt := InferOptions{Map: []string{"$.a", "$.a.*", "$.l[].m", `$["odd key"]`}, NoMap: []string{"$.n"}}
	inferLines(t, opt, doc).exact().has("map<string, AMap> a = 1;", "map<string, int32> m = 1;", `map<string, OddKey> odd_key = 3 [json_name = "odd key"];`, "N n = 4;")
	p := NewPartial(InferOptions{})
	if err := p.Add([]byte(doc)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a": "write it as", "$.": "write it as", "$..a": "write it as", `$["a`: "write it as", "$x": "write it as",
		"$.nope": "no document has an object there", "$.a.x.k": "no document has an object there",
	} {
		_, err := Infer([]NamedPartial{{Sample: "s", Partial: p}}, InferOptions{Map: []string{path}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Infer([]NamedPartial{{Sample: "s", Partial: p}}, InferOptions{Map: []string{"$.a"}, NoMap: []string{"$.a"}}); err == nil {
		t.Error("a map and not a map")
	}
	if _, err := Infer([]NamedPartial{{Sample: "s", Partial: p}}, InferOptions{Track: "x"}); err == nil {
		t.Error("unknown track")
	}
	if _, err := Infer([]NamedPartial{{Sample: "s", Partial: NewPartial(InferOptions{})}}, InferOptions{}); err == nil {
		t.Error("no documents")
	}
}

func TestTyped(t *testing.T) {
	repeat := func(n int, values ...string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "{\"x\":%q}\n", values[i%len(values)])
		}
		return b.String()
	}
	for _, c := range []struct{ lines, want string }{
		{repeat(2, "2024-05-01T10:00:00Z", "2024-05-01T10:00:00.120Z"), "google.protobuf.Timestamp x = 1;"},
		{repeat(2, "2024-05-01T10:00:00Z", "2024-05-01T10:00:00.000Z"), "string x = 1;"},
		{repeat(1, "2024-02-30T10:00:00Z"), "string x = 1;"},
		{repeat(1, "2024-05-01T10:00:60Z"), "string x = 1;"},
		{repeat(1, "0000-05-01T10:00:00Z"), "string x = 1;"},
		{repeat(1, "2024-05-01t10:00:00z"), "string x = 1;"},
		{repeat(1, "2024-05-01T10:00:00.1Z"), "string x = 1;"},
		{repeat(2, "2024-05-01T10:00:00Z", ""), "string x = 1;"},
		{repeat(1, "0af1c2d3-e4b5-4968-8778-695a4b3c2d1e"), "optional bytes x = 1 [(wirecost.repr) = UUID];"},
		{repeat(1, "0AF1C2D3-e4b5-4968-8778-695a4b3c2d1e"), "string x = 1;"},
		{repeat(2, "12", "-3"), "sint64 x = 1 [(wirecost.repr) = STRING];"},
		{repeat(2, "12", "3"), "int64 x = 1 [(wirecost.repr) = STRING];"},
		{repeat(2, "12", "18446744073709551615"), "uint64 x = 1 [(wirecost.repr) = STRING];"},
		{repeat(2, "-12", "18446744073709551615"), "string x = 1;"},
		{repeat(2, "12", "18446744073709551616"), "string x = 1;"},
		{repeat(2, "12", "007"), "string x = 1;"},
		{repeat(2, "12", "-0"), "string x = 1;"},
		{repeat(2, "12", "+5"), "string x = 1;"},
		{repeat(2, "12", " 5"), "string x = 1;"},
		{repeat(1, "QUJDREVGR0hJSktMTU5PUA=="), "bytes x = 1;"},
		{repeat(1, "QUJDREVGR0hJSktMTU5PUB=="), "string x = 1;"}, // bits left over
		{repeat(1, "internationalisation"), "string x = 1;"},
		{repeat(1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"), "string x = 1;"},
		{repeat(30, "OPEN", "OPEN", "CLOSED"), "XEnum.Value x = 1;"},
		{repeat(30, "open", "OPEN"), "string x = 1;"},
		{repeat(30, "VALUE_A", "A"), "string x = 1;"},
		{repeat(30, "option", "b"), "string x = 1;"},
		{repeat(30, "two words", "b"), "string x = 1;"},
		{repeat(10, "OPEN", "CLOSED"), "string x = 1;"},
		{repeat(30, "true", "false"), "XEnum.Value x = 1;"},
	} {
		inferLines(t, typed, c.lines).exact().has(c.want)
		inferLines(t, InferOptions{}, c.lines).exact().has("string x = 1;")
	}
	inferLines(t, typed, repeat(30, "OPEN", "OPEN", "CLOSED")).has("OPEN = 0;", "CLOSED = 1;").notes("$.x", "2 distinct values")
}

func TestSeveralSamples(t *testing.T) {
	a, b := NewPartial(InferOptions{}), NewPartial(InferOptions{})
	for _, p := range []*Partial{a, b} {
		if err := p.Add([]byte(`{"user":{"id":1,"tags":[]}}`)); err != nil {
			t.Fatal(err)
		}
	}
	inf, err := Infer([]NamedPartial{{"a", "orders", a}, {"b", "Orders", b}}, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x := inferred{inf, t, [][]byte{[]byte(`{"user":{"id":1,"tags":[]}}`)}}
	x.back()
	x.has("message Orders {", "message Orders_2 {")
	if strings.Count(inf.Proto, "message User {") != 1 || inf.Roots["a"] != "wirecost.inferred.Orders" || inf.Roots["b"] != "wirecost.inferred.Orders_2" {
		t.Errorf("%v\n%s", inf.Roots, inf.Proto)
	}
	if inf.Notes[0].Where != "a: $.user.tags" {
		t.Error(inf.Notes)
	}
	if _, err := Infer([]NamedPartial{{"a", "x", a}, {"a", "y", b}}, InferOptions{}); err == nil {
		t.Error("one sample twice")
	}
}

func TestNumbersOfFields(t *testing.T) {
	var lines strings.Builder
	lines.WriteString(`{"rare":1`)
	for i := range 20 {
		fmt.Fprintf(&lines, `,"f%d":1`, i)
	}
	lines.WriteString("}\n")
	for range 3 {
		lines.WriteString(`{"f19":1,"f0":2}` + "\n")
	}
	// f19 comes first in some document, so its position is 0; rare is one of the first too, less often.
	inferLines(t, InferOptions{}, lines.String()).exact().
		has("int32 f19 = 1;", "optional int32 rare = 2;", "int32 f0 = 3;", "optional int32 f1 = 4;", "optional int32 f12 = 15;", "optional int32 f13 = 16;", "optional int32 f18 = 21;")
}

func TestShape(t *testing.T) {
	blob := strings.Repeat("QUJD", 500)
	x := inferLines(t, InferOptions{}, `{"data":"`+blob+`","n":[1,2,3],"t":"é"}`)
	s := x.Shape["s"]
	if s.CompactBytes != s.Bytes || s.BlobPath != "$.data" || !s.BlobBase64 || s.BlobShare < 0.9 || s.NonASCIIShare != 0.5 || s.LongestNumbers != 3 || s.Keys != 3 || s.Nesting != 2 {
		t.Errorf("%+v", s)
	}
	if sum := s.KeyShare + s.StringShare + s.NumberShare; sum < 0.99 || sum > 1 {
		t.Errorf("shares sum to %v", sum)
	}
	if m := s.Map(); m["blob_path"] != "$.data" || m["documents"] != 1.0 {
		t.Error(m)
	}
}
