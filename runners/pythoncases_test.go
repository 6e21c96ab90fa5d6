package runners_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
)

// all verifies every codec on every sample; skips are those expected.
func (b *pythonBuild) all(t *testing.T, samples []goSample, skips map[string]string) {
	t.Helper()
	for _, sample := range samples {
		for _, c := range b.codecs {
			t.Run(sample.name+"/"+c.Name, func(t *testing.T) {
				if b.wanted(t, sample.name, c.Name, skips) {
					b.verify(t, sample, c)
				}
			})
		}
	}
}

// TestPythonCorpora holds every codec against documents of the world, under
// schemas inferred from them on both tracks, all in one build.
func TestPythonCorpora(t *testing.T) {
	t.Parallel()
	samples := corporaSamples(t)
	for _, track := range []string{schema.TrackLiteral, schema.TrackTyped} {
		t.Run(track, func(t *testing.T) {
			s := inferSamples(t, track, samples)
			buildPython(t, s).all(t, s.samples, nil)
		})
	}
}

// pythonJoin joins n texts.
func pythonJoin(n int, each func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(each(i))
	}
	return b.String()
}

// pythonTexts are documents of one string each, of these lengths in code points.
func pythonTexts(letter string) []string {
	var documents []string
	for _, n := range []int{8, 16, 32, 64, 128, 256, 4096} {
		documents = append(documents, `{"text":"`+strings.Repeat(letter, n)+`"}`)
	}
	return documents
}

// pythonInputs are the inputs of CASES.md that are about speed or inference, and
// those about names, by their numbers.
func pythonInputs() []goSample {
	random := rand.New(rand.NewPCG(1, 1))
	deep := `{"kind":"Crd","spec":{"versions":[{"schema":` + strings.Repeat(`{"properties":{"spec":`, 12) + `{"solver":"s"}` + strings.Repeat(`}}`, 12) + `}]}}`
	return []goSample{
		{name: "D03", documents: []string{`{"r":[{"i":6},{"i":"6em"},{"zip":"00501"},{"zip":"90210"},{"flag":"true"}]}`}},
		{name: "D04", documents: []string{`{"x":null,"e":{}}`, `{"x":[],"e":{"f":{}}}`, `{"x":["a"],"e":{}}`, `{"x":null,"r":{"k":1}}`, `{"r":"text"}`}},
		{name: "D05", documents: []string{`{"big":9223372036854775807,"bigger":700000000000000000000000000007,"u":18446744073709551615}`}},
		{name: "D06", documents: []string{`{"pairs":{` + pythonJoin(60, func(i int) string { return fmt.Sprintf(`"a%d_b":{"lo":0.1,"n":%d}`, i, i) }) + `},"few":{"7":1,"9":2},"i18n":{"help.title":"Help","help.close":"Close"}}`}},
		{name: "D08", documents: []string{`{"7":"x","8":"y","q":{"s":{"t":1}},"q1":{"r":{"t":1}},"s":{"q":{"t":2}},"rack_no":"n"}`}},
		{name: "D10", documents: []string{`{"descriptor":"d","class":"c","from":"f","message":"m","None":1,"std":{"int":1},"__proto__":2,"constructor":3,"hasOwnProperty":4,"__init__":5,"self":6,"__struct_fields__":[7],"DESCRIPTOR":8,"SerializeToString":9,"HasField":true,"import":"i","match":"m"}`}},
		{name: "D11-list", documents: []string{`[{"id":1},{"id":2}]`, `[]`}},
		{name: "D11-map", documents: []string{`{"/a":[{"m":"GET"}],"/b":[{"m":"PUT"},{"m":"POST"}]}`}},
		{name: "D12", documents: []string{`{"messageId":"m","message_id":"n"}`}},
		{name: "D13", documents: []string{`{"code":"204518","d":"2024-02-30","t1":"2024-05-01T10:00:00","t2":"2024-05-01T10:00:00+02:30","t3":"2024-05-01T10:00:00.123456789Z","t4":"2024-05-01T10:00:00.123Z","obj":{"seconds":1,"nanos":5}}`}},
		{name: "D19", documents: []string{`{"digest":[18,255,0,7,90]}`}},
		{name: "D20", documents: []string{`{"type":"MultiPolygon","coordinates":[[[[8.4012,46.2034],[8.4013,46.2035],[8.4012,46.2034]]]]}`}},
		{name: "D22", documents: []string{`{"deltas":[-1,-2,-1,0,-3,-1]}`}},
		{name: "D24", documents: []string{`{"id":1,"result":{"data":{"input":"hello"},"info":{"user":"42","client":"c1"}}}`}},
		{name: "D25", documents: []string{`{"run":"r1","node":[1,"s",[2,{"z":"s"}],{"y":[1,"x",null]}]}`}},
		{name: "D26", documents: []string{`{"uri":"http://x/y.mp4","title":"plain ascii","w":640,"h":480,"persons":["Ann","Bob"]}`, `{"uri":"http://x/ÿ.mp4","title":"plain äscii","w":640,"h":480,"persons":["Änn","Bøb"]}`}},
		{name: "D27", documents: []string{`{"path":"/tmp/x","data":"` + strings.Repeat("AAEC", 5000) + `"}`}},
		{name: "D28", documents: []string{`{"tx":"t","body":{"v":1.5,"day":"2024-01-01","cur":"EUR"}}`}},
		{name: "D29", documents: []string{`{"outer":[` + pythonJoin(20, func(int) string {
			return `{"items":[` + pythonJoin(70, func(i int) string { return fmt.Sprintf(`{"a":%d,"b":0,"c":17,"d":2,"e":9}`, i) }) + `]}`
		}) + `]}`}},
		// A codec that read no text would show it in the checksum, at every length.
		{name: "D30-ascii", documents: pythonTexts("a")},
		{name: "D30-two", documents: pythonTexts("é")},
		{name: "D30-four", documents: pythonTexts("😀")},
		// The number of entries must not matter: each size is verified, none is extrapolated.
		{name: "D31", documents: []string{pythonMap(10), pythonMap(2_800), pythonMap(40_000)}},
		{name: "D32", documents: []string{`{"shape":[1000,3,4],"data":[` + pythonJoin(12_000, func(int) string { return fmt.Sprint(random.NormFloat64()) }) + `]}`}},
		{name: "D33", documents: []string{deep}},
	}
}

// pythonMap is a document with a map of n entries.
func pythonMap(n int) string {
	return `{"entries":{` + pythonJoin(n, func(i int) string { return fmt.Sprintf(`"%d":%d.5`, i, i) }) + `}}`
}

// TestPythonCases verifies every codec on those inputs.
func TestPythonCases(t *testing.T) {
	t.Parallel()
	for _, track := range []string{schema.TrackLiteral, schema.TrackTyped} {
		t.Run(track, func(t *testing.T) {
			skips := map[string]string{"D05/orjson": "the number 700000000000000000000000000007 at $.bigger of document 0 would be rounded"}
			if track == schema.TrackTyped {
				skips["D13/msgspec"] = "a datetime holds microseconds"
			}
			s := inferSamples(t, track, pythonInputs())
			buildPython(t, s).all(t, s.samples, skips)
		})
	}
}

// TestPythonCaseD26 checks that text beyond ASCII costs what it costs a program
// that encodes an object once: strings keep their UTF-8 from then on.
func TestPythonCaseD26(t *testing.T) {
	t.Parallel()
	list := func(letter string) string {
		return `{"texts":[` + pythonJoin(200, func(i int) string { return fmt.Sprintf(`"%s%d"`, strings.Repeat(letter, 40), i) }) + `]}`
	}
	samples := []goSample{{name: "ascii", documents: []string{list("a")}}, {name: "other", documents: []string{list("é")}}}
	b := buildPython(t, inferSamples(t, schema.TrackLiteral, samples))
	for _, codec := range []string{"msgspec", "orjson"} {
		least := map[string]int64{}
		for _, sample := range samples {
			turn := slices.Repeat([]runner.BatchRequest{{Sample: sample.name, Codec: codec, Operation: bench.Encode, Iterations: 20, Window: 1}}, 20)
			m, err := b.process.Measure(t.Context(), runner.MeasureRequest{Turn: turn})
			if err != nil {
				t.Fatal(err)
			}
			least[sample.name] = slices.Min(m.WallNS)
		}
		if least["other"] < 2*least["ascii"] {
			t.Errorf("%s: %v ns: the UTF-8 of an earlier encoding was used again", codec, least)
		}
	}
}

// TestPythonMsgspecRefuses checks what msgspec has no type for, or would read
// otherwise: it says so, and the others go on.
func TestPythonMsgspecRefuses(t *testing.T) {
	t.Parallel()
	s := goSchema{
		name: "refused",
		proto: `syntax = "proto3";
import "wirecost/json.proto";
message Tree { option (wirecost.form) = UNION; oneof value { string s = 1; Trees kids = 2; } }
message Trees { option (wirecost.form) = BARE; repeated Tree v = 1; }
message Tagged { Quoted q = 1; }
message Quoted { option (wirecost.form) = UNION; oneof value { int64 i = 1 [(wirecost.repr) = STRING]; bool b = 2; } }
message Exact { Text n = 1; }
message Text { option (wirecost.form) = BARE; string v = 1 [(wirecost.repr) = NUMBER]; }
message Blob { bytes data = 1; repeated bytes more = 2; }
`,
		samples: []goSample{
			{"tree", "Tree", []string{`["a",["b",[]]]`, `"c"`}},
			{"tagged", "Tagged", []string{`{"q":"5"}`, `{"q":false}`, `{}`}},
			{"exact", "Exact", []string{`{"n":12345678901234567890123}`, `{"n":0.5}`}},
			{"blob", "Blob", []string{`{"data":"_-8","more":["AA=="]}`}},
		},
	}
	buildPython(t, s).all(t, s.samples, map[string]string{
		"tree/msgspec":   "msgspec has no type for arrays or unions that hold themselves",
		"tagged/msgspec": "msgspec has no such type: Type unions containing a custom type",
		"exact/msgspec":  "msgspec keeps no number's text where there may be another type",
		"exact/orjson":   "the number 12345678901234567890123 at $.n of document 0 would be rounded",
		"blob/msgspec":   `$.data of document 0 is "_-8": msgspec reads base64 with padding`,
	})
}

// TestPythonCaseD31 decodes maps of sizes that were reported as slow. None may
// take far longer per entry than the others, in the median of a few.
func TestPythonCaseD31(t *testing.T) {
	t.Parallel()
	sizes := []int{25_000, 35_000, 50_000, 70_000, 100_000}
	sample := goSample{name: "maps"}
	for _, n := range sizes {
		sample.documents = append(sample.documents, pythonMap(n))
	}
	b := buildPython(t, inferSamples(t, schema.TrackLiteral, []goSample{sample}))
	perEntry := make([]float64, len(sizes))
	for i, n := range sizes {
		turn := slices.Repeat([]runner.BatchRequest{{Sample: "maps", Codec: "protobuf", Operation: bench.Decode, Iterations: 1, Document: i, Window: 1}}, 5)
		m, err := b.process.Measure(t.Context(), runner.MeasureRequest{Turn: turn})
		if err != nil {
			t.Fatal(err)
		}
		perEntry[i] = float64(slices.Min(m.WallNS)) / float64(n)
	}
	if slices.Max(perEntry) > 20*slices.Min(perEntry) {
		t.Errorf("ns per entry %.0f for %d entries", perEntry, sizes)
	}
}

// TestPythonCaseD32 measures a tensor: JSON and packed Protobuf both give every
// number back, and a batch holds the whole of it.
func TestPythonCaseD32(t *testing.T) {
	t.Parallel()
	sample := goSample{name: "tensor", documents: []string{`{"shape":[100,3,4],"data":[` + pythonJoin(1200, func(i int) string { return fmt.Sprintf("%d.5", i) }) + `]}`}}
	b := buildPython(t, inferSamples(t, schema.TrackLiteral, []goSample{sample}))
	for _, c := range b.codecs {
		want := b.verify(t, sample, c)
		b.measure(t, sample, c, bench.Visit, want[bench.Visit])
	}
}

// TestPythonCaseD33 checks that the pure-Python runtime of Protobuf is marked in
// what describe says, and that the usual one is not.
func TestPythonCaseD33(t *testing.T) {
	t.Parallel()
	sample := goSample{name: "crd", documents: pythonInputs()[len(pythonInputs())-1].documents}
	b := buildPython(t, inferSamples(t, schema.TrackLiteral, []goSample{sample}))
	described := func(p runner.Process) runner.CodecDescription {
		d, err := p.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d.Codecs[slices.IndexFunc(d.Codecs, func(c runner.CodecDescription) bool { return c.Name == "protobuf" })]
	}
	usual := described(b.process)
	if !strings.HasSuffix(usual.Version, "(upb)") || slices.Contains(usual.Traits, "not representative") || usual.Note != "" {
		t.Errorf("the usual runtime is described as %+v", usual)
	}
	command := b.Command()
	command.Environment = map[string]string{"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
	p, err := runner.StartCommand(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pure := described(p)
	if !strings.HasSuffix(pure.Version, "(python)") || !slices.Contains(pure.Traits, "not representative") || !strings.Contains(pure.Note, "fell back to pure Python") {
		t.Errorf("the fall-back is described as %+v", pure)
	}
	b.process = p
	b.prepared = b.prepare(t, p)
	b.verify(t, sample, pure)
}

// TestPythonRunnerRefuses checks that what is no JSON, or cannot be written as
// such, is an error of its request and costs the runner nothing else.
func TestPythonRunnerRefuses(t *testing.T) {
	t.Parallel()
	s := goSchemas[0]
	b := buildPython(t, s)
	nested := func(levels int) string {
		return `{"any":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}`
	}
	for _, x := range []struct {
		what, sample, document string
		mayPass                []string
	}{
		{"NaN", "scalars", `{"aDouble":NaN}`, nil},
		{"Infinity", "scalars", `{"aDouble":-Infinity}`, nil},
		{"a lone surrogate", "scalars", `{"aString":"x\udca0y"}`, nil},
		{"a surrogate without its second", "scalars", `{"aString":"\ud800x"}`, nil},
		{"two documents", "scalars", `{"aInt32":1}{"aInt32":2}`, nil},
		{"a comment", "scalars", `{"aInt32":1}//`, nil},
		{"900 levels", "free", nested(900), []string{"json", "msgspec", "ujson"}},
		{"100000 levels", "free", nested(100_000), nil},
	} {
		for _, c := range b.codecs {
			if c.Format != bench.JSON {
				continue
			}
			written, err := b.againOf(t, x.sample, c, x.document)
			passes := slices.Contains(x.mayPass, c.Name)
			if (err == nil) != passes {
				t.Errorf("%s: %s: written %.100q, error %v", x.what, c.Name, written, err)
			}
			if err != nil && strings.Contains(err.Error(), "the runner") {
				t.Fatalf("%s: %s: %v", x.what, c.Name, err)
			}
		}
	}
	if _, err := b.process.Describe(t.Context()); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

// againOf has a codec decode and encode one document of a sample.
func (b *pythonBuild) againOf(t *testing.T, sample string, c runner.CodecDescription, document string) ([]byte, error) {
	t.Helper()
	in, out := filepath.Join(b.dir, "refused"), filepath.Join(b.dir, "out")
	if err := runner.WriteDocumentsFile(in, [][]byte{[]byte(document)}); err != nil {
		t.Fatal(err)
	}
	root, _ := b.schema.Model.RootOf(sample)
	files := []runner.SampleFiles{{Sample: sample, Root: root.Type, Documents: 1, Files: map[string]string{c.Documents: in}}}
	if _, err := b.process.Prepare(t.Context(), files, []string{c.Name}); err != nil {
		return nil, err
	}
	if _, err := b.process.Verify(t.Context(), runner.VerifyRequest{Sample: sample, Codec: c.Name, Out: out}); err != nil {
		return nil, err
	}
	written, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: 1, Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return written[0], nil
}

// TestPythonRunnerStaysSmall measures every codec on 8 MB of documents, one of
// them large. No runner may hold more than twice the sample and 200 MB.
func TestPythonRunnerStaysSmall(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("needs /proc")
	}
	item := `{"id":48210005,"name":"Ada Lindqvist","tags":["a","b"],"price":19.99,"at":"2026-11-30T12:34:56Z"}`
	sample := goSample{name: "large", documents: []string{`{"items":[` + pythonJoin(40_000, func(int) string { return item }) + `]}`}}
	for range 40 {
		sample.documents = append(sample.documents, `{"items":[`+pythonJoin(1_000, func(int) string { return item })+`]}`)
	}
	b := buildPython(t, inferSamples(t, schema.TrackLiteral, []goSample{sample}))
	pidFile := filepath.Join(b.dir, "pid")
	command := b.Command()
	command.Words = append([]string{"/bin/sh", "-c", `echo $$ >"$0"; exec "$@"`, pidFile}, command.Words...)
	p, err := runner.StartCommand(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	b.prepare(t, p)
	n := len(sample.documents)
	for _, op := range []bench.Operation{bench.Encode, bench.Decode, bench.Visit} {
		var turn []runner.BatchRequest
		for _, c := range b.codecs {
			turn = append(turn, runner.BatchRequest{Sample: "large", Codec: c.Name, Operation: op, Iterations: n, Window: n})
		}
		m, err := p.Measure(t.Context(), runner.MeasureRequest{Turn: turn, Settle: true})
		if err != nil {
			t.Fatal(err)
		}
		if inside := pythonSum(m.WallNS); m.CPUNS > 0 && m.CPUNS > 2*inside {
			t.Errorf("%s: %v of CPU time for %v in batches: what lies between is counted", op, time.Duration(m.CPUNS), time.Duration(inside))
		}
	}
	most, held := 200<<20+2*pythonLength(sample.documents), pythonResident(t, pidFile)
	t.Logf("%d MB held with %d MB of documents", held>>20, pythonLength(sample.documents)>>20)
	if held > most {
		t.Errorf("it holds %d MB; at most %d MB are allowed", held>>20, most>>20)
	}
}

func pythonSum(values []int64) (total int64) {
	for _, v := range values {
		total += v
	}
	return total
}

func pythonLength(documents []string) (n int64) {
	for _, d := range documents {
		n += int64(len(d))
	}
	return n
}

// pythonResident is how many bytes of memory a process has had at most.
func pythonResident(t *testing.T, pidFile string) int64 {
	t.Helper()
	pid, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// TestPythonDoubles sends random doubles through every JSON codec.
func TestPythonDoubles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	var values []float64
	for len(values) < 10_000 {
		values = append(values, (random.Float64()-0.5)*float64(uint64(1)<<random.IntN(50)))
	}
	text, err := json.Marshal(map[string]any{"values": values})
	if err != nil {
		t.Fatal(err)
	}
	sample := goSample{name: "doubles", documents: []string{string(text)}}
	s := inferSamples(t, schema.TrackLiteral, []goSample{sample})
	buildPython(t, s).all(t, s.samples, nil)
}
