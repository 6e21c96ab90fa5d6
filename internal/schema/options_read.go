package schema

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The numbers of wirecost/json.proto's extensions; a test compares them.
const (
	optionForm   = 50781 // of messages
	optionAbsent = 50781 // of fields
	optionRepr   = 50782
	optionKey    = 50783
)

// jsonOptions are the options of one message or field, as raw values.
type jsonOptions struct {
	numbers map[protowire.Number]uint64
	texts   map[protowire.Number]string
}

// readJSONOptions finds wirecost's options among an options message's unknown fields.
func readJSONOptions(options proto.Message) jsonOptions {
	o := jsonOptions{map[protowire.Number]uint64{}, map[protowire.Number]string{}}
	m := options.ProtoReflect()
	if !m.IsValid() {
		return o
	}
	for b := []byte(m.GetUnknown()); len(b) > 0; {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return o
		}
		b = b[n:]
		switch typ {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return o
			}
			o.numbers[num], b = v, b[n:]
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return o
			}
			o.texts[num], b = string(v), b[n:]
		default:
			n := protowire.ConsumeFieldValue(num, typ, b)
			if n < 0 {
				return o
			}
			b = b[n:]
		}
	}
	return o
}

func (o jsonOptions) form() (Form, bool) {
	v, ok := o.numbers[optionForm]
	return pick(v, FormObject, FormBare, FormUnion), ok
}

// absent gives "" for AUTO.
func (o jsonOptions) absent() Absent {
	return pick(o.numbers[optionAbsent], "", AbsentOmit, AbsentNull, AbsentWrite)
}

func (o jsonOptions) repr() (Repr, bool) {
	v, ok := o.numbers[optionRepr]
	return pick(v, ReprNative, ReprString, ReprNumber, ReprHex, ReprUUID), ok
}

func (o jsonOptions) key() (string, bool) {
	k, ok := o.texts[optionKey]
	return k, ok
}

func pick[T ~string](i uint64, values ...T) T {
	if i < uint64(len(values)) {
		return values[i]
	}
	return values[0]
}
