package schema

import (
	"fmt"
	"sort"
	"strings"

	"wirecost/internal/strictjson"
)

// NamedPartial is what was seen of one sample's documents.
type NamedPartial struct {
	Sample   string // its id
	RootName string // what the root message is named after; default: the id
	Partial  *Partial
}

// Inferred is a schema made from documents.
type Inferred struct {
	Proto string            // text of a .proto file
	Roots map[string]string // sample → full message name
	Notes []Note            // uncertain decisions, each with its path
	Shape map[string]Shape  // sample → what its documents are like
}

// Infer makes one schema of what was seen of one or more samples: a root message
// for each, made with the same options. The Partials are not changed.
func Infer(parts []NamedPartial, opt InferOptions) (*Inferred, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	overrides, err := compileOverrides(opt)
	if err != nil {
		return nil, err
	}
	b := &inferrer{opt: opt, prefixed: len(parts) > 1, used: map[*override]bool{}}
	out := &Inferred{Roots: map[string]string{}, Shape: map[string]Shape{}}
	var roots []*protoMessage
	for _, part := range parts {
		if part.Partial == nil || part.Partial.documents == 0 {
			return nil, fmt.Errorf("sample %s: there are no documents to infer a schema from", part.Sample)
		}
		if out.Roots[part.Sample] = "?"; len(out.Roots) != len(roots)+1 {
			return nil, fmt.Errorf("sample %s: given twice", part.Sample)
		}
		root := b.root(part, overrides)
		roots = append(roots, root)
		out.Shape[part.Sample] = part.Partial.shape(part.Partial.root.clone(), b.valueBytes)
	}
	if err := overrides.unused(b.used); err != nil {
		return nil, err
	}
	messages := shareMessages(roots)
	nameMessages(messages)
	for i, r := range roots {
		out.Roots[parts[i].Sample] = inferredPackage + "." + r.name
	}
	out.Proto = printProto(messages)
	out.Notes = b.notes
	return out, nil
}

// inferrer turns places into messages.
type inferrer struct {
	opt      InferOptions
	prefixed bool   // paths begin with the sample
	sample   string // the current one
	notes    []Note
	used     map[*override]bool

	// Of the current sample:
	messages   map[*objectSeen]*protoMessage
	lists      map[*place]*protoMessage      // wrappers of lists
	maps       map[*objectSeen]*protoMessage // wrappers of maps
	unions     map[*place]*protoMessage
	enums      map[*place]*protoMessage
	valueBytes int64 // under google.protobuf.Value
	bytes      int64 // of all compact documents
}

// spot is a place with its path and the names that a message there may get.
type spot struct {
	*place
	path   string
	hint   string // the nearest key
	parent string // that of the message around
}

// newSpot looks at what a place and its object have become.
func newSpot(v *place, path, hint, parent string) spot {
	v = v.rep()
	v.obj()
	return spot{v, path, hint, parent}
}

func (s spot) below(v *place, path, hint string) spot { return newSpot(v, path, hint, s.hint) }

// root makes a sample's root message.
func (b *inferrer) root(part NamedPartial, ov *override) *protoMessage {
	v := part.Partial.root.clone()
	v.attach(ov, b.used)
	v.settle(b.opt.MaxKeys)
	decideMaps(v)
	foldRecursion(v)

	b.sample, b.valueBytes, b.bytes = part.Sample, 0, part.Partial.root.size()
	b.messages, b.lists, b.maps = map[*objectSeen]*protoMessage{}, map[*place]*protoMessage{}, map[*objectSeen]*protoMessage{}
	b.unions, b.enums = map[*place]*protoMessage{}, map[*place]*protoMessage{}
	name := part.RootName
	if name == "" {
		name = part.Sample
	}
	m := b.rootMessage(newSpot(v, "$", name, ""))
	m.root = part.Sample + "\x00" // no other message may stand for a root
	return m
}

func (b *inferrer) rootMessage(s spot) *protoMessage {
	if kinds := s.kinds(); len(kinds) == 1 && s.nulls == 0 {
		switch {
		case s.object != nil && s.object.values == nil:
			return b.object(s)
		case s.object != nil:
			return b.mapWrapper(s, "")
		case s.array != nil:
			return b.listWrapper(s, "")
		}
	}
	t, notes := b.value(s)
	if t.message != nil && t.message.form == FormUnion {
		t.message.suffix = ""
		return t.message
	}
	return bare(s, "", &protoField{typ: t, notes: notes, label: LabelOne, optional: !t.isMessage()})
}

// attach puts what the user said where it belongs, and notes what met an object.
func (v *place) attach(ov *override, used map[*override]bool) {
	v.attachBelow(ov, used, map[*objectSeen]bool{})
}

func (v *place) attachBelow(ov *override, used map[*override]bool, seen map[*objectSeen]bool) {
	v.override = ov
	if v.array != nil {
		v.array.elem.attachBelow(ov.elemOf(), used, seen)
	}
	o := v.obj()
	if o == nil {
		return
	}
	if ov != nil {
		used[ov] = true
	}
	if seen[o] {
		return
	}
	seen[o] = true
	if o.values != nil {
		o.values.attachBelow(ov.valueOf(), used, seen)
	}
	for _, m := range o.members {
		m.value.attachBelow(ov.memberOf(m.key), used, seen)
	}
}

// unused reports a path that names no object.
func (o *override) unused(used map[*override]bool) error {
	if o == nil {
		return nil
	}
	if o.mode != overrideNone && !used[o] {
		return fmt.Errorf("path %s: no document has an object there", o.path)
	}
	keys := make([]string, 0, len(o.members))
	for k := range o.members {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if err := o.members[k].unused(used); err != nil {
			return err
		}
	}
	if err := o.any.unused(used); err != nil {
		return err
	}
	return o.elem.unused(used)
}

// note records an uncertain decision, and returns it as a comment.
func (b *inferrer) note(path, format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	where := path
	if b.prefixed {
		where = b.sample + ": " + path
	}
	b.notes = append(b.notes, Note{where, text})
	return text
}

// object makes the message of the objects at s.
func (b *inferrer) object(s spot) *protoMessage {
	if m := b.messages[s.object]; m != nil {
		return m
	}
	o := s.object
	m := &protoMessage{hint: s.hint, parent: s.parent, form: FormObject, path: s.path}
	b.messages[s.object] = m
	switch n := len(o.members); {
	case n == 0:
		m.notes = append(m.notes, b.note(s.path, "always an empty object"))
	case n > 100:
		m.notes = append(m.notes, b.note(s.path, "%d distinct keys: fields above number 15 take two bytes for their tags, above 2047 three; --map '%s' makes them a map", n, s.path))
	case o.maybeMap() && s.override.modeOf() == overrideNone:
		m.notes = append(m.notes, b.note(s.path, "%d keys with values of one shape: if the keys are data, --map '%s' makes it a map", n, s.path))
	}
	names := nameSet{}
	members := o.numbered()
	for i, mem := range members {
		at := s.below(&mem.value, memberPath(s.path, mem.key), mem.key)
		f := b.field(at, o.count-mem.count)
		f.key, f.number = mem.key, fieldNumber(i)
		f.name = fieldNameFor(names, o, mem.key)
		m.fields = append(m.fields, f)
	}
	return m
}

// fieldNameFor names a field. Where json_name cannot hold the key, the default
// JSON name must not be another field's key.
func fieldNameFor(names nameSet, o *objectSeen, key string) string {
	name := names.take(fieldName(key))
	for !jsonNameHolds(key) && o.index[defaultJSONName(name)] != nil {
		name = names.take(fieldName(key) + "_key")
	}
	return name
}

// value makes the type of one value that is not a field of its own: an element,
// a map's value, a union's member, a document.
func (b *inferrer) value(s spot) (protoType, []string) {
	kinds := s.kinds()
	switch {
	case len(kinds) == 0 && s.nulls > 0:
		return protoType{name: nullType}, nil
	case len(kinds) == 0:
		return protoType{name: valueType}, nil
	case len(kinds) == 1 && s.nulls == 0:
		return b.single(s, kinds[0].kind)
	case b.freeForm(s):
		return b.free(s)
	}
	return b.mixed(s, s.nulls > 0)
}

// single makes the type of values of one kind.
func (b *inferrer) single(s spot, k strictjson.Kind) (protoType, []string) {
	switch k {
	case strictjson.Bool:
		return protoType{name: "bool"}, nil
	case strictjson.Number:
		return b.number(s)
	case strictjson.String:
		return b.str(s)
	case strictjson.Array:
		return protoType{message: b.listWrapper(s, "List")}, nil
	}
	if s.object.values != nil {
		return protoType{message: b.mapWrapper(s, "Map")}, nil
	}
	return protoType{message: b.object(s)}, nil
}

// bare makes a message that is its only field in JSON.
func bare(s spot, suffix string, f *protoField) *protoMessage {
	f.key, f.name, f.number = keyless, "v", 1
	return &protoMessage{hint: s.hint, parent: s.parent, suffix: suffix, form: FormBare, path: s.path, fields: []*protoField{f}}
}

func (b *inferrer) listWrapper(s spot, suffix string) *protoMessage {
	if m := b.lists[s.place]; m != nil {
		return m
	}
	m := bare(s, suffix, &protoField{label: LabelList})
	b.lists[s.place] = m
	m.fields[0].typ, m.fields[0].notes = b.elements(s)
	return m
}

func (b *inferrer) mapWrapper(s spot, suffix string) *protoMessage {
	if m := b.maps[s.object]; m != nil {
		return m
	}
	m := bare(s, suffix, &protoField{label: LabelMap})
	b.maps[s.object] = m
	m.fields[0].typ, m.fields[0].notes = b.entries(s)
	return m
}

// elements makes the type of a list's elements.
func (b *inferrer) elements(s spot) (protoType, []string) {
	elem := s.below(&s.array.elem, s.path+"[]", singular(s.hint))
	t, notes := b.value(elem)
	if elem.count() == 0 {
		notes = append(notes, b.note(s.path, "always an empty array: the type of its elements is unknown"))
	}
	return t, append(notes, b.listNotes(s, elem)...)
}

// entries makes the type of a map's values.
func (b *inferrer) entries(s spot) (protoType, []string) {
	var notes []string
	if why := s.object.mapNote(s.path, s.override.modeOf(), b.opt.MaxKeys); why != "" {
		notes = append(notes, b.note(s.path, "%s", why))
	}
	value := s.below(s.object.values, s.path+".*", singular(s.hint))
	t, more := b.value(value)
	if value.count() == 0 {
		more = append(more, b.note(s.path, "always an empty object: the type of its values is unknown"))
	}
	return t, append(notes, more...)
}

// listNotes says what a list could be better than a list.
func (b *inferrer) listNotes(s, elem spot) []string {
	n := &elem.num
	if n.count() == 0 || n.count() != elem.count() {
		return nil
	}
	var notes []string
	if n.floats == 0 && n.rare == nil && n.min == 0 && n.max > 1 && n.max <= 255 && s.array.longest >= 16 && n.count() >= 32 {
		notes = append(notes, b.note(s.path, "%d numbers from 0 to %d only, %d bytes of JSON digits: may be bytes, which would take %d bytes", n.count(), n.max, n.bytes, n.count()))
	}
	if s.array.longest >= longArray {
		notes = append(notes, b.note(s.path, "up to %d numbers in one array: neither JSON nor Protobuf is made for that; a packed buffer in a bytes field, or a columnar format, is", s.array.longest))
	}
	return notes
}

// longArray is the length from which an array of numbers is called long.
const longArray = 1000

// number makes the type of numbers.
func (b *inferrer) number(s spot) (protoType, []string) {
	n := &s.num
	name, repr := n.scalar()
	var notes []string
	r := n.rare
	switch {
	case repr != ReprNumber:
	case r == nil || r.big+r.outside == 0 && n.floats == 0:
		notes = append(notes, b.note(s.path, "negative integers and integers above 2^63-1 (%d): numbers are kept as decimal text", n.max))
	case r.big+r.outside == 0:
		notes = append(notes, b.note(s.path, "fractions beside integers above 2^53 (up to %d), where a double has gaps: numbers are kept as decimal text", max(n.max, uint64(-n.min))))
	default:
		notes = append(notes, b.note(s.path, "numbers that no integer of 64 bits and no double holds, as %s: numbers are kept as decimal text", r.example))
	}
	if n.min < 0 && strings.HasPrefix(name, "sint") {
		notes = append(notes, b.note(s.path, "negative values, for each of which %s takes ten bytes: all values (%d) take %d bytes as %s, %d as %s", name[1:], n.ints, n.zigzag, name, n.plain, name[1:]))
	}
	if name == "double" && n.ints > 0 {
		notes = append(notes, b.note(s.path, "%d integers and %d numbers with a fraction or exponent: double", n.ints, n.floats))
	}
	if r != nil && repr != ReprNumber {
		if r.zeros > 0 && name != "double" {
			notes = append(notes, b.note(s.path, "-0 (%s) comes back as 0", times(r.zeros)))
		}
		if r.long > 0 {
			notes = append(notes, b.note(s.path, "%d numbers have more digits than a double keeps (17)", r.long))
		}
	}
	return protoType{name: name, repr: repr}, notes
}
