package sample

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

// write makes files, named by path and content in turn, and returns their folder.
func write(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// openOne writes a file and opens it.
func openOne(t testing.TB, name, content string, opt Options) ([]*Sample, error) {
	t.Helper()
	samples, err := Open([]string{filepath.Join(write(t, name, content), name)}, opt)
	checkSamples(t, samples, err)
	return samples, err
}

// checkSamples holds what is true of every result of Open.
func checkSamples(t testing.TB, samples []*Sample, err error) {
	t.Helper()
	if err != nil {
		var located *Error
		var nothing *NothingError
		if !errors.As(err, &located) && !errors.As(err, &nothing) {
			t.Errorf("error of type %T: %v", err, err)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("error of several lines: %q", err)
		}
		return
	}
	ids := map[string]bool{}
	for _, s := range samples {
		var size int64
		for i, d := range s.Documents {
			size += int64(len(d.Data))
			if err := strictjson.Check(d.Data, strictjson.Limits{}); err != nil {
				t.Errorf("%s: document %d does not pass the check: %v", s.ID, i, err)
			}
			if len(trimLeft(d.Data)) != len(d.Data) {
				t.Errorf("%s: document %d begins with white space", s.ID, i)
			}
			if d.Index != i {
				t.Errorf("%s: document %d has index %d", s.ID, i, d.Index)
			}
		}
		if size != s.Bytes || len(s.Documents) == 0 || len(s.Digest) != 64 {
			t.Errorf("%s: %d documents, %d bytes (says %d), digest %q", s.ID, len(s.Documents), size, s.Bytes, s.Digest)
		}
		if ids[strings.ToLower(s.ID)] || safe(s.ID) != s.ID {
			t.Errorf("ID %q is not unique or not safe", s.ID)
		}
		ids[strings.ToLower(s.ID)] = true
	}
}

// texts gives the documents as strings.
func texts(s *Sample) []string {
	var out []string
	for _, d := range s.Documents {
		out = append(out, string(d.Data))
	}
	return out
}

func TestOpenAccepts(t *testing.T) {
	for _, c := range []struct {
		name, content string
		opt           Options
		want          string // documents, joined by " | "
	}{
		{"a.json", `{"a":1}`, Options{}, `{"a":1}`},
		{"a.json", " \r\n {\"a\" : 1}\n", Options{}, `{"a" : 1}`},
		{"a.json", "\xEF\xBB\xBF{}", Options{}, `{}`},
		{"a.json", "\xEF\xBB\xBF\n[ 1,\t{\"x\":\"]}\\\"\"} , [2] ]\n", Options{}, `1 | {"x":"]}\""} | [2]`},
		{"a.json", `[1,2]`, Options{Whole: true}, `[1,2]`},
		{"a.json", `[[],[]]`, Options{}, `[] | []`},
		{"a.json", `["a\\","b\\\"",""]`, Options{}, `"a\\" | "b\\\"" | ""`},
		{"a.json", `[true,false,null,-0,1E-400,123456789012345678901234567890]`, Options{},
			`true | false | null | -0 | 1E-400 | 123456789012345678901234567890`},
		{"A.JSON", `3`, Options{}, `3`},
		{"a.ndjson", "{\"a\":1}\n{\"a\":2}\n", Options{}, `{"a":1} | {"a":2}`},
		{"a.jsonl", "\xEF\xBB\xBF{\"a\":1}\r\n\r\n  \n\t[2] \r\n3", Options{}, `{"a":1} | [2] | 3`},
		{"a.geojson", `{"type":"Point"}`, Options{}, `{"type":"Point"}`},
		{"a.log", "{\"a\":1}\n{\"a\":2}\n", Options{}, `{"a":1} | {"a":2}`},
		{"noext", "[1,\n2]", Options{}, `1 | 2`},
		{"a.json", `{"a":1,"a":2}`, Options{LastWins: true}, `{"a":2}`},
		{"a.json", "\"\xFF\"", Options{Replace: true}, "\"\uFFFD\""},
	} {
		samples, err := openOne(t, c.name, c.content, c.opt)
		if err != nil {
			t.Errorf("%s %q: %v", c.name, c.content, err)
			continue
		}
		if got := strings.Join(texts(samples[0]), " | "); got != c.want {
			t.Errorf("%s %q: documents %s, want %s", c.name, c.content, got, c.want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	for _, c := range []struct {
		name, content string
		want          string // end of "FILE", and parts of the message, joined by …
	}{
		{"a.json", `{"a":1`, "a.json:1:7: …incomplete"},
		{"a.json", "[1,,2]", "a.json:1:4: a comma where a value"},
		{"a.json", "[1,]", "a.json:1:4: a comma before the closing bracket; remove"},
		{"a.json", "\xEF\xBB\xBF[1,]", "a.json:1:4: a comma before"}, // the mark has no column
		{"a.json", "[,1]", "a.json:1:2: a comma where a value"},
		{"a.json", "[\n1\n", "a.json:3:1: the text ends inside the array that begins in line 1, column 1; "},
		{"a.json", "[1 2]", `a.json:1:4: '2' where a comma`},
		{"a.json", "[1]]", `a.json:1:4: ']' follows the array`},
		{"a.json", "[1] x", `a.json:1:5: 'x' follows the array`},
		{"a.json", "[:1]", `a.json:1:2: `},
		{"a.json", "[1,\n {\"b\":tru}]", `a.json:2:7: `},
		{"a.json", "[\n{\"a\":1},\n{\"a\":1,}]", `a.json:3:8: `},
		{"a.json", `{"a":1}{"a":2}`, "a.json:1:8: a second JSON value follows the document; …ndjson"},
		{"a.json", "{\"a\":1}\n{\"a\":2}\n", "a.json:2:1: a second JSON value follows the document; …ndjson"},
		{"a.json", "{} // no", "a.json:1:4: a comment"},
		{"a.json", "{\"a\":NaN}", "a.json:1:6: NaN"},
		{"a.json", "{\n\"a\":1,\n\"\\u0061\":2}", "a.json:3:1: duplicate key …--last-wins"},
		{"a.json", "{\n\"a\":\"x\xFF\"}", "a.json:2:7: invalid UTF-8…--replace"},
		{"a.json", "{\"a\":\"\xED\xA0\x80\"}", "a.json:1:7: …--replace"},
		{"a.json", `{"a":"\udca0"}`, "a.json:1:7: …--replace"},
		{"a.json", `{"\ud800x":1}`, "a.json:1:3: …--replace"},
		{"a.json", deep, "a.json:1:1002: nesting deeper than the limit of 1000…--max-depth"},
		{"a.json", strings.Repeat(`[{"":`, 50_000), "a.json:…nesting deeper…--max-depth"},
		{"a.json", "\xFF\xFE{\x00}\x00", "a.json: …UTF-16LE…iconv -f UTF-16LE -t UTF-8"},
		{"a.json", "\xFE\xFF\x00{\x00}", "a.json: …UTF-16BE…iconv"},
		{"a.json", "{\x00}\x00", "a.json: …UTF-16LE…iconv"},
		{"a.json", "\x00{\x00}", "a.json: …UTF-16BE…iconv"},
		{"a.json", "{\x00\x00\x00}\x00\x00\x00", "a.json: …UTF-32LE…iconv"},
		{"a.json", "\x00\x00\xFE\xFF\x00\x00\x00{", "a.json: …UTF-32BE…iconv"},
		{"a.json", "\x1F\x8B\x08\x00", "a.json: this is gzip (.gz) data, not JSON; add .gz to the file's name"},
		{"a.json", "\x28\xB5\x2F\xFD", "a.json: this is Zstandard (.zst) data, not JSON; add .zst to the file's name"},
		{"a.json", "PK\x03\x04", "a.json: this is ZIP (.zip) data, not JSON; decompress it first"},
		{"a.ndjson", "{\"a\":1}\n{\n\"a\":2}\n", "a.ndjson:2:2: the line ends inside a document; …name the file .json"},
		{"a.ndjson", "[\n1\n]", "a.ndjson:1:2: …name the file .json"},
		{"a.ndjson", "[\r\n1\r\n]", "a.ndjson:1:2: …name the file .json"},
		{"a.ndjson", "1\n{\"a\":", "a.ndjson:2:6: …incomplete"},
		{"a.ndjson", "{\"a\":1} {\"a\":2}\n", "a.ndjson:1:9: a second JSON value follows; put each document on a line of its own"},
		{"a.ndjson", "1\n\n\r\n  nul\n", "a.ndjson:4:6: "},
		{"a.xyz", "hello", "a.xyz: its extension \".xyz\" is not known, and it does not begin like JSON; …"},
		{"a.xyz", "false friends", "a.xyz:1:7: a second JSON value"},
		{"a.log", "2024-05-01 10:00 started\n", "a.log: its extension \".log\" is not known…"},
		{"noext", "not this", "noext: it has no extension, and it does not begin like JSON"},
		{"a.csv", "{\"a\":1;", "a.csv:1:7: "},
		{"a.har", "{", "a.har:1:2: "},
		{"a.pb", "\x08\x01", "a.pb: reading Protobuf needs a schema; name it with --schema FILE"},
		{"a.bin", "\x08\x01", "a.bin: reading Protobuf needs a schema; name it with --schema FILE, or rename the file if it holds JSON"},
		{"a.txtpb", "a: 1", "a.txtpb: …--schema FILE"},
	} {
		_, err := openOne(t, c.name, c.content, Options{})
		matches(t, c.name+" "+c.content[:min(20, len(c.content))], err, c.want)
	}
}

// matches tells whether an error's text, from the base name of the file on,
// begins with the first part of want, and holds the others.
func matches(t testing.TB, what string, err error, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("%q: no error, want %q", what, want)
		return
	}
	first, rest, _ := strings.Cut(want, "…")
	text := err.Error()
	if i := strings.LastIndex(text, string(filepath.Separator)+first); first != "" && i < 0 && !strings.HasPrefix(text, first) {
		t.Errorf("%q: %q, want %q", what, text, want)
	}
	for _, part := range strings.Split(rest, "…") {
		if !strings.Contains(text, part) {
			t.Errorf("%q: %q lacks %q", what, text, part)
		}
	}
}

func TestNothing(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"a.json", "", "it is empty"},
		{"a.json", "\xEF\xBB\xBF", "white space"},
		{"a.json", " \n\t", "white space"},
		{"a.json", " [ ] ", "empty array"},
		{"a.ndjson", "\n\r\n", "white space"},
		{"a.ndjson", "", "it is empty"},
		{"a.json.gz", "", "it is empty"},
		{"a.json.zst", "", "it is empty"},
		{"a.har", "", "it is empty"},
		{"a.har", "  ", "white space"},
		{"a.dat", "", "it is empty"},
	} {
		_, err := openOne(t, c.name, c.content, Options{})
		var nothing *NothingError
		if !errors.As(err, &nothing) || !strings.Contains(err.Error(), "nothing to measure because "+nothing.Reason) ||
			!strings.Contains(nothing.Reason, c.want) {
			t.Errorf("%s %q: %v, want a NothingError with %q", c.name, c.content, err, c.want)
		}
	}
}

func TestSampleNothing(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"null", "its only document is a single value (null, true, a number or a string)"},
		{"3", "its only document is a single value (null, true, a number or a string)"},
		{`"x"`, "its only document is a single value (null, true, a number or a string)"},
		{"{}", "its only document is empty ({} or [])"},
		{"[[],[]]", "each of its 2 documents is empty ({} or [])"},
		{"[{},[[ ],{}]]", "each of its 2 documents is empty ({} or [])"},
		{"[{},1]", "each of its 2 documents is a single value (null, true, a number or a string) or empty; to measure an array as one document, add --whole"},
		{"[1,2,3]", "each of its 3 documents is a single value (null, true, a number or a string); to measure an array as one document, add --whole"},
		{"[null]", "its only document is a single value (null, true, a number or a string); to measure an array as one document, add --whole"},
		{"[{},1,[2]]", ""},
		{`{"":{}}`, ""},
	} {
		samples, err := openOne(t, "a.json", c.content, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.content, err)
		} else if got := samples[0].Nothing(); got != c.want {
			t.Errorf("%s: %q, want %q", c.content, got, c.want)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := write(t, "file.json/inner.txt", "x")
	_, err := Open([]string{filepath.Join(dir, "absent.json")}, Options{})
	matches(t, "absent", err, "absent.json: no such file or folder")
	_, err = Open([]string{filepath.Join(dir, "file.json")}, Options{})
	matches(t, "folder without documents", err, "file.json: nothing to measure because")
	_, err = Open(nil, Options{})
	matches(t, "no paths", err, "wirecost: nothing to measure because no file")
	err = Walk(filepath.Join(dir, "file.json"), Options{}, nil)
	matches(t, "walking a folder", err, "file.json: it is a folder")
	err = Walk(filepath.Join(write(t, "a.har", "{}"), "a.har"), Options{}, nil)
	matches(t, "walking a HAR", err, "a.har: it cannot be read as a stream")
}

func TestFolder(t *testing.T) {
	dir := write(t, "b.json", `{"b":1}`, "a.ndjson", "1\n2\n", "sub/c.json", `[3,4]`, ".git/x.json", "5", ".hidden.json", "6",
		"README.md", "text", "e.json", "", "rec.har", "{}")
	samples, err := Open([]string{dir}, Options{})
	checkSamples(t, samples, err)
	if err != nil {
		t.Fatal(err)
	}
	s := samples[0]
	if got := strings.Join(texts(s), " | "); len(samples) != 1 || got != `1 | 2 | {"b":1} | 3 | 4` {
		t.Errorf("%d samples, documents %s", len(samples), got)
	}
	if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, "ignored 2 other files") || !strings.Contains(notes, "README.md, rec.har") ||
		!strings.Contains(notes, "e.json: nothing to measure because it is empty") {
		t.Errorf("notes: %s", notes)
	}
	if src := s.Documents[3].Source; src != filepath.Join(dir, "sub", "c.json") {
		t.Errorf("source %s", src)
	}

	_, err = Open([]string{write(t, "a.json", "{}", "b.pb", "")}, Options{})
	matches(t, "mixed", err, "…mixes JSON (a.json) and Protobuf (b.pb)")
	_, err = Open([]string{write(t, "a.json", "{}", "b.json", "[1,")}, Options{})
	matches(t, "error in a folder", err, "b.json:1:4: the text ends")
}

func TestIDs(t *testing.T) {
	dir := write(t, "orders.json", "1", "orders.ndjson", "1", "x/document.json.gz", gzipped("1"), "y/document.json", "1",
		"z/DOCUMENT.json", "1", "日本.json", "1", "a b&c.v2.json", "1", "-x.json", "1")
	var paths []string
	for _, name := range []string{"orders.json", "orders.ndjson", "x/document.json.gz", "y/document.json", "z/DOCUMENT.json",
		"日本.json", "a b&c.v2.json", "-x.json", "y"} {
		paths = append(paths, filepath.Join(dir, name))
	}
	want := []string{"PARENT-orders", "PARENT-orders-2", "x-document", "y-document", "z-DOCUMENT", "sample", "a_b_c.v2", "x", "y"}
	for range 2 {
		samples, err := Open(paths, Options{})
		checkSamples(t, samples, err)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range samples {
			if got := strings.Replace(s.ID, safe(filepath.Base(dir)), "PARENT", 1); got != want[i] {
				t.Errorf("%s: ID %s, want %s", paths[i], got, want[i])
			}
		}
	}
	if got := safe(strings.Repeat("long", 50)); len(got) != longestID {
		t.Errorf("a long name's ID has %d bytes", len(got))
	}
}

// IDs become names of files, which Windows lets nobody call as it calls devices.
func TestIDsAreNoDevices(t *testing.T) {
	for name, want := range map[string]string{
		"nul.json": "sample-nul", "CON.ndjson": "sample-CON", "aux": "sample-aux", "com1.v2.json": "sample-com1.v2", "-prn_.json": "sample-prn",
		"lpt9.json": "sample-lpt9", "null.json": "null", "com.json": "com", "com10.json": "com10", "console.json": "console",
	} {
		samples, err := openOne(t, name, `{"a":1}`, Options{})
		if err != nil {
			t.Error(err)
		} else if got := samples[0].ID; got != want {
			t.Errorf("%s: ID %s, want %s", name, got, want)
		}
	}
	if got := safe("nul." + strings.Repeat("long", 50)); len(got) != longestID || safe(got) != got {
		t.Errorf("ID %s", got)
	}
}

func TestPlaces(t *testing.T) {
	samples, err := openOne(t, "a.json", "\xEF\xBB\xBF\n[ {\"a\":\n1}, 2,\n\n  3 ]", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []place{{2, 3}, {3, 5}, {5, 3}} {
		if d := samples[0].Documents[i]; d.Line != want.line || d.Column != want.col {
			t.Errorf("document %d at %d:%d, want %v", i, d.Line, d.Column, want)
		}
	}
}

func TestTerminalIsSafeFromFileNames(t *testing.T) {
	err := &Error{File: "a\x1b[31m\n.json", Msg: "m"}
	if got := err.Error(); strings.ContainsAny(got, "\x1b\n") {
		t.Errorf("%q", got)
	}
}

func TestJSONTestSuite(t *testing.T) {
	dir := testenv.Corpora(t, "JSONTestSuite", "test_parsing")
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 300 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	duplicates := []string{"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}
	for _, name := range duplicates {
		samples, err := Open([]string{filepath.Join(dir, name)}, Options{LastWins: true})
		checkSamples(t, samples, err)
		if err != nil || samples[0].Documents[0].Dropped != 1 {
			t.Errorf("%s with LastWins: %v", name, err)
		}
	}
	noData := []string{"n_structure_no_data.json", "n_single_space.json", "n_structure_UTF8_BOM_no_data.json"}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		for _, whole := range []bool{false, true} {
			samples, err := Open([]string{path}, Options{Whole: whole})
			checkSamples(t, samples, err)
			var nothing *NothingError
			isNothing := errors.As(err, &nothing)
			switch kind := f.Name()[0]; {
			case slices.Contains(duplicates, f.Name()): // grammatical, and refused on purpose
				matches(t, f.Name(), err, f.Name()+":1:10: duplicate key")
			case kind == 'y' && err != nil && (!isNothing || whole || nothing.Reason != "it is an empty array"):
				t.Errorf("%s (whole %v): %v", f.Name(), whole, err)
			case kind == 'n' && err == nil:
				t.Errorf("%s (whole %v) was read", f.Name(), whole)
			case kind == 'n' && isNothing != slices.Contains(noData, f.Name()):
				t.Errorf("%s (whole %v): %v", f.Name(), whole, err)
			}
		}
	}
}

func TestCorporaAreRead(t *testing.T) {
	for rel, want := range map[string]int{
		"nativejson/canada.json":             1,
		"jsonbench/synthea_fhir.json.gz":     1,
		"jsonbench/string_unicode.json.gz":   1,
		"jsonbench/golang_source.json.gz":    1,
		"webhooks/check_run_completed.json":  1,
		"k8s/testdata/HEAD/core.v1.Pod.json": 1,
		"webhooks":                           10,
		"otlp/examples":                      4,
	} {
		samples, err := Open([]string{testenv.Corpora(t, filepath.FromSlash(rel))}, Options{Whole: true})
		checkSamples(t, samples, err)
		if err != nil {
			t.Errorf("%s: %v", rel, err)
		} else if got := len(samples[0].Documents); got != want || samples[0].Nothing() != "" {
			t.Errorf("%s: %d documents, want %d; nothing: %q", rel, got, want, samples[0].Nothing())
		}
	}
}
