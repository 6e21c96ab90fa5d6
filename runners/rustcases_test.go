package runners_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
)

// listed joins n texts made of a pattern with a number in it.
func listed(n int, pattern string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(pattern, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, ",")
}

// ofLengths are documents of one string each, of so many times a letter.
func ofLengths(letter string) []string {
	var documents []string
	for _, n := range []int{8, 16, 32, 64, 128, 256, 4096} {
		documents = append(documents, `{"text":"`+strings.Repeat(letter, n)+`"}`)
	}
	return documents
}

// rustCases are inputs of public reports on speed, inference and names, by their
// numbers in the list of cases.
func rustCases() []goSample {
	var samples []goSample
	add := func(name string, documents ...string) {
		samples = append(samples, goSample{name: name, documents: documents})
	}
	blob := make([]byte, 6000)
	for i, random := 0, rand.New(rand.NewPCG(1, 27)); i < len(blob); i++ {
		blob[i] = byte(random.Uint32())
	}
	add("D03", `{"r":[{"i":6},{"i":"6em"},{"zip":"00501"},{"zip":"90210"},{"flag":"true"}]}`)
	add("D04", `{"x":null,"e":{}}`, `{"x":[],"e":{"f":{}}}`, `{"x":["a"],"e":{}}`, `{"x":null,"r":{"k":1}}`, `{"r":"text"}`)
	add("D05", `{"big":9223372036854775807,"bigger":700000000000000000000000000007,"u":18446744073709551615}`)
	add("D05-mixed", `{"v":[700000000000000000000000000007,"text",1.5]}`)
	add("D06", `{"pairs":{`+listed(60, `"k#_bb":{"lo":0.#,"n":#}`)+`},"few":{"7":1,"9":2},"i18n":{`+listed(300, `"help.#":"v"`)+`}}`)
	add("D08", `{"7":"x","8":"y","q":{"s":{"t":1}},"q1":{"r":{"t":1}},"s":{"q":{"t":2}},"rack_no":"n"}`)
	// Names that break generated code, among them Rust's own.
	add("D10", `{"descriptor":"d","class":"c","from":"f","message":"m","None":1,"std":{"int":1},"__proto__":2,"constructor":3,"hasOwnProperty":4}`)
	add("D10-rust", `{"self":1,"Self":{"crate":1,"super":2},"type":"t","async":[true],"Box":{"Option":1},"String":"s","Vec":[{"dyn":1}],"encode":1,"decode":2,"clear":3,"u32":4,"r#type":5,"gen":6,"union":7,"Some":8,"Ok":9,"__buffa":10}`)
	add("D11-list", `[{"id":1},{"id":2}]`, `[]`)
	add("D11-map", `{"/a":[{"m":"GET"}],"/b":[{"m":"PUT"},{"m":"POST"}]}`)
	add("D12", `{"id":1,"messageId":"m","message_id":"n"}`)
	add("D13", `{"code":"204518","d":"2024-02-30","t1":"2024-05-01T10:00:00","t2":"2024-05-01T10:00:00+02:30","t3":"2024-05-01T10:00:00.123456789Z","obj":{"seconds":1,"nanos":5}}`)
	add("D19", `{"digest":[18,255,0,7,90]}`)
	add("D20", `{"type":"MultiPolygon","coordinates":[[[[8.4012,46.2034],[8.4013,46.2035],[8.4012,46.2034]]]]}`)
	add("D22", `{"deltas":[-1,-2,-1,0,-3,-1]}`)
	add("D24", `{"id":1,"result":{"data":{"input":"hello"},"info":{"user":"42","client":"c1"}}}`)
	add("D25", `{"run":"r1","node":[1,"s",[2,{"z":"s"}],{"a":{"b":{"c":{"x":1,"y":[1,2,{"z":"s"}]}}}}]}`)
	// The same document with and without a letter beyond ASCII in each string.
	add("D26", `{"uri":"http://x/y.mp4","title":"plain ascii","w":640,"h":480,"persons":["Ann","Bob"]}`, `{"uri":"http://x/ÿ.mp4","title":"plain äscii","w":640,"h":480,"persons":["Änn","Böb"]}`)
	add("D27", `{"path":"/tmp/x","data":"`+base64.StdEncoding.EncodeToString(blob)+`"}`)
	add("D28", `{"tx":"t","body":{"v":1.5,"day":"2024-01-01","cur":"EUR"}}`)
	add("D29", `{"outer":[`+listed(20, `{"items":[`+listed(70, `{"a":#,"b":0,"c":17,"d":2,"e":9}`)+`]}`)+`]}`)
	// What reads only a part of a string shows it in the checksum, at every length.
	add("D30-one", ofLengths("a")...)
	add("D30-two", ofLengths("é")...)
	add("D30-four", ofLengths("😀")...)
	add("D31", `{"entries":{`+listed(5000, `"#":#.5`)+`}}`)
	add("D32", `{"shape":[100,3,4],"data":[`+listed(1200, `#.25`)+`]}`)
	add("D33", `{"kind":"Crd","spec":{"versions":[{"schema":`+strings.Repeat(`{"properties":{"spec":`, 12)+`{"solver":"s"}`+strings.Repeat(`}}`, 12)+`}]}}`)
	return samples
}

// rustSkips are the samples that a codec refuses, with a part of the reason.
var rustSkips = map[string]string{}

// TestRustDocuments holds every codec against documents of the world and those of
// public reports, under schemas inferred from them, all in one build. Of the two
// tracks it takes the literal one, since the matrix has the other.
func TestRustDocuments(t *testing.T) {
	t.Parallel()
	samples := append(corporaSamples(t), rustCases()...)
	s := inferSamples(t, schema.TrackLiteral, samples)
	b := buildRust(t, s)
	if b.Dropped != nil {
		t.Errorf("dropped: %v", b.Dropped)
	}
	p := start(t, b.Build)
	codecs := describeRust(t, p, b.Build)
	prepared := b.prepare(t, p)
	for _, sample := range s.samples {
		for _, c := range codecs {
			t.Run(sample.name+"/"+c.Name, func(t *testing.T) {
				got, want := prepared.skipped(sample.name, c.Name), rustSkips[sample.name+"/"+c.Name]
				if (got == "") != (want == "") || !strings.Contains(got, want) {
					t.Fatalf("skipped: %q; want %q", got, want)
				}
				if got == "" && !slices.Contains(c.Traits, "rounds doubles") {
					b.rustCodec(t, p, sample, c)
				}
			})
		}
	}
}

// TestRustCaseD30 checks for D26 and D30 that in each batch every document counts,
// whatever its letters and length, so that none is measured as another.
func TestRustCaseD30(t *testing.T) {
	t.Parallel()
	var samples []goSample
	for _, c := range rustCases() {
		if strings.HasPrefix(c.name, "D30") || c.name == "D26" {
			samples = append(samples, c)
		}
	}
	s := inferSamples(t, schema.TrackLiteral, samples)
	b := buildRust(t, s)
	p := start(t, b.Build)
	b.prepare(t, p)
	for _, c := range describeRust(t, p, b.Build) {
		for _, sample := range s.samples {
			for i, m := range b.messages[sample.name] {
				_, visit, err := b.refs[sample.name].Checksums(m, "utf8")
				if err != nil {
					t.Fatal(err)
				}
				batch := runner.BatchRequest{Sample: sample.name, Codec: c.Name, Operation: bench.Visit, Iterations: 3, Document: i, Window: 1}
				reply, err := p.Measure(t.Context(), runner.MeasureRequest{Turn: []runner.BatchRequest{batch}})
				if err != nil || reply.Checksum[0] != 3*visit {
					t.Errorf("%s, %s, document %d: %+v, %v; want the checksum %d", c.Name, sample.name, i, reply, err, 3*visit)
				}
			}
		}
	}
}
