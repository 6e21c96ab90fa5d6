package schema

import (
	"context"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wirecost/internal/strictjson"
)

// inferred is what a test looks at: the schema of some documents.
type inferred struct {
	*Inferred
	t    testing.TB
	docs [][]byte
}

// inferLines infers from documents, one in each line.
func inferLines(t testing.TB, opt InferOptions, lines string) inferred {
	t.Helper()
	var docs [][]byte
	for l := range strings.Lines(lines) {
		if l = strings.TrimSpace(l); l != "" {
			docs = append(docs, []byte(l))
		}
	}
	return inferDocs(t, opt, docs)
}

func inferDocs(t testing.TB, opt InferOptions, docs [][]byte) inferred {
	t.Helper()
	p := NewPartial(opt)
	for _, d := range docs {
		if err := p.Add(d); err != nil {
			t.Fatalf("%.80s: %v", d, err)
		}
	}
	return inferPartial(t, opt, p, docs)
}

func inferPartial(t testing.TB, opt InferOptions, p *Partial, docs [][]byte) inferred {
	t.Helper()
	inf, err := Infer([]NamedPartial{{Sample: "s", RootName: "Root", Partial: p}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return inferred{inf, t, docs}
}

// has wants lines of the .proto, indentation and comments aside.
func (x inferred) has(lines ...string) inferred {
	x.t.Helper()
	for _, want := range lines {
		if !slices.ContainsFunc(strings.Split(x.Proto, "\n"), func(l string) bool { return strings.TrimSpace(l) == want }) {
			x.t.Errorf("no line %q in\n%s", want, x.Proto)
		}
	}
	return x
}

// lacks wants no occurrence of texts.
func (x inferred) lacks(texts ...string) inferred {
	x.t.Helper()
	for _, s := range texts {
		if strings.Contains(x.Proto, s) {
			x.t.Errorf("%q stands in\n%s", s, x.Proto)
		}
	}
	return x
}

// notes wants a note on a path that holds a text, in the list and as a comment.
func (x inferred) notes(path, text string) inferred {
	x.t.Helper()
	for _, n := range x.Notes {
		if n.Where == path && strings.Contains(n.Text, text) {
			if !strings.Contains(x.Proto, "// "+oneLine(n.Text)+"\n") {
				x.t.Errorf("no comment %q in\n%s", n.Text, x.Proto)
			}
			return x
		}
	}
	x.t.Errorf("no note %q on %s in %v", text, path, x.Notes)
	return x
}

// exact wants the schema to compile and every document to come back.
func (x inferred) exact() inferred {
	x.t.Helper()
	for i, d := range x.back() {
		if !sameJSON(mustParse(x.t, x.docs[i]), mustParse(x.t, d)) {
			x.t.Errorf("%.2000s\ncomes back as\n%.2000s\nby\n%.3000s", x.docs[i], d, x.Proto)
		}
	}
	return x
}

// back sends the documents through Protobuf and returns what comes back.
func (x inferred) back() [][]byte {
	x.t.Helper()
	s, err := CompileText(context.Background(), "inferred.proto", x.Proto, x.Roots)
	if err != nil {
		x.t.Fatalf("%v\n%s", err, x.Proto)
	}
	var out [][]byte
	for sample := range x.Roots {
		ref, err := s.Reference(sample)
		if err != nil {
			x.t.Fatal(err)
		}
		for _, d := range x.docs {
			out = append(out, throughProtobuf(x.t, ref, d, x.Proto))
		}
	}
	return out
}

func throughProtobuf(t testing.TB, ref *Reference, doc []byte, proto string) []byte {
	t.Helper()
	m, err := ref.FromJSON(doc)
	if err != nil {
		t.Fatalf("%.2000s: %v\n%s", doc, err, proto)
	}
	wire, err := ref.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = ref.Unmarshal(wire); err != nil {
		t.Fatal(err)
	}
	out, err := ref.ToJSON(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustParse(t testing.TB, data []byte) strictjson.Value {
	t.Helper()
	v, err := strictjson.Parse(data, strictjson.Limits{})
	if err != nil {
		t.Fatalf("%.200s: %v", data, err)
	}
	return v
}

// sameJSON compares meaning: members in any order; numbers by value or as doubles.
func sameJSON(a, b strictjson.Value) bool {
	if a.Kind != b.Kind || len(a.Elems) != len(b.Elems) || len(a.Members) != len(b.Members) {
		return false
	}
	switch a.Kind {
	case strictjson.Number:
		return equalNumbers(a.Text, b.Text)
	case strictjson.Array:
		for i := range a.Elems {
			if !sameJSON(a.Elems[i], b.Elems[i]) {
				return false
			}
		}
	case strictjson.Object:
		other := map[string]strictjson.Value{}
		for _, m := range b.Members {
			other[m.Key] = m.Value
		}
		for _, m := range a.Members {
			if v, ok := other[m.Key]; !ok || !sameJSON(m.Value, v) {
				return false
			}
		}
	}
	return a.Text == b.Text && a.Bool == b.Bool || a.Kind == strictjson.Number
}

// equalNumbers takes integers exactly, and other numbers as doubles if they are.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	x, okx := new(big.Int).SetString(a, 10)
	y, oky := new(big.Int).SetString(b, 10)
	if okx && oky {
		return x.Cmp(y) == 0
	}
	f, errf := strconv.ParseFloat(a, 64)
	g, errg := strconv.ParseFloat(b, 64)
	return errf == nil && errg == nil && f == g
}
