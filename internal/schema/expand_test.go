package schema

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/strictjson"
)

func TestExpand(t *testing.T) {
	for _, c := range []struct {
		paths     []string
		doc, want string
		expanded  []string
	}{
		{[]string{"$.p"}, `{"p": "{\"a\": 1}", "q":"{}"}`, `{"p": {"a": 1}, "q":"{}"}`, []string{"$.p"}},
		{[]string{"$.p"}, `{"p":" [1] "}`, `{"p":[1]}`, []string{"$.p"}},
		{[]string{"$.p"}, `{"p":"12","x":{"p":"12"}}`, `{"p":12,"x":{"p":"12"}}`, []string{"$.p"}},
		{[]string{"$.p"}, `{"p":null}`, `{"p":null}`, nil},
		{[]string{"$.p"}, `{"p":{"a":"1"}}`, `{"p":{"a":"1"}}`, nil},
		{[]string{"$.l[].*"}, `{"l":[{"a":"[1]","b":"[]"},"x",{"a":2}]}`, `{"l":[{"a":[1],"b":[]},"x",{"a":2}]}`, []string{"$.l[].*"}},
		{[]string{"$"}, `"{\"a\":1}"`, `{"a":1}`, []string{"$"}},
		{[]string{"$.p", "$.p.q[]"}, `{"p":"{\"q\":[\"[1]\",\"2\"]}","r":1}`, `{"p":{"q":[[1],2]},"r":1}`, []string{"$.p", "$.p.q[]"}},
		{[]string{"$.p.q"}, `{"p":"{\"q\":\"[1]\"}"}`, `{"p":"{\"q\":\"[1]\"}"}`, nil},
		{[]string{`$["a.b"]`}, `{"a.b":"\"x\""}`, `{"a.b":"x"}`, []string{`$["a.b"]`}},
		{[]string{"$.k"}, `{"\u006b":"1"}`, `{"\u006b":1}`, []string{"$.k"}},
	} {
		e, err := NewExpander(c.paths, strictjson.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Expand([]byte(c.doc))
		if err != nil {
			t.Errorf("%s: %v", c.doc, err)
			continue
		}
		if d := cmp.Diff([2]any{c.want, c.expanded}, [2]any{string(x.Data), x.Paths}); d != "" {
			t.Errorf("%s: %s", c.doc, d)
		}
	}
}

func TestExpandFaults(t *testing.T) {
	for doc, want := range map[string]string{
		`{"x":1,"p":"{"}`:                           "11 $.p: --expand, but the string holds no JSON: offset 1",
		`{"p":""}`:                                  "5 $.p: ",
		`{"p":"{} {}"}`:                             "5 $.p: ",
		`{"p":"{\"a\":1,\"a\":2}"}`:                 "5 $.p: --expand, but the string holds no JSON: offset 7: duplicate key",
		`{"p":"[\"1\",\"x\"]"}`:                     "5 $.p[1]: --expand, but the string holds no JSON",
		`{"p":"` + strings.Repeat("[", 2000) + `"}`: "5 $.p: --expand, but the string holds no JSON: offset 1000: nesting",
	} {
		e, err := NewExpander([]string{"$.p", "$.p[]"}, strictjson.Limits{Depth: 1000})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Expand([]byte(doc))
		var at *PathError
		if !errors.As(err, &at) || !strings.HasPrefix(num(at.Offset)+" "+at.Error(), want) {
			t.Errorf("%.40s: %v, want %s", doc, err, want)
		}
	}
	for _, path := range []string{"", "p", "$p", "$.", "$[0]"} {
		if _, err := NewExpander([]string{path}, strictjson.Limits{}); err == nil {
			t.Errorf("path %q: no error", path)
		}
	}
}

func TestExpandedOrigin(t *testing.T) {
	doc := `{"p":"[1]","q":"[22]","r":3}`
	e, err := NewExpander([]string{"$.p", "$.q"}, strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Expand([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	for now, old := range map[string]string{`{"p"`: `{"p"`, "[1]": `"[1]"`, "1]": `"[1]"`, `,"q"`: `,"q"`, "22]": `"[22]"`, `"r"`: `"r"`, "3}": "3}"} {
		if got, want := x.Origin(strings.Index(string(x.Data), now)), strings.Index(doc, old); got != want {
			t.Errorf("%s: %d, want %d", now, got, want)
		}
	}
}

// FuzzExpand holds what expansion gives to be JSON whose places are known.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{`{"p":"{\"a\":1}"}`, `[{"p":"[]"},{"p":"x"}]`, `{"p":"\"{}\"","q":{"p":"1"}}`, `"[1]"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if strictjson.Check(doc, strictjson.Limits{}) != nil {
			return
		}
		e, err := NewExpander([]string{"$", "$.p", "$[].p", "$.*.p", "$.p[]"}, strictjson.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Expand(doc)
		if err != nil {
			return
		}
		if err := strictjson.Check(x.Data, strictjson.Limits{}); err != nil {
			t.Fatalf("%q became %q: %v", doc, x.Data, err)
		}
		for i := range x.Data {
			if o := x.Origin(i); o < 0 || o > len(doc) {
				t.Fatalf("%q: the origin of %d is %d", doc, i, o)
			}
		}
	})
}
