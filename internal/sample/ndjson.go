package sample

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"wirecost/internal/strictjson"
)

// lines reads newline-delimited JSON: one document per line, blank lines skipped.
func (r *reader) lines() error {
	for {
		if _, err := r.next(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		n, err := r.lineLength(r.opt.Limits.Line)
		if err != nil {
			return err
		}
		if int64(n) > r.opt.Limits.Line {
			return tooLarge(r.file, r.at, "the line", r.opt.Limits.Line, FlagLine)
		}
		line := r.rest()[:n]
		if err := r.accept(bytes.TrimRight(line, whiteSpace), r.at); err != nil {
			return lineHint(err, n < len(r.rest()))
		}
		r.use(n)
	}
	if r.index == 0 {
		return r.nothing("it holds only white space")
	}
	return nil
}

// lineLength reads as far as the current line reaches and returns its length
// without the newline, or more than most.
func (r *reader) lineLength(most int64) (int, error) {
	n := 0
	for {
		b := r.rest()
		if i := bytes.IndexByte(b[n:], '\n'); i >= 0 {
			return n + i, nil
		}
		n = len(b)
		if int64(n) > most {
			return n, nil
		}
		if err := r.more(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return 0, err
		}
	}
}

const hintLines = "put each document on a line of its own, as jq -c does"

// lineHint adds what newline-delimited JSON has to do with an error in a line,
// behind which there is more or not.
func lineHint(err error, more bool) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	fault, ok := e.Err.(*strictjson.Error)
	switch {
	case !ok:
	case fault.Code == strictjson.CodeSecond:
		e.Hint = hintLines
	case fault.Code == strictjson.CodeCut && more:
		e.Msg = "the line ends inside a document"
		e.Hint = "here each line holds one document; if a document goes over several lines, name the file .json"
		if e.File == stdinShown {
			e.Hint = hintLines
		}
	}
	return err
}

// look reads text of which nobody has said what it is: newline-delimited JSON
// where the first line is a whole value and more follows it, else JSON.
func (r *reader) look() error {
	n, err := r.wholeLine()
	if err == io.EOF {
		return r.nothing("it holds only white space")
	}
	if err != nil {
		return err
	}
	if n == 0 {
		return r.taken("JSON", r.json)
	}
	// What follows the line may be blank for long, so the line is set aside.
	first, rest := r.split(n), r.text
	if _, err = r.next(); err != nil && err != io.EOF {
		return err
	}
	r.text = first
	if err == io.EOF {
		return r.taken("JSON", r.json)
	}
	return r.taken("NDJSON: its first line is a whole JSON value, and more follows", func() error {
		if err := r.lines(); err != nil {
			return err
		}
		r.text = rest
		return r.lines()
	})
}

// taken notes what the text was taken for, and reads it so.
func (r *reader) taken(what string, read func() error) error {
	r.notes = append(r.notes, shown(r.file)+" was taken for "+what)
	return read()
}

// wholeLine gives the length of the first line that is not blank, and 0 where
// that is not a whole value.
func (r *reader) wholeLine() (int, error) {
	if _, err := r.next(); err != nil {
		return 0, err
	}
	n, err := r.lineLength(r.opt.Limits.Line)
	if err != nil {
		return 0, err
	}
	line := r.rest()[:n]
	var e extent
	used, done := e.scan(line)
	if !beginsJSON(line[0], line[:used]) {
		return 0, r.unknown(line[0])
	}
	if int64(n) > r.opt.Limits.Line || !done && !e.scalar || len(trimLeft(line[used:])) > 0 {
		return 0, nil
	}
	return n, nil
}

// beginsJSON tells whether text with a first byte and a first token is likely
// meant as JSON.
func beginsJSON(first byte, token []byte) bool {
	return first == '{' || first == '[' || first == '"' || strictjson.Check(token, strictjson.Limits{}) == nil
}

// unknown is the error for text that nobody named and that does not look like JSON.
func (r *reader) unknown(first byte) error {
	if r.file == stdinShown {
		return r.fail(character(first)+" is not how JSON begins", "standard input takes JSON and NDJSON, also compressed by gzip or Zstandard")
	}
	what := "it has no extension"
	if ext := filepath.Ext(r.file); ext != "" {
		what = fmt.Sprintf("its extension %q is not known", ext)
	}
	return &Error{File: r.file, Msg: what + ", and it does not begin like JSON",
		Hint: "give it the extension .json, .ndjson, .har, .pb or .txtpb"}
}
