package schema

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// build makes the model of the roots: sample → full message name, where an
// empty name stands for the default root.
func (s *Schema) build(roots map[string]string) error {
	b := &modelBuilder{
		model: &Model{Format: ModelFormat}, messages: map[protoreflect.FullName]*Message{},
		enums: map[protoreflect.FullName]*Enum{}, types: identSet{},
	}
	samples := make([]string, 0, len(roots))
	for sample := range roots {
		samples = append(samples, sample)
	}
	slices.Sort(samples)
	for _, sample := range samples {
		name := protoreflect.FullName(roots[sample])
		if name == "" {
			name = s.root
		} else if found, err := s.findMessage(string(name)); err != nil {
			return err
		} else {
			name = found
		}
		m, err := b.root(s, name)
		if err != nil {
			return err
		}
		b.model.Roots = append(b.model.Roots, Root{Sample: sample, Type: m.ID})
	}
	b.model.markBoxes()
	b.model.markNil()
	if err := b.model.check(); err != nil {
		return err
	}
	b.model.findLeaves(isWritten)
	s.Model = b.model
	s.Notes = slices.Concat(s.base, b.notes, s.modelNotes(s.Model))
	return nil
}

type modelBuilder struct {
	model    *Model
	messages map[protoreflect.FullName]*Message
	enums    map[protoreflect.FullName]*Enum
	types    identSet
	notes    []Note
}

func (b *modelBuilder) root(s *Schema, name protoreflect.FullName) (*Message, error) {
	d, err := s.files.FindDescriptorByName(name)
	if err != nil {
		return nil, fmt.Errorf("the schema has no message %s", name)
	}
	m, ok := d.(protoreflect.MessageDescriptor)
	if !ok || m.IsMapEntry() {
		return nil, fmt.Errorf("%s is not a message", name)
	}
	if k, known := wellKnownKind(m); known {
		return nil, fmt.Errorf("%s cannot be the root message: its JSON form is a single %s", name, k)
	}
	if unsupportedType(m) {
		return nil, fmt.Errorf("%s is not supported; give another --message", name)
	}
	return b.message(m)
}

func (b *modelBuilder) message(d protoreflect.MessageDescriptor) (*Message, error) {
	if m := b.messages[d.FullName()]; m != nil {
		return m, nil
	}
	m := &Message{ID: b.types.typeName(shortName(d)), Name: string(d.FullName()), Form: FormObject}
	if isBareWellKnown(d) {
		m.Form = FormBare
	}
	if f, ok := readJSONOptions(d.Options()).form(); ok {
		m.Form = f
	}
	b.messages[d.FullName()] = m
	members := identSet{}
	if m.Form == FormUnion {
		members.take(unionOneof)
	}
	for i := range d.Fields().Len() {
		if err := b.field(m, members, d.Fields().Get(i)); err != nil {
			return nil, err
		}
	}
	if err := b.oneofs(m, members, d); err != nil {
		return nil, err
	}
	b.model.Messages = append(b.model.Messages, m) // after those it uses
	return m, nil
}

// shortName leaves out the package.
func shortName(d protoreflect.Descriptor) string {
	return strings.TrimPrefix(string(d.FullName()), string(d.ParentFile().Package())+".")
}

func (b *modelBuilder) field(m *Message, members identSet, d protoreflect.FieldDescriptor) error {
	f := &Field{
		ID: members.member(string(d.Name())), Name: string(d.Name()), Number: int(d.Number()), Key: d.JSONName(),
		Label: LabelOne, Absent: AbsentOmit, Presence: d.HasPresence(),
	}
	value := d
	switch {
	case d.IsMap():
		f.Label, value = LabelMap, d.MapValue()
		f.MapKey, _ = scalarKind(d.MapKey().Kind())
	case d.IsList():
		f.Label = LabelList
	case !f.Presence:
		f.Absent = AbsentWrite
	}
	if t := value.Message(); t != nil && unsupportedType(t) {
		if d.Cardinality() == protoreflect.Required {
			return fmt.Errorf("%s: a required field of %s, which is not supported", d.FullName(), t.FullName())
		}
		b.notes = append(b.notes, Note{string(d.FullName()), fmt.Sprintf("%s is not supported: the field is left out, and documents must not use it", t.FullName())})
		return nil
	}
	if err := b.valueType(f, value); err != nil {
		return err
	}
	o := readJSONOptions(d.Options())
	if key, ok := o.key(); ok {
		f.Key = key
	}
	if a := o.absent(); a != "" {
		f.Absent = a
	}
	f.Repr, _ = o.repr()
	m.Fields = append(m.Fields, f)
	return nil
}

// valueType sets a field's kind and type, and builds the type.
func (b *modelBuilder) valueType(f *Field, d protoreflect.FieldDescriptor) error {
	switch {
	case d.Message() != nil:
		if k, ok := wellKnownKind(d.Message()); ok {
			f.Kind = k
			return nil
		}
		t, err := b.message(d.Message())
		if err != nil {
			return err
		}
		f.Kind, f.Type = KindMessage, t.ID
	case d.Enum() != nil:
		if isNullValue(d.Enum()) {
			f.Kind = KindNull
			return nil
		}
		f.Kind, f.Type = KindEnum, b.enum(d.Enum()).ID
	default:
		f.Kind, _ = scalarKind(d.Kind())
	}
	return nil
}

func (b *modelBuilder) enum(d protoreflect.EnumDescriptor) *Enum {
	if e := b.enums[d.FullName()]; e != nil {
		return e
	}
	e := &Enum{ID: b.types.typeName(shortName(d)), Name: string(d.FullName())}
	values := identSet{}
	for i := range d.Values().Len() {
		v := d.Values().Get(i)
		e.Values = append(e.Values, EnumValue{values.member(string(v.Name())), int32(v.Number()), string(v.Name())})
	}
	b.enums[d.FullName()] = e
	b.model.Enums = append(b.model.Enums, e)
	return e
}

// unionOneof is the name, less the final "_", of a union's oneof in the
// normalised set.
const unionOneof = "union"

// oneofs gives ordinary oneofs their IDs, and checks that a union is one oneof.
func (b *modelBuilder) oneofs(m *Message, members identSet, d protoreflect.MessageDescriptor) error {
	ids := map[protoreflect.Name]string{}
	for _, f := range m.Fields {
		c := d.Fields().ByNumber(protoreflect.FieldNumber(f.Number)).ContainingOneof()
		ordinary := c != nil && !c.IsSynthetic()
		if m.Form == FormUnion {
			if !ordinary || d.Oneofs().Len() != 1 {
				return fmt.Errorf("%s: a union's fields all belong to one oneof; put %s into it", m.Name, f.Name)
			}
			continue
		}
		if !ordinary {
			continue
		}
		if ids[c.Name()] == "" {
			ids[c.Name()] = members.member(string(c.Name()))
		}
		f.Oneof = ids[c.Name()]
	}
	return nil
}

// scalarKind maps wire types to kinds: how an integer is encoded makes no
// difference to a language.
func scalarKind(k protoreflect.Kind) (Kind, bool) {
	switch k {
	case protoreflect.BoolKind:
		return KindBool, true
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return KindInt32, true
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return KindInt64, true
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return KindUint32, true
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return KindUint64, true
	case protoreflect.FloatKind:
		return KindFloat, true
	case protoreflect.DoubleKind:
		return KindDouble, true
	case protoreflect.StringKind:
		return KindString, true
	case protoreflect.BytesKind:
		return KindBytes, true
	}
	return "", false
}
