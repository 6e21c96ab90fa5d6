package schema

import (
	"fmt"
	"slices"
	"strings"
)

// The evidence that an enum needs.
const (
	enumStrings = 20 // strings
	enumRepeats = 5  // times that each value was seen, on average
)

// typedString chooses a type for strings that have one form throughout, and
// says why.
func (b *inferrer) typedString(s spot) (protoType, string) {
	f, n := s.str.formats, s.str.count
	switch {
	case f.all&formatTimestamp != 0:
		return protoType{name: timestampType}, ""
	case f.all&formatUUID != 0:
		return protoType{name: "bytes", repr: ReprUUID}, ""
	case f.all&formatDecimal != 0 && (n > 1 || f.max > 1<<31) && f.decimalType() != "":
		return protoType{name: f.decimalType(), repr: ReprString}, fmt.Sprintf("decimal strings (%d): kept as %s; codes whose zeros count would not be", n, f.decimalType())
	case f.all&formatBase64 != 0 && f.mixed:
		return protoType{name: "bytes"}, fmt.Sprintf("all %d strings read as base64: bytes", n)
	}
	if values := f.enumValues(n); values != nil {
		return protoType{message: b.enum(s, values)}, fmt.Sprintf("%d distinct values in %d strings: an enum; other values would be refused", len(values), n)
	}
	if f.times == n && f.odd > 0 {
		return protoType{name: "string"}, fmt.Sprintf("times, of which %d would come back spelt differently (another offset, none, or zeros at the end): kept as strings", f.odd)
	}
	return protoType{name: "string"}, ""
}

// enumValues gives the values of an enum, the most frequent first, or nil where
// the strings had better stay strings.
func (f *formatsSeen) enumValues(count int64) []string {
	n := int64(len(f.words))
	if f.all&formatWord == 0 || n < 2 || count < enumStrings || count < enumRepeats*n {
		return nil
	}
	var values []string
	names := nameSet{foldName(enumTypeName): true}
	for w := range f.words {
		values = append(values, w)
	}
	slices.SortFunc(values, func(a, b string) int {
		if f.words[a] != f.words[b] {
			return compareInts(f.words[b], f.words[a])
		}
		return strings.Compare(a, b)
	})
	for _, v := range values {
		if w := foldName(v); isProtoStatement(v) || !names.free(strings.TrimPrefix(w, foldName(enumTypeName))) {
			return nil // protoc compares names without the enum's own
		}
	}
	return values
}

// isProtoStatement tells whether a name begins a statement of an enum's body.
func isProtoStatement(name string) bool {
	return name == "option" || name == "reserved" || name == "message" || name == "extensions" || name == "enum"
}

// enum makes the message that is the scope of an enum.
func (b *inferrer) enum(s spot, values []string) *protoMessage {
	if m := b.enums[s.place]; m != nil {
		return m
	}
	m := &protoMessage{hint: s.hint, parent: s.parent, suffix: "Enum", form: FormObject, enum: values, path: s.path}
	b.enums[s.place] = m
	return m
}
