package schema

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// checkForeign refuses other files' types in google's package: libraries treat
// some of them by their name alone, and would trip over other fields.
func checkForeign(set *descriptorpb.FileDescriptorSet) error {
	for _, f := range set.File {
		if f.GetPackage() != "google.protobuf" || isStandard(f.GetName()) {
			continue
		}
		for _, m := range f.MessageType {
			if file := standardDeclaring("google.protobuf." + m.GetName()); file != "" {
				return fmt.Errorf("%s: declares google.protobuf.%s, which is %s's; import that file, or rename the message", f.GetName(), m.GetName(), file)
			}
		}
	}
	return nil
}

// isWellKnown reports whether a type is one of these of a standard file.
func isWellKnown(d protoreflect.Descriptor, file string, names ...protoreflect.Name) bool {
	if d.ParentFile() == nil || d.ParentFile().Path() != "google/protobuf/"+file+".proto" {
		return false
	}
	for _, n := range names {
		if d.FullName() == "google.protobuf."+protoreflect.FullName(n) {
			return true
		}
	}
	return false
}

// wellKnownKind gives the kind of a message whose JSON form is one value.
func wellKnownKind(d protoreflect.MessageDescriptor) (Kind, bool) {
	switch {
	case isWellKnown(d, "timestamp", "Timestamp"):
		return KindTimestamp, true
	case isWellKnown(d, "duration", "Duration"):
		return KindDuration, true
	case isWellKnown(d, "struct", "Value"):
		return KindValue, true
	}
	return "", false
}

// isBareWellKnown reports whether a message's JSON form is that of its only field.
func isBareWellKnown(d protoreflect.MessageDescriptor) bool {
	return isWellKnown(d, "struct", "Struct", "ListValue") ||
		isWellKnown(d, "wrappers", "DoubleValue", "FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value", "BoolValue", "StringValue", "BytesValue")
}

func isNullValue(d protoreflect.EnumDescriptor) bool { return isWellKnown(d, "struct", "NullValue") }

// unsupportedType reports whether a message's JSON form needs more than the
// model can say: a type looked up by URL, paths in another spelling.
func unsupportedType(d protoreflect.MessageDescriptor) bool {
	return isWellKnown(d, "any", "Any") || isWellKnown(d, "field_mask", "FieldMask")
}
