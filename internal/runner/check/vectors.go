package check

import (
	"context"
	"fmt"
	"strings"

	"wirecost/internal/schema"
)

// vectorsProto is the schema of the built-in documents.
const vectorsProto = `syntax = "proto3";
message Order {
  int64 id = 1;
  string name = 2;
  repeated Item items = 3;
  map<string, double> prices = 4;
}
message Item { string sku = 1; optional uint32 count = 2; }
message Integers { int64 least = 1; uint64 most = 2; repeated int64 list = 3; }
message Doubles { double tenth = 1; repeated double list = 2; }
message NotFinite { double value = 1; }
message Absent {
  optional int64 number = 1;
  optional string text = 2;
  optional bool flag = 3;
  optional double real = 4;
  optional Inner inner = 5;
}
message Inner { optional int32 n = 1; }
message Empty { repeated string list = 1; map<string, int32> entries = 2; }
message Deep { optional int32 level = 1; Deep deeper = 2; }
message Strings { string text = 1; map<string, string> entries = 2; }
`

// vector is a sample of built-in documents.
type vector struct {
	root      string // its sample is the same in lower case
	what      string
	documents []string
	mayRefuse bool
	precise   bool
}

func (v vector) sample() string { return strings.ToLower(v.root) }

// ordinary documents are those that codecs are put through all requests with.
var ordinary = vector{root: "Order", documents: []string{
	`{"id":7,"name":"ä b","items":[{"sku":"x","count":0},{"sku":"y"}],"prices":{"x":1.5}}`,
	`{"id":-1,"name":"n"}`,
	`{"id":12345678901,"name":"z","items":[{"sku":"long sku","count":3}]}`,
}}

// nesting is just below the 100 levels that Protobuf libraries allow.
const nesting = 90

// hard documents are those that libraries are known to get wrong.
var hard = []vector{
	{root: "Integers", what: "integers beyond 2⁵³", mayRefuse: true, documents: []string{
		`{"least":-9223372036854775808,"most":18446744073709551615,"list":[9007199254740993,-9007199254740993,9223372036854775807]}`,
	}},
	{root: "Doubles", what: "doubles that need all their digits", precise: true, documents: []string{
		`{"tenth":0.1,"list":[0.30000000000000004,1e21,1e-7,5e-324,1.7976931348623157e308,-2.2250738585072014e-308,123456789.12345679]}`,
	}},
	{root: "NotFinite", what: "NaN and infinity", mayRefuse: true, documents: []string{`{"value":"NaN"}`, `{"value":"-Infinity"}`}},
	{root: "Absent", what: "absent values beside default ones", documents: []string{
		`{}`, `{"number":0,"text":"","flag":false,"real":0,"inner":{}}`, `{"inner":{"n":0}}`, `{"text":"x"}`,
	}},
	{root: "Empty", what: "a document without a member", documents: []string{`{}`, `{"list":["",""],"entries":{"":0}}`}},
	{root: "Deep", what: fmt.Sprintf("%d levels of nesting", nesting), documents: []string{
		strings.Repeat(`{"level":1,"deeper":`, nesting-1) + `{"level":0}` + strings.Repeat(`}`, nesting-1),
	}},
	{root: "Strings", what: "strings with everything in them", documents: []string{
		`{"text":"\u0000\u001f\"\\/\b\f\n\r\t\u007f\u2028\u2029ä€😀","entries":{"":"","a\"b\\c":"\u0000","__proto__":"x","€":"😀"}}`,
		`{"text":"` + strings.Repeat("ab€", 10_000) + `"}`,
	}},
}

// marked is the document that broken text goes into.
var marked = vector{root: "Strings", documents: []string{`{"text":"` + TextMark + `"}`}}

// Vectors are built-in documents, with a schema that runners are to be built for.
type Vectors struct {
	*Truth
	Schema *schema.Schema
}

// NewVectors compiles the schema. Files go to dir.
func NewVectors(ctx context.Context, dir string) (*Vectors, error) {
	all := append([]vector{ordinary}, hard...)
	roots := map[string]string{textSample: marked.root}
	for _, v := range all {
		roots[v.sample()] = v.root
	}
	s, err := schema.CompileText(ctx, "vectors.proto", vectorsProto, roots)
	if err != nil {
		return nil, err
	}
	var fits []schema.FitSample
	for _, v := range all {
		fits = append(fits, schema.FitSample{Sample: v.sample(), Docs: v.bytes()})
	}
	if _, err := s.FitAll(fits, schema.FitOptions{}); err != nil {
		return nil, err
	}
	return &Vectors{NewTruth(s, dir), s}, nil
}

const textSample = "marked"

func (v vector) bytes() [][]byte {
	var all [][]byte
	for _, d := range v.documents {
		all = append(all, []byte(d))
	}
	return all
}

// Options are those of a check with the built-in documents.
func (v *Vectors) Options() (Options, error) {
	opts := Options{Dir: v.dir, Checksums: v.Checksums, Output: v.Output, Find: v.Find}
	files, err := v.Add(ordinary.sample(), ordinary.bytes())
	if err != nil {
		return opts, err
	}
	opts.Samples = append(opts.Samples, files)
	for _, x := range hard {
		files, err := v.Add(x.sample(), x.bytes())
		if err != nil {
			return opts, err
		}
		opts.Values = append(opts.Values, Value{files, x.what, x.mayRefuse, x.precise})
	}
	files, err = v.Add(textSample, marked.bytes())
	opts.Text = &Text{files}
	return opts, err
}
