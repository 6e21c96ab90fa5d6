package sample

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestStandardInput(t *testing.T) {
	for _, c := range []struct{ content, want, note string }{
		{`{"a":1}`, `{"a":1}`, "taken for JSON"},
		{"[1,2]\n", `1 | 2`, "taken for JSON"},
		{"[1,2]\n[3]", `[1,2] | [3]`, "taken for NDJSON"},
		{"\n\n1\n2\n", `1 | 2`, "taken for NDJSON"},
		{"{\"a\":\r\n1}\r\n", "{\"a\":\r\n1}", "taken for JSON"},
		{"\"a\\\"b\"\n\n\"c\"", `"a\"b" | "c"`, "taken for NDJSON"},
	} {
		samples, err := Open([]string{"-"}, Options{Stdin: strings.NewReader(c.content)})
		checkSamples(t, samples, err)
		if err != nil {
			t.Errorf("%q: %v", c.content, err)
			continue
		}
		s := samples[0]
		if got := strings.Join(texts(s), " | "); got != c.want || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], c.note) || s.ID != "stdin" {
			t.Errorf("%q: %s, notes %q, ID %s; want %s, %q", c.content, got, s.Notes, s.ID, c.want, c.note)
		}
	}
	for _, c := range []struct{ content, want string }{
		{"{\"a\":1} {\"a\":2}\n", "standard input:1:9: a second JSON value"},
		{"{\"a\":1}\n{\"a\":2", "standard input:2:7: …incomplete"},
		{"{\"a\":1}\n{\n\"a\":2}\n", "standard input:2:2: the line ends inside a document; put each document on a line of its own, as jq -c does"},
		{"{\n\"a\":1}\n{\n\"a\":2}\n", "standard input:3:1: a second JSON value follows the document; put each document on a line of its own, as jq -c does"},
		{"hello", "standard input:1:1: 'h' is not how JSON begins"},
		{"\x1F\x8B\x08\x00", "standard input: the gzip data is cut off after 0 bytes"},
		{"\x1F\x8B", "standard input: the gzip data is cut off after 0 bytes"},
		{"\x1F\x8B\x07\x00\x00\x00\x00\x00\x00\x00", "standard input: this begins like gzip data and is not; "},
		{gzipped("{\"a\":1,}"), "standard input:1:8: a comma before the closing brace"},
		{gzipped(zstandard("{}")), "standard input: this is Zstandard (.zst) data, not JSON; it is compressed twice"},
		{gzipped(""), "standard input: nothing to measure because it is empty"},
		{"BZh91AY", "standard input: this is bzip2 (.bz2) data, not JSON; decompress it first"},
		{"", "standard input: nothing to measure because it is empty"},
	} {
		_, err := Open([]string{"-"}, Options{Stdin: strings.NewReader(c.content)})
		matches(t, c.content, err, c.want)
	}
	_, err := Open([]string{"-", "-"}, Options{Stdin: strings.NewReader("{}")})
	matches(t, "twice", err, "standard input: …named twice")
	_, err = Open([]string{"-"}, Options{})
	matches(t, "none", err, "standard input: there is no")
}

// Standard input has no name that says how it is compressed: its first bytes do.
func TestCompressedStandardInput(t *testing.T) {
	lines := "{\"a\":1}\n{\"a\":2}\n"
	for _, c := range []struct{ content, format string }{
		{gzipped(lines), "gzip (.gz)"},
		{gzipped(lines[:9]) + gzipped(lines[9:]), "gzip (.gz)"},
		{zstandard(lines), "Zstandard (.zst)"},
	} {
		samples, err := Open([]string{"-"}, Options{Stdin: &slow{r: strings.NewReader(c.content)}})
		checkSamples(t, samples, err)
		if err != nil {
			t.Errorf("%s: %v", c.format, err)
			continue
		}
		want := []string{"standard input is " + c.format + " data and was decompressed",
			"standard input was taken for NDJSON: its first line is a whole JSON value, and more follows"}
		if s := samples[0]; strings.Join(texts(s), " | ") != `{"a":1} | {"a":2}` || !slices.Equal(s.Notes, want) {
			t.Errorf("%s: %q, notes %q", c.format, texts(s), s.Notes)
		}
	}
	documents := 0
	err := Walk("-", Options{Stdin: strings.NewReader(gzipped(lines))}, func(Document) error { documents++; return nil })
	if err != nil || documents != 2 {
		t.Errorf("walked over %d documents, %v", documents, err)
	}
}

// readings counts how often a reader is asked for more after it has ended.
type readings struct {
	io.Reader
	ended int
}

func (r *readings) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		r.ended++
	}
	return n, err
}

// Who types at a terminal ends the input once.
func TestStandardInputEndsOnce(t *testing.T) {
	for _, text := range []string{"", "1", "{\"a\":1}", "1\n2\n"} {
		stdin := &readings{Reader: strings.NewReader(text)}
		if _, err := Open([]string{"-"}, Options{Stdin: stdin}); err != nil && text != "" || stdin.ended != 1 {
			t.Errorf("%q: %v, asked %d times for more than there is", text, err, stdin.ended)
		}
	}
}
