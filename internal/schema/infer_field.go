package schema

import (
	"fmt"
	"strings"

	"wirecost/internal/strictjson"
)

// field makes the field of a member that is missing from some of its objects.
func (b *inferrer) field(s spot, missing int64) *protoField {
	kinds := s.kinds()
	f := &protoField{label: LabelOne}
	switch {
	case len(kinds) == 0:
		f.typ = protoType{name: nullType}
		f.optional = missing > 0
		f.notes = []string{b.note(s.path, "always null: what it holds otherwise is unknown")}
	case len(kinds) > 1 && b.freeForm(s):
		f.typ, f.notes = b.free(s)
	case len(kinds) > 1 || s.nulls > 0 && missing > 0 && b.opt.ExactNull:
		b.unionField(f, s, missing)
	case kinds[0].kind == strictjson.Array:
		b.repeatedField(f, s, missing, s.array.empty)
	case kinds[0].kind == strictjson.Object && s.object.values != nil:
		b.repeatedField(f, s, missing, s.noMembers)
	default:
		f.typ, f.notes = b.single(s, kinds[0].kind)
		f.optional = !f.typ.isMessage() && (missing+s.nulls > 0 || f.typ.emptyIsWrong())
		f.absent = b.absence(f, s, missing)
	}
	return f
}

// unionField keeps null as a member of its own unless it can be what unset means.
func (b *inferrer) unionField(f *protoField, s spot, missing int64) {
	withNull := s.nulls > 0 && missing > 0
	f.typ, f.notes = b.mixed(s, withNull)
	if s.nulls > 0 && !withNull {
		f.absent = AbsentNull
	}
}

// absence chooses what unset means for a single field: null or missing,
// whichever is more frequent.
func (b *inferrer) absence(f *protoField, s spot, missing int64) Absent {
	switch {
	case s.nulls == 0:
		return ""
	case missing == 0:
		return AbsentNull
	case s.nulls > missing:
		f.notes = append(f.notes, b.note(s.path, "null %s, missing %s: missing comes back as null; --exact-null keeps both", times(s.nulls), times(missing)))
		return AbsentNull
	}
	f.notes = append(f.notes, b.note(s.path, "missing %s, null %s: null comes back as missing; --exact-null keeps both", times(missing), times(s.nulls)))
	return ""
}

// repeatedField makes the field of a list or map. A plain one has one way of
// being empty, so two ways need a wrapper message, whose presence tells them apart.
func (b *inferrer) repeatedField(f *protoField, s spot, missing, empty int64) {
	ways := 0
	for _, n := range []int64{missing, s.nulls, empty} {
		if n > 0 {
			ways++
		}
	}
	list := s.array != nil
	if ways == 2 && empty > 0 {
		if f.typ.message = b.mapOrListWrapper(s, list); s.nulls > 0 {
			f.absent = AbsentNull
		}
		return
	}
	if list {
		f.label = LabelList
		f.typ, f.notes = b.elements(s)
	} else {
		f.label = LabelMap
		f.typ, f.notes = b.entries(s)
	}
	f.absent = mostly(missing, s.nulls, empty)
	if ways > 1 {
		brackets := map[bool]string{true: "[]", false: "{}"}[list]
		f.notes = append(f.notes, b.note(s.path, "missing %s, null %s, %s %s: all come back as the most frequent; --exact-null keeps them apart", times(missing), times(s.nulls), brackets, times(empty)))
	}
}

func (b *inferrer) mapOrListWrapper(s spot, list bool) *protoMessage {
	if list {
		return b.listWrapper(s, "List")
	}
	return b.mapWrapper(s, "Map")
}

// mostly says what an empty list or map means: the most frequent of the three,
// the first of equals.
func mostly(missing, null, empty int64) Absent {
	switch {
	case missing >= null && missing >= empty && missing > 0:
		return ""
	case null >= empty && null > 0:
		return AbsentNull
	case empty > 0:
		return AbsentWrite
	}
	return ""
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprint(n) + " times"
}

// mixed makes a union: one member for each kind that was seen.
func (b *inferrer) mixed(s spot, withNull bool) (protoType, []string) {
	var seen []string
	for _, k := range s.kinds() {
		seen = append(seen, fmt.Sprintf("%s %s", k.kind, times(k.count)))
	}
	var notes []string
	if len(seen) > 1 {
		notes = append(notes, b.note(s.path, "of mixed type: %s", strings.Join(seen, ", ")))
	}
	if m := b.unions[s.place]; m != nil {
		return protoType{message: m}, notes
	}
	m := &protoMessage{hint: s.hint, parent: s.parent, suffix: "Union", form: FormUnion, path: s.path}
	b.unions[s.place] = m
	add := func(name string, t protoType, notes []string) {
		m.fields = append(m.fields, &protoField{key: keyless, name: name, number: len(m.fields) + 1, label: LabelOne, typ: t, notes: notes})
	}
	if withNull {
		add("null_value", protoType{name: nullType}, nil)
	}
	for _, k := range s.kinds() {
		t, more := b.single(s, k.kind)
		add(memberNames[k.kind], t, more)
	}
	return protoType{message: m}, notes
}

var memberNames = map[strictjson.Kind]string{
	strictjson.Bool: "bool_value", strictjson.Number: "number_value", strictjson.String: "string_value",
	strictjson.Array: "list_value", strictjson.Object: "object_value",
}

// free makes google.protobuf.Value of free-form JSON.
func (b *inferrer) free(s spot) (protoType, []string) {
	size := s.size()
	b.valueBytes += size
	return protoType{name: valueType}, []string{b.note(s.path,
		"mixed types inside mixed types: google.protobuf.Value, which holds %d bytes of compact JSON (%.1f%% of all); it saves nothing there, and a string or bytes field with the JSON text is an alternative",
		size, 100*share(size, b.bytes))}
}

// freeForm tells whether values here are of mixed type and hold further values
// of mixed type, so that a tree of unions would only rebuild
// google.protobuf.Value; unless it would lose numbers, or the structure is
// recursive, which is regular.
func (b *inferrer) freeForm(s spot) bool {
	if len(s.kinds()) < 2 {
		return false
	}
	w := freeWalk{seen: map[*place]bool{s.place: true}, from: s.place}
	w.below(s.place)
	return w.unions > 0 && !w.back && !w.numbers && s.num.doubles()
}

// freeWalk looks below a place of mixed type.
type freeWalk struct {
	from    *place
	seen    map[*place]bool
	unions  int
	back    bool // the place is below itself
	numbers bool // some number is not exactly a double
}

func (w *freeWalk) visit(v *place) {
	v = v.rep()
	if v == w.from {
		w.back = true
	}
	if w.seen[v] {
		return
	}
	w.seen[v] = true
	if len(v.kinds()) > 1 {
		w.unions++
	}
	w.numbers = w.numbers || !v.num.doubles()
	w.below(v)
}

func (w *freeWalk) below(v *place) {
	if v.array != nil {
		w.visit(&v.array.elem)
	}
	if o := v.obj(); o != nil {
		if o.values != nil {
			w.visit(o.values)
		}
		for _, m := range o.members {
			w.visit(&m.value)
		}
	}
}

// str makes the type of strings.
func (b *inferrer) str(s spot) (protoType, []string) {
	t := &s.str
	var notes []string
	if t.json > 0 && t.json*2 >= t.count {
		notes = append(notes, b.note(s.path, "nested JSON text (%d of %d strings): its structure is not measured; --expand '%s' measures it", t.json, t.count, s.path))
	}
	if b.opt.Track != TrackTyped || t.formats == nil || t.count == 0 {
		return protoType{name: "string"}, notes
	}
	typ, text := b.typedString(s)
	if text != "" {
		notes = append(notes, b.note(s.path, "%s", text))
	}
	return typ, notes
}
