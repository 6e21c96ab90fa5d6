package sample

import (
	"bytes"
	"errors"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"wirecost/internal/strictjson"
)

// accept checks one document, which begins at a place, repairs it where the
// options say so, and hands it on. Its data is valid during the call.
func (r *reader) accept(data []byte, at place) error {
	text, fault := mend(data, r.opt)
	if fault != nil {
		return r.located(data, at, fault)
	}
	d := Document{Data: text.data, Source: r.file, Line: at.line, Column: at.col, Index: r.index, Repairs: text.Repairs}
	r.index++
	return r.fn(d)
}

// located turns what the checker says of data, which begins at a place, into an Error.
func (t *text) located(data []byte, at place, fault *strictjson.Error) error {
	at = at.after(data, fault.Offset)
	return &Error{File: t.file, Line: at.line, Col: at.col, Msg: fault.Msg, Hint: fault.Hint, Err: fault}
}

// mend checks a text, repairs what the options allow to be repaired, and tells
// what is wrong otherwise, with the offset in the text as it was.
func mend(data []byte, opt Options) (repaired, *strictjson.Error) {
	text := repaired{data: data}
	fault := faultOf(data, opt.Limits)
	if fault == nil {
		return text, nil
	}
	if opt.Replace {
		text.replace()
		fault = faultOf(text.data, opt.Limits)
	}
	if fault != nil && opt.LastWins {
		if fault = text.dropDuplicates(opt.Limits); fault == nil {
			fault = faultOf(text.data, opt.Limits)
		}
	}
	if fault == nil {
		return text, nil
	}
	fault = Hinted(fault, opt)
	fault.Offset = text.origin(fault.Offset)
	return repaired{}, fault
}

func faultOf(data []byte, lim Limits) *strictjson.Error {
	return asFault(strictjson.Check(data, lim.json(len(data))))
}

func asFault(err error) *strictjson.Error {
	if err == nil {
		return nil
	}
	var fault *strictjson.Error
	if !errors.As(err, &fault) {
		fault = &strictjson.Error{Msg: err.Error()}
	}
	return fault
}

// Hinted adds to a fault the flag by which a user gets round it.
func Hinted(fault *strictjson.Error, opt Options) *strictjson.Error {
	f := *fault
	switch f.Code {
	case strictjson.CodeDepth:
		f.Hint = "if that is meant, raise the limit with " + FlagDepth
	case strictjson.CodeKeys:
		f.Hint = "if that is meant, raise the limit with " + FlagKeys
	case strictjson.CodeLength:
		f.Hint = "if that is meant, raise the limit with " + FlagDocument
	case strictjson.CodeDuplicate:
		f.Hint += unless(opt.LastWins, ", or take the last with --last-wins")
	case strictjson.CodeUTF8:
		f.Hint += unless(opt.Replace, ", or replace what is wrong with --replace")
	case strictjson.CodeSurrogate:
		f.Hint += unless(opt.Replace, ": --replace puts U+FFFD there")
	}
	return &f
}

func unless(already bool, hint string) string {
	if already {
		return ""
	}
	return hint
}

// repaired is a text with some of it replaced or left out.
type repaired struct {
	data []byte
	Repairs
	passes [][]shift // of each repair, the last one last
}

// shift says that from offset at of the new text on, the old text's offset is
// by greater.
type shift struct{ at, by int }

// origin gives the offset in the original text of an offset in the new one.
func (r *repaired) origin(offset int) int {
	for _, shifts := range slices.Backward(r.passes) {
		n := sort.Search(len(shifts), func(i int) bool { return shifts[i].at > offset })
		if n > 0 {
			offset += shifts[n-1].by
		}
	}
	return offset
}

// replace puts U+FFFD for every byte that is not UTF-8 and every escape that is
// half of a surrogate pair.
func (r *repaired) replace() {
	old := r.data
	fresh := make([]byte, 0, len(old)+len(old)/16)
	var shifts []shift
	for i := 0; i < len(old); {
		if old[i] == '\\' {
			n, lone := escapeLength(old[i:])
			if lone {
				fresh = append(fresh, `\ufffd`...)
				r.Replaced++
			} else {
				fresh = append(fresh, old[i:i+n]...)
			}
			i += n
			continue
		}
		c, n := utf8.DecodeRune(old[i:])
		fresh = utf8.AppendRune(fresh, c)
		i += n
		if c == utf8.RuneError && n == 1 {
			shifts = append(shifts, shift{len(fresh), i - len(fresh)})
			r.Replaced++
		}
	}
	r.data, r.passes = fresh, append(r.passes, shifts)
}

// escapeLength gives the length of the escape that b begins with, a pair of
// surrogates being one, and whether it is half of such a pair. It takes two
// bytes for what it does not know: the checker says what is wrong.
func escapeLength(b []byte) (n int, lone bool) {
	switch {
	case loneSurrogate(b):
		return 6, true
	case len(b) >= 12 && hexEscape(b) >= 0xD800 && hexEscape(b) < 0xDC00:
		return 12, false
	}
	return min(2, len(b)), false
}

// loneSurrogate tells whether b begins with an escape that is half of a
// surrogate pair, without its other half.
func loneSurrogate(b []byte) bool {
	switch c := hexEscape(b); {
	case c >= 0xD800 && c < 0xDC00:
		low := hexEscape(b[6:])
		return low < 0xDC00 || low > 0xDFFF
	default:
		return c >= 0xDC00 && c <= 0xDFFF
	}
}

// hexEscape gives the code unit of the \uXXXX that b begins with, or -1.
func hexEscape(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	c := 0
	for _, x := range b[2:6] {
		digit := strings.IndexByte("0123456789abcdef", lower(x))
		if digit < 0 {
			return -1
		}
		c = c<<4 | digit
	}
	return c
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// dropDuplicates keeps of the members of an object with equal keys the last
// one. Text that is not JSON it leaves as it is, and tells what is wrong.
func (r *repaired) dropDuplicates(lim Limits) *strictjson.Error {
	var w duplicates
	w.scan.Reset(r.data, lim.json(len(r.data)))
	w.value()
	if err := w.scan.End(); err != nil {
		return asFault(err)
	}
	w.cut(r)
	return nil
}

// duplicates finds the members to leave out.
type duplicates struct {
	scan strictjson.Scanner
	cuts []span
}

// span is a member with what stands between it and the next: text[from:to].
type span struct{ from, to int }

func (w *duplicates) value() {
	switch w.scan.Value() {
	case strictjson.Array:
		for first := true; w.scan.Elem(first); first = false {
			w.value()
		}
	case strictjson.Object:
		w.object()
	}
}

func (w *duplicates) object() {
	last := map[string]int{} // of each key, which member it was in last
	var starts, dropped []int
	for first := true; w.scan.Key(first); first = false {
		key := string(strictjson.Unquote(nil, w.scan.Text))
		if before, again := last[key]; again {
			dropped = append(dropped, before)
		}
		last[key] = len(starts)
		starts = append(starts, w.scan.Start)
		w.value()
	}
	for _, n := range dropped { // each has a member behind it
		w.cuts = append(w.cuts, span{starts[n], starts[n+1]})
	}
}

// cut leaves the members out. Those inside a member that goes itself do not count.
func (w *duplicates) cut(r *repaired) {
	slices.SortFunc(w.cuts, func(a, b span) int { return a.from - b.from })
	old := r.data
	var fresh bytes.Buffer
	var shifts []shift
	done := 0
	for _, c := range w.cuts {
		if c.from < done {
			continue
		}
		fresh.Write(old[done:c.from])
		done = c.to
		r.Dropped++
		shifts = append(shifts, shift{fresh.Len(), done - fresh.Len()})
	}
	fresh.Write(old[done:])
	r.data, r.passes = fresh.Bytes(), append(r.passes, shifts)
}
