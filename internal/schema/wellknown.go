package schema

import "google.golang.org/protobuf/reflect/protoreflect"

// Well-known types are told by their file as well: anybody may declare a
// message of that name, with other fields.

func isWellKnown(d protoreflect.Descriptor, file string, names ...protoreflect.Name) bool {
	if d.ParentFile() == nil || d.ParentFile().Path() != "google/protobuf/"+file+".proto" || d.ParentFile().Package() != "google.protobuf" {
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
