package schema

import (
	"fmt"
	"strings"
	"testing"
)

// The cases of public reports, by their numbers.

var typed = InferOptions{Track: TrackTyped}

func TestD01NestedJSONText(t *testing.T) {
	x := inferLines(t, InferOptions{}, `{"payload":"{\"a\":1,\"b\":[1,2,3]}","plain":"{not json}","tag":"[x]"}`).exact()
	x.has("string payload = 1;").notes("$.payload", "nested JSON text")
	for _, n := range x.Notes {
		if n.Where != "$.payload" {
			t.Errorf("note on %s: %s", n.Where, n.Text)
		}
	}
}

func TestD03NumberOrString(t *testing.T) {
	for _, opt := range []InferOptions{{}, typed} {
		inferLines(t, opt, `{"r":[{"i":6},{"i":"6em"},{"zip":"00501"},{"zip":"90210"},{"flag":"true"}]}`).exact().
			has("IUnion i = 1;", "optional string zip = 2;", "optional string flag = 3;", "int32 number_value = 1;", "string string_value = 2;").
			notes("$.r[].i", "number once, string once")
	}
}

func TestD04NullEmptyAndMixed(t *testing.T) {
	x := inferLines(t, InferOptions{}, `
		{"x":null,"e":{}}
		{"x":[],"e":{"f":{}}}
		{"x":["a"],"e":{}}
		{"x":null,"r":{"k":1}}
		{"r":"text"}`)
	x.has("repeated string x = 1 [(wirecost.absent) = NULL];", "E e = 3;", "F f = 1;", "RUnion r = 2;", "string string_value = 1;", "R object_value = 2;")
	x.notes("$.x", "missing once, null 2 times, [] once").notes("$.r", "string once, object once").notes("$.e.f", "always an empty object")
	inferLines(t, InferOptions{ExactNull: true}, `
		{"x":null,"e":{}}
		{"x":[],"e":{"f":{}}}
		{"x":["a"],"e":{}}
		{"x":null,"r":{"k":1}}
		{"r":"text"}`).exact().has("XUnion x = 1;", "google.protobuf.NullValue null_value = 1;", "XList list_value = 2;")
}

func TestD05IntegersBeyond64Bits(t *testing.T) {
	inferLines(t, InferOptions{}, `{"big":9223372036854775807,"bigger":700000000000000000000000000007,"u":18446744073709551615}`).exact().
		has("int64 big = 1;", "optional string bigger = 2 [(wirecost.repr) = NUMBER];", "uint64 u = 3;").
		notes("$.bigger", "700000000000000000000000000007")
}

func d06() string {
	var b strings.Builder
	b.WriteString(`{"pairs":{`)
	for i := range 60 {
		n := fmt.Sprint(i)
		if i%2 == 1 {
			n += ".5"
		}
		fmt.Fprintf(&b, `"%c%c_bb":{"lo":0.%d,"n":%s},`, 'a'+i/26, 'a'+i%26, i, n)
	}
	b.WriteString(`"zz_zz":{"lo":1.5,"n":1}},"few":{"7":1,"9":2},"i18n":{`)
	for i := range 300 {
		fmt.Fprintf(&b, `"help.k%d":"v",`, i)
	}
	b.WriteString(`"help.close":"Close"}}`)
	return b.String()
}

func TestD06ObjectsAsMaps(t *testing.T) {
	inferLines(t, InferOptions{}, d06()).exact().
		has("map<string, Pair> pairs = 1;", "map<string, int32> few = 2;", "map<string, string> i18n = 3;", "double n = 2;").
		notes("$.pairs", "its 61 keys have values of one shape").notes("$.few", "are numbers").notes("$.i18n", "301 keys").
		notes("$.pairs.*.n", "double")
	x := inferLines(t, InferOptions{NoMap: []string{"$.few", "$.i18n"}}, d06()).exact()
	x.has("Few few = 2;", "I18n i18n = 3;").notes("$.i18n", "301 distinct keys")
	inferLines(t, InferOptions{Map: []string{"$.a"}}, `{"a":{"x":1}}`).exact().has("map<string, int32> a = 1;")
}

func TestD08KeysThatAreNoNames(t *testing.T) {
	inferLines(t, InferOptions{}, `{"7":"x","8":"y","q":{"s":{"t":1}},"q1":{"r":{"t":1}},"s":{"q":{"t":2}},"rack_no":"n"}`).exact().
		has(`string k7 = 1 [json_name = "7"];`, `string k8 = 2 [json_name = "8"];`, `string rack_no = 6 [json_name = "rack_no"];`)
}

func TestD10NamesThatBreakCode(t *testing.T) {
	inferLines(t, InferOptions{}, `{"descriptor":"d","class":"c","from":"f","message":"m","None":1,"std":{"int":1},"__proto__":2,"constructor":3,"hasOwnProperty":4}`).exact().
		has(`int32 proto = 7 [json_name = "__proto__"];`, `int32 none = 5 [json_name = "None"];`, "int32 has_own_property = 9;")
}

func TestD11ArrayAndMapAtTheTop(t *testing.T) {
	inferLines(t, InferOptions{}, `[{"id":1},{"id":2}]`).exact().has("option (wirecost.form) = BARE;", "repeated RootItem v = 1;")
	inferLines(t, InferOptions{}, `{"/a":[{"m":"GET"}],"/b":[{"m":"PUT"},{"m":"POST"}]}`).exact().
		has("option (wirecost.form) = BARE;", "map<string, RootList> v = 1;").notes("$", "are paths")
}

func TestD12Twins(t *testing.T) {
	inferLines(t, InferOptions{}, `{"id":1,"messageId":"m","message_id":"m"}`).exact().
		has("string message_id = 2;", `string message_id_2 = 3 [json_name = "message_id"];`)
	for doc, offset := range map[string]string{
		`{"id":1,"id":2}`:        "offset 8: duplicate key",
		`{"id":1,"\u0069d":2}`:   "offset 8: duplicate key",
		`{"a":{"b":1,"b":{}}}`:   "offset 12: duplicate key",
		`[{"a":1},{"a":1,"a":`:   "offset 16: duplicate key",
		`{"a":{"a":1},"b":[{"`:   "ends inside a string",
		"{\"a\":\"\xff\"}":       "invalid UTF-8",
		`{"a":"\ud800"}`:         "surrogate",
		strings.Repeat("[", 1e5): "nesting",
	} {
		p := NewPartial(InferOptions{})
		for range 2 {
			if err := p.Add([]byte(doc)); err == nil || !strings.Contains(err.Error(), offset) {
				t.Errorf("%.40s: %v", doc, err)
			}
		}
	}
}

func TestD13Timestamps(t *testing.T) {
	doc := `{"code":"204518","d":"2024-02-30","t1":"2024-05-01T10:00:00","t2":"2024-05-01T10:00:00+02:30","t3":"2024-05-01T10:00:00.123456789Z","obj":{"seconds":1,"nanos":5}}`
	inferLines(t, typed, doc).exact().
		has("string code = 1;", "string d = 2;", "string t1 = 3;", "string t2 = 4;", "google.protobuf.Timestamp t3 = 5;", "Obj obj = 6;", "int32 seconds = 1;").
		notes("$.t2", "spelt differently").notes("$.t1", "spelt differently")
	inferLines(t, InferOptions{}, doc).exact().has("string t3 = 5;").lacks("Timestamp")
}

func TestD19BytesAsNumbers(t *testing.T) {
	var list []string
	for i := range 32 {
		list = append(list, fmt.Sprint(i*7%256))
	}
	inferLines(t, InferOptions{}, `{"digest":[255,`+strings.Join(list, ",")+`],"scores":[1,2,3]}`).exact().
		has("repeated int32 digest = 1;").notes("$.digest", "may be bytes").lacks("// 3 numbers from")
}

func TestD20NestedArrays(t *testing.T) {
	inferLines(t, InferOptions{}, `{"type":"MultiPolygon","coordinates":[[[[8.4012,46.2034],[8.4013,46.2035],[8.4012,46.2034]]]]}`).exact().
		has("repeated CoordinateList coordinates = 2;", "repeated double v = 1;")
}

func TestD21RepeatedStrings(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, `{"name":"job","value":"api","instance":"h1:90","n":"%d"}`+"\n", i)
	}
	x := inferLines(t, InferOptions{}, b.String())
	if r := x.Shape["s"].RepeatedStrings; r < 0.7 || r > 0.8 {
		t.Errorf("repeated strings %.3f, want about 11/15", r)
	}
}

func TestD22NegativeIntegers(t *testing.T) {
	inferLines(t, InferOptions{}, `{"deltas":[-1,-2,-1,0,-3,-1,64,-64,-65],"far":-3000000000}`).exact().
		has("repeated sint32 deltas = 1;", "sint64 far = 2;").
		notes("$.deltas[]", "int32 takes ten bytes: all values (9) take 11 bytes as sint32, 72 as int32").
		notes("$.far", "all values (1) take 5 bytes as sint64, 10 as int64")
	inferLines(t, InferOptions{}, `{"a":[100,100,100,100,100,-1,-0]}`).notes("$.a[]", "all values (7) take 12 bytes as sint32, 16 as int32")
}

func TestD25FreeForm(t *testing.T) {
	doc := `{"run":"r1","node":[1,"s",[2,{"z":"s"}],{"y":[1,"x",null]}]}`
	inferLines(t, InferOptions{}, doc).exact().has("repeated google.protobuf.Value node = 2;").notes("$.node[]", "% of all")
	big := strings.Replace(doc, "[2,", "[9007199254740993,", 1)
	inferLines(t, InferOptions{}, big).exact().lacks("google.protobuf.Value")
}

func TestD32LongNumericArrays(t *testing.T) {
	x := inferLines(t, InferOptions{}, `{"shape":[100,3],"data":[`+strings.Repeat("0.5,0.25,", 2000)+`1.5]}`).exact()
	x.notes("$.data", "up to 4001 numbers")
	if s := x.Shape["s"]; s.LongestNumbers != 4001 || s.NumericArrayShare < 0.9 || s.NumericArrayShare > 1 {
		t.Errorf("%+v", s)
	}
}

func TestHostile08Numbers(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a":1e400}`:                                "optional string a = 1 [(wirecost.repr) = NUMBER];",
		`{"a":1E-400}`:                               "optional string a = 1 [(wirecost.repr) = NUMBER];",
		`{"a":0E-400}`:                               "double a = 1;",
		`{"a":9007199254740993}`:                     "int64 a = 1;",
		`{"a":9223372036854775808}`:                  "uint64 a = 1;",
		`{"a":18446744073709551616}`:                 "optional string a = 1 [(wirecost.repr) = NUMBER];",
		`{"a":-9223372036854775808}`:                 "sint64 a = 1;",
		`{"a":-9223372036854775809}`:                 "optional string a = 1 [(wirecost.repr) = NUMBER];",
		`{"a":2147483647}`:                           "int32 a = 1;",
		`{"a":2147483648}`:                           "int64 a = 1;",
		`{"a":-2147483648}`:                          "sint32 a = 1;",
		`{"a":-2147483649}`:                          "sint64 a = 1;",
		`{"a":[-1,9223372036854775808]}`:             "repeated string a = 1 [(wirecost.repr) = NUMBER];",
		`{"a":[0.5,9007199254740993]}`:               "repeated string a = 1 [(wirecost.repr) = NUMBER];",
		`{"a":[0.5,9007199254740992]}`:               "repeated double a = 1;",
		`{"a":[0.5,18446744073709551615]}`:           "repeated string a = 1 [(wirecost.repr) = NUMBER];",
		`{"a":-0}`:                                   "int32 a = 1;",
		`{"a":-0.0}`:                                 "double a = 1;",
		`{"a":0.1000000000000000055511151231257827}`: "double a = 1;",
		`{"a":` + strings.Repeat("9", 400) + `}`:     "optional string a = 1 [(wirecost.repr) = NUMBER];",
		`{"a":1` + strings.Repeat("0", 400) + `.5}`:  "optional string a = 1 [(wirecost.repr) = NUMBER];",
	} {
		inferLines(t, InferOptions{}, doc).exact().has(want)
	}
	inferLines(t, InferOptions{}, `{"a":-0}`).notes("$.a", "-0 (once) comes back as 0")
	inferLines(t, InferOptions{}, `{"a":0.1000000000000000055511151231257827}`).notes("$.a", "more digits")
}

func manyKeys(n int) string {
	var b strings.Builder
	b.WriteString(`{"first":true`)
	for i := range n {
		fmt.Fprintf(&b, `,"name%d":%d`, i, i)
	}
	return b.String() + "}"
}

func TestHostile10ManyKeys(t *testing.T) {
	p := NewPartial(InferOptions{})
	if err := p.Add([]byte(manyKeys(21000))); err != nil {
		t.Fatal(err)
	}
	inferPartial(t, InferOptions{}, p, nil).has("map<string, RootUnion> v = 1;").notes("$", "more than 1000 distinct keys") // a map of mixed values
	x := inferLines(t, InferOptions{NoMap: []string{"$"}}, manyKeys(21000))
	x.has(`int32 name18998 = 20000;`).lacks(" = 19000;", " = 19999;").notes("$", "21001 distinct keys")
}

var hostileKeys = `{"../../x":1,"\"; rm -rf":2,"*/":3,"\"\"\"":4,"a\nb":5,"":6,"` + strings.Repeat("k", 10_000) + `":7,"[odd]":8,"odd":9,"\u0000":10,"\u2028":11,"é":12,"éa":13,"A":14,"a":15,"google":16,"wirecost":17,"\\":18,"\u007f":19,"😀":20,"oddKey":{"x/*":{"y":1}}}`

func TestHostile13Keys(t *testing.T) {
	x := inferLines(t, InferOptions{}, hostileKeys)
	x.exact().has(`int32 a_b = 5 [json_name = "a\012b"];`)
	for l := range strings.Lines(x.Proto) {
		if strings.ContainsAny(l, "\r\u2028\u0085") {
			t.Errorf("line end inside %q", l)
		}
	}
}

func TestHostile14NothingToMeasure(t *testing.T) {
	for docs, want := range map[string]string{
		"":                    "no documents",
		"null":                "every document is null",
		"3\n4.5":              "every document is a number",
		"3\n\"x\"\ntrue":      "every document is true or false, a number or a string",
		"[]":                  "empty",
		"{}":                  "empty",
		"[[],[]]\n{\"a\":{}}": "empty",
		"{\"a\":1}\n3":        "",
		"[null]":              "",
	} {
		p := NewPartial(InferOptions{})
		for l := range strings.Lines(docs) {
			if err := p.Add([]byte(l)); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.Nothing(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", docs, got, want)
		}
	}
}
