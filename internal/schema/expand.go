package schema

import (
	"bytes"
	"fmt"
	"sort"

	"wirecost/internal/strictjson"
)

// Expander puts the value that a string holds as JSON text in the place of the
// string, at the paths that the user names.
type Expander struct {
	root   *override
	paths  []string
	limits strictjson.Limits
}

// NewExpander takes paths as InferOptions.Map does: "$.payload", "$.events[].data".
func NewExpander(paths []string, lim strictjson.Limits) (*Expander, error) {
	e := &Expander{root: &override{}, paths: paths, limits: lim}
	for _, path := range paths {
		at, err := e.root.walk(path)
		if err != nil {
			return nil, err
		}
		at.mode, at.path = overrideExpand, path
	}
	return e, nil
}

// Expanded is a document after expansion.
type Expanded struct {
	Data  []byte
	Paths []string // those at which a string was expanded, sorted
	spans []expandedSpan
}

// expandedSpan says which text of a document, as given, became which.
type expandedSpan struct{ from, to, oldFrom, oldTo int }

// Origin gives the offset, in the document as given, of what is at an offset of
// Data; for what was inside a string, that of the string.
func (x *Expanded) Origin(offset int) int {
	i := sort.Search(len(x.spans), func(i int) bool { return x.spans[i].from > offset }) - 1
	switch {
	case i < 0:
		return offset
	case offset < x.spans[i].to:
		return x.spans[i].oldFrom
	}
	return x.spans[i].oldTo + offset - x.spans[i].to
}

// Expand expands a document. Values that are no strings stay as they are. The
// error is a *PathError for a string that holds no JSON.
func (e *Expander) Expand(doc []byte) (*Expanded, error) {
	w := &expansion{limits: e.limits, used: map[string]bool{}}
	data, err := w.expand(doc, e.root, e.root.mode == overrideExpand)
	if err != nil {
		return nil, err
	}
	x := &Expanded{Data: data, spans: w.spans}
	for path := range w.used {
		x.Paths = append(x.Paths, path)
	}
	sort.Strings(x.Paths)
	return x, nil
}

// Missed names a path at which no string was expanded, given those at which one was.
func (e *Expander) Missed(used map[string]int) error {
	for _, path := range e.paths {
		if used[path] == 0 {
			return fmt.Errorf("--expand %s: no document has a string there", path)
		}
	}
	return nil
}

// expansion expands one text: a document, or the text that a string holds.
type expansion struct {
	limits strictjson.Limits
	used   map[string]bool
	scan   strictjson.Scanner
	text   []byte
	copied int // up to here text is in out
	out    []byte
	path   docPath
	spans  []expandedSpan
	err    *PathError
}

// expand walks text, a value at the place of at. Such a value is itself
// expanded if it is a string and open is true.
func (w *expansion) expand(text []byte, at *override, open bool) ([]byte, error) {
	w.text = text
	w.scan.Reset(text, w.limits)
	w.value(w.scan.Value(), at, open)
	if w.err != nil {
		return nil, w.err
	}
	return append(w.out, text[w.copied:]...), w.scan.Err()
}

func (w *expansion) value(k strictjson.Kind, at *override, open bool) {
	switch {
	case at == nil:
		w.scan.Skip(k)
	case k == strictjson.String && open:
		w.replace(at)
	case k == strictjson.Array:
		for first, i := true, 0; w.scan.Elem(first); first, i = false, i+1 {
			w.below(at.elem, pathStep{kind: stepElement, index: i})
		}
	case k == strictjson.Object:
		for first := true; w.scan.Key(first); first = false {
			key := string(strictjson.Unquote(nil, w.scan.Text))
			w.below(at.memberOf(key), pathStep{key: key})
		}
	}
}

func (w *expansion) below(at *override, step pathStep) {
	w.path = append(w.path, step)
	w.value(w.scan.Value(), at, at.modeOf() == overrideExpand)
	w.path = w.path[:len(w.path)-1]
}

// replace puts the value that the string at hand holds in its place.
func (w *expansion) replace(at *override) {
	start, end := w.scan.Start, w.scan.Pos()
	text := strictjson.Unquote(nil, w.scan.Text)
	if err := strictjson.Check(text, w.limits); err != nil {
		w.fail(&PathError{w.path.exact(), w.path.general(), fmt.Sprintf("--expand, but the string holds no JSON: %v", err), start})
		return
	}
	inner := &expansion{limits: w.limits, used: w.used, path: w.path}
	value, err := inner.expand(text, at, false)
	if err != nil { // of a string inside the string
		e := *inner.err
		e.Offset = start
		w.fail(&e)
		return
	}
	w.used[at.path] = true
	w.out = append(w.out, w.text[w.copied:start]...)
	from := len(w.out)
	w.out = append(w.out, bytes.Trim(value, " \t\r\n")...)
	w.spans = append(w.spans, expandedSpan{from, len(w.out), start, end})
	w.copied = end
}

func (w *expansion) fail(e *PathError) {
	w.err = e
	w.scan.Fail(errStop)
}
