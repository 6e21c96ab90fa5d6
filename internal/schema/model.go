// Package schema compiles a user's Protobuf schema or infers one from
// documents, and turns either into one neutral model that every runner's
// templates and the reference conversion are driven by.
package schema

// ModelFormat names the version of the model's JSON form.
const ModelFormat = "wirecost.model/v1"

// Model is what a runner's templates see of a schema: messages, fields and
// enums with names that are legal and unmangled in every language, and how the
// JSON form of each differs from "an object with these keys".
type Model struct {
	Format   string     `json:"format"` // ModelFormat
	Roots    []Root     `json:"roots"`
	Messages []*Message `json:"messages"` // a message comes after those it uses, recursion aside
	Enums    []*Enum    `json:"enums,omitempty"`
}

// Root is a message that whole documents are made of.
type Root struct {
	Sample string `json:"sample"` // id of the sample whose documents these are
	Type   string `json:"type"`   // ID of the message
	// Leaf is the way from the document to one value that a decoder cannot have
	// skipped: IDs of fields to follow from the root through single messages.
	// What the last one holds goes into decode's checksum. Empty: nothing to
	// follow, and the checksum counts 1 per document.
	Leaf []string `json:"leaf,omitempty"`
}

// Form says what a message looks like in JSON.
type Form string

// The forms.
const (
	FormObject Form = "object" // an object with the fields' keys
	FormBare   Form = "bare"   // the JSON value of its only field
	FormUnion  Form = "union"  // the JSON value of the one member that is set, told apart by its JSON token
)

// Label says how many values a field holds.
type Label string

// The labels.
const (
	LabelOne  Label = "one"
	LabelList Label = "list"
	LabelMap  Label = "map"
)

// Kind is the type of a field's value, wire encodings aside.
type Kind string

// The kinds.
const (
	KindBool      Kind = "bool"
	KindInt32     Kind = "int32"
	KindInt64     Kind = "int64"
	KindUint32    Kind = "uint32"
	KindUint64    Kind = "uint64"
	KindFloat     Kind = "float"
	KindDouble    Kind = "double"
	KindString    Kind = "string"
	KindBytes     Kind = "bytes"
	KindEnum      Kind = "enum"
	KindMessage   Kind = "message"
	KindValue     Kind = "value"     // google.protobuf.Value: any JSON value
	KindNull      Kind = "null"      // google.protobuf.NullValue
	KindTimestamp Kind = "timestamp" // google.protobuf.Timestamp: an RFC 3339 string
	KindDuration  Kind = "duration"  // google.protobuf.Duration: a string as "1.5s"
)

// Absent says what an unset field (or an empty list or map) is in JSON.
type Absent string

// What unset means.
const (
	AbsentOmit  Absent = "omit"  // no member
	AbsentNull  Absent = "null"  // a member with null
	AbsentWrite Absent = "write" // a member with the default value
)

// Repr says how a value is spelt in JSON where that is not its kind's usual way.
type Repr string

// The representations.
const (
	ReprNative Repr = ""
	ReprString Repr = "string" // a number (or, for enums, a number) as a decimal string
	ReprNumber Repr = "number" // of a string: a JSON number kept as its decimal text; of an enum: its number
	ReprHex    Repr = "hex"    // bytes as lower-case hexadecimal
	ReprUUID   Repr = "uuid"   // 16 bytes as 8-4-4-4-12 lower-case hexadecimal
)

// Message is a Protobuf message type.
type Message struct {
	ID     string   `json:"id"`   // a type name: ASCII, ends in "_", legal in every language
	Name   string   `json:"name"` // the full Protobuf name
	Form   Form     `json:"form"`
	Fields []*Field `json:"fields"`
}

// Field is a field of a message.
type Field struct {
	ID     string `json:"id"`   // a member name: lower-case ASCII, ends in "_", legal in every language
	Name   string `json:"name"` // the Protobuf name
	Number int    `json:"number"`
	Key    string `json:"key"` // the exact JSON key: any string
	Label  Label  `json:"label"`
	Kind   Kind   `json:"kind"`             // of the value; of a map's values
	MapKey Kind   `json:"mapKey,omitempty"` // of a map's keys: string, bool or an integer
	Type   string `json:"type,omitempty"`   // ID of the message or enum
	Absent Absent `json:"absent"`
	Repr   Repr   `json:"repr,omitempty"`
	// Presence: unset differs from the default value on the wire.
	Presence bool `json:"presence,omitempty"`
	// Nil: null is a value of this field, not a way of being absent, so a
	// language's plain optional does not tell null from a missing member.
	Nil bool `json:"nil,omitempty"`
	// Box: the type contains itself through single fields, so languages with
	// values in place need a pointer.
	Box   bool   `json:"box,omitempty"`
	Oneof string `json:"oneof,omitempty"` // ID of an ordinary oneof (not of a union's)
}

// Enum is a Protobuf enum. In JSON its values are their names, or their
// numbers where the field's Repr says so.
type Enum struct {
	ID     string      `json:"id"`
	Name   string      `json:"name"`
	Values []EnumValue `json:"values"`
}

// EnumValue is one value of an enum.
type EnumValue struct {
	ID     string `json:"id"`
	Number int32  `json:"number"`
	Key    string `json:"key"` // the name in JSON
}

// Message returns the message with that ID, or nil.
func (m *Model) Message(id string) *Message {
	for _, x := range m.Messages {
		if x.ID == id {
			return x
		}
	}
	return nil
}

// FieldCount is the number of fields of all messages.
func (m *Model) FieldCount() int {
	n := 0
	for _, x := range m.Messages {
		n += len(x.Fields)
	}
	return n
}

// Enum returns the enum with that ID, or nil.
func (m *Model) Enum(id string) *Enum {
	for _, e := range m.Enums {
		if e.ID == id {
			return e
		}
	}
	return nil
}

// RootOf returns the root of a sample.
func (m *Model) RootOf(sample string) (Root, bool) {
	for _, r := range m.Roots {
		if r.Sample == sample {
			return r, true
		}
	}
	return Root{}, false
}
