package schema

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// messageWriter makes one normalised message.
type messageWriter struct {
	n      *normaliser
	file   *descriptorpb.FileDescriptorProto
	out    *descriptorpb.DescriptorProto
	oneofs map[string]int32 // name → index
}

func (w *messageWriter) field(m *Message, f *Field, old *descriptorpb.FieldDescriptorProto) {
	out := &descriptorpb.FieldDescriptorProto{
		Name: proto.String(f.ID), Number: old.Number, Label: old.Label, Type: old.Type,
		DefaultValue: old.DefaultValue, Proto3Optional: old.Proto3Optional,
	}
	if f.Kind == KindEnum && old.DefaultValue != nil {
		for _, v := range w.n.enums[f.Type].Values {
			if v.Key == old.GetDefaultValue() {
				out.DefaultValue = proto.String(w.n.valueName(v))
			}
		}
	}
	if w.n.jsonNames && m.Form == FormObject {
		out.JsonName = proto.String(f.Key)
	}
	var packed *bool
	if old.Options != nil {
		packed = old.Options.Packed
	}
	if features := plainFeatures(old.GetOptions().GetFeatures()); features != nil || packed != nil {
		out.Options = &descriptorpb.FieldOptions{Features: features, Packed: packed}
	}
	if f.Label == LabelMap {
		out.TypeName = proto.String(w.mapEntry(m, f))
	} else if name := w.n.typeName(w.file, f); name != "" {
		out.TypeName = proto.String(name)
	}
	switch {
	case m.Form == FormUnion:
		out.OneofIndex = w.oneof(unionOneof + "_")
	case f.Oneof != "":
		out.OneofIndex = w.oneof(f.Oneof)
	}
	if w.n.converts(w.n.raw[m.Name].file) {
		asEdition2023(out)
	}
	w.out.Field = append(w.out.Field, out)
}

func (w *messageWriter) oneof(name string) *int32 {
	i, ok := w.oneofs[name]
	if !ok {
		i = int32(len(w.out.OneofDecl))
		w.oneofs[name] = i
		w.out.OneofDecl = append(w.out.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String(name)})
	}
	return &i
}

// syntheticOneofs gives each proto3 optional field its own oneof, behind the others.
func (w *messageWriter) syntheticOneofs() {
	for _, f := range w.out.Field {
		if f.GetProto3Optional() {
			f.OneofIndex = w.oneof("_" + f.GetName())
		}
	}
}

// mapEntry adds the entry type of a map.
func (w *messageWriter) mapEntry(m *Message, f *Field) string {
	d, _ := w.n.schema.files.FindDescriptorByName(protoreflect.FullName(m.Name))
	entry := d.(protoreflect.MessageDescriptor).Fields().ByNumber(protoreflect.FieldNumber(f.Number)).Message()
	old := w.n.raw[string(entry.FullName())].message
	out := &descriptorpb.DescriptorProto{Name: proto.String(mapEntryName(f.ID)), Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}}
	for _, o := range old.Field {
		c := &descriptorpb.FieldDescriptorProto{Name: o.Name, Number: o.Number, Label: o.Label, Type: o.Type}
		if features := plainFeatures(o.GetOptions().GetFeatures()); features != nil {
			c.Options = &descriptorpb.FieldOptions{Features: features}
		}
		if o.GetNumber() == 2 {
			if name := w.n.typeName(w.file, f); name != "" {
				c.TypeName = proto.String(name)
			}
		}
		out.Field = append(out.Field, c)
	}
	w.out.NestedType = append(w.out.NestedType, out)
	return "." + NormalisedPackage + "." + w.out.GetName() + "." + out.GetName()
}

// mapEntryName is the name that Protobuf prescribes for a map's entry type.
func mapEntryName(field string) string {
	var b strings.Builder
	up := true
	for i := range len(field) {
		c := field[i]
		if c == '_' {
			up = true
			continue
		}
		if up && 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		up = false
		b.WriteByte(c)
	}
	return b.String() + "Entry"
}

// hasGroups reports whether a message of the model that the file declares has a group.
func (n *normaliser) hasGroups(f *descriptorpb.FileDescriptorProto) bool {
	for _, m := range n.schema.Model.Messages {
		t := n.raw[m.Name]
		if t.file != f {
			continue
		}
		for _, field := range t.message.Field {
			if field.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP {
				return true
			}
		}
	}
	return false
}

// converts reports whether a file's types become edition 2023.
func (n *normaliser) converts(f *descriptorpb.FileDescriptorProto) bool {
	return n.groups && syntaxOf(f) == "proto2"
}

// proto2Features are edition 2023's names for what proto2 does.
func proto2Features() *descriptorpb.FeatureSet {
	return &descriptorpb.FeatureSet{
		FieldPresence: descriptorpb.FeatureSet_EXPLICIT.Enum(), EnumType: descriptorpb.FeatureSet_CLOSED.Enum(),
		RepeatedFieldEncoding: descriptorpb.FeatureSet_EXPANDED.Enum(), Utf8Validation: descriptorpb.FeatureSet_NONE.Enum(),
		MessageEncoding: descriptorpb.FeatureSet_LENGTH_PREFIXED.Enum(), JsonFormat: descriptorpb.FeatureSet_LEGACY_BEST_EFFORT.Enum(),
	}
}

// asEdition2023 says in features what a proto2 field says in words.
func asEdition2023(f *descriptorpb.FieldDescriptorProto) {
	features := &descriptorpb.FeatureSet{}
	if f.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REQUIRED {
		f.Label = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
		features.FieldPresence = descriptorpb.FeatureSet_LEGACY_REQUIRED.Enum()
	}
	if f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP {
		f.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
		features.MessageEncoding = descriptorpb.FeatureSet_DELIMITED.Enum()
	}
	if f.GetOptions().GetPacked() {
		features.RepeatedFieldEncoding = descriptorpb.FeatureSet_PACKED.Enum()
	}
	f.Options = nil
	if proto.Size(features) > 0 {
		f.Options = &descriptorpb.FieldOptions{Features: features}
	}
}
