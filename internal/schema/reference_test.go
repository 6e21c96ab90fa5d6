package schema

import (
	"context"
	"errors"
	"os"
	"testing"

	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

// viottiSizes are the bytes of compact JSON and of Protobuf that the study's own
// schemas give, where its documents match them as they are.
var viottiSizes = map[string][2]int{
	"circleciblank": {15, 5}, "circlecimatrix": {94, 26}, "commitlintbasic": {24, 0}, "epr": {519, 247}, "esmrc": {101, 23},
	"githubfundingblank": {182, 17}, "imageoptimizerwebjob": {81, 23}, "jsonfeed": {570, 411}, "jsonresume": {3042, 2218},
	"nightwatch": {1506, 120}, "openweathermap": {493, 188}, "openweatherroadrisk": {384, 173}, "sapcloudsdkpipeline": {43, 0},
	"travisnotifications": {672, 521},
}

func TestViottiSizes(t *testing.T) {
	entries, err := os.ReadDir(testenv.Corpora(t, "viotti"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			s, err := Compile(context.Background(), Source{File: testenv.Corpora(t, "viotti", e.Name(), "protobuf", "schema.proto"), Message: "Main"})
			if err != nil {
				t.Fatal(err)
			}
			doc, err := os.ReadFile(testenv.Corpora(t, "viotti", e.Name(), "document.json"))
			if err != nil {
				t.Fatal(err)
			}
			report, err := s.Fit("", [][]byte{doc}, FitOptions{})
			want, matches := viottiSizes[e.Name()]
			if !matches {
				if mismatch := (*MismatchError)(nil); !errors.As(err, &mismatch) {
					t.Fatalf("the document does not match its schema, but: %v", err)
				}
				if m := report.Mismatches[0]; m.Path == "" || m.Count < 1 {
					t.Errorf("a mismatch without a place: %+v", m)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Reference("")
			if err != nil {
				t.Fatal(err)
			}
			m, err := r.FromJSON(doc)
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if got := [2]int{len(strictjson.Compact(nil, doc)), len(b)}; got != want {
				t.Errorf("JSON and Protobuf bytes %v, published %v", got, want)
			}
		})
	}
}
