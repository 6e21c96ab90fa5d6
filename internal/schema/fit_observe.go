package schema

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/strictjson"
)

// descriptor gives a field of the model as the user declared it.
func (s *Schema) descriptor(m *Message, f *Field) protoreflect.FieldDescriptor {
	d, _ := s.files.FindDescriptorByName(protoreflect.FullName(m.Name))
	return d.(protoreflect.MessageDescriptor).Fields().ByNumber(protoreflect.FieldNumber(f.Number))
}

// observe counts the spellings in one document. What does not match the schema
// is passed over: match finds it.
func (f *fitter) observe(root string, doc []byte) error {
	f.scan.Reset(doc, f.schema.Limits)
	f.value(f.index.messages[root], f.scan.Value())
	return f.scan.End()
}

// value looks at a message's JSON form.
func (f *fitter) value(m *Message, k strictjson.Kind) {
	switch m.Form {
	case FormBare:
		f.field(f.tallies[m.Fields[0]], k)
	case FormUnion:
		for _, x := range m.Fields {
			if f.index.fieldTokens(x)&(1<<tokens(k)) != 0 {
				f.field(f.tallies[x], k)
				return
			}
		}
		f.scan.Skip(k)
	default:
		if k != strictjson.Object {
			f.scan.Skip(k)
			return
		}
		f.object(m)
	}
}

func (f *fitter) object(m *Message) {
	f.objects[m]++
	keys := f.byKey[m]
	for first := true; f.scan.Key(first); first = false {
		key := f.content()
		t := keys[string(key)]
		if t == nil {
			f.scan.Skip(f.scan.Value())
			continue
		}
		if string(key) == t.field.Key {
			t.byKey++
		} else {
			t.byName++
		}
		k := f.scan.Value()
		if k == strictjson.Null && !t.field.Nil {
			t.null++
			continue
		}
		f.field(t, k)
	}
}

func (f *fitter) content() []byte {
	if !f.scan.Escaped {
		return f.scan.Text
	}
	f.text = strictjson.Unquote(f.text[:0], f.scan.Text)
	return f.text
}

// field looks at a field's value.
func (f *fitter) field(t *fieldTally, k strictjson.Kind) {
	switch t.field.Label {
	case LabelList:
		if k != strictjson.Array {
			f.scan.Skip(k)
			return
		}
		n := 0
		for first := true; f.scan.Elem(first); first = false {
			f.single(t, f.scan.Value())
			n++
		}
		if n == 0 {
			t.unset++
		}
	case LabelMap:
		if k != strictjson.Object {
			f.scan.Skip(k)
			return
		}
		n := 0
		for first := true; f.scan.Key(first); first = false {
			f.single(t, f.scan.Value())
			n++
		}
		if n == 0 {
			t.unset++
		}
	default:
		if !t.field.Presence && f.isDefault(t.field, k) {
			t.unset++
		}
		f.single(t, k)
	}
}

// isDefault reports whether the value at hand is what an unset field stands for.
func (f *fitter) isDefault(x *Field, k strictjson.Kind) bool {
	switch k {
	case strictjson.Null:
		return x.Kind == KindNull
	case strictjson.Bool:
		return !f.scan.Bool
	case strictjson.Number:
		return parseDecimal(string(f.scan.Text)).digits == "" && (f.scan.Text[0] != '-' || isInteger(x.Kind))
	case strictjson.String:
		text := string(f.content())
		if x.Kind == KindEnum {
			return text == f.index.enums[x.Type].Values[0].Key || text == "0"
		}
		return text == "" || text == "0" && isNumeric(x.Kind)
	}
	return false
}

// single looks at one value: a field's, an element's, or a map entry's.
func (f *fitter) single(t *fieldTally, k strictjson.Kind) {
	switch {
	case t.field.Kind == KindMessage:
		f.value(f.index.messages[t.field.Type], k)
		return
	case k == strictjson.String && !(isNumeric(t.field.Kind) && isNonFinite(f.scan.Text)):
		t.strings++
		if t.field.Kind == KindBytes {
			f.at.offset = f.scan.Start
			t.lookAtBytes(string(f.content()), f.at)
		}
	case k == strictjson.Number:
		t.numbers++
		if t.varint {
			t.price(f.scan.Text)
		}
	}
	f.scan.Skip(k)
}

// lookAtBytes watches for hexadecimal and UUIDs, which are valid base64 as well.
func (t *fieldTally) lookAtBytes(text string, at docPlace) {
	if text == "" {
		return
	}
	if t.texts == 0 {
		t.first = at
	}
	t.texts++
	if _, ok := parseBytes(ReprUUID, text); ok {
		t.uuids++
		return
	}
	if _, ok := parseBytes(ReprHex, text); ok && len(text) >= 8 && (strings.ToLower(text) == text || strings.ToUpper(text) == text) {
		t.hexTexts++
		t.hexSize += len(text)
	}
}

// price adds what an integer costs as it is declared, and as a zigzag one.
func (t *fieldTally) price(text []byte) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return
	}
	if n < 0 {
		t.negatives++
	}
	t.plainBytes += protowire.SizeVarint(uint64(n))
	t.zigzagBytes += protowire.SizeVarint(protowire.EncodeZigZag(n))
}

// noteNegatives says where another integer type would be much smaller.
func (f *fitter) noteNegatives() {
	for _, m := range f.schema.Model.Messages {
		for _, x := range m.Fields {
			if t := f.tallies[x]; t.negatives > 0 && t.zigzagBytes < t.plainBytes {
				f.note(t, "negative values in %s cost 10 bytes each: its %d values take %d bytes, as s%s they would take %d", x.Kind, t.numbers, t.plainBytes, x.Kind, t.zigzagBytes)
			}
		}
	}
}

// noteTags says what the numbers of very many fields cost.
func (f *fitter) noteTags() {
	for _, m := range f.schema.Model.Messages {
		long := 0
		for _, x := range m.Fields {
			if x.Number > 2047 {
				long++
			}
		}
		if long > 0 {
			f.notes = append(f.notes, Note{m.Name, fmt.Sprintf("%d of its %d fields have numbers above 2047, whose tags take three bytes or more (those above 15 two): a map may suit the data better", long, len(m.Fields))})
		}
	}
}

// minHexDigits is how many digits a bytes field must show in all before they are
// suspected to be hexadecimal: random base64 looks so with probability 4^-16.
const minHexDigits = 16

// suspectBytes adds a mismatch for bytes fields that are base64 by the schema,
// and look like something else throughout, to the report of the sample where
// that is first seen.
func (f *fitter) suspectBytes(sample int, report *FitReport) {
	for _, m := range f.schema.Model.Messages {
		for _, x := range m.Fields {
			t := f.tallies[x]
			if x.Kind != KindBytes || f.fixed[x] || t.texts == 0 || t.first.sample != sample {
				continue
			}
			what := ""
			switch {
			case t.uuids == t.texts:
				what = fmt.Sprintf("bytes field fed with UUIDs? try --repr %s=uuid", shortField(m, x))
			case t.hexTexts == t.texts && t.hexSize >= minHexDigits:
				digits := t.hexSize / t.texts
				what = fmt.Sprintf("bytes field fed with hex? read as base64, %d digits would give %d bytes instead of %d; try --repr %s=hex (or =native if it is base64)",
					digits, base64.StdEncoding.DecodedLen(digits), digits/2, shortField(m, x))
			default:
				continue
			}
			report.suspect(t, what)
		}
	}
}

// suspect adds what is wrong with a bytes field as a whole.
func (r *FitReport) suspect(t *fieldTally, what string) {
	if r.Refused == 0 {
		r.Refused = 1
	}
	r.Mismatches = append(r.Mismatches, Mismatch{
		Path: t.message.Name + "." + t.field.Name, What: what, Count: t.texts, Document: t.first.document, Offset: t.first.offset,
	})
}

func shortField(m *Message, x *Field) string {
	return m.Name[strings.LastIndexByte(m.Name, '.')+1:] + "." + x.Name
}
