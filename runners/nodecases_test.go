package runners_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"wirecost/internal/schema"
)

// TestNodeCorpora holds every codec against documents of the world, all in one
// build. The matrix has them with types recognised.
func TestNodeCorpora(t *testing.T) {
	t.Parallel()
	s := inferSamples(t, schema.TrackLiteral, corporaSamples(t))
	b := buildNode(t, s)
	if b.Dropped != nil {
		t.Errorf("dropped: %v", b.Dropped)
	}
	b.nodeCodecs(t, s, nil)
}

// many repeats a pattern with a number in it.
func many(n int, pattern string) string {
	var parts []string
	for i := range n {
		parts = append(parts, strings.ReplaceAll(pattern, "#", fmt.Sprint(i)))
	}
	return strings.Join(parts, ",")
}

// blobs are documents with n random bytes as base64 and as an array of numbers.
func blobs(n int) (encoded, numbers string) {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	raw, list := make([]byte, n), make([]string, n)
	for i := range raw {
		raw[i] = byte(random.Uint32())
		list[i] = fmt.Sprint(raw[i])
	}
	return `{"path":"/tmp/x","data":"` + base64.StdEncoding.EncodeToString(raw) + `"}`, `{"path":"/tmp/x","data":[` + strings.Join(list, ",") + `]}`
}

// nodeCases are inputs of public reports, by their numbers in the list of cases.
func nodeCases() []goSample {
	var cases []goSample
	add := func(name string, documents ...string) {
		cases = append(cases, goSample{name: name, documents: documents})
	}
	add("d03", `{"r":[{"i":6},{"i":"6em"},{"zip":"00501"},{"zip":"90210"},{"flag":"true"}]}`)
	add("d04", `{"x":null,"e":{}}`, `{"x":[],"e":{"f":{}}}`, `{"x":["a"],"e":{}}`, `{"x":null,"r":{"k":1}}`, `{"r":"text"}`)
	add("d05", `{"big":9223372036854775807,"bigger":700000000000000000000000000007,"u":18446744073709551615}`)
	add("d06", `{"pairs":{`+many(60, `"k#_bb":{"lo":0.#,"n":#}`)+`},"few":{"7":1,"9":2},"i18n":{`+many(300, `"help.#":"v"`)+`}}`)
	add("d08", `{"7":"x","8":"y","q":{"s":{"t":1}},"q1":{"r":{"t":1}},"s":{"q":{"t":2}},"rack_no":"n"}`)
	add("d10", `{"descriptor":"d","class":"c","from":"f","message":"m","None":1,"std":{"int":1},"__proto__":2,"constructor":3,"hasOwnProperty":4}`)
	add("d10-sometimes", `{"id":1,"toString":"s","valueOf":{"constructor":"c"}}`, `{"id":2}`, `{"id":3,"valueOf":{}}`)
	add("d11-list", `[{"id":1},{"id":2}]`)
	add("d11-map", `{"/a":[{"m":"GET"}],"/b":[{"m":"PUT"},{"m":"POST"}]}`)
	add("d12", `{"id":1,"messageId":"m","message_id":"m"}`)
	add("d13", `{"code":"204518","d":"2024-02-30","t1":"2024-05-01T10:00:00","t2":"2024-05-01T10:00:00+02:30","t3":"2024-05-01T10:00:00.123456789Z","obj":{"seconds":1,"nanos":5}}`)
	add("d16", `{"labels":{"b":"2","a":"1","c":"3"}}`)
	add("d20", `{"type":"MultiPolygon","coordinates":[[[[8.4012,46.2034],[8.4013,46.2035],[8.4012,46.2034]]]]}`)
	add("d22", `{"deltas":[-1,-2,-1,0,-3,-1],"far":-3000000000}`)
	add("d24", `{"id":1,"result":{"data":{"input":"hello"},"info":{"user":"42","client":"c1"}}}`)
	add("d25", `{"run":"r1","node":[1,"s",[2,{"z":"s"}],{"y":[1,"x",null]}]}`)
	// D26: the same text in ASCII, and with a letter of two bytes in each string.
	add("d26-ascii", `{"uri":"http://x/y.mp4","title":"plain ascii","w":640,"h":480,"persons":["Ann","Bob"]}`)
	add("d26-wide", `{"uri":"http://x/ÿ.mp4","title":"pläin ascii","w":640,"h":480,"persons":["Änn","Böb"]}`)
	// D27: a blob that dominates, as base64 and as numbers.
	for _, n := range []int{100, 1000, 6000, 100_000} {
		encoded, numbers := blobs(n)
		add(fmt.Sprintf("d27-base64-%d", n), encoded)
		add(fmt.Sprintf("d27-numbers-%d", n), numbers)
	}
	// D29: very many tiny messages of small integers.
	add("d29", `{"outer":[`+many(50, `{"items":[`+strings.Repeat(`{"a":3,"b":0,"c":17,"d":2,"e":9},`, 699)+`{"a":#,"b":0,"c":17,"d":2,"e":9}]}`)+`]}`)
	// D30: one string, by length and width of its code points.
	for _, letter := range []string{"a", "é", "😀"} {
		for _, n := range []int{8, 16, 32, 64, 128, 256, 4096} {
			add(fmt.Sprintf("d30-%d-%d", len(letter), n), fmt.Sprintf(`{"text":"%s"}`, strings.Repeat(letter, n)))
		}
	}
	add("d31", `{"entries":{`+many(5000, `"#":#.5`)+`}}`)
	add("d32", `{"shape":[100,3],"data":[`+strings.Repeat("0.5,0.25,", 2000)+`1.5]}`)
	add("d33", `{"kind":"Crd","spec":{"versions":[{"schema":`+strings.Repeat(`{"properties":{"spec":`, 10)+`"x"`+strings.Repeat(`}}`, 10)+`}]}}`)
	return cases
}

// TestNodeCases holds every codec against inputs of public reports, all in one build.
func TestNodeCases(t *testing.T) {
	t.Parallel()
	skips := map[string]string{
		"d05/json":                          "the integer 9223372036854775807 at $.big is beyond 2^53",
		"d10/fast-json-stringify":           `takes the "__proto__" that every object inherits`,
		"d10-sometimes/fast-json-stringify": `that every object inherits`,
	}
	s := inferSamples(t, schema.TrackLiteral, nodeCases())
	b := buildNode(t, s)
	if b.Dropped != nil {
		t.Errorf("dropped: %v", b.Dropped)
	}
	b.nodeCodecs(t, s, skips)
}

// TestNodeD28 is the schema of D28 with its error put right, and documents of its kind.
func TestNodeD28(t *testing.T) {
	t.Parallel()
	s := goSchema{name: "d28", proto: `syntax = "proto3";
message Ev { string tx = 1; Amount body = 2; }
message Amount { double v = 1; string day = 2; string cur = 3; }
`, samples: []goSample{{"events", "Ev", []string{
		`{"tx":"9f86d081884c7d65","body":{"v":12.5,"day":"2016-06-01","cur":"EUR"}}`,
		`{"tx":"2c26b46b68ffc68f","body":{"v":-0.25,"day":"2016-06-02","cur":"USD"}}`,
	}}}}
	buildNode(t, s).nodeCodecs(t, s, nil)
}

// TestNodeRefusesWhatJSONLoses checks that codecs that go through JSON.parse refuse
// documents with numbers that it changes, and no others.
func TestNodeRefusesWhatJSONLoses(t *testing.T) {
	t.Parallel()
	s := goSchema{name: "lossy", proto: `syntax = "proto3";
import "google/protobuf/struct.proto";
import "wirecost/json.proto";
message Doc {
  int64 i = 1 [(wirecost.absent) = OMIT]; uint64 u = 2 [(wirecost.absent) = OMIT]; double d = 3 [(wirecost.absent) = OMIT];
  string text = 4 [(wirecost.absent) = OMIT]; google.protobuf.Value any = 5; repeated int64 list = 6;
  int64 quoted = 7 [(wirecost.absent) = OMIT, (wirecost.repr) = STRING]; map<string, int64> by = 8; Either either = 9;
}
message Either { option (wirecost.form) = UNION; oneof value { string s = 1; int64 n = 2; } }
message Price { string amount = 1 [(wirecost.repr) = NUMBER]; }
`}
	skips := map[string]string{}
	for i, x := range []struct{ document, why string }{
		{`{"i":9007199254740993}`, "the integer 9007199254740993 at $.i is beyond 2^53, and JSON.parse makes 9007199254740992 of it"},
		{`{"i":9007199254740992}`, ""},
		{`{"i":-0,"text":"1234567890123456789"}`, ""},
		{`{"text":"\"9007199254740993\\","d":1}`, ""},
		{`{"text":"\"\\\\\"","i":-9007199254740993}`, "-9007199254740993 at $.i"},
		{`{"u":18446744073709551615}`, "18446744073709551615 at $.u"},
		{`{"i":1152921504606846976}`, "JSON.parse makes 1152921504606847000 of it"},
		{`{"d":12345678901234567890,"list":[1]}`, ""},
		{`{"d":0.1000000000000000055511151231257827}`, ""},
		{`{"any":{"a":[1152921504606846976]}}`, "1152921504606846976 at $.any.a[0]"},
		{`{"any":0.1234567890123456789}`, ""},
		{`{"list":[1,2,9007199254740995]}`, "at $.list[2]"},
		{`{"quoted":"9223372036854775807"}`, ""},
		{`{"by":{"a":1,"__proto__":9007199254740993}}`, "at $.by.__proto__"},
		{`{"either":9007199254740993}`, "at $.either"},
		{`{"either":"9007199254740993"}`, ""},
	} {
		name := fmt.Sprintf("n%d", i)
		s.samples = append(s.samples, goSample{name, "Doc", []string{`{"i":1}`, x.document}})
		skips[name+"/json"] = x.why
	}
	for i, x := range []struct{ document, why string }{
		{`{"amount":1.5}`, ""}, {`{"amount":-3}`, ""},
		{`{"amount":1.10}`, "the number 1.10 at $.amount is kept as text, and JSON.parse makes 1.1 of it"},
		{`{"amount":1e400}`, "makes Infinity of it"}, {`{"amount":-0}`, "makes 0 of it"}, {`{"amount":1E2}`, "makes 100 of it"},
	} {
		name := fmt.Sprintf("p%d", i)
		s.samples = append(s.samples, goSample{name, "Price", []string{x.document}})
		skips[name+"/json"] = x.why
	}
	buildNode(t, s).nodeCodecs(t, s, skips)
}
