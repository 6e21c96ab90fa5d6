package sample

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// text reads decoded text through one buffer that grows as far as its user
// asks, and knows where in the text it is.
type text struct {
	file string
	r    io.Reader
	buf  []byte
	from int   // buf[from:] is read and not yet used
	err  error // what ended the reading: io.EOF or an error
	at   place // of buf[from]
}

func newText(file string, r io.Reader) *text {
	return &text{file: file, r: r, at: place{1, 1}}
}

const readSize = 64 << 10

// rest is what has been read and not used. It stays as it is until more or use.
func (t *text) rest() []byte { return t.buf[t.from:] }

// more reads on, so that rest grows. It returns io.EOF at the end of the text.
func (t *text) more() error {
	if t.err != nil {
		return t.err
	}
	if t.from > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[t.from:])]
		t.from = 0
	}
	if cap(t.buf)-len(t.buf) < readSize {
		t.buf = append(make([]byte, 0, 2*cap(t.buf)+readSize), t.buf...)
	}
	for range 100 { // a reader may return nothing, though not for ever
		n, err := t.r.Read(t.buf[len(t.buf) : len(t.buf)+readSize])
		t.buf = t.buf[:len(t.buf)+n]
		if err != nil && err != io.EOF {
			err = fileError(t.file, err)
		}
		t.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	t.err = fileError(t.file, io.ErrNoProgress)
	return t.err
}

// atLeast reads until rest holds n bytes or the text ends.
func (t *text) atLeast(n int) error {
	for len(t.rest()) < n {
		if err := t.more(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// split takes the first n bytes of rest away, as a text of its own.
func (t *text) split(n int) *text {
	first := &text{file: t.file, buf: t.buf[: t.from+n : t.from+n], from: t.from, err: io.EOF, at: t.at}
	t.use(n)
	t.buf, t.from = bytes.Clone(t.rest()), 0
	return first
}

// use moves n bytes on.
func (t *text) use(n int) {
	t.at = t.at.after(t.buf[t.from:t.from+n], n)
	t.from += n
}

// next skips white space and returns the byte that follows, without using it;
// io.EOF at the end of the text.
func (t *text) next() (byte, error) {
	for {
		b := t.rest()
		n := len(b) - len(trimLeft(b))
		t.use(n)
		if n < len(b) {
			return b[n], nil
		}
		if err := t.more(); err != nil {
			return 0, err
		}
	}
}

const (
	whiteSpace    = " \t\r\n"
	byteOrderMark = "\xEF\xBB\xBF" // of UTF-8
)

func trimLeft(b []byte) []byte { return bytes.TrimLeft(b, whiteSpace) }

// fail makes an error at the current place.
func (t *text) fail(msg, hint string) error {
	return &Error{File: t.file, Line: t.at.line, Col: t.at.col, Msg: msg, Hint: hint}
}

// nothing makes the error for a text without documents.
func (t *text) nothing(reason string) error {
	return &NothingError{File: t.file, Reason: reason}
}

// begin looks at the first bytes: a byte order mark of UTF-8 is skipped, and
// what cannot be JSON in UTF-8 is named.
func (t *text) begin() error {
	if err := t.atLeast(4); err != nil {
		return err
	}
	b := t.rest()
	if len(b) == 0 {
		return t.nothing("it is empty")
	}
	if bytes.HasPrefix(b, []byte(byteOrderMark)) {
		t.from += len(byteOrderMark) // which has no column
		return nil
	}
	if f, packed := formatOf(b); packed {
		return &Error{File: t.file, Msg: "this is " + f.name + " data, not JSON", Hint: f.remedy(t.file)}
	}
	if name := wideEncoding(b); name != "" {
		return &Error{File: t.file, Msg: "the text is " + name + ", and JSON is read as UTF-8",
			Hint: fmt.Sprintf("try: iconv -f %s -t UTF-8 FILE > NEW", name)}
	}
	return nil
}

// wideEncoding names, as iconv does, the UTF-16 or UTF-32 that text begins
// like: with a byte order mark, or with the zero bytes that a first ASCII
// character has there.
func wideEncoding(b []byte) string {
	b = append(b[:min(4, len(b)):min(4, len(b))], 1, 1, 1, 1)[:4] // shorter text ends in something
	zero := [4]bool{b[0] == 0, b[1] == 0, b[2] == 0, b[3] == 0}
	mark := [2]byte{b[0], b[1]}
	switch {
	case mark == [2]byte{0xFF, 0xFE} && zero[2] && zero[3], zero == [4]bool{false, true, true, true}:
		return "UTF-32LE"
	case zero[0] && zero[1] && b[2] == 0xFE && b[3] == 0xFF, zero == [4]bool{true, true, true, false}:
		return "UTF-32BE"
	case mark == [2]byte{0xFF, 0xFE}, !zero[0] && zero[1]:
		return "UTF-16LE"
	case mark == [2]byte{0xFE, 0xFF}, zero[0] && !zero[1]:
		return "UTF-16BE"
	}
	return ""
}

// all reads the whole text, of a source that has to be in memory at once: at
// most limit bytes, which flag raises.
func (t *text) all(limit int64, flag string) ([]byte, error) {
	for {
		if int64(len(t.rest())) > limit {
			return nil, tooLarge(t.file, place{}, "the file", limit, flag)
		}
		if err := t.more(); err == io.EOF {
			return t.rest(), nil
		} else if err != nil {
			return nil, err
		}
	}
}

// tooLarge is the error for what exceeds a limit in bytes.
func tooLarge(file string, at place, what string, limit int64, flag string) error {
	return &Error{File: file, Line: at.line, Col: at.col, Err: ErrLimit,
		Msg:  fmt.Sprintf("%s is larger than the limit of %s", what, size(limit)),
		Hint: "if that is meant, raise the limit with " + flag}
}

// tooMany is the error for more documents than the limit.
func tooMany(file string, at place, limit int) error {
	return &Error{File: file, Line: at.line, Col: at.col, Err: ErrLimit,
		Msg:  fmt.Sprintf("there are more documents than the limit of %d", limit),
		Hint: "measure a part of them, or raise the limit with " + FlagDocuments}
}

// ErrLimit is behind every Error that says that a limit of sizes or numbers was
// reached; nesting and keys are the JSON checker's.
var ErrLimit = errors.New("limit reached")
