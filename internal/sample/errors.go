package sample

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
)

// Error says what is wrong with an input, where, and what to try.
type Error struct {
	File string // as the user named it
	Line int    // from 1; 0: the file as a whole
	Col  int    // from 1, in bytes
	Msg  string
	Hint string // what to try; may be empty
	Err  error  // what caused it, for errors.Is; may be nil
}

// Error gives "FILE:LINE:COL: what is wrong; what to try".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(shown(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Col)
	}
	b.WriteString(": " + e.Msg)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// NothingError says that an input is readable, or may be, but holds no documents.
type NothingError struct {
	File   string
	Reason string // completes "nothing to measure because …"
}

// Error gives "FILE: nothing to measure because …".
func (e *NothingError) Error() string {
	return shown(e.File) + ": nothing to measure because " + e.Reason
}

// shown makes a file's name fit for one line of a terminal.
func shown(file string) string {
	if strings.ContainsFunc(file, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(file)
	}
	return file
}

// fileError turns what the operating system says into an Error.
func fileError(file string, err error) error {
	var located *Error
	if errors.As(err, &located) {
		return err
	}
	msg := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		msg = "cannot " + path.Op + ": " + path.Err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{File: file, Msg: "no such file or folder", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &Error{File: file, Msg: "no permission to read it", Err: err}
	}
	return &Error{File: file, Msg: msg, Err: err}
}

// place is a position in a source's text.
type place struct {
	line, col int // from 1; the column in bytes
}

// after gives the place offset bytes into data, which begins at p.
func (p place) after(data []byte, offset int) place {
	data = data[:min(offset, len(data))]
	if n := bytes.Count(data, []byte{'\n'}); n > 0 {
		return place{p.line + n, len(data) - bytes.LastIndexByte(data, '\n')}
	}
	return place{p.line, p.col + len(data)}
}

// count spells a number with its noun: "1 place", "2 places".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
