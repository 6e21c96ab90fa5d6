package schema

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"wirecost/internal/strictjson"
)

// Reference converts the documents of one sample between JSON and Protobuf by
// the model alone. It is the truth that codecs are held against. Its messages
// are dynamic ones of the normalised set. It is safe for concurrent use.
type Reference struct {
	root     *refMessage
	leaf     []*refField
	limits   strictjson.Limits
	required bool                           // some message has required fields
	own      protoreflect.MessageDescriptor // the root as the user declared it
	decoders sync.Pool
}

// refMessage is a message type with tables for conversion.
type refMessage struct {
	model   *Message
	desc    protoreflect.MessageDescriptor
	fields  []*refField
	byKey   map[string]int // JSON key → index in fields
	byToken map[strictjson.Kind]*refField
	oneof   protoreflect.OneofDescriptor // a union's
	needed  []int                        // required fields
}

// refField is a field with what its conversion needs.
type refField struct {
	*Field
	desc    protoreflect.FieldDescriptor
	value   protoreflect.FieldDescriptor // of a map's values; else desc
	message *refMessage                  // of kind message
	special *refSpecial                  // of kinds value, timestamp and duration
	names   map[string]protoreflect.EnumNumber
	numbers map[protoreflect.EnumNumber]string
	closed  bool   // a closed enum: only listed numbers
	head    []byte // the JSON key with its colon
	unset   []byte // what unset is in JSON; nil: no member
}

// refSpecial holds the descriptors inside a google.protobuf type that the model
// treats as one value.
type refSpecial struct {
	desc                                      protoreflect.MessageDescriptor
	seconds, nanos                            protoreflect.FieldDescriptor // Timestamp, Duration
	null, number, text, boolean, object, list protoreflect.FieldDescriptor // Value
	members, elements                         protoreflect.FieldDescriptor // Struct.fields, ListValue.values
}

// Reference returns the conversion for a sample's documents. It follows the
// model as it is now: ask again after Fit.
func (s *Schema) Reference(sample string) (*Reference, error) {
	root, ok := s.Model.RootOf(sample)
	if !ok {
		return nil, fmt.Errorf("the schema has no root message for the sample %q", sample)
	}
	set, err := s.Normalised(true)
	if err != nil {
		return nil, err
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, err
	}
	b := refBuilder{files: files, index: s.Model.index(), done: map[string]*refMessage{}, specials: map[Kind]*refSpecial{}}
	r := &Reference{root: b.message(root.Type), limits: s.Limits}
	r.required = b.required
	r.decoders.New = func() any { return &docDecoder{} }
	own, err := s.files.FindDescriptorByName(protoreflect.FullName(r.root.model.Name))
	if err != nil {
		return nil, err
	}
	r.own = own.(protoreflect.MessageDescriptor)
	for m, i := r.root, 0; i < len(root.Leaf); i++ {
		f := m.fieldByID(root.Leaf[i])
		r.leaf, m = append(r.leaf, f), f.message
	}
	return r, nil
}

func (m *refMessage) fieldByID(id string) *refField {
	for _, f := range m.fields {
		if f.ID == id {
			return f
		}
	}
	return nil
}

type refBuilder struct {
	files    *protoregistry.Files
	index    modelIndex
	done     map[string]*refMessage
	specials map[Kind]*refSpecial
	required bool
}

func (b *refBuilder) message(id string) *refMessage {
	if m := b.done[id]; m != nil {
		return m
	}
	d, _ := b.files.FindDescriptorByName(NormalisedPackage + "." + protoreflect.FullName(id))
	m := &refMessage{model: b.index.messages[id], desc: d.(protoreflect.MessageDescriptor), byKey: map[string]int{}}
	b.done[id] = m
	for i, f := range m.model.Fields {
		m.fields = append(m.fields, b.field(m, f))
		m.byKey[f.Key] = i
		if m.fields[i].desc.Cardinality() == protoreflect.Required {
			m.needed, b.required = append(m.needed, i), true
		}
	}
	if m.model.Form == FormUnion {
		m.oneof = m.desc.Oneofs().Get(0)
		m.byToken = map[strictjson.Kind]*refField{}
		for _, f := range m.fields {
			for i, k := range [...]strictjson.Kind{strictjson.Null, strictjson.Bool, strictjson.Number, strictjson.String, strictjson.Array, strictjson.Object} {
				if b.index.fieldTokens(f.Field)&(1<<i) != 0 {
					m.byToken[k] = f
				}
			}
		}
	}
	return m
}

func (b *refBuilder) field(m *refMessage, f *Field) *refField {
	d := m.desc.Fields().ByNumber(protoreflect.FieldNumber(f.Number))
	r := &refField{Field: f, desc: d, value: d, head: append(strictjson.AppendQuoted(nil, f.Key), ':')}
	if d.IsMap() {
		r.value = d.MapValue()
	}
	switch f.Kind {
	case KindMessage:
		r.message = b.message(f.Type)
	case KindValue, KindTimestamp, KindDuration:
		r.special = b.special(f.Kind, r.value.Message())
	case KindEnum:
		r.names, r.numbers = map[string]protoreflect.EnumNumber{}, map[protoreflect.EnumNumber]string{}
		r.closed = r.value.Enum().IsClosed()
		for _, v := range b.index.enums[f.Type].Values {
			n := protoreflect.EnumNumber(v.Number)
			r.names[v.Key] = n
			if _, alias := r.numbers[n]; !alias {
				r.numbers[n] = v.Key
			}
		}
	}
	switch f.Absent {
	case AbsentNull:
		r.unset = []byte("null")
	case AbsentWrite:
		r.unset = r.defaultJSON()
	}
	return r
}

func (b *refBuilder) special(k Kind, d protoreflect.MessageDescriptor) *refSpecial {
	if s := b.specials[k]; s != nil {
		return s
	}
	f := d.Fields()
	s := &refSpecial{desc: d}
	if k == KindValue {
		s.null, s.number, s.text, s.boolean = f.ByName("null_value"), f.ByName("number_value"), f.ByName("string_value"), f.ByName("bool_value")
		s.object, s.list = f.ByName("struct_value"), f.ByName("list_value")
		s.members, s.elements = s.object.Message().Fields().ByName("fields"), s.list.Message().Fields().ByName("values")
	} else {
		s.seconds, s.nanos = f.ByName("seconds"), f.ByName("nanos")
	}
	b.specials[k] = s
	return s
}

// defaultJSON is an unset field's value in JSON where absent means "write".
func (f *refField) defaultJSON() []byte {
	switch {
	case f.Label == LabelList:
		return []byte("[]")
	case f.Label == LabelMap:
		return []byte("{}")
	case f.Kind == KindTimestamp:
		return []byte(`"1970-01-01T00:00:00Z"`)
	case f.Kind == KindDuration:
		return []byte(`"0s"`)
	case f.Kind == KindString && f.Repr == ReprNumber:
		return []byte("0")
	}
	w := jsonWriter{}
	w.value(f, f.desc.Default())
	return w.out
}

// New returns an empty root message.
func (r *Reference) New() protoreflect.Message { return dynamicpb.NewMessage(r.root.desc) }

// Marshal returns the message's wire form; equal messages give equal bytes.
func (r *Reference) Marshal(m protoreflect.Message) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(m.Interface())
}

// Unmarshal reads a message's wire form. Fields that the schema lacks are kept
// in the message as unknown (see Unknown).
func (r *Reference) Unmarshal(b []byte) (protoreflect.Message, error) {
	m, err := r.unmarshalPartial(b)
	if err != nil {
		return nil, err
	}
	return m, r.checkRequired(m)
}

func (r *Reference) unmarshalPartial(b []byte) (protoreflect.Message, error) {
	m := dynamicpb.NewMessage(r.root.desc)
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("not a %s: %s", r.root.model.Name, cleanProtoError(err))
	}
	return m, nil
}

func (r *Reference) checkRequired(m protoreflect.Message) error {
	if !r.required {
		return nil
	}
	if path := r.missingRequired(m); path != "" {
		return fmt.Errorf("not a %s: %s is missing, but the schema requires it", r.root.model.Name, path)
	}
	return nil
}

// UnmarshalStrict is Unmarshal that refuses fields the schema lacks.
func (r *Reference) UnmarshalStrict(b []byte) (protoreflect.Message, error) {
	m, err := r.Unmarshal(b)
	if err != nil {
		return nil, err
	}
	if where, n := r.Unknown(m); n > 0 {
		return nil, fmt.Errorf("%s: %d bytes of fields that the schema lacks", where, n)
	}
	return m, nil
}

// ProtoJSON returns the message in ProtoJSON of the normalised set, compact.
// ProtoJSONProblem tells whether the keys are those of the schema.
func (r *Reference) ProtoJSON(m protoreflect.Message) ([]byte, error) {
	b, err := protojson.Marshal(m.Interface())
	if err != nil {
		return nil, fmt.Errorf("ProtoJSON: %s", cleanProtoError(err))
	}
	return strictjson.Compact(make([]byte, 0, len(b)), b), nil
}

// FromProtoJSON reads what ProtoJSON writes.
func (r *Reference) FromProtoJSON(b []byte) (protoreflect.Message, error) {
	m := dynamicpb.NewMessage(r.root.desc)
	if err := protojson.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("ProtoJSON: %s", cleanProtoError(err))
	}
	return m, nil
}

// CanonicalProtoJSON returns the message in ProtoJSON of the user's own schema,
// compact: with its names, and with google.protobuf's wrappers and Struct
// written as ProtoJSON prescribes.
func (r *Reference) CanonicalProtoJSON(m protoreflect.Message) ([]byte, error) {
	b, err := r.Marshal(m)
	if err != nil {
		return nil, err
	}
	own := dynamicpb.NewMessage(r.own)
	if err := proto.Unmarshal(b, own); err != nil {
		return nil, err
	}
	return r.ProtoJSON(own)
}
