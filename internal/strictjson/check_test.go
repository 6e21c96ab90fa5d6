package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wirecost/internal/testenv"
)

func TestCheckRefuses(t *testing.T) {
	for _, c := range []struct {
		in     string
		offset int
		want   string // part of the message
	}{
		{"", 0, "empty"},
		{" \n", 2, "empty"},
		{`{"id":1,"id":2}`, 8, `duplicate key "id"`},
		{`{"a":1,"\u0061":2}`, 7, `duplicate key "a"`},
		{`{"x":{"a":1},"a":{"a":1,"a":2}}`, 24, "duplicate key"},
		{"{\"a\":\"\xff\"}", 6, "invalid UTF-8"},
		{"{\"\xff\":1}", 2, "invalid UTF-8"},
		{"\"ab\xc0\xaf\"", 3, "overlong"},
		{"\"\xe0\x80\x80\"", 1, "overlong"},
		{"\"\xed\xa0\x80\"", 1, "surrogate"},
		{"\"\xf4\x90\x80\x80\"", 1, "beyond U+10FFFF"},
		{`{"a":"x\udca0y"}`, 7, "surrogate"},
		{`["\ud800x"]`, 2, "surrogate"},
		{`["\ud800\ud800"]`, 2, "surrogate"},
		{"[\"a\x00\"]", 3, "control character 0x00"},
		{"[\"a\n\"]", 3, "line break"},
		{"[\"a\t\"]", 3, "tab"},
		{"[01]", 1, "leading zero"},
		{"[+1]", 1, "plus sign"},
		{"[.5]", 1, "before the point"},
		{"[1.]", 1, "behind the point"},
		{"[1e]", 1, "exponent"},
		{"[1e+]", 1, "exponent"},
		{"[-]", 1, "minus sign"},
		{"[-x]", 1, "minus sign"},
		{"[0x1F]", 1, "hexadecimal"},
		{"[1.2.3]", 4, "inside a number"},
		{"[12a]", 3, "inside a number"},
		{"[NaN]", 1, "NaN is not JSON"},
		{"[-Infinity]", 1, "-Infinity is not JSON"},
		{"[Infinity]", 1, "Infinity is not JSON"},
		{"[True]", 1, "lower case"},
		{"[truex]", 1, `"truex"`},
		{"[tru]", 1, `"tru"`},
		{"nul", 3, "ends inside a word"},
		{"[hello]", 1, `"hello"`},
		{"['a']", 1, "single quotes"},
		{"{'a':1}", 1, "single quotes"},
		{"{a:1}", 1, "without quotes"},
		{"[1,// x\n2]", 3, "comment"},
		{"/* x */ 1", 0, "comment"},
		{"[1] # x", 4, "comment"},
		{`{"a" /* */ :1}`, 5, "'/' where the colon"},
		{"[1,]", 3, "trailing comma"},
		{`{"a":1,}`, 7, "trailing comma"},
		{"[,1]", 1, "comma where a value"},
		{"[1,,2]", 3, "comma where a value"},
		{"{,}", 1, "comma where a key"},
		{"[1 2]", 3, "where a comma"},
		{`{"a":1 "b":2}`, 7, "where a comma"},
		{`{"a" 1}`, 5, "where the colon"},
		{`{"a":}`, 5, "closing bracket where a value"},
		{`{1:2}`, 1, "key"},
		{"[1}", 2, "closes an array"},
		{`{"a":1]`, 6, "closes an object"},
		{`["a":1]`, 4, "colon inside an array"},
		{`{"a":"b`, 7, "ends inside a string"},
		{`{"a":"b\`, 8, "ends inside a string"},
		{`{"a":"b\u00`, 11, "ends inside a string"},
		{`"\u00zz"`, 1, "hexadecimal digits"},
		{`"\x41"`, 1, "backslash before 'x'"},
		{"[1", 2, "ends inside an array"},
		{"[", 1, "ends where a value"},
		{"{", 1, "ends inside an object"},
		{`{"a"`, 4, "ends after a key"},
		{`{"a":`, 5, "ends where a value"},
		{`{"a":1`, 6, "ends inside an object"},
		{"-", 1, "ends inside a number"},
		{"1.", 2, "ends inside a number"},
		{`{"a":1} {"a":2}`, 8, ".ndjson"},
		{`{} x`, 3, "behind the document"},
		{"{}\x00", 2, "zero bytes"},
		{"\xEF\xBB\xBF{}", 0, "byte order mark"},
		{"\xFF\xFE{\x00}\x00", 0, "UTF-16"},
		{"{\x00}\x00", 1, "0x00"},
		{"[\x001", 1, "zero bytes"},
		{strings.Repeat("[", 1001), 1000, "nesting deeper"},
		{strings.Repeat(`{"":`, 1001), 4000, "nesting deeper"},
	} {
		err := Check([]byte(c.in), Limits{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.60q: %v, want an error with %q", c.in, err, c.want)
			continue
		}
		if e.Offset != c.offset || !strings.Contains(e.Text(), c.want) {
			t.Errorf("%.60q: offset %d, %s; want offset %d, %q", c.in, e.Offset, e.Text(), c.offset, c.want)
		}
		if e.Hint == "" && c.want != "empty" {
			t.Errorf("%.60q: %s: nothing is said of what to try", c.in, e.Msg)
		}
		if _, perr := Parse([]byte(c.in), Limits{}); perr == nil || perr.Error() != err.Error() {
			t.Errorf("%.60q: Parse says %v, Check %v", c.in, perr, err)
		}
	}
}

func TestCodes(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Code
	}{
		{"[1,]", CodeSyntax}, {"[01]", CodeSyntax}, {"{} x", CodeSyntax}, {`["\x"]`, CodeSyntax},
		{"[1", CodeCut}, {"[", CodeCut}, {`{"a`, CodeCut}, {`{"a"`, CodeCut}, {`"\u00`, CodeCut}, {`"\`, CodeCut}, {"-", CodeCut}, {"nul", CodeCut},
		{"{}\n{}", CodeSecond},
		{"\"\xff\"", CodeUTF8}, {"\"\xed\xa0\x80\"", CodeUTF8},
		{`"\ud800"`, CodeSurrogate},
		{`{"a":1,"a":2}`, CodeDuplicate},
		{"[[[[1]]]]", CodeDepth},
		{`{"a":1,"b":2,"c":3}`, CodeKeys},
		{`"` + strings.Repeat("x", 100) + `"`, CodeLength},
	} {
		var e *Error
		if err := Check([]byte(c.in), Limits{Depth: 3, Keys: 2, Document: 100}); !errors.As(err, &e) || e.Code != c.want {
			t.Errorf("%.60q: %+v, want the code %q", c.in, err, c.want)
		}
	}
}

// manyKeys gives an object of n keys, "x", and what extra adds.
func manyKeys(n int, extra string) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `"k%d":{"k0":%d},`, i, i)
	}
	return fmt.Appendf(nil, `{%s"x":[%d]%s}`, b.Bytes(), n, extra)
}

// What Check used for one document it uses for the next, and forgets of it
// what it was.
func TestCheckStartsAnew(t *testing.T) {
	for range 3 {
		for _, n := range []int{0, 5, 12, 13, 40, 5000} {
			for range 2 {
				if err := Check(manyKeys(n, ""), Limits{}); err != nil {
					t.Errorf("%d keys: %v", n, err)
				}
			}
			if err := Check(manyKeys(n, `,"x":1`), Limits{}); err == nil || !strings.Contains(err.Error(), `duplicate key "x"`) {
				t.Errorf("%d keys and a duplicate: %v", n, err)
			}
			if _, err := Parse(manyKeys(n, `,"x":1`), Limits{}); err == nil {
				t.Errorf("%d keys and a duplicate are parsed", n)
			}
		}
	}
}

// Checking allocates nothing once the first documents are checked: a stream of
// lines is checked as fast as it is scanned.
func TestCheckAllocatesLittle(t *testing.T) {
	doc := manyKeys(40, "")
	// The garbage collector may take what is kept, and the race detector does.
	if n := testing.AllocsPerRun(200, func() { _ = Check(doc, Limits{}) }); n > 4 {
		t.Errorf("%v allocations for a document", n)
	}
}

func TestCheckAccepts(t *testing.T) {
	for _, in := range []string{
		" {} ", "\r\n\t[]", "null", "-0", "0", "-0.0e-1", "1E400", `""`, `"\ud83d\ude00"`, `{"a":1,"A":2}`, `{"":{"":0}}`,
		`["\"\\\/\b\f\n\r\t"]`, "\"\u2028\U0010FFFF\x7f\"", strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		`{"a":[{"a":1},{"a":2}]}`,
	} {
		if err := Check([]byte(in), Limits{}); err != nil {
			t.Errorf("%.60q: %v", in, err)
		}
	}
}

func TestLimits(t *testing.T) {
	var many bytes.Buffer
	for i := range 30 {
		fmt.Fprintf(&many, ",%q:%d", fmt.Sprint("k", i), i)
	}
	doc := append(append([]byte{'{'}, many.Bytes()[1:]...), '}')
	if err := Check(doc, Limits{Keys: 30}); err != nil {
		t.Error(err)
	}
	for _, lim := range []Limits{{Keys: 29}, {Document: 10}} {
		if err := Check(doc, lim); err == nil || !strings.Contains(err.Error(), "limit") {
			t.Errorf("%+v: %v", lim, err)
		}
	}
	twice := append(doc[:len(doc)-1:len(doc)-1], `,"k7":1}`...)
	if err := Check(twice, Limits{}); err == nil || !strings.Contains(err.Error(), `duplicate key "k7"`) {
		t.Error(err)
	}
}

// Deep nesting is refused at once, not after reading all of it.
func TestDeepNestingIsQuick(t *testing.T) {
	start := time.Now()
	for _, unit := range []string{"[", `[{"":`} {
		if err := Check([]byte(strings.Repeat(unit, 1_000_000)), Limits{}); err == nil {
			t.Error("accepted")
		}
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestPosition(t *testing.T) {
	data := []byte("ab\ncé\n\nx")
	for _, c := range [][3]int{{0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {6, 2, 4}, {7, 3, 1}, {8, 4, 1}, {99, 4, 2}, {-1, 1, 1}} {
		if l, col := Position(data, c[0]); l != c[1] || col != c[2] {
			t.Errorf("%d: %d:%d, want %d:%d", c[0], l, col, c[1], c[2])
		}
	}
}

func TestCompact(t *testing.T) {
	in := " { \"a \\\" b\" : [ 1.0 , \"\\\\\" , \"\\u0061\\/\" ]\n,\t\"c\":-0 } "
	want := `{"a \" b":[1.0,"\\","\u0061\/"],"c":-0}`
	if got := string(Compact([]byte("x"), []byte(in))); got != "x"+want {
		t.Errorf("%s", got)
	}
}

func TestTree(t *testing.T) {
	in := `{"b":[1.50,true,false,null,"a\u0000\"\n\ud83d\ude00\u00e9\/"],"a":{"":{}},"\u0062x":-0}`
	want := `{"b":[1.50,true,false,null,"a\u0000\"\n😀é/"],"a":{"":{}},"bx":-0}`
	v, err := Parse([]byte(in), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(v.Append(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if x, ok := v.Get("bx"); !ok || x.Text != "-0" {
		t.Errorf("%v %v", x, ok)
	}
}

// suiteDoc documents what is done with each file that RFC 8259 leaves open.
const suiteDoc = "../../docs/json-suite.md"

const suiteHead = `# What RFC 8259 leaves open

The files of [JSONTestSuite](https://github.com/nst/JSONTestSuite) whose names begin with ` + "`i_`" + `: a reader may accept
or refuse them. This is what wirecost does with each. A test writes this table and fails when it is out of date. A byte
order mark at the beginning of a file is removed before this check.

| file | outcome |
|---|---|
`

func TestSuite(t *testing.T) {
	files, err := filepath.Glob(testenv.Corpora(t, "JSONTestSuite", "test_parsing") + "/*.json")
	if err != nil || len(files) < 300 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	doc := suiteHead
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f)
		got := Check(data, Limits{})
		switch name[0] {
		case 'n':
			if got == nil {
				t.Errorf("%s is accepted", name)
			}
		case 'y':
			duplicate := name == "y_object_duplicated_key.json" || name == "y_object_duplicated_key_and_value.json"
			if duplicate != (got != nil) || duplicate && !strings.Contains(got.Error(), "duplicate key") {
				t.Errorf("%s: %v", name, got)
			}
		default:
			outcome := "accepted"
			if got != nil {
				outcome = "refused: " + got.Error()
			}
			doc += fmt.Sprintf("| %s | %s |\n", name, outcome)
		}
	}
	if os.Getenv("WIRECOST_UPDATE") != "" {
		if err := os.WriteFile(suiteDoc, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, _ := os.ReadFile(suiteDoc); string(have) != doc {
		t.Errorf("%s is out of date: WIRECOST_UPDATE=1 go test ./internal/strictjson writes it", suiteDoc)
	}
}

// FuzzCheck holds Check against encoding/json: nothing wider, narrower only for
// a stated reason, and the same meaning where both accept.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\u00e9",null,true]}`, `{"a":1,"\u0061":2}`, "\"\xff\"", `"\ud800"`, "[1,]", " 1 ", `{"a":{"b":[]}}`, "[-0.0]", "01"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := Check(data, Limits{Depth: 50})
		v, perr := Parse(data, Limits{Depth: 50})
		if (err == nil) != (perr == nil) {
			t.Fatalf("Check says %v, Parse %v", err, perr)
		}
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(data) || !utf8.ValidString(e.Text()) {
				t.Fatalf("bad error %v", err)
			}
			if json.Valid(data) && !slices.Contains([]Code{CodeDuplicate, CodeUTF8, CodeSurrogate, CodeDepth}, e.Code) {
				t.Fatalf("refuses valid JSON: %v", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatal("accepts what encoding/json refuses")
		}
		sameMeaning(t, data, v.Append(nil))
		sameMeaning(t, data, Compact(nil, data))
		if err := Check(Compact(nil, data), Limits{Depth: 50}); err != nil {
			t.Fatalf("compact form: %v", err)
		}
	})
}

func sameMeaning(t *testing.T, a, b []byte) {
	t.Helper()
	if x, y := canonical(t, a), canonical(t, b); !bytes.Equal(x, y) {
		t.Fatalf("%s became %s", x, y)
	}
}

func canonical(t *testing.T, data []byte) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func BenchmarkScanner(b *testing.B) {
	for _, name := range []string{"nativejson/citm_catalog.json", "webhooks/pull_request_closed.json"} {
		data, err := os.ReadFile(testenv.Corpora(b, name))
		if err != nil {
			b.Fatal(err)
		}
		compact := Compact(nil, data)
		b.Run(filepath.Base(name)+"/scan", func(b *testing.B) {
			b.SetBytes(int64(len(compact)))
			b.ReportAllocs()
			var s Scanner
			for range b.N {
				s.Reset(compact, Limits{})
				s.Skip(s.Value())
				if err := s.End(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(filepath.Base(name)+"/check", func(b *testing.B) {
			b.SetBytes(int64(len(compact)))
			for range b.N {
				if err := Check(compact, Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(filepath.Base(name)+"/compact", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			buf := make([]byte, 0, len(data))
			for range b.N {
				Compact(buf, data)
			}
		})
	}
}
