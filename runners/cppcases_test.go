package runners_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
)

// cppMany repeats a pattern with a number in it.
func cppMany(n int, pattern string) string {
	var parts []string
	for i := range n {
		parts = append(parts, strings.ReplaceAll(pattern, "#", fmt.Sprint(i)))
	}
	return strings.Join(parts, ",")
}

// cppStrings are documents of one string each, of several lengths and widths.
func cppStrings() []string {
	var all []string
	for _, letter := range []string{"a", "é", "😀"} {
		for _, n := range []int{8, 16, 32, 64, 128, 256, 4096} {
			all = append(all, fmt.Sprintf(`{"text":"%s"}`, strings.Repeat(letter, n/len(letter))))
		}
	}
	return all
}

func cppBlob(n int) string {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return base64.StdEncoding.EncodeToString(b)
}

// cppCases are inputs of public reports about speed and inference, by their numbers in the list of cases.
var cppCases = []goSample{
	{name: "D03", documents: []string{`{"r":[{"i":6},{"i":"6em"},{"zip":"00501"},{"zip":"90210"},{"flag":"true"}]}`}},
	{name: "D04", documents: []string{`{"x":null,"e":{}}`, `{"x":[],"e":{"f":{}}}`, `{"x":["a"],"e":{}}`}},
	{name: "D06", documents: []string{`{"pairs":{` + cppMany(60, `"k_#":{"lo":0.1,"n":#}`) + `},"few":{"7":1,"9":2},"i18n":{"help.title":"Help"}}`}},
	{name: "D08", documents: []string{`{"7":"x","8":"y","q":{"s":{"t":1}},"q1":{"r":{"t":1}},"s":{"q":{"t":2}},"rack_no":"n"}`}},
	// Names that break generated code.
	{name: "D10", documents: []string{
		`{"descriptor":"d","class":"c","from":"f","message":"m","None":1,"std":{"int":1},"__proto__":2,"constructor":3,"hasOwnProperty":4}`,
		`{"EOF":1,"errno":2,"NULL":{"template":true},"namespace":[{"operator":"+"}],"int":{"double":0.5},"a\"b\\c\n":1,"":2,"??/":3,"*/":4}`,
	}},
	{name: "D11", documents: []string{`{"/a":[{"m":"GET"}],"/b":[{"m":"PUT"},{"m":"POST"}]}`}},
	{name: "D12", documents: []string{`{"id":1,"messageId":"m","message_id":"m"}`}},
	{name: "D13", documents: []string{`{"code":"204518","d":"2024-02-30","t1":"2024-05-01T10:00:00","t2":"2024-05-01T10:00:00+02:30","t3":"2024-05-01T10:00:00.123456789Z","obj":{"seconds":1,"nanos":5}}`}},
	{name: "D20", documents: []string{`{"type":"MultiPolygon","coordinates":[[[[8.4012,46.2034],[8.4013,46.2035],[8.4012,46.2034]]]]}`}},
	{name: "D22", documents: []string{`{"deltas":[-1,-2,-1,0,-3,-1]}`}},
	{name: "D24", documents: []string{`{"id":1,"result":{"data":{"input":"hello"},"info":{"user":"42","client":"c1"}}}`}},
	{name: "D25", documents: []string{`{"run":"r1","node":{"a":{"b":{"c":{"x":1,"y":[1,2,{"z":"s"}]}}}}}`, `{"run":"r2","node":{"q":{"c":[[],{}],"d":null}}}`}},
	// The same in ASCII, and with one other letter in each string.
	{name: "D26", documents: []string{
		`{"uri":"http://x/y.mp4","title":"plain ascii","w":640,"h":480,"persons":["Ann","Bob"]}`,
		`{"uri":"http://x/ÿ.mp4","title":"plain äscii","w":640,"h":480,"persons":["Änn","Böb"]}`,
	}},
	{name: "D27", documents: []string{`{"path":"/tmp/x","data":"` + cppBlob(100) + `"}`, `{"path":"/tmp/x","data":"` + cppBlob(6000) + `"}`, `{"path":"/tmp/x","data":"` + cppBlob(1_000_000) + `"}`}},
	{name: "D29", documents: []string{`{"outer":[{"items":[` + cppMany(700, `{"a":3,"b":0,"c":17,"d":2,"e":#}`) + `]}]}`}},
	{name: "D30", documents: cppStrings()},
	{name: "D31", documents: []string{`{"entries":{` + cppMany(5000, `"#":#.5`) + `}}`}},
	{name: "D32", documents: []string{`{"shape":[100,3,4],"data":[` + cppMany(1200, `0.#5`) + `]}`}},
	{name: "D33", documents: []string{`{"kind":"Crd","spec":{"versions":[{"schema":{"properties":{"spec":{"properties":{"solver":{"properties":{"x":{"type":"object"}}}}}}}}]}}`}},
	// Names that a generated message's own functions have.
	{name: "members", documents: []string{`{}`, `{"name":"n","has_name":true,"metadata":{"descriptor":1},"clear_name":1,"set_name":"s","mutable_name":2,"list":[1],"add_list":3,"list_size":4,"sum":5,"keys":6,"read":{"write":7}}`}},
}

// TestCppCases holds every codec against these inputs and documents of the world,
// all in one build. The matrix has them with types recognised.
func TestCppCases(t *testing.T) {
	t.Parallel()
	s := inferSamples(t, schema.TrackLiteral, append(corporaSamples(t), cppCases...))
	b := buildCpp(t, s)
	for _, d := range b.Dropped {
		t.Errorf("%s is not built: %s", d.Codec, d.Reason)
	}
	b.cppCodecs(t, start(t, b.Build), s, nil)
}

// TestCppProtoJSONIsNotTheBaseline is D23: what JSON is compared by is a native
// library, and ProtoJSON is a codec of its own beside it, on its own documents.
func TestCppProtoJSONIsNotTheBaseline(t *testing.T) {
	t.Parallel()
	record := `{"name":"n#","role":"r","ports":[1,2,3],"labels":{"k":"v"}}`
	s := inferSamples(t, schema.TrackLiteral, []goSample{{name: "D23", documents: []string{`{"records":[` + cppMany(1000, record) + `]}`}}})
	b := buildCpp(t, s, "nlohmann", "protojson", "protobuf")
	for _, c := range b.Runner.Codecs {
		native := c.Library != "protobuf"
		if (c.Role == "default") != (c.Name == "nlohmann" || c.Name == "protobuf") || c.Format == bench.JSON && native != (c.Documents == runner.DocumentsJSON) {
			t.Errorf("%s: role %q, format %s, documents %s", c.Name, c.Role, c.Format, c.Documents)
		}
	}
	p := start(t, b.Build)
	b.cppCodecs(t, p, s, nil)
	var turn []runner.BatchRequest
	for _, codec := range []string{"nlohmann", "protojson"} {
		turn = append(turn, runner.BatchRequest{Sample: "D23", Codec: codec, Operation: bench.Encode, Iterations: 5, Window: 1})
	}
	m, err := p.Measure(t.Context(), runner.MeasureRequest{Turn: turn})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ProtoJSON takes %.1f times nlohmann's time to encode", float64(m.WallNS[1])/float64(m.WallNS[0]))
}

// TestCppMemory checks that allocations are counted exactly, those by malloc as
// well: the same work always takes the same.
func TestCppMemory(t *testing.T) {
	s := inferSamples(t, schema.TrackLiteral, []goSample{{name: "items", documents: []string{`{"items":[{"name":"a name that is longer than sixteen","n":1},{"name":"short","n":2}]}`}}})
	b := buildCpp(t, s)
	p := start(t, b.Build)
	d := b.cppDescription(t, p)
	b.prepare(t, p)
	for _, c := range d.Codecs {
		for _, op := range c.Operations {
			count := func(n int) *runner.MemoryReply {
				t.Helper()
				reply, err := p.Memory(t.Context(), runner.MemoryRequest{Sample: "items", Codec: c.Name, Operation: op, Iterations: n})
				if err != nil {
					t.Fatalf("%s %s: %v", c.Name, op, err)
				}
				return reply
			}
			once, often := count(1), count(1000)
			if once.Allocations < 1 || once.Bytes < 1 || often.Allocations != 1000*once.Allocations || often.Bytes != 1000*once.Bytes {
				t.Errorf("%s %s: %d allocations of %d bytes once, %d of %d in 1000 times", c.Name, op, once.Allocations, once.Bytes, often.Allocations, often.Bytes)
			}
			if c.Name == "rapidjson" && op == bench.Decode && once.Bytes < 64<<10 {
				t.Errorf("rapidjson's document takes 64 KiB at once, by malloc; counted were %d bytes", once.Bytes)
			}
		}
	}
}

// TestCppDeepNesting checks that documents too deep for a codec are refused, and
// that those as deep as wirecost reads are not too deep for JSON.
func TestCppDeepNesting(t *testing.T) {
	t.Parallel()
	s := goSchema{
		name: "deep", proto: `syntax = "proto3"; message Deep { Deep deeper = 1; }`,
		samples: []goSample{{"deep", "Deep", []string{`{"deeper":{}}`}}},
	}
	b := buildCpp(t, s)
	p := start(t, b.Build)
	d := b.cppDescription(t, p)
	nested := func(levels int) runner.SampleFiles {
		files := b.files[0]
		files.Files = map[string]string{}
		wire := []byte{}
		for range levels - 1 {
			wire = slices.Concat([]byte{0x0a}, cppVarint(len(wire)), wire)
		}
		text := []byte(strings.Repeat(`{"deeper":`, levels-1) + "{}" + strings.Repeat("}", levels-1))
		for form, document := range map[string][]byte{"json": text, "protojson": text, "protobuf": wire} {
			files.Files[form] = filepath.Join(b.dir, "deep."+form)
			if err := runner.WriteDocumentsFile(files.Files[form], [][]byte{document}); err != nil {
				t.Fatal(err)
			}
		}
		return files
	}
	for _, levels := range []int{60, 1000, 100_000} {
		reply, err := p.Prepare(t.Context(), []runner.SampleFiles{nested(levels)}, b.Codecs)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Codecs {
			skipped := preparation{reply}.skipped("deep", c.Name)
			_, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: "deep", Codec: c.Name, Out: filepath.Join(b.dir, "out")})
			fine := levels <= 60 || levels <= 1000 && c.Documents == runner.DocumentsJSON
			switch {
			case fine && (skipped != "" || err != nil):
				t.Errorf("%d levels: %s: skipped %q, error %v", levels, c.Name, skipped, err)
			case !fine && err == nil:
				t.Errorf("%d levels: %s read that", levels, c.Name)
			case !fine && c.Documents != runner.DocumentsProtobuf && !strings.Contains(skipped, "this codec takes"):
				t.Errorf("%d levels: %s: skipped %q", levels, c.Name, skipped)
			}
		}
	}
}

func cppVarint(n int) []byte {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// TestCppDropsWhatDoesNotCompile checks that a codec whose generated code does not
// compile costs that codec only: ProtoJSON needs the enum's own names, and
// one of these is a macro.
func TestCppDropsWhatDoesNotCompile(t *testing.T) {
	t.Parallel()
	s := goSchema{
		name: "macro", proto: `syntax = "proto3"; enum End { EOF = 0; errno = 1; } message Stream { End end = 1; }`,
		samples: []goSample{{"stream", "Stream", []string{`{"end":"errno"}`, `{"end":"EOF"}`}}},
	}
	b := buildCpp(t, s, "nlohmann", "protobuf", "protojson")
	if len(b.Dropped) != 1 || b.Dropped[0].Codec != "protojson" || !strings.Contains(b.Dropped[0].Reason, "protojson/") {
		t.Errorf("dropped %v; want protojson alone, with the compiler's words", b.Dropped)
	}
	b.cppCodecs(t, start(t, b.Build), s, nil)
}
