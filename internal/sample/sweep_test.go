package sample

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParseSweep(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"10,100,1000", "10,100,1000"},
		{"1000, 10", "10,1000"},
		{"array:1,2", "1,2"},
		{"$.a[].b:1,2", "$.a[].b:1,2"},
		{`$["odd:key"]:1,2`, `$["odd:key"]:1,2`},
		{"string:16,256,4096", "string:16,256,4096"},
		{"ascii:100,0,50", "ascii:0,50,100"},
	} {
		w, err := ParseSweep(tt.text)
		if err != nil || w.String() != tt.want {
			t.Errorf("%s: %s, %v", tt.text, w, err)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"", `"" is not a whole number; write it as 10,100,1000`},
		{"10", "a sweep has 2 to 16 values, and this one 1"},
		{"10,ten", `"ten" is not a whole number`},
		{"10,10", "10 is there twice"},
		{"0,10", "0 is out of range: a sweep of array goes from 1"},
		{"ascii:50,101", "101 is out of range: a sweep of ascii goes from 0 to 100"},
		{"words:1,2", `there is no sweep of "words"`},
		{"$a:1,2", `"$a" is not a path`},
		{"$.:1,2", `"$." is not a path`},
		{`$["a:1,2`, `"$[\"a" is not a path`},
	} {
		if w, err := ParseSweep(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %s, %v", tt.text, w, err)
		}
	}
}

// steps gives the documents of each step, and the notes of the last.
func steps(t *testing.T, sweep string, documents ...string) (docs [][]string, last SweepStep, err error) {
	t.Helper()
	w, err := ParseSweep(sweep)
	if err != nil {
		t.Fatal(err)
	}
	s := &Sample{ID: "s", Name: "s.json"}
	for _, d := range documents {
		s.add(Document{Data: []byte(d), Source: "s.json", Line: 1})
	}
	s.finish()
	made, err := w.Steps(s, Limits{})
	for _, x := range made {
		var of []string
		for _, d := range x.Documents {
			of = append(of, string(d.Data))
		}
		docs, last = append(docs, of), x
	}
	return docs, last, err
}

func TestAnArrayIsGrown(t *testing.T) {
	// Elements of the documents that follow come before any is repeated, and a
	// document that has none stays out.
	got, last, err := steps(t, "1,3,5", `{"a":[1,2],"b":["x"]}`, `{"a":[],"b":["y"]}`, `{"b":["z"],"a":[3]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{`{"a":[1],"b":["x"]}`, `{"b":["z"],"a":[3]}`},
		{`{"a":[1,2,3],"b":["x"]}`, `{"b":["z"],"a":[3,1,2]}`},
		{`{"a":[1,2,3,1,2],"b":["x"]}`, `{"b":["z"],"a":[3,1,2,3,1]}`},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if last.ID != "s-n5" || last.Name != "s.json, 5 elements" || last.What != "$.a" || last.Unit != "elements" || last.Value != 5 || last.From != 2 {
		t.Errorf("%+v", last)
	}
	notes := strings.Join(last.Notes, "\n")
	for _, part := range []string{"each $.a has 5 elements; it had 1 to 2", "1 document is without an element there left out", "3 elements of different documents", "(2 times at most)"} {
		if !strings.Contains(notes, part) {
			t.Errorf("the notes lack %q:\n%s", part, notes)
		}
	}
	if last.Digest == "" || last.Bytes != int64(len(want[2][0])+len(want[2][1])) {
		t.Errorf("digest %q, %d bytes", last.Digest, last.Bytes)
	}
}

func TestArraysInsideOthersAreGrown(t *testing.T) {
	got, _, err := steps(t, `$.o[].l:1,2`, `{"o":[{"l":[1]},{"l":[]},{"l":[2,3]}],"l":[9,9,9,9]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{`{"o":[{"l":[1]},{"l":[]},{"l":[2]}],"l":[9,9,9,9]}`}, {`{"o":[{"l":[1,2]},{"l":[]},{"l":[2,3]}],"l":[9,9,9,9]}`}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for path, documents := range map[string]string{`$["a b"].*`: `{"a b":{"x":[1],"y":[2]}}`, "$": `[1,2,3]`, "array": `[[1,2,3],[4]]`} {
		if _, _, err := steps(t, path+":1,2", documents); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestWhatCannotBeSweptIsSaid(t *testing.T) {
	for _, tt := range []struct{ sweep, document, want string }{
		{"1,2", `{"a":[1,2],"b":[3,4]}`, "s.json: --sweep 1,2: $.a and $.b have 2 elements at most each; name one, as --sweep '$.a:10,100'"},
		{"1,2", `{"a":{"1":[1],"2":[1],"3":[1],"4":[1],"5":[1],"6":[1],"7":[1]}}`, "7 arrays have 1 elements at most, among them"},
		{"1,2", `{"a":"x","b":[]}`, "no document has an array with an element; string:16,256 changes strings instead"},
		{"$.c:1,2", `{"a":[1]}`, "no document has an array with an element at $.c"},
		{"string:1,2", `{"a":[1],"b":""}`, "no document has a string that is not empty"},
		{"1,1000000000", `{"a":[1]}`, "--max-document raises it"},
	} {
		if _, _, err := steps(t, tt.sweep, tt.document); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of %s: %v", tt.sweep, tt.document, err)
		}
	}
}

func TestALargeSweepTakesFewerDocuments(t *testing.T) {
	var documents []string
	for i := range 20 {
		documents = append(documents, fmt.Sprintf(`{"a":["%1000d"]}`, i))
	}
	got, last, err := steps(t, "1,1000", documents...)
	if err != nil {
		t.Fatal(err)
	}
	if len(got[0]) != 8 || len(got[1]) != 8 || last.Bytes > sweptBytes {
		t.Errorf("%d and %d documents, %d bytes", len(got[0]), len(got[1]), last.Bytes)
	}
	if !strings.Contains(strings.Join(last.Notes, "\n"), "of 20 documents the first 8") {
		t.Errorf("%q", last.Notes)
	}
}

func TestStringsGetALength(t *testing.T) {
	got, last, err := steps(t, "string:2,7", `{"ab":"xyz","n":1,"e":"","l":["é€"]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{`{"ab":"xy","n":1,"e":"","l":["é"]}`}, {`{"ab":"xyzxyzx","n":1,"e":"","l":["é€é"]}`}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if last.ID != "s-string-7" || last.Unit != "bytes" || last.From != 4 {
		t.Errorf("%+v", last)
	}
	for target, bytes := range map[string]int{"string2": 2, "string4": 4} {
		got, _, err := steps(t, target+":16,41", `{"a":"x","b":"y"}`)
		if err != nil {
			t.Fatal(err)
		}
		for i, size := range []int{16, 41} {
			text := strings.TrimSuffix(strings.TrimPrefix(got[i][0], `{"a":"`), `"}`)
			a, b, _ := strings.Cut(text, `","b":"`)
			if len(a) != size || len(b) != size || a == b || utf8.RuneCountInString(a) != size/bytes+size%bytes {
				t.Errorf("%s, %d bytes: %q and %q", target, size, a, b)
			}
		}
	}
}

func TestStringsGetLettersBeyondASCII(t *testing.T) {
	documents := []string{`{"a":"one","b":"größe"}`, `{"a":"two","b":"x"}`}
	got, last, err := steps(t, "ascii:0,50,100", documents...)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{`{"a":"oΩe","b":"größe"}`, `{"a":"tΩo","b":"Ω"}`},
		{`{"a":"oΩe","b":"grmpe"}`, `{"a":"tΩo","b":"x"}`},
		{`{"a":"one","b":"grmpe"}`, `{"a":"two","b":"x"}`},
	}
	for i := range want {
		for j := range want[i] { // which letter takes the place of another does not matter
			if g := got[i][j]; len([]rune(g)) != len([]rune(want[i][j])) || strings.Count(g, "Ω") != strings.Count(want[i][j], "Ω") || isASCII(g) != isASCII(want[i][j]) {
				t.Errorf("step %d: %s; want one like %s", i, g, want[i][j])
			}
		}
	}
	if last.ID != "s-ascii-100" || last.Unit != "% ASCII" || last.From != 75 {
		t.Errorf("%+v", last)
	}
}
