package schema

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/strictjson"
)

// ToJSON converts a message to compact JSON: keys in field order, map keys
// sorted. It fails on values that have no JSON form, as a UUID of 3 bytes.
func (r *Reference) ToJSON(m protoreflect.Message) ([]byte, error) {
	w := jsonWriter{}
	w.message(r.root, m)
	if w.err != nil {
		return nil, w.err
	}
	return w.out, nil
}

// jsonWriter appends JSON and keeps the first error, with its path.
type jsonWriter struct {
	out  []byte
	path docPath
	err  error
}

func (w *jsonWriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = &PathError{w.path.exact(), w.path.general(), fmt.Sprintf(format, args...), 0}
	}
}

func (w *jsonWriter) message(t *refMessage, m protoreflect.Message) {
	switch t.model.Form {
	case FormBare:
		f := t.fields[0]
		w.field(f, m.Get(f.desc))
	case FormUnion:
		d := m.WhichOneof(t.oneof)
		if d == nil {
			w.fail("a union without a member")
			return
		}
		for _, f := range t.fields {
			if f.desc.Number() == d.Number() {
				w.field(f, m.Get(f.desc))
			}
		}
	default:
		w.object(t, m)
	}
}

func (w *jsonWriter) object(t *refMessage, m protoreflect.Message) {
	w.out = append(w.out, '{')
	first := true
	for _, f := range t.fields {
		set := m.Has(f.desc)
		if !set && f.unset == nil {
			continue
		}
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.out = append(w.out, f.head...)
		if !set {
			w.out = append(w.out, f.unset...)
			continue
		}
		w.path = append(w.path, pathStep{key: f.Key})
		w.field(f, m.Get(f.desc))
		w.path = w.path[:len(w.path)-1]
	}
	w.out = append(w.out, '}')
}

func (w *jsonWriter) field(f *refField, v protoreflect.Value) {
	switch f.Label {
	case LabelList:
		w.list(f, v.List())
	case LabelMap:
		w.entries(f, v.Map())
	default:
		w.value(f, v)
	}
}

func (w *jsonWriter) list(f *refField, l protoreflect.List) {
	w.out = append(w.out, '[')
	w.path = append(w.path, pathStep{kind: stepElement})
	for i := range l.Len() {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.path[len(w.path)-1].index = i
		w.value(f, l.Get(i))
	}
	w.path = w.path[:len(w.path)-1]
	w.out = append(w.out, ']')
}

func (w *jsonWriter) entries(f *refField, m protoreflect.Map) {
	w.out = append(w.out, '{')
	for i, k := range sortedKeys(m) {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		name := k.String()
		w.path = append(w.path, pathStep{kind: stepEntry, key: name})
		w.text(name)
		w.out = append(w.out, ':')
		w.value(f, m.Get(k))
		w.path = w.path[:len(w.path)-1]
	}
	w.out = append(w.out, '}')
}

func sortedKeys(m protoreflect.Map) []protoreflect.MapKey {
	keys := make([]protoreflect.MapKey, 0, m.Len())
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k)
		return true
	})
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

func (w *jsonWriter) text(s string) {
	if !utf8.ValidString(s) { // proto2 lets it pass
		w.fail("a string with invalid UTF-8")
		s = ""
	}
	w.out = strictjson.AppendQuoted(w.out, s)
}

// value writes one value: a field's, an element's, or a map entry's.
func (w *jsonWriter) value(f *refField, v protoreflect.Value) {
	switch f.Kind {
	case KindMessage:
		w.message(f.message, v.Message())
	case KindValue:
		w.any(f.special, v.Message())
	case KindNull:
		w.out = append(w.out, "null"...)
	case KindBool:
		w.out = strconv.AppendBool(w.out, v.Bool())
	case KindString:
		if f.Repr == ReprNumber {
			w.numberText(v.String())
			return
		}
		w.text(v.String())
	case KindBytes:
		w.bytes(f.Repr, v.Bytes())
	case KindEnum:
		w.enum(f, v.Enum())
	case KindTimestamp, KindDuration:
		w.time(f, v.Message())
	default:
		w.number(f, v)
	}
}

func (w *jsonWriter) numberText(s string) {
	if !isNumberText([]byte(s)) {
		w.fail("the string %s should hold a number", quoteShort(s, 60))
		s = "0"
	}
	w.out = append(w.out, s...)
}

func (w *jsonWriter) bytes(r Repr, b []byte) {
	w.out = append(w.out, '"')
	switch {
	case r == ReprHex:
		w.out = hex.AppendEncode(w.out, b)
	case r == ReprUUID && len(b) != 16:
		w.fail("%d bytes where a UUID has 16", len(b))
	case r == ReprUUID:
		for i, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
			if i > 0 {
				w.out = append(w.out, '-')
			}
			w.out = hex.AppendEncode(w.out, part)
		}
	default:
		w.out = base64.StdEncoding.AppendEncode(w.out, b)
	}
	w.out = append(w.out, '"')
}

func (w *jsonWriter) enum(f *refField, n protoreflect.EnumNumber) {
	if name, ok := f.numbers[n]; ok && f.Repr == ReprNative {
		w.text(name)
		return
	}
	if f.Repr == ReprString {
		w.out = append(w.out, '"')
	}
	w.out = strconv.AppendInt(w.out, int64(n), 10)
	if f.Repr == ReprString {
		w.out = append(w.out, '"')
	}
}

func (w *jsonWriter) time(f *refField, m protoreflect.Message) {
	write := appendTimestamp
	if f.Kind == KindDuration {
		write = appendDuration
	}
	out, ok := write(w.out, m.Get(f.special.seconds).Int(), int32(m.Get(f.special.nanos).Int()))
	if !ok {
		w.fail("a %s outside its range", f.Kind)
		out = append(out, `""`...)
	}
	w.out = out
}

func (w *jsonWriter) number(f *refField, v protoreflect.Value) {
	quoted := f.Repr == ReprString
	if quoted {
		w.out = append(w.out, '"')
	}
	switch f.Kind {
	case KindInt32, KindInt64:
		w.out = strconv.AppendInt(w.out, v.Int(), 10)
	case KindUint32, KindUint64:
		w.out = strconv.AppendUint(w.out, v.Uint(), 10)
	case KindFloat:
		w.out = appendFloat(w.out, v.Float(), 32, quoted)
	default:
		w.out = appendFloat(w.out, v.Float(), 64, quoted)
	}
	if quoted {
		w.out = append(w.out, '"')
	}
}

// appendFloat writes the shortest text that reads back as the same number, as
// ECMAScript does; what is not finite becomes ProtoJSON's string.
func appendFloat(dst []byte, v float64, size int, quoted bool) []byte {
	word := ""
	switch {
	case math.IsNaN(v):
		word = "NaN"
	case math.IsInf(v, 1):
		word = "Infinity"
	case math.IsInf(v, -1):
		word = "-Infinity"
	}
	if word != "" {
		if quoted {
			return append(dst, word...)
		}
		return append(append(append(dst, '"'), word...), '"')
	}
	format := byte('f')
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, v, format, -1, size)
}

// any writes a google.protobuf.Value.
func (w *jsonWriter) any(s *refSpecial, m protoreflect.Message) {
	switch {
	case m.Has(s.number):
		v := m.Get(s.number).Float()
		if math.IsNaN(v) || math.IsInf(v, 0) {
			w.fail("a google.protobuf.Value that holds %v, which JSON has no number for", v)
		}
		w.out = appendFloat(w.out, v, 64, false)
	case m.Has(s.text):
		w.text(m.Get(s.text).String())
	case m.Has(s.boolean):
		w.out = strconv.AppendBool(w.out, m.Get(s.boolean).Bool())
	case m.Has(s.object):
		w.anyMembers(s, m.Get(s.object).Message().Get(s.members).Map())
	case m.Has(s.list):
		w.out = append(w.out, '[')
		l := m.Get(s.list).Message().Get(s.elements).List()
		for i := range l.Len() {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.any(s, l.Get(i).Message())
		}
		w.out = append(w.out, ']')
	case m.Has(s.null):
		w.out = append(w.out, "null"...)
	default:
		w.fail("a google.protobuf.Value that holds nothing")
	}
}

func (w *jsonWriter) anyMembers(s *refSpecial, m protoreflect.Map) {
	w.out = append(w.out, '{')
	for i, k := range sortedKeys(m) {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.text(k.String())
		w.out = append(w.out, ':')
		w.any(s, m.Get(k).Message())
	}
	w.out = append(w.out, '}')
}
