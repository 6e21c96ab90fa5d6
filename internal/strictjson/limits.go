package strictjson

import "fmt"

// Limits bound what a document may ask of its reader. A zero field stands for
// its default.
type Limits struct {
	Depth    int // levels of arrays and objects
	Keys     int // keys in one object
	Document int // bytes in one document
}

// DefaultLimits returns what is used where nothing is said.
func DefaultLimits() Limits {
	return Limits{Depth: 1000, Keys: 100_000, Document: 256 << 20}
}

// WithDefaults returns l with its zero fields filled in.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	if l.Depth > 0 {
		d.Depth = l.Depth
	}
	if l.Keys > 0 {
		d.Keys = l.Keys
	}
	if l.Document > 0 {
		d.Document = l.Document
	}
	return d
}

// Error says what is wrong with a document, and where.
type Error struct {
	Offset int    // bytes before the place
	Code   Code   // what kind of fault it is; empty for what a caller of Fail found
	Msg    string // what is wrong
	Hint   string // what to try; may be empty
}

// Error gives the offset, the message and the hint.
func (e *Error) Error() string {
	return fmt.Sprintf("offset %d: %s", e.Offset, e.Text())
}

// Text gives the message and the hint, for a caller that names the place itself.
func (e *Error) Text() string {
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + "; " + e.Hint
}

// Position gives the line and column of an offset, both from 1. The column
// counts bytes, as compilers do. An offset beyond the end stands for the end.
func Position(data []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(data))
	line, start := 1, 0
	for i, c := range data[:offset] {
		if c == '\n' {
			line++
			start = i + 1
		}
	}
	return line, offset - start + 1
}
