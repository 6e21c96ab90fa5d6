package schema

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"wirecost/internal/strictjson"
)

// FromJSON converts a document. The error is a *PathError where the document
// does not fit the schema, and a *strictjson.Error where it is no JSON.
func (r *Reference) FromJSON(doc []byte) (protoreflect.Message, error) {
	m, errs, err := r.decode(doc, 1)
	if err != nil {
		return nil, err
	}
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return m, nil
}

// decode converts a document and goes on after mismatches, up to most of them.
func (r *Reference) decode(doc []byte, most int) (protoreflect.Message, []*PathError, error) {
	d := r.decoders.Get().(*docDecoder)
	defer r.decoders.Put(d)
	d.scan.Reset(doc, r.limits)
	d.path, d.seen, d.errs, d.most = d.path[:0], d.seen[:0], nil, most
	m := dynamicpb.NewMessage(r.root.desc)
	d.message(r.root, d.scan.Value(), m)
	if len(d.errs) >= most {
		return m, d.errs, nil
	}
	if err := d.scan.End(); err != nil {
		return nil, nil, err
	}
	return m, d.errs, nil
}

// docDecoder reads one document. After a mismatch it goes on behind the value.
type docDecoder struct {
	scan strictjson.Scanner
	path docPath
	seen []bool // fields met, of all open objects
	text []byte // a string without its escapes
	errs []*PathError
	most int
}

// errStop ends the walk when there are enough mismatches.
var errStop = &strictjson.Error{Msg: "stopped"}

func (d *docDecoder) fail(offset int, format string, args ...any) {
	if d.scan.Err() != nil {
		return // the text itself is at fault
	}
	d.errs = append(d.errs, &PathError{d.path.exact(), d.path.general(), fmt.Sprintf(format, args...), offset})
	if len(d.errs) >= d.most {
		d.scan.Fail(errStop)
	}
}

// mismatch notes a value of the wrong kind, and skips it.
func (d *docDecoder) mismatch(k strictjson.Kind, want string) {
	if k == strictjson.Invalid {
		return
	}
	d.fail(d.scan.Start, "should be %s, is %s", want, d.shown(k))
	d.scan.Skip(k)
}

// shown describes the value at hand.
func (d *docDecoder) shown(k strictjson.Kind) string {
	switch k {
	case strictjson.Number:
		return "the number " + cutText(string(d.scan.Text))
	case strictjson.String:
		return "the string " + quoteShort(string(d.content()), 60)
	case strictjson.Bool:
		return fmt.Sprint(d.scan.Bool)
	case strictjson.Array, strictjson.Object:
		return "an " + k.String()
	}
	return k.String()
}

func cutText(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// content gives the last string or key without escapes; it is valid until the
// next call.
func (d *docDecoder) content() []byte {
	if !d.scan.Escaped {
		return d.scan.Text
	}
	d.text = strictjson.Unquote(d.text[:0], d.scan.Text)
	return d.text
}

func (d *docDecoder) push(s pathStep) { d.path = append(d.path, s) }
func (d *docDecoder) pop()            { d.path = d.path[:len(d.path)-1] }

// message reads a message's JSON form; k is the kind of the value at hand.
func (d *docDecoder) message(m *refMessage, k strictjson.Kind, to protoreflect.Message) {
	switch m.model.Form {
	case FormBare:
		d.bare(m.fields[0], k, to)
	case FormUnion:
		f := m.byToken[k]
		if f == nil {
			d.mismatch(k, "one of "+m.tokenList())
			return
		}
		if v, ok := d.value(f, k); ok {
			to.Set(f.desc, v)
		}
	default:
		if k != strictjson.Object {
			d.mismatch(k, "an object")
			return
		}
		d.object(m, to)
	}
}

func (m *refMessage) tokenList() string {
	text := ""
	for _, k := range [...]strictjson.Kind{strictjson.Null, strictjson.Bool, strictjson.Number, strictjson.String, strictjson.Array, strictjson.Object} {
		if m.byToken[k] != nil {
			if text != "" {
				text += ", "
			}
			text += k.String()
		}
	}
	return text
}

// bare reads the value of a bare message's field. Null is a mismatch unless the
// field can hold it: absence belongs to whoever holds the message.
func (d *docDecoder) bare(f *refField, k strictjson.Kind, to protoreflect.Message) {
	if k == strictjson.Null && !f.Nil {
		d.mismatch(k, f.wantedWhole())
		return
	}
	d.field(f, k, to)
}

func (d *docDecoder) object(m *refMessage, to protoreflect.Message) {
	start := d.scan.Start
	mark := len(d.seen)
	for range m.fields {
		d.seen = append(d.seen, false)
	}
	for first := true; d.scan.Key(first); first = false {
		at := d.scan.Start
		i, ok := m.byKey[string(d.content())]
		if !ok {
			d.unknownKey(at)
			continue
		}
		f := m.fields[i]
		d.push(pathStep{key: f.Key})
		if d.seen[mark+i] {
			d.fail(at, "the key is there twice")
		}
		d.seen[mark+i] = true
		d.field(f, d.scan.Value(), to)
		d.pop()
	}
	for _, i := range m.needed {
		if !to.Has(m.fields[i].desc) && d.scan.Err() == nil {
			d.push(pathStep{key: m.fields[i].Key})
			d.fail(start, "missing, but the schema requires it")
			d.pop()
		}
	}
	d.seen = d.seen[:mark]
}

func (d *docDecoder) unknownKey(at int) {
	d.push(pathStep{key: string(d.content())})
	d.fail(at, "the schema has no such field")
	d.pop()
	d.scan.Skip(d.scan.Value())
}

// field reads a member's value. Null leaves a field unset, unless it is a value of it.
func (d *docDecoder) field(f *refField, k strictjson.Kind, to protoreflect.Message) {
	if k == strictjson.Null && !f.Nil {
		return
	}
	switch f.Label {
	case LabelList:
		d.list(f, k, to)
	case LabelMap:
		d.entries(f, k, to)
	default:
		if v, ok := d.value(f, k); ok {
			to.Set(f.desc, v)
		}
	}
}

func (d *docDecoder) list(f *refField, k strictjson.Kind, to protoreflect.Message) {
	if k != strictjson.Array {
		d.mismatch(k, "an array")
		return
	}
	list := to.Mutable(f.desc).List()
	d.push(pathStep{kind: stepElement})
	for first := true; d.scan.Elem(first); first = false {
		if v, ok := d.value(f, d.scan.Value()); ok {
			list.Append(v)
		}
		d.path[len(d.path)-1].index++
	}
	d.pop()
}

func (d *docDecoder) entries(f *refField, k strictjson.Kind, to protoreflect.Message) {
	if k != strictjson.Object {
		d.mismatch(k, "an object")
		return
	}
	m := to.Mutable(f.desc).Map()
	for first := true; d.scan.Key(first); first = false {
		at := d.scan.Start
		text := string(d.content())
		d.push(pathStep{kind: stepEntry, key: text})
		key, ok := parseMapKey(f.MapKey, text)
		switch {
		case !ok:
			d.fail(at, "the key should be %s", kindName(f.MapKey))
		case m.Has(key):
			d.fail(at, "the key is there twice")
		}
		if v, valid := d.value(f, d.scan.Value()); ok && valid {
			m.Set(key, v)
		}
		d.pop()
	}
}

// value reads one value: a field's, an element's, or a map entry's.
func (d *docDecoder) value(f *refField, k strictjson.Kind) (protoreflect.Value, bool) {
	switch f.Kind {
	case KindMessage:
		m := dynamicpb.NewMessage(f.message.desc)
		d.message(f.message, k, m)
		return protoreflect.ValueOfMessage(m), true
	case KindValue:
		m := dynamicpb.NewMessage(f.special.desc)
		d.any(f.special, k, m)
		return protoreflect.ValueOfMessage(m), true
	case KindNull:
		if k == strictjson.Null {
			return protoreflect.ValueOfEnum(0), true
		}
	case KindBool:
		if k == strictjson.Bool {
			return protoreflect.ValueOfBool(d.scan.Bool), true
		}
	case KindString:
		switch {
		case f.Repr == ReprNumber && k == strictjson.Number:
			return protoreflect.ValueOfString(string(d.scan.Text)), true
		case f.Repr == ReprNative && k == strictjson.String:
			return protoreflect.ValueOfString(string(d.content())), true
		}
	case KindEnum:
		return d.enum(f, k)
	case KindBytes, KindTimestamp, KindDuration:
		if k == strictjson.String {
			return d.special(f)
		}
	default:
		return d.number(f, k)
	}
	d.mismatch(k, f.wanted())
	return protoreflect.Value{}, false
}

// any reads any JSON value into a google.protobuf.Value.
func (d *docDecoder) any(s *refSpecial, k strictjson.Kind, to *dynamicpb.Message) {
	switch k {
	case strictjson.Null:
		to.Set(s.null, protoreflect.ValueOfEnum(0))
	case strictjson.Bool:
		to.Set(s.boolean, protoreflect.ValueOfBool(d.scan.Bool))
	case strictjson.String:
		to.Set(s.text, protoreflect.ValueOfString(string(d.content())))
	case strictjson.Number:
		if v, ok := d.exactDouble(); ok {
			to.Set(s.number, protoreflect.ValueOfFloat64(v))
		}
	case strictjson.Array:
		list := dynamicpb.NewMessage(s.list.Message())
		values := list.Mutable(s.elements).List()
		d.push(pathStep{kind: stepElement})
		for first := true; d.scan.Elem(first); first = false {
			m := dynamicpb.NewMessage(s.desc)
			d.any(s, d.scan.Value(), m)
			values.Append(protoreflect.ValueOfMessage(m))
			d.path[len(d.path)-1].index++
		}
		d.pop()
		to.Set(s.list, protoreflect.ValueOfMessage(list))
	case strictjson.Object:
		object := dynamicpb.NewMessage(s.object.Message())
		d.anyMembers(s, object.Mutable(s.members).Map())
		to.Set(s.object, protoreflect.ValueOfMessage(object))
	}
}

func (d *docDecoder) anyMembers(s *refSpecial, to protoreflect.Map) {
	for first := true; d.scan.Key(first); first = false {
		at, name := d.scan.Start, string(d.content())
		key := protoreflect.ValueOfString(name).MapKey()
		d.push(pathStep{key: name})
		if to.Has(key) {
			d.fail(at, "the key is there twice")
		}
		m := dynamicpb.NewMessage(s.desc)
		d.any(s, d.scan.Value(), m)
		to.Set(key, protoreflect.ValueOfMessage(m))
		d.pop()
	}
}
