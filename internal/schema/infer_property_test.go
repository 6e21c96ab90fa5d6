package schema

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

// randomJSON makes documents that share keys, so that all decisions come up.
type randomJSON struct{ *rand.Rand }

func (r randomJSON) value(b *bytes.Buffer, depth int) {
	switch n := r.IntN(12); {
	case n < 3 && depth > 0:
		r.object(b, depth-1)
	case n < 5 && depth > 0:
		b.WriteByte('[')
		for i := range r.IntN(4) {
			if i > 0 {
				b.WriteByte(',')
			}
			r.value(b, depth-1)
		}
		b.WriteByte(']')
	default:
		b.WriteString(randomScalars[r.IntN(len(randomScalars))])
	}
}

var randomScalars = []string{
	"null", "true", "false", "0", "1", "-1", "7", "-0", "1.5", "1e3", "2147483648", "-9223372036854775808", "9223372036854775808",
	"18446744073709551616", "9007199254740993", "1e999", `""`, `"a"`, `"OPEN"`, `"12"`, `"007"`, `"é"`, `"\ud83d\ude00\n"`, `"{\"a\":1}"`,
	`"2024-05-01T10:00:00Z"`, `"2024-05-01T10:00:00+01:00"`, `"0af1c2d3-e4b5-4968-8778-695a4b3c2d1e"`, `"QUJDREVGR0hJSktMTU5PUA=="`,
}

var randomKeys = []string{"a", "b", "A", "a_b", "aB", "kids", "next", "1", "2", "33", "/x", "", "[k]", "\u0061x", "\\n", "é", "message", "2024-01-01"}

func (r randomJSON) object(b *bytes.Buffer, depth int) {
	b.WriteByte('{')
	keys := r.Perm(len(randomKeys))[:r.IntN(5)]
	if r.IntN(40) == 0 { // many keys: a map
		for i := range 30 {
			fmt.Fprintf(b, `"m%d":`, i+r.IntN(3)*30)
			r.value(b, min(depth, 1))
			b.WriteByte(',')
		}
	}
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		b.WriteString(randomKeys[k])
		b.WriteString(`":`)
		r.value(b, depth)
	}
	if bytes.HasSuffix(b.Bytes(), []byte(",")) {
		b.Truncate(b.Len() - 1)
	}
	b.WriteByte('}')
}

// randomDocs makes at least one document.
func randomDocs(r *rand.Rand) (docs [][]byte) {
	for n := 1 + r.IntN(30); len(docs) < n; {
		var b bytes.Buffer
		randomJSON{r}.value(&b, 5)
		if strictjson.Check(b.Bytes(), strictjson.Limits{}) == nil { // no duplicate keys
			docs = append(docs, b.Bytes())
		}
	}
	return docs
}

// sameHoweverSplit infers from the documents in their order, and permuted and
// split over Partials that are merged in any order, and wants one outcome.
func sameHoweverSplit(t testing.TB, r *rand.Rand, opt InferOptions, docs [][]byte) inferred {
	t.Helper()
	want := inferDocs(t, opt, docs)
	for range 3 {
		parts := make([]*Partial, 1+r.IntN(4))
		for i := range parts {
			parts[i] = NewPartial(opt)
		}
		for _, d := range r.Perm(len(docs)) {
			if err := parts[r.IntN(len(parts))].Add(docs[d]); err != nil {
				t.Fatal(err)
			}
		}
		for len(parts) > 1 {
			i := 1 + r.IntN(len(parts)-1)
			if r.IntN(2) == 0 {
				parts[0], parts[i] = parts[i], parts[0]
			}
			parts[0].Merge(parts[i])
			parts = append(parts[:i], parts[i+1:]...)
		}
		got := inferPartial(t, opt, parts[0], docs)
		if got.Proto != want.Proto {
			t.Fatalf("another order gives\n%s\ninstead of\n%s\nfor\n%s", got.Proto, want.Proto, bytes.Join(docs, []byte("\n")))
		}
		if fmt.Sprint(got.Notes, got.Shape) != fmt.Sprint(want.Notes, want.Shape) {
			t.Fatalf("another order gives\n%v %+v\ninstead of\n%v %+v", got.Notes, got.Shape, want.Notes, want.Shape)
		}
	}
	return want
}

func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 1))
		opt := InferOptions{Track: []string{TrackLiteral, TrackTyped}[seed%2], ExactNull: seed%3 == 0, MaxKeys: []int{0, 40, 5}[seed%5%3]}
		docs := randomDocs(r)
		x := sameHoweverSplit(t, r, opt, docs)
		if back := x.back(); opt.ExactNull {
			for i, d := range back {
				if !sameJSON(mustParse(t, docs[i]), mustParse(t, d)) {
					t.Fatalf("seed %d: %s\ncomes back as\n%s\nby\n%s", seed, docs[i], d, x.Proto)
				}
			}
		}
	}
}

func TestOrderOfWebhooksDoesNotMatter(t *testing.T) {
	files, _ := filepath.Glob(testenv.Corpora(t, "webhooks") + "/*.json")
	var docs [][]byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, strictjson.Compact(nil, data))
	}
	sameHoweverSplit(t, rand.New(rand.NewPCG(1, 1)), typed, docs).exact()
}

// Keys beyond the limit make one map, wherever the limit is passed.
func TestCollapseDoesNotDependOnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var docs [][]byte
	for i := range 60 {
		var b strings.Builder
		b.WriteString(`{"x":{`)
		for j := range 10 {
			fmt.Fprintf(&b, `"k%c%d":{"v":%d,"in":{"z%d":[%d]}},`, 'a'+j, i, j-1, i*j, j)
		}
		docs = append(docs, []byte(strings.TrimSuffix(b.String(), ",")+"}}"))
	}
	sameHoweverSplit(t, r, InferOptions{MaxKeys: 100}, docs).exact().has("map<string, X> x = 1;")
}

// syntaxTree writes a tree of many kinds of nodes, whose paths are all different.
func syntaxTree(r *rand.Rand, b *bytes.Buffer, depth int) {
	kids := [][]string{{"left", "right"}, {"callee", "args[]"}, {"object", "property"}, {"test", "then", "else"}, {"params[]", "body"}, {}}
	kind := r.IntN(len(kids))
	if depth == 0 {
		kind = len(kids) - 1
	}
	fmt.Fprintf(b, `{"kind":"k%d","start":%d`, kind, r.IntN(1000))
	for _, k := range kids[kind] {
		name, list := strings.CutSuffix(k, "[]")
		fmt.Fprintf(b, `,%q:`, name)
		switch {
		case list:
			b.WriteByte('[')
			for i := range r.IntN(3) {
				if i > 0 {
					b.WriteByte(',')
				}
				syntaxTree(r, b, depth-1)
			}
			b.WriteByte(']')
		case r.IntN(9) == 0:
			b.WriteString("null")
		default:
			syntaxTree(r, b, depth-1)
		}
	}
	b.WriteByte('}')
}

// Syntax trees have more paths than are remembered; they fold all the same.
func TestSyntaxTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var docs [][]byte
	for range 60 {
		var b bytes.Buffer
		b.WriteString(`{"file":"x","program":`)
		syntaxTree(r, &b, 7)
		docs = append(docs, append(b.Bytes(), '}'))
	}
	for _, max := range []int{300, 1000, 0} {
		opt := InferOptions{MaxPlaces: max, ExactNull: true}
		x := sameHoweverSplit(t, r, opt, docs).exact()
		if n := strings.Count(x.Proto, "message "); n > 40 {
			t.Errorf("%d places: %d messages", max, n)
		}
	}
	if err := NewPartial(InferOptions{MaxPlaces: 1000}).Add([]byte(strings.Replace(string(docs[0]), `"start"`, `"kind"`, 1))); err == nil || !strings.Contains(err.Error(), "duplicate key") {
		t.Error(err)
	}
	p := NewPartial(InferOptions{MaxPlaces: 300})
	for _, d := range docs {
		if err := p.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	if p.poolDepth == 0 {
		t.Error("nothing was pooled")
	}
	for _, bad := range []string{`{"file":1,"file":2}`, `{"program":{"left":{"left":{"left":{"left":{}},"left":1}}}}`} {
		if err := p.Add([]byte(bad)); err == nil || !strings.Contains(err.Error(), "duplicate key") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Memory is the schema's, not the documents'.
func TestPlacesAreBounded(t *testing.T) {
	p := NewPartial(InferOptions{MaxPlaces: 1000, MaxKeys: 10})
	for i := range 5000 {
		s := strconv.Itoa(i)
		if err := p.Add([]byte(`{"m":{"k` + s + `":{"a":[` + s + `],"b":"` + s + `"}}}`)); err != nil {
			t.Fatal(err)
		}
	}
	if n := p.root.countPlaces(); n > 20 || n != p.places {
		t.Errorf("%d places, %d counted", n, p.places)
	}
	q := NewPartial(InferOptions{MaxPlaces: 1000})
	var err error
	for i := 0; i < 5000 && err == nil; i++ {
		err = q.Add([]byte(`{"k` + strconv.Itoa(i%500) + `":{"k` + strconv.Itoa(i) + `":1}}`))
	}
	if err == nil || !strings.Contains(err.Error(), "--map PATH") {
		t.Error(err)
	}
}

// FuzzInfer takes any lines: no panic, order does not matter, what is printed
// compiles, and with ExactNull documents come back.
func FuzzInfer(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n{\"a\":null}\n{}"), uint64(1))
	f.Add([]byte("{\"x\":[]}\n{\"x\":[1,\"a\"]}\n[null]"), uint64(2))
	f.Add([]byte("{\"kids\":[{\"kids\":[{}],\"v\":1}],\"v\":2}"), uint64(3))
	f.Add([]byte("{\"1\":{\"2\":3},\"4\":{}}"), uint64(4))
	f.Add([]byte(`{"[a]":1,"":2,"*/":3,"a_b":4,"aB":5,"\u0000":6}`), uint64(5))
	f.Add([]byte("1e999\n-5\n18446744073709551615"), uint64(6))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		opt := InferOptions{ExactNull: seed%2 == 0, MaxKeys: 1 + int(seed%8), Limits: strictjson.Limits{Depth: 40}}
		if seed%3 == 0 {
			opt.Track = TrackTyped
		}
		var docs [][]byte
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); strictjson.Check(line, opt.Limits) == nil {
				docs = append(docs, line)
			} else if err := NewPartial(opt).Add(line); err == nil {
				t.Fatalf("Add accepts %q, Check does not", line)
			}
		}
		if len(docs) == 0 {
			return
		}
		x := sameHoweverSplit(t, rand.New(rand.NewPCG(seed, 0)), opt, docs)
		for i, d := range x.back() {
			if opt.ExactNull && !sameJSON(mustParse(t, docs[i]), mustParse(t, d)) {
				t.Fatalf("%s comes back as %s by\n%s", docs[i], d, x.Proto)
			}
		}
	})
}
