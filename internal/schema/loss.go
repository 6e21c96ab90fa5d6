package schema

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"wirecost/internal/strictjson"
)

// Loss is one way in which documents come back changed from JSON → Protobuf →
// JSON.
type Loss struct {
	Path      string // "$.items[].price"; map keys are {}
	What      string
	Note      bool // the meaning is the same: spelling of a number, sign of zero
	Documents int  // how many documents it happens in
	Example   string
}

// Losses sends every document of a sample to Protobuf and back, and lists what
// has changed, sorted by path. The order of keys is no loss.
func (s *Schema) Losses(sample string, docs [][]byte) ([]Loss, error) {
	r, err := s.Reference(sample)
	if err != nil {
		return nil, err
	}
	// Each worker takes a part of the documents that lie together, so that the
	// merged result is the same whatever their number.
	parts := make([]*lossFinder, max(1, min(runtime.GOMAXPROCS(0), len(docs))))
	var group errgroup.Group
	for i := range parts {
		first, last := i*len(docs)/len(parts), (i+1)*len(docs)/len(parts)
		l := &lossFinder{ref: r, found: map[lossKey]*Loss{}, last: map[lossKey]int{}}
		parts[i] = l
		group.Go(func() error {
			for j := first; j < last; j++ {
				l.document = j
				if err := l.add(docs[j]); err != nil {
					return &DocumentError{sample, j, err}
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, l := range parts[1:] {
		parts[0].merge(l)
	}
	return parts[0].sorted(), nil
}

// add compares a document with what becomes of it. The message holds what the
// wire form would: what is unset here is not written there.
func (l *lossFinder) add(doc []byte) error {
	m, err := l.ref.FromJSON(doc)
	if err != nil {
		return err
	}
	back, err := l.ref.ToJSON(m)
	if err != nil {
		return err
	}
	l.compact = strictjson.Compact(l.compact[:0], doc)
	if string(l.compact) == string(back) {
		return nil
	}
	before, err := strictjson.Parse(doc, l.ref.limits)
	if err != nil {
		return err
	}
	after, err := strictjson.Parse(back, l.ref.limits)
	if err != nil {
		return err
	}
	l.message(l.ref.root, before, after)
	return nil
}

// merge adds what was found in later documents.
func (l *lossFinder) merge(later *lossFinder) {
	for k, x := range later.found {
		if old := l.found[k]; old != nil {
			old.Documents += x.Documents
		} else {
			l.found[k] = x
		}
	}
}

type lossKey struct {
	path, what string
}

// lossFinder compares documents with what became of them, along the schema.
type lossFinder struct {
	ref      *Reference
	path     docPath
	document int
	found    map[lossKey]*Loss
	last     map[lossKey]int // the last document counted, plus 1
	compact  []byte
}

func (l *lossFinder) sorted() []Loss {
	out := make([]Loss, 0, len(l.found))
	for _, x := range l.found {
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b Loss) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(a.What, b.What)
	})
	return out
}

func (l *lossFinder) report(note bool, what, example string) {
	k := lossKey{l.path.general(), what}
	x := l.found[k]
	if x == nil {
		x = &Loss{Path: k.path, What: what, Note: note, Example: example}
		l.found[k] = x
	}
	if l.last[k] != l.document+1 {
		l.last[k] = l.document + 1
		x.Documents++
	}
}

// change notes a value that became another one.
func (l *lossFinder) change(note bool, what string, a, b strictjson.Value) {
	l.report(note, what, shownJSON(a)+" → "+shownJSON(b))
}

func shownJSON(v strictjson.Value) string {
	switch {
	case v.Kind == strictjson.String:
		return quoteShort(v.Text, 60)
	case v.Kind == strictjson.Array && len(v.Elems) > 0:
		return "[…]"
	case v.Kind == strictjson.Object && len(v.Members) > 0:
		return "{…}"
	}
	return cutText(string(v.Append(nil)))
}

func (l *lossFinder) message(t *refMessage, a, b strictjson.Value) {
	switch t.model.Form {
	case FormBare:
		l.field(t.fields[0], a, b)
	case FormUnion:
		if f := t.byToken[a.Kind]; f != nil {
			l.field(f, a, b)
		}
	default:
		l.object(t, a, b)
	}
}

func (l *lossFinder) object(t *refMessage, a, b strictjson.Value) {
	before, after := memberIndex(a), memberIndex(b)
	for _, f := range t.fields {
		v, hasA := before(f.Key)
		w, hasB := after(f.Key)
		l.path = append(l.path, pathStep{key: f.Key})
		switch {
		case hasA && hasB:
			l.field(f, v, w)
		case hasA:
			l.report(false, standIn(v)+" became missing", shownJSON(v)+" → no member")
		case hasB:
			l.report(false, "missing became "+standIn(w), "no member → "+shownJSON(w))
		}
		l.path = l.path[:len(l.path)-1]
	}
}

// memberIndex gives a way to find members, by a map where there are many.
func memberIndex(v strictjson.Value) func(string) (strictjson.Value, bool) {
	const few = 12
	if len(v.Members) <= few {
		return v.Get
	}
	m := make(map[string]int, len(v.Members))
	for i, x := range v.Members {
		m[x.Key] = i
	}
	return func(key string) (strictjson.Value, bool) {
		i, ok := m[key]
		if !ok {
			return strictjson.Value{}, false
		}
		return v.Members[i].Value, true
	}
}

// standIn names what stands for an unset field.
func standIn(v strictjson.Value) string {
	switch v.Kind {
	case strictjson.Null:
		return "null"
	case strictjson.Array:
		return "[]"
	case strictjson.Object:
		return "{}"
	}
	return "the default value"
}

func (l *lossFinder) field(f *refField, a, b strictjson.Value) {
	switch {
	case a.Kind != b.Kind:
		l.change(false, standIn(a)+" became "+standIn(b), a, b)
	case a.Kind == strictjson.Null:
	case f.Label == LabelList:
		l.elements(a, b, func(v, w strictjson.Value) { l.value(f, v, w) })
	case f.Label == LabelMap:
		l.members(stepEntry, a, b, func(v, w strictjson.Value) { l.value(f, v, w) })
	default:
		l.value(f, a, b)
	}
}

func (l *lossFinder) elements(a, b strictjson.Value, each func(v, w strictjson.Value)) {
	l.path = append(l.path, pathStep{kind: stepElement})
	for i, v := range a.Elems {
		l.path[len(l.path)-1].index = i
		if i < len(b.Elems) {
			each(v, b.Elems[i])
		}
	}
	l.path = l.path[:len(l.path)-1]
	if len(a.Elems) != len(b.Elems) {
		l.report(false, "the number of elements changed", fmt.Sprintf("%d → %d", len(a.Elems), len(b.Elems)))
	}
}

// members compares objects whose keys are data: maps and any values.
func (l *lossFinder) members(kind pathKind, a, b strictjson.Value, each func(v, w strictjson.Value)) {
	after := memberIndex(b)
	for _, m := range a.Members {
		l.path = append(l.path, pathStep{kind: kind, key: m.Key})
		if w, ok := after(m.Key); ok {
			each(m.Value, w)
		} else {
			l.report(false, "the key is spelt differently", strconv.Quote(m.Key))
		}
		l.path = l.path[:len(l.path)-1]
	}
}

// value compares two values of one field.
func (l *lossFinder) value(f *refField, a, b strictjson.Value) {
	switch {
	case f.Kind == KindMessage:
		l.message(f.message, a, b)
	case f.Kind == KindValue:
		l.any(a, b)
	case a.Kind != b.Kind:
		l.change(false, "the value changed its type", a, b)
	case a.Kind == strictjson.Number:
		l.number(f.Kind, a, b)
	case a.Kind == strictjson.String && a.Text != b.Text:
		l.change(false, spellingLoss(f), a, b)
	case a.Kind == strictjson.Bool && a.Bool != b.Bool:
		l.change(false, "the value changed", a, b)
	}
}

// spellingLoss says why a string came back as another one.
func spellingLoss(f *refField) string {
	switch f.Kind {
	case KindTimestamp:
		return "the time is spelt differently (UTC, with 0, 3, 6 or 9 decimals)"
	case KindDuration:
		return "the duration is spelt differently (with 0, 3, 6 or 9 decimals)"
	case KindBytes:
		return "the bytes are spelt differently"
	case KindEnum:
		return "another name of the same value"
	}
	if isNumeric(f.Kind) {
		return "the number in the string is spelt differently"
	}
	return "the string changed"
}

func (l *lossFinder) any(a, b strictjson.Value) {
	switch {
	case a.Kind != b.Kind:
		l.change(false, "the value changed its type", a, b)
	case a.Kind == strictjson.Array:
		l.elements(a, b, l.any)
	case a.Kind == strictjson.Object:
		l.members(stepMember, a, b, l.any)
	case a.Kind == strictjson.Number:
		l.number(KindDouble, a, b)
	case a.Kind == strictjson.String && a.Text != b.Text, a.Kind == strictjson.Bool && a.Bool != b.Bool:
		l.change(false, "the value changed", a, b)
	}
}

// number compares two numbers' texts: a note where they mean the same.
func (l *lossFinder) number(k Kind, a, b strictjson.Value) {
	if a.Text == b.Text {
		return
	}
	x, y := parseDecimal(a.Text), parseDecimal(b.Text)
	if x.digits == "" && y.digits == "" {
		if x.negative != y.negative {
			l.change(true, "the sign of zero is lost", a, b)
			return
		}
		l.change(true, "the number is spelt differently", a, b)
		return
	}
	if x == y {
		l.change(true, "the number is spelt differently", a, b)
		return
	}
	v, _ := strconv.ParseFloat(a.Text, 64)
	w, _ := strconv.ParseFloat(b.Text, 64)
	switch {
	case isIntegerText([]byte(a.Text)):
		l.change(false, fmt.Sprintf("the integer is rounded to a %s", k), a, b)
	case v == w:
		l.change(true, "the number is spelt differently (the same double)", a, b)
	default:
		l.change(false, fmt.Sprintf("the number is rounded to a %s", k), a, b)
	}
}
