package schema

import (
	"errors"
	"math"
	"strings"
	"testing"

	"wirecost/internal/strictjson"
)

func reference(t testing.TB, s *Schema) *Reference {
	t.Helper()
	r, err := s.Reference(s.Model.Roots[0].Sample)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const convertHead = `syntax = "proto3"; import "wirecost/json.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/wrappers.proto"; import "google/protobuf/empty.proto"; `

func TestConvert(t *testing.T) {
	const some = "optional string a = 1; repeated int32 b = 2; map<int64, bool> c = 3;"
	const union = "U u = 1; repeated U us = 2; message U { option (wirecost.form) = UNION; oneof v { string s = 1; double n = 2; O o = 3; bool b = 4; L l = 5; google.protobuf.NullValue z = 6; } } message O { int32 x = 1; } message L { option (wirecost.form) = BARE; repeated int32 v = 1; }"
	tests := []struct {
		name, schema, doc string
		wire              string // in hexadecimal
		json              string // that comes back; "" for doc
	}{
		{"empty", some, `{}`, "", ""},
		{"key order", some, `{"c":{"2":true,"-1":false},"b":[1,300],"a":""}`, "0a00" + "120301ac02" + "1a0d08ffffffffffffffffff011000" + "1a0408021001", `{"a":"","b":[1,300],"c":{"-1":false,"2":true}}`},
		{"null is unset", some, `{"a":null,"b":null,"c":null}`, "", "{}"},
		{"written defaults", "int32 a = 1; bool b = 2; string c = 3; bytes d = 4; double e = 5; E f = 6; enum E { X = 0; }", `{}`, "", `{"a":0,"b":false,"c":"","d":"","e":0,"f":"X"}`},
		{"written null", "int32 a = 1 [(wirecost.absent) = NULL]; repeated int32 b = 2 [(wirecost.absent) = NULL]; M c = 3 [(wirecost.absent) = NULL];", `{}`, "", `{"a":null,"b":null,"c":null}`},
		{"written empty", "repeated int32 a = 1 [(wirecost.absent) = WRITE]; map<string, int32> b = 2 [(wirecost.absent) = WRITE];", `{}`, "", `{"a":[],"b":{}}`},
		{"escapes", "string a = 1; string k = 2 [json_name = \"q\\\"\\n\\\\\"];", `{"\u0061":"\u00e9\ud83d\ude00\/","q\"\n\\":"\u0000"}`, "0a07c3a9f09f98802f" + "120100", `{"a":"é😀/","q\"\n\\":"\u0000"}`},
		{"64 bits", "int64 a = 1 [(wirecost.repr) = STRING]; uint64 b = 2; repeated sint64 c = 3 [(wirecost.repr) = STRING];", `{"a":"-9223372036854775808","b":18446744073709551615,"c":["1","-1"]}`, "0880808080808080808001" + "10ffffffffffffffffff01" + "1a020201", ""},
		{"doubles", "repeated double a = 1; repeated float b = 2;", `{"a":[1e-7,1e21,-0,0.1,"NaN","Infinity"],"b":[0.1,"-Infinity"]}`, "0a3048afbc9af2d77a3e" + "50efe2d6e41a4b44" + "0000000000000080" + "9a9999999999b93f" + "010000000000f87f" + "000000000000f07f" + "1208cdcccc3d000080ff", `{"a":[1e-07,1e+21,-0,0.1,"NaN","Infinity"],"b":[0.1,"-Infinity"]}`},
		{"number text", "string a = 1 [(wirecost.repr) = NUMBER]; repeated string b = 2 [(wirecost.repr) = NUMBER];", `{"a":1.10e400,"b":[0,-0]}`, "0a08312e313065343030" + "120130" + "12022d30", ""},
		{"bytes", "bytes a = 1; bytes b = 2 [(wirecost.repr) = HEX]; bytes c = 3 [(wirecost.repr) = UUID];", `{"a":"/+8=","b":"00ff","c":"123e4567-e89b-12d3-a456-426614174000"}`, "0a02ffef" + "120200ff" + "1a10123e4567e89b12d3a456426614174000", ""},
		{"enums", "E a = 1; repeated E b = 2 [(wirecost.repr) = NUMBER]; E c = 3 [(wirecost.repr) = STRING]; enum E { X = 0; Y = 1; N = -1; }", `{"a":"Y","b":[0,-1,7],"c":"1"}`, "0801" + "120c00ffffffffffffffffff0107" + "1801", ""},
		{"an enum number without a name", "E a = 1; enum E { X = 0; }", `{"a":7}`, "0807", ""},
		{"times", "google.protobuf.Timestamp a = 1; repeated google.protobuf.Duration b = 2;", `{"a":"2024-05-01T10:00:00.123456789Z","b":["0s","-1.500s","0.000000001s"]}`, "0a0b08a0a5c8b10610959aef3a" + "1200" + "121608ffffffffffffffffff011080b6ca91feffffffff01" + "12021001", ""},
		{"time with an offset", "google.protobuf.Timestamp a = 1;", `{"a":"1969-12-31T23:59:59.5-00:30"}`, "0a0908870e1080cab5ee01", `{"a":"1970-01-01T00:29:59.500Z"}`},
		{"wrappers", "google.protobuf.StringValue a = 1; google.protobuf.Int64Value b = 2; google.protobuf.BoolValue c = 3; google.protobuf.BytesValue d = 4; google.protobuf.Empty e = 5;", `{"a":"","b":0,"c":true,"d":"AA==","e":{}}`, "0a00" + "1200" + "1a020801" + "22030a0100" + "2a00", ""},
		{"any value", "google.protobuf.Value a = 1; google.protobuf.Struct b = 2; google.protobuf.ListValue c = 3;", `{"a":null,"b":{"x":[1,"s",true,{}]},"c":[null]}`, "0a020800" + "12210a1f0a0178121a32180a0911000000000000f03f0a031a01730a0220010a022a00" + "1a040a020800", ""},
		{"union", union, `{"u":null,"us":["s",1.5,{"x":1},true,[],[1,2],null,""]}`, "0a023000" + "12030a0173" + "120911000000000000f83f" + "12041a020801" + "12022001" + "12022a00" + "12062a040a020102" + "12023000" + "12020a00", ""},
		{"list with presence", "L a = 1; L b = 2; message L { option (wirecost.form) = BARE; repeated int32 v = 1; }", `{"a":[]}`, "0a00", ""},
		{"nested lists", "repeated L a = 1; message L { option (wirecost.form) = BARE; repeated L v = 1; }", `{"a":[[],[[],[[]]]]}`, "0a00" + "0a060a000a020a00", ""},
		{"oneof", "oneof c { string a = 1; google.protobuf.NullValue b = 2; M d = 3; }", `{"b":null}`, "1000", ""},
		{"group", "", `{"item":[{"qty":1},{}]}`, "0b08010c" + "0b0c", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := convertHead + "message M { " + tt.schema + " }"
			if tt.name == "group" {
				text = `syntax = "proto2"; message M { repeated group Item = 1 { optional int32 qty = 1; } }`
			}
			r := reference(t, mustText(t, text))
			m, err := r.FromJSON([]byte(tt.doc))
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := hexOf(b), tt.wire; got != want {
				t.Errorf("wire %s, want %s", got, want)
			}
			back, err := r.UnmarshalStrict(b)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.json
			if want == "" {
				want = tt.doc
			}
			if got, err := r.ToJSON(back); err != nil || string(got) != want {
				t.Errorf("JSON %s (%v), want %s", got, err, want)
			}
			if d := r.Equal(m, back); d != nil {
				t.Error(d)
			}
		})
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var s strings.Builder
	for _, c := range b {
		s.WriteByte(digits[c>>4])
		s.WriteByte(digits[c&15])
	}
	return s.String()
}

func TestFromJSONErrors(t *testing.T) {
	r := reference(t, mustText(t, `syntax = "proto3"; message M { repeated M items = 1; int32 x = 2; }`))
	_, err := r.FromJSON([]byte(`{"items":[{},{"items":[{"x":"y"}]}]}`))
	var at *PathError
	if !errors.As(err, &at) || at.Path != "$.items[1].items[0].x" || at.Where != "$.items[].items[].x" || at.Offset != 28 {
		t.Errorf("have %+v", err)
	}
	var syntax *strictjson.Error
	for _, doc := range []string{``, `{`, `{"x":1}{}`, `{"x":01}`, "{\"x\":1,\"y\":\"\xff\"}"} {
		if _, err := r.FromJSON([]byte(doc)); !errors.As(err, &syntax) && !errors.As(err, &at) {
			t.Errorf("%q: %v", doc, err)
		}
	}
	deep := strings.Repeat(`{"items":[`, 100_000)
	if _, err := r.FromJSON([]byte(deep)); !errors.As(err, &syntax) {
		t.Errorf("100,000 levels: %.100v", err)
	}
}

func TestToJSONErrors(t *testing.T) {
	for _, tt := range []struct{ schema, wire, want string }{
		{"bytes a = 1 [(wirecost.repr) = UUID];", "\x0a\x03abc", "$.a: 3 bytes where a UUID has 16"},
		{"repeated google.protobuf.Timestamp a = 1;", "\x0a\x00\x0a\x0b\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "$.a[1]: a timestamp outside its range"},
		{"map<string, string> a = 1 [(wirecost.repr) = NUMBER];", "\x0a\x06\x0a\x01k\x12\x01x", `$.a.k: the string "x" should hold a number`},
		{"google.protobuf.Value a = 1;", "\x0a\x00", "$.a: a google.protobuf.Value that holds nothing"},
		{"google.protobuf.Value a = 1;", "\x0a\x09\x11\x01\x00\x00\x00\x00\x00\xf8\x7f", "$.a: a google.protobuf.Value that holds NaN"},
		{"U a = 1; message U { option (wirecost.form) = UNION; oneof v { string s = 1; } }", "\x0a\x00", "$.a: a union without a member"},
	} {
		r := reference(t, mustText(t, convertHead+"message M { "+tt.schema+" }"))
		m, err := r.Unmarshal([]byte(tt.wire))
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		if _, err := r.ToJSON(m); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.schema, err, tt.want)
		}
	}
}

func TestEqual(t *testing.T) {
	const schema = convertHead + `message M { double d = 1; optional int32 o = 2; int32 i = 3; repeated int32 l = 4; map<string, M> m = 5; string n = 6 [(wirecost.repr) = NUMBER]; google.protobuf.Value v = 7; L b = 8; bytes y = 9; google.protobuf.Timestamp t = 10; optional int32 w = 11 [(wirecost.absent) = WRITE]; oneof c { string s = 12; bool z = 13; } }
	message L { option (wirecost.form) = BARE; repeated int32 v = 1; }`
	r := reference(t, mustText(t, schema))
	for _, tt := range []struct{ want, got, diff string }{
		{`{}`, `{}`, ""},
		{`{"d":"NaN"}`, `{"d":"NaN"}`, ""},
		{`{"d":0}`, `{"d":-0}`, ""},
		{`{"d":1}`, `{"d":1.0000000000000002}`, "$.d: should be 1, is 1.0000000000000002"},
		{`{"o":0}`, `{}`, "$.o: should be 0, is unset"},
		{`{}`, `{"o":0}`, "$.o: should be unset, is 0"},
		{`{"i":0,"l":[],"m":{}}`, `{}`, ""},
		{`{"l":[1,2]}`, `{"l":[1]}`, "$.l: should be 2 elements, is 1"},
		{`{"l":[1,2]}`, `{"l":[1,3]}`, "$.l[1]: should be 2, is 3"},
		{`{"m":{"a":{"i":1},"b":{}}}`, `{"m":{"b":{},"a":{"i":1}}}`, ""},
		{`{"m":{"a":{"i":1}}}`, `{"m":{"a":{"i":2}}}`, "$.m.a.i: should be 1, is 2"},
		{`{"m":{"a":{}}}`, `{"m":{"b":{}}}`, "$.m.a: should be {"},
		{`{"n":1.0}`, `{"n":10e-1}`, ""},
		{`{"n":1e1000000000}`, `{"n":1e1000000001}`, "$.n: should be 1e1000000000, is 1e1000000001"},
		{`{"v":{"a":[1,null,"x",true]}}`, `{"v":{"a":[1.0,null,"x",true]}}`, ""},
		{`{"v":{"a":[1]}}`, `{"v":{"a":[2]}}`, "$.v.a[0]: should be 1, is 2"},
		{`{"v":{"a":[1]}}`, `{"v":{"a":[1,2]}}`, "$.v.a: should be 1 elements, is 2"},
		{`{"v":{"a":1}}`, `{"v":{"b":1}}`, "$.v.a: should be a member, is unset"},
		{`{"v":null}`, `{}`, "$.v: should be null, is unset"},
		{`{"v":1}`, `{"v":"1"}`, `$.v: should be 1, is "1"`},
		{`{"b":[]}`, `{}`, "$.b: should be [], is unset"},
		{`{"b":[1]}`, `{"b":[2]}`, "$.b[0]: should be 1, is 2"},
		{`{"y":"AA=="}`, `{"y":"AQ=="}`, `$.y: should be "AA==", is "AQ=="`},
		{`{"t":"2024-01-01T00:00:00Z"}`, `{"t":"2024-01-01T01:00:00+01:00"}`, ""},
		{`{"w":0}`, `{}`, ""},
		{`{"s":""}`, `{"z":false}`, `$.s: should be "", is unset`},
	} {
		d, err := r.CompareJSON([]byte(tt.want), []byte(tt.got))
		if err != nil {
			t.Errorf("%s, %s: %v", tt.want, tt.got, err)
			continue
		}
		if tt.diff == "" && d != nil || tt.diff != "" && (d == nil || !strings.HasPrefix(d.String(), tt.diff)) {
			t.Errorf("%s, %s: %v, want %q", tt.want, tt.got, d, tt.diff)
		}
	}
	if _, err := r.CompareJSON([]byte(`{}`), []byte(`{"unknown":1}`)); err == nil || !strings.Contains(err.Error(), "the codec's output: $.unknown") {
		t.Errorf("an unknown key gave %v", err)
	}
	a, _ := r.FromJSON([]byte(`{"d":0,"v":[0]}`))
	b, _ := r.FromJSON([]byte(`{"d":-0.0,"v":[-0]}`))
	if n := r.SignsOfZero(a, b); n != 2 {
		t.Errorf("%d signs of zero, want 2", n)
	}
}

func TestChecksums(t *testing.T) {
	const schema = convertHead + `message M { int32 i = 1; optional int64 j = 2; uint64 u = 3; bool b = 4; double d = 5; string s = 6; bytes y = 7; E e = 8; M m = 9; repeated string l = 10; map<string, int32> k = 11; map<int32, int32> n = 12; google.protobuf.Value v = 13; U x = 14; L z = 15; google.protobuf.Timestamp t = 16; string num = 17 [(wirecost.repr) = NUMBER]; optional string w = 18 [(wirecost.absent) = NULL]; google.protobuf.StringValue o = 19; }
	enum E { A = 0; B = 5; } message L { option (wirecost.form) = BARE; repeated int32 v = 1; } message U { option (wirecost.form) = UNION; oneof v { string s = 1; L l = 2; google.protobuf.NullValue n = 3; } }`
	r := reference(t, mustText(t, schema))
	minus := uint32(math.MaxUint32) // -1
	for _, tt := range []struct {
		doc   string
		visit uint32 // less the 1 of the root
	}{
		{`{}`, 0}, {`{"i":0,"w":null,"s":""}`, 0},
		{`{"i":5}`, 6}, {`{"i":-1}`, 0}, {`{"i":-2}`, minus}, {`{"j":0}`, 1}, {`{"j":4294967297}`, 2}, {`{"u":18446744073709551615}`, 0},
		{`{"b":true}`, 2}, {`{"b":false}`, 0},
		{`{"d":1.9}`, 2}, {`{"d":-1.9}`, 0}, {`{"d":1e10}`, 1}, {`{"d":-2147483648}`, 1}, {`{"d":2147483647.5}`, 1 << 31}, {`{"d":"NaN"}`, 1}, {`{"d":-0}`, 0},
		{`{"s":"abc"}`, 4}, {`{"y":"AAAA"}`, 1}, {`{"e":"B"}`, 1}, {`{"e":"A"}`, 0}, {`{"t":"2024-01-01T00:00:00Z"}`, 1}, {`{"num":1.50}`, 5},
		{`{"m":{}}`, 1}, {`{"m":{"i":1}}`, 3},
		{`{"l":[]}`, 0}, {`{"l":["","ab"]}`, 1 + 1 + 3},
		{`{"k":{"ab":0,"c":2}}`, 1 + (1 + 2 + 1) + (1 + 1 + 3)}, {`{"n":{"7":1}}`, 1 + 1 + 2},
		{`{"v":null}`, 1}, {`{"v":[true,1.5,"ab"]}`, 1 + 2 + 2 + 3}, {`{"v":{"ab":{}}}`, 1 + 2 + 1 + 1},
		{`{"x":"ab"}`, 1 + 3}, {`{"x":[]}`, 1 + 1}, {`{"x":[1]}`, 1 + 1 + 1 + 2}, {`{"x":null}`, 1 + 1},
		{`{"z":[]}`, 1}, {`{"z":[3]}`, 1 + 1 + 4}, {`{"o":""}`, 1}, {`{"o":"a"}`, 1 + 2},
	} {
		m, err := r.FromJSON([]byte(tt.doc))
		if err != nil {
			t.Errorf("%s: %v", tt.doc, err)
			continue
		}
		if _, visit, err := r.Checksums(m, "utf8"); err != nil || visit-1 != tt.visit {
			t.Errorf("%s: visit %d (%v), want %d", tt.doc, visit-1, err, tt.visit)
		}
	}
	m, err := r.FromJSON([]byte(`{"s":"é😀"}`))
	if err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[string]uint32{"utf8": 8, "utf16": 5, "rune": 4} {
		if _, visit, err := r.Checksums(m, unit); err != nil || visit != want {
			t.Errorf("%s: %d (%v), want %d", unit, visit, err, want)
		}
	}
	if _, _, err := r.Checksums(m, "words"); err == nil {
		t.Error("an unknown unit was accepted")
	}
}

func TestLeafChecksum(t *testing.T) {
	for _, tt := range []struct {
		schema, doc string
		want        uint32
	}{
		{"int32 a = 1;", `{"a":41}`, 42}, {"int32 a = 1;", `{}`, 1}, {"string a = 1;", `{"a":"abc"}`, 4},
		{"repeated int32 a = 1;", `{"a":[7,8,9]}`, 3}, {"repeated int32 a = 1;", `{}`, 1}, {"map<string, int32> a = 1;", `{"a":{"x":1}}`, 1},
		{"N n = 1; message N { N2 n = 1; } message N2 { int32 a = 1; }", `{"n":{"n":{"a":9}}}`, 10},
		{"N n = 1; message N { N2 n = 1; } message N2 { int32 a = 1; }", `{"n":{}}`, 1},
		{"M m = 1;", `{"m":{}}`, 1},
		{"option (wirecost.form) = BARE; repeated int32 a = 1;", `[1,2]`, 2},
	} {
		r := reference(t, mustText(t, convertHead+"message M { "+tt.schema+" }"))
		m, err := r.FromJSON([]byte(tt.doc))
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		if leaf, _, _ := r.Checksums(m, "utf8"); leaf != tt.want {
			t.Errorf("%s %s: leaf %d, want %d", tt.schema, tt.doc, leaf, tt.want)
		}
	}
}

func TestUnknownFields(t *testing.T) {
	r := reference(t, mustText(t, `syntax = "proto3"; message M { repeated M m = 1; map<string, M> k = 2; }`))
	wire := []byte("\x0a\x00\x0a\x05\x0a\x03\x18\x80\x01\x12\x0a\x0a\x01x\x12\x05\x1a\x03abc")
	if _, err := r.UnmarshalStrict(wire); err == nil || !strings.Contains(err.Error(), "$.m[1].m[0]: 8 bytes of fields that the schema lacks") {
		t.Errorf("have %v", err)
	}
	if _, err := r.Unmarshal(wire); err != nil {
		t.Error(err)
	}
	none := r.New()
	if _, n := r.Unknown(none); n != 0 {
		t.Errorf("%d bytes in an empty message", n)
	}
}

// Random JSON never breaks the conversion, and what it takes it gives back.
func FuzzReference(f *testing.F) {
	for _, doc := range []string{
		`{}`, `{"id":1,"name":"x","note":null,"items":[{"sku":"a","child":{"kids":[{}]}}],"byKey":{"k":{"dims":{"w":1.5}}}}`,
		`{"mixed":null,"mixes":["s",1,{"sku":""},true,[1,2],null],"free":{"a":[1,"x",null,{}]},"fields":{"x":1},"values":[[]]}`,
		`{"blob":"AA==","trace":"00ff","uuid":"123e4567-e89b-12d3-a456-426614174000","color":"RED","code":2,"grid":[[1],[]],"cells":[]}`,
		`{"big":"-9223372036854775808","exact":1e999,"at":"2024-01-01T00:00:00.5+01:00","took":"-0.5s","text":"","count":7,"flag":false,"nothing":{}}`,
		`{"numbered":{"-1":"x"},"flags":{"true":1e-7},"colors":{"1":"GREEN"},"none":null,"ratio":0.1,"numbers":["NaN",-0],"huge":18446744073709551615}`,
		`{"loop":{"back":{"loop":{}}},"times":["0001-01-01T00:00:00Z"],"anything":[null,9007199254740992],"loose":{"":null}}`,
		`[`, `{"id":1.0}`, `{"id":1,"id":2}`, `"x"`, `{"at":"2024-13-01T00:00:00Z"}`,
	} {
		f.Add([]byte(doc))
	}
	s := testSchema(f, "kitchen.proto", "Sink")
	r := reference(f, s)
	f.Fuzz(func(t *testing.T, doc []byte) {
		m, err := r.FromJSON(doc)
		if _, _, err := r.decode(doc, 10); err != nil && !errors.As(err, new(*strictjson.Error)) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		out, err := r.ToJSON(m)
		if err != nil {
			t.Fatalf("%v from %s", err, doc)
		}
		if err := strictjson.Check(out, strictjson.Limits{}); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if d, err := r.MatchJSON(m, out); err != nil || d != nil {
			t.Fatalf("%v %v in %s", err, d, out)
		}
		wire, err := r.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := r.MatchBinary(m, wire); err != nil || d != nil {
			t.Fatalf("%v %v through %x", err, d, wire)
		}
		if _, _, err := r.Checksums(m, "utf16"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Losses("", [][]byte{doc}); err != nil {
			t.Fatal(err)
		}
	})
}
