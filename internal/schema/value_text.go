package schema

import (
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"wirecost/internal/strictjson"
)

// ValueText encodes messages of a sample as another schema would have them: one
// in which a field of bytes with compact JSON text stands for each field of the
// types google.protobuf.Value, Struct and ListValue. It is not safe for concurrent use.
type ValueText struct {
	Values int64 // JSON values that were under those types so far
	Bytes  int64 // of their compact JSON text

	root *refMessage
	desc protoreflect.MessageDescriptor // the root in the other schema
	json jsonWriter
	scan strictjson.Scanner
}

// ValueText returns the encoding for a reference's messages, or nil where they
// hold nothing of those types.
func (s *Schema) ValueText(ref *Reference) (*ValueText, error) {
	if !ref.root.holdsValues(map[*refMessage]bool{}) {
		return nil, nil
	}
	set, err := s.Normalised(true)
	if err != nil {
		return nil, err
	}
	types := []string{".google.protobuf.Value"}
	for _, m := range s.Model.Messages {
		if isFreeForm(m) {
			types = append(types, "."+NormalisedPackage+"."+m.ID)
		}
	}
	for _, f := range set.File {
		if f.GetPackage() == NormalisedPackage {
			valuesToBytes(f.MessageType, types)
		}
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, err
	}
	d, err := files.FindDescriptorByName(ref.root.desc.FullName())
	if err != nil {
		return nil, err
	}
	return &ValueText{root: ref.root, desc: d.(protoreflect.MessageDescriptor)}, nil
}

func isFreeForm(m *Message) bool {
	return m.Name == "google.protobuf.Struct" || m.Name == "google.protobuf.ListValue"
}

func (m *refMessage) holdsValues(seen map[*refMessage]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	return slices.ContainsFunc(m.fields, func(f *refField) bool {
		return f.Kind == KindValue || f.Kind == KindMessage && f.message.holdsValues(seen)
	})
}

// valuesToBytes makes fields of these types bytes.
func valuesToBytes(messages []*descriptorpb.DescriptorProto, types []string) {
	for _, m := range messages {
		for _, f := range m.Field {
			if slices.Contains(types, f.GetTypeName()) {
				f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum(), nil
				if features := f.GetOptions().GetFeatures(); features != nil {
					features.MessageEncoding = nil
				}
			}
		}
		valuesToBytes(m.NestedType, types)
	}
}

// Marshal gives the wire form of one of the reference's messages in the other schema.
func (t *ValueText) Marshal(m protoreflect.Message) ([]byte, error) {
	to := dynamicpb.NewMessage(t.desc)
	t.message(t.root, m, to)
	if t.json.err != nil {
		return nil, t.json.err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(to)
}

func (t *ValueText) message(m *refMessage, from, to protoreflect.Message) {
	fields := to.Descriptor().Fields()
	for _, f := range m.fields {
		if !from.Has(f.desc) {
			continue
		}
		d, v := fields.ByNumber(f.desc.Number()), from.Get(f.desc)
		switch f.Label {
		case LabelList:
			list := to.Mutable(d).List()
			for i := range v.List().Len() {
				list.Append(t.value(f, v.List().Get(i), d))
			}
		case LabelMap:
			entries := to.Mutable(d).Map()
			v.Map().Range(func(k protoreflect.MapKey, x protoreflect.Value) bool {
				entries.Set(k, t.value(f, x, d.MapValue()))
				return true
			})
		default:
			to.Set(d, t.value(f, v, d))
		}
	}
}

// value brings one value into the form of the other schema's field d.
func (t *ValueText) value(f *refField, v protoreflect.Value, d protoreflect.FieldDescriptor) protoreflect.Value {
	switch {
	case d.Kind() == f.value.Kind() && d.Message() == nil:
		return v
	case d.Message() == nil:
		return protoreflect.ValueOfBytes(t.text(f, v))
	}
	to := dynamicpb.NewMessage(d.Message())
	if f.Kind == KindMessage {
		t.message(f.message, v.Message(), to)
	} else { // a Timestamp or Duration: the same fields, of another set
		v.Message().Range(func(x protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			to.Set(to.Descriptor().Fields().ByNumber(x.Number()), v)
			return true
		})
	}
	return protoreflect.ValueOfMessage(to)
}

// text gives a value's JSON text, and counts it.
func (t *ValueText) text(f *refField, v protoreflect.Value) []byte {
	t.json.out = nil
	t.json.value(f, v)
	t.scan.Reset(t.json.out, strictjson.Limits{Depth: len(t.json.out) + 1, Document: len(t.json.out) + 1})
	t.count()
	t.Bytes += int64(len(t.json.out))
	return t.json.out
}

func (t *ValueText) count() {
	t.Values++
	switch t.scan.Value() {
	case strictjson.Array:
		for first := true; t.scan.Elem(first); first = false {
			t.count()
		}
	case strictjson.Object:
		for first := true; t.scan.Key(first); first = false {
			t.count()
		}
	}
}
