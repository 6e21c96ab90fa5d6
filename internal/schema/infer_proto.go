package schema

import (
	"slices"
	"strings"
)

// protoMessage is a message of an inferred schema.
type protoMessage struct {
	hint   string // what its name is made of
	parent string // and, where that is taken, its parent's
	suffix string // what kind of helper it is: "List", "Map", …
	name   string
	form   Form
	fields []*protoField // in order of their numbers
	enum   []string      // an enum that the message is the scope of
	root   string        // the sample whose documents these are
	path   string        // where it was seen first
	notes  []string
}

// protoField is a field of an inferred schema.
type protoField struct {
	key      string
	name     string
	number   int
	label    Label
	optional bool // the keyword
	typ      protoType
	absent   Absent // "" for the default
	notes    []string
}

// protoType is the type of one value.
type protoType struct {
	name    string // of a scalar or well-known type
	message *protoMessage
	repr    Repr
}

const (
	valueType     = "google.protobuf.Value"
	nullType      = "google.protobuf.NullValue"
	timestampType = "google.protobuf.Timestamp"
)

// isMessage tells whether the field has presence without "optional".
func (t protoType) isMessage() bool {
	return t.message != nil && t.message.enum == nil || t.name == valueType || t.name == timestampType
}

// emptyIsWrong tells whether the type's default value is not a value of the
// type's JSON form, so that the field must know that it is unset.
func (t protoType) emptyIsWrong() bool { return t.repr == ReprNumber || t.repr == ReprUUID }

// ref is how a field names the type.
func (t protoType) ref() string {
	switch {
	case t.message == nil:
		return t.name
	case t.message.enum != nil:
		return t.message.name + "." + enumTypeName
	}
	return t.message.name
}

// enumTypeName is the name of every enum, inside its message.
const enumTypeName = "Value"

// reachable lists the messages in the order in which they are printed: a root,
// then what its fields use, depth first.
func reachable(roots []*protoMessage) []*protoMessage {
	var list []*protoMessage
	seen := map[*protoMessage]bool{}
	var visit func(m *protoMessage)
	visit = func(m *protoMessage) {
		if m == nil || seen[m] {
			return
		}
		seen[m] = true
		list = append(list, m)
		for _, f := range m.fields {
			visit(f.typ.message)
		}
	}
	for _, r := range roots {
		visit(r)
	}
	return list
}

// shareMessages lets fields that use messages of one shape use one message, and
// returns the messages that are left. It starts by taking all messages for equal and
// splits classes until members of one class cannot be told apart (Moore's
// partition refinement).
func shareMessages(roots []*protoMessage) []*protoMessage {
	list := reachable(roots)
	class := map[*protoMessage]int{}
	for before := 0; ; {
		numbers := map[string]int{}
		next := map[*protoMessage]int{}
		for _, m := range list {
			s := m.signature(class)
			if _, ok := numbers[s]; !ok {
				numbers[s] = len(numbers)
			}
			next[m] = numbers[s]
		}
		class = next
		if len(numbers) == before {
			break
		}
		before = len(numbers)
	}
	first := map[int]*protoMessage{}
	for _, m := range list {
		if first[class[m]] == nil {
			first[class[m]] = m
		}
	}
	for _, m := range list {
		for _, f := range m.fields {
			if f.typ.message != nil {
				f.typ.message = first[class[f.typ.message]]
			}
		}
	}
	return reachable(roots)
}

// signature says what a message is, its name and notes aside.
func (m *protoMessage) signature(class map[*protoMessage]int) string {
	var b strings.Builder
	add := func(parts ...string) {
		for _, p := range parts {
			b.WriteString(p)
			b.WriteByte(0)
		}
	}
	add(string(m.form), m.root, num(class[m]), strings.Join(m.enum, ","))
	for _, f := range m.fields {
		add(num(len(f.key)), f.key, num(f.number), string(f.label), f.typ.name, string(f.typ.repr), string(f.absent))
		if f.optional {
			add("optional")
		}
		if f.typ.message != nil {
			add(num(class[f.typ.message]))
		}
	}
	return b.String()
}

// The numbers of fields.
const (
	shortNumbers  = 15 // take one byte as a tag
	reservedFirst = 19000
	reservedLast  = 19999
)

// numberMembers puts an object's members in the order of their field numbers:
// that of first appearance, but the most frequent ones below 16.
func (o *objectSeen) numbered() []*memberSeen {
	list := slices.Clone(o.members)
	slices.SortFunc(list, func(a, b *memberSeen) int {
		switch {
		case a.position != b.position:
			return a.position - b.position
		case a.count != b.count:
			return compareInts(b.count, a.count)
		}
		return strings.Compare(a.key, b.key)
	})
	if len(list) <= shortNumbers {
		return list
	}
	frequent := slices.Clone(list)
	slices.SortStableFunc(frequent, func(a, b *memberSeen) int { return compareInts(b.count, a.count) })
	short := map[*memberSeen]bool{}
	for _, m := range frequent[:shortNumbers] {
		short[m] = true
	}
	var first, rest []*memberSeen
	for _, m := range list {
		if short[m] {
			first = append(first, m)
		} else {
			rest = append(rest, m)
		}
	}
	return append(first, rest...)
}

// fieldNumber gives the number of the i-th field.
func fieldNumber(i int) int {
	if n := i + 1; n < reservedFirst {
		return n
	}
	return i + 1 + reservedLast - reservedFirst + 1
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
