package sample

import (
	"fmt"
	"io"
)

// reader splits one JSON source into documents.
type reader struct {
	*text
	opt       Options
	fn        func(Document) error
	index     int
	notes     []string
	fromArray bool // documents are the elements of a top-level array
}

// json reads a single document, or the elements of a top-level array.
func (r *reader) json() error {
	first, err := r.next()
	if err == io.EOF {
		return r.nothing("it holds only white space")
	}
	if err != nil {
		return err
	}
	if first == '[' && !r.opt.Whole {
		return r.array()
	}
	if err := r.document(); err != nil {
		return err
	}
	return r.end("the document")
}

// array reads the elements of a top-level array as documents.
func (r *reader) array() error {
	opening := r.at
	r.use(1)
	r.fromArray = true
	for n := 0; ; n++ {
		c, err := r.element(opening)
		if err != nil {
			return err
		}
		switch {
		case c == ']' && n == 0:
			r.use(1)
			if err := r.end("the array"); err != nil {
				return err
			}
			return r.nothing("it is an empty array")
		case c == ']':
			return r.fail("a comma before the closing bracket", "remove the trailing comma")
		}
		if err := r.document(); err != nil {
			return err
		}
		if c, err = r.element(opening); err != nil {
			return err
		}
		switch c {
		case ',':
			r.use(1)
		case ']':
			r.use(1)
			return r.end("the array")
		default:
			return r.fail(fmt.Sprintf("%s where a comma or the end of the array should be", character(c)),
				"write a comma before it, or close the array")
		}
	}
}

// element returns the next byte inside the top-level array.
func (r *reader) element(opening place) (byte, error) {
	c, err := r.next()
	if err == io.EOF {
		return 0, r.fail(fmt.Sprintf("the text ends inside the array that begins in line %d, column %d", opening.line, opening.col),
			"the file may be cut off")
	}
	return c, err
}

// end checks that only white space follows.
func (r *reader) end(what string) error {
	c, err := r.next()
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	case beginsValue(c):
		hint := "if each line holds a document, name the file .ndjson; else put the documents into an array"
		if r.file == stdinShown {
			hint = hintLines
		}
		return r.fail("a second JSON value follows "+what, hint)
	case c == '/' || c == '#':
		return r.fail("a comment, or something like one, follows "+what, "JSON has no comments: remove it")
	}
	return r.fail(fmt.Sprintf("%s follows %s", character(c), what), "remove what follows")
}

// document reads the value that comes next and hands it on.
func (r *reader) document() error {
	n, err := r.extent(r.opt.Limits.Document)
	if err != nil {
		return err
	}
	if int64(n) > r.opt.Limits.Document {
		return tooLarge(r.file, r.at, "the document that begins here", r.opt.Limits.Document, FlagDocument)
	}
	if err := r.accept(r.rest()[:n], r.at); err != nil {
		return err
	}
	r.use(n)
	return nil
}

// extent reads as far as the value that comes next reaches and returns its
// length. It stops early where the text ends, beyond most bytes, and at
// nesting deeper than the limit: the checker will say so.
func (r *reader) extent(most int64) (int, error) {
	var e extent
	n := 0
	for {
		used, done := e.scan(r.rest()[n:])
		n += used
		if done || int64(n) > most || e.depth > r.opt.Limits.Depth {
			return n, nil
		}
		if err := r.more(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// extent finds the end of a JSON value in text that comes in pieces. It looks
// at strings and brackets only: whether the value is right is checked when it
// is complete.
type extent struct {
	depth   int
	quoted  bool // inside a string
	escaped bool // behind a backslash in a string
	scalar  bool // inside a word or number that is the whole value
}

// scan goes through the next piece and returns how much of it belongs to the
// value, and whether the value is complete.
func (e *extent) scan(b []byte) (int, bool) {
	for i := 0; i < len(b); i++ {
		if e.escaped {
			e.escaped = false
			continue
		}
		if e.quoted {
			for i < len(b) && b[i] != '"' && b[i] != '\\' {
				i++
			}
			if i == len(b) {
				break
			}
			e.escaped = b[i] == '\\'
			e.quoted = e.escaped
			if !e.quoted && e.depth == 0 {
				return i + 1, true
			}
			continue
		}
		switch c := b[i]; {
		case c == '"' || c == '[' || c == '{' || c == ']' || c == '}' || c == ',' || c == ':' || c <= ' ':
			if e.scalar {
				return i, true
			}
			if e.structure(c) {
				return i + 1, true
			}
		case e.depth == 0:
			e.scalar = true
		}
	}
	return len(b), false
}

// structure takes a byte outside strings, and tells whether it ends the value.
// A value that begins with a byte that begins none is one byte long.
func (e *extent) structure(c byte) bool {
	switch c {
	case '"':
		e.quoted = true
		return false
	case '[', '{':
		e.depth++
		return false
	case ']', '}':
		e.depth--
		return e.depth <= 0
	}
	return e.depth == 0
}

func beginsValue(c byte) bool {
	switch c {
	case '{', '[', '"', '-', 't', 'f', 'n':
		return true
	}
	return '0' <= c && c <= '9'
}

// character names a byte of the text.
func character(c byte) string {
	if ' ' < c && c < 0x7F {
		return fmt.Sprintf("%q", c)
	}
	return fmt.Sprintf("the byte 0x%02X", c)
}
