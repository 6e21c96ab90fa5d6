package schema

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Difference is where two messages, or what a codec wrote and what it should
// have, differ in meaning.
type Difference struct {
	Path      string // "$.items[3].price"
	Want, Got string // values as JSON, cut to be shown; "unset" where there is none
}

// String says it in one sentence.
func (d *Difference) String() string {
	return fmt.Sprintf("%s: should be %s, is %s", d.Path, d.Want, d.Got)
}

// Equal gives the first difference in meaning between two root messages of this
// Reference, or nil. NaN equals NaN, 0 equals -0 (see SignsOfZero), numbers kept as
// text are compared as numbers, the order of map entries does not matter, and for
// fields without presence unset is the default value.
func (r *Reference) Equal(want, got protoreflect.Message) *Difference {
	c := comparer{}
	c.message(r.root, want, got)
	return c.diff
}

// SignsOfZero counts the zeros whose sign differs between equal messages.
func (r *Reference) SignsOfZero(want, got protoreflect.Message) int {
	c := comparer{}
	c.message(r.root, want, got)
	return c.zeros
}

// CompareJSON reads what a codec wrote for a document, and compares. The error
// says that one of the two is not valid JSON or does not fit the schema.
func (r *Reference) CompareJSON(want, got []byte) (*Difference, error) {
	m, err := r.FromJSON(want)
	if err != nil {
		return nil, fmt.Errorf("the document: %w", err)
	}
	return r.MatchJSON(m, got)
}

// MatchJSON is CompareJSON for a document that has been read.
func (r *Reference) MatchJSON(want protoreflect.Message, got []byte) (*Difference, error) {
	m, err := r.FromJSON(got)
	if err != nil {
		return nil, fmt.Errorf("the codec's output: %w", err)
	}
	return r.Equal(want, m), nil
}

// MatchBinary compares a message with a codec's Protobuf output. Fields that the
// schema lacks are an error.
func (r *Reference) MatchBinary(want protoreflect.Message, got []byte) (*Difference, error) {
	m, err := r.UnmarshalStrict(got)
	if err != nil {
		return nil, fmt.Errorf("the codec's output: %w", err)
	}
	return r.Equal(want, m), nil
}

// MatchProtoJSON compares a message with a codec's ProtoJSON output.
func (r *Reference) MatchProtoJSON(want protoreflect.Message, got []byte) (*Difference, error) {
	m, err := r.FromProtoJSON(got)
	if err != nil {
		return nil, fmt.Errorf("the codec's output: %w", err)
	}
	return r.Equal(want, m), nil
}

// comparer walks two messages and stops at the first difference.
type comparer struct {
	path  docPath
	diff  *Difference
	zeros int
}

const unsetText = "unset"

func (c *comparer) differ(want, got string) {
	if c.diff == nil {
		c.diff = &Difference{c.path.exact(), want, got}
	}
}

func (c *comparer) message(t *refMessage, a, b protoreflect.Message) {
	for _, f := range t.fields {
		if c.diff != nil {
			return
		}
		if t.model.Form == FormObject {
			c.path = append(c.path, pathStep{key: f.Key})
		}
		c.field(f, a, b)
		if t.model.Form == FormObject {
			c.path = c.path[:len(c.path)-1]
		}
	}
}

func (c *comparer) field(f *refField, a, b protoreflect.Message) {
	hasA, hasB := a.Has(f.desc), b.Has(f.desc)
	if !hasA && !hasB {
		return
	}
	v, w := a.Get(f.desc), b.Get(f.desc)
	switch {
	case f.Label == LabelList:
		c.list(f, v.List(), w.List())
	case f.Label == LabelMap:
		c.entries(f, v.Map(), w.Map())
	case f.Presence && f.Absent != AbsentWrite && hasA != hasB:
		c.differ(shownValue(f, v, hasA), shownValue(f, w, hasB))
	default:
		c.value(f, v, w)
	}
}

// shownValue writes a value for a message to a user.
func shownValue(f *refField, v protoreflect.Value, set bool) string {
	if !set {
		return unsetText
	}
	w := jsonWriter{}
	w.value(f, v)
	return cutText(strings.ToValidUTF8(string(w.out), "\uFFFD"))
}

func (c *comparer) list(f *refField, a, b protoreflect.List) {
	if a.Len() != b.Len() {
		c.differ(fmt.Sprintf("%d elements", a.Len()), fmt.Sprintf("%d", b.Len()))
		return
	}
	c.path = append(c.path, pathStep{kind: stepElement})
	for i := range a.Len() {
		if c.diff != nil {
			break
		}
		c.path[len(c.path)-1].index = i
		c.value(f, a.Get(i), b.Get(i))
	}
	c.path = c.path[:len(c.path)-1]
}

func (c *comparer) entries(f *refField, a, b protoreflect.Map) {
	if a.Len() != b.Len() {
		c.differ(fmt.Sprintf("%d entries", a.Len()), fmt.Sprintf("%d", b.Len()))
		return
	}
	a.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		c.path = append(c.path, pathStep{kind: stepEntry, key: k.String()})
		if b.Has(k) {
			c.value(f, v, b.Get(k))
		} else {
			c.differ(shownValue(f, v, true), unsetText)
		}
		c.path = c.path[:len(c.path)-1]
		return c.diff == nil
	})
}

func (c *comparer) value(f *refField, v, w protoreflect.Value) {
	equal := true
	switch f.Kind {
	case KindMessage:
		c.message(f.message, v.Message(), w.Message())
		return
	case KindValue:
		c.any(f.special, v.Message(), w.Message())
		return
	case KindBool:
		equal = v.Bool() == w.Bool()
	case KindInt32, KindInt64:
		equal = v.Int() == w.Int()
	case KindUint32, KindUint64:
		equal = v.Uint() == w.Uint()
	case KindFloat, KindDouble:
		equal = c.floats(v.Float(), w.Float())
	case KindString:
		equal = v.String() == w.String() || f.Repr == ReprNumber && sameNumber(v.String(), w.String())
	case KindBytes:
		equal = string(v.Bytes()) == string(w.Bytes())
	case KindEnum:
		equal = v.Enum() == w.Enum()
	case KindTimestamp, KindDuration:
		a, b, s := v.Message(), w.Message(), f.special
		equal = a.Get(s.seconds).Int() == b.Get(s.seconds).Int() && a.Get(s.nanos).Int() == b.Get(s.nanos).Int()
	}
	if !equal {
		c.differ(shownValue(f, v, true), shownValue(f, w, true))
	}
}

func (c *comparer) floats(a, b float64) bool {
	if a == 0 && b == 0 && math.Signbit(a) != math.Signbit(b) {
		c.zeros++
	}
	return a == b || a != a && b != b
}

func (c *comparer) any(s *refSpecial, a, b protoreflect.Message) {
	differ := func() {
		shown := func(m protoreflect.Message) string {
			w := jsonWriter{}
			w.any(s, m)
			return cutText(string(w.out))
		}
		c.differ(shown(a), shown(b))
	}
	for _, d := range [...]protoreflect.FieldDescriptor{s.null, s.boolean, s.number, s.text, s.list, s.object} {
		if a.Has(d) != b.Has(d) {
			differ()
			return
		}
	}
	switch {
	case a.Has(s.boolean) && a.Get(s.boolean).Bool() != b.Get(s.boolean).Bool(),
		a.Has(s.text) && a.Get(s.text).String() != b.Get(s.text).String(),
		a.Has(s.number) && !c.floats(a.Get(s.number).Float(), b.Get(s.number).Float()):
		differ()
	case a.Has(s.list):
		c.anyList(s, a.Get(s.list).Message().Get(s.elements).List(), b.Get(s.list).Message().Get(s.elements).List())
	case a.Has(s.object):
		c.anyMembers(s, a.Get(s.object).Message().Get(s.members).Map(), b.Get(s.object).Message().Get(s.members).Map())
	}
}

func (c *comparer) anyList(s *refSpecial, a, b protoreflect.List) {
	if a.Len() != b.Len() {
		c.differ(fmt.Sprintf("%d elements", a.Len()), fmt.Sprintf("%d", b.Len()))
		return
	}
	c.path = append(c.path, pathStep{kind: stepElement})
	for i := 0; i < a.Len() && c.diff == nil; i++ {
		c.path[len(c.path)-1].index = i
		c.any(s, a.Get(i).Message(), b.Get(i).Message())
	}
	c.path = c.path[:len(c.path)-1]
}

func (c *comparer) anyMembers(s *refSpecial, a, b protoreflect.Map) {
	if a.Len() != b.Len() {
		c.differ(fmt.Sprintf("%d members", a.Len()), fmt.Sprintf("%d", b.Len()))
		return
	}
	a.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		c.path = append(c.path, pathStep{key: k.String()})
		if b.Has(k) {
			c.any(s, v.Message(), b.Get(k).Message())
		} else {
			c.differ("a member", unsetText)
		}
		c.path = c.path[:len(c.path)-1]
		return c.diff == nil
	})
}
