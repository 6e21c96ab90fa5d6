package schema

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// randomMessage makes messages whose every field is set at times, with values
// at the edges of their types.
type randomMessage struct {
	*rand.Rand
	budget *int // how many more messages one document may hold
}

func (r randomMessage) message(t *refMessage, depth int) protoreflect.Message {
	*r.budget--
	m := dynamicpb.NewMessage(t.desc)
	switch {
	case t.model.Form == FormUnion:
		r.field(m, t.fields[r.IntN(len(t.fields))], depth)
		return m
	case t.model.Form == FormBare:
		r.field(m, t.fields[0], depth)
		return m
	}
	for _, f := range t.fields {
		required := f.desc.Cardinality() == protoreflect.Required
		if required || r.IntN(3) > 0 && (depth > 0 && *r.budget > 0 || f.Kind != KindMessage) {
			r.field(m, f, depth)
		}
	}
	return m
}

func (r randomMessage) field(m protoreflect.Message, f *refField, depth int) {
	switch f.Label {
	case LabelList:
		l := m.Mutable(f.desc).List()
		for range r.IntN(4) {
			l.Append(r.value(f, depth-1))
		}
	case LabelMap:
		e := m.Mutable(f.desc).Map()
		for range r.IntN(4) {
			e.Set(r.key(f.MapKey), r.value(f, depth-1))
		}
	default:
		m.Set(f.desc, r.value(f, depth-1))
	}
}

func (r randomMessage) key(k Kind) protoreflect.MapKey {
	switch k {
	case KindString:
		return protoreflect.ValueOfString(r.text()).MapKey()
	case KindBool:
		return protoreflect.ValueOfBool(r.IntN(2) == 0).MapKey()
	}
	return r.number(k).MapKey()
}

func (r randomMessage) text() string {
	return []string{"", "a", "key with space", "é😀\x00\"\\\n", "__proto__", fmt.Sprint(r.Uint32())}[r.IntN(6)]
}

func (r randomMessage) number(k Kind) protoreflect.Value {
	i := r.IntN(5)
	switch k {
	case KindInt32:
		return protoreflect.ValueOfInt32([]int32{0, 1, math.MinInt32, math.MaxInt32, int32(r.Uint32())}[i])
	case KindInt64:
		return protoreflect.ValueOfInt64([]int64{0, 1, math.MinInt64, math.MaxInt64, int64(r.Uint64())}[i])
	case KindUint32:
		return protoreflect.ValueOfUint32([]uint32{0, 1, 7, math.MaxUint32, r.Uint32()}[i])
	case KindUint64:
		return protoreflect.ValueOfUint64([]uint64{0, 1, 7, math.MaxUint64, r.Uint64()}[i])
	case KindFloat:
		return protoreflect.ValueOfFloat32([]float32{0, 1.5, math.MaxFloat32, math.SmallestNonzeroFloat32, r.Float32()}[i])
	}
	return protoreflect.ValueOfFloat64([]float64{0, -1e21, math.MaxFloat64, 5e-324, r.NormFloat64()}[i])
}

func (r randomMessage) value(f *refField, depth int) protoreflect.Value {
	switch f.Kind {
	case KindMessage:
		return protoreflect.ValueOfMessage(r.message(f.message, depth))
	case KindValue:
		m := dynamicpb.NewMessage(f.special.desc)
		r.any(f.special, m, depth)
		return protoreflect.ValueOfMessage(m)
	case KindNull:
		return protoreflect.ValueOfEnum(0)
	case KindBool:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case KindString:
		if f.Repr == ReprNumber {
			return protoreflect.ValueOfString([]string{"0", "1e400", "123456789012345678901234567890", "-0.10"}[r.IntN(4)])
		}
		return protoreflect.ValueOfString(r.text())
	case KindBytes:
		n := r.IntN(20)
		if f.Repr == ReprUUID {
			n = 16
		}
		return protoreflect.ValueOfBytes(bytes.Repeat([]byte{byte(r.Uint32())}, n))
	case KindEnum:
		values := f.value.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(r.IntN(values.Len())).Number())
	case KindTimestamp, KindDuration:
		m := dynamicpb.NewMessage(f.special.desc)
		m.Set(f.special.seconds, protoreflect.ValueOfInt64(int64(r.IntN(1e9))))
		m.Set(f.special.nanos, protoreflect.ValueOfInt32([]int32{0, 1, 500_000_000, 123_000}[r.IntN(4)]))
		return protoreflect.ValueOfMessage(m)
	}
	return r.number(f.Kind)
}

func (r randomMessage) any(s *refSpecial, m protoreflect.Message, depth int) {
	n := 6
	if depth <= 0 {
		n = 4
	}
	switch r.IntN(n) {
	case 0:
		m.Set(s.null, protoreflect.ValueOfEnum(0))
	case 1:
		m.Set(s.number, protoreflect.ValueOfFloat64(float64(r.IntN(1e6))/8))
	case 2:
		m.Set(s.text, protoreflect.ValueOfString(r.text()))
	case 3:
		m.Set(s.boolean, protoreflect.ValueOfBool(true))
	case 4:
		list := m.Mutable(s.list).Message().Mutable(s.elements).List()
		for range r.IntN(3) {
			r.any(s, list.AppendMutable().Message(), depth-1)
		}
	case 5:
		members := m.Mutable(s.object).Message().Mutable(s.members).Map()
		for range r.IntN(3) {
			r.any(s, members.Mutable(r.key(KindString)).Message(), depth-1)
		}
	}
}

// roundTripRandom sends random messages through JSON, the wire form and
// ProtoJSON, and compares, also with the bytes that the user's own descriptors give.
func roundTripRandom(t *testing.T, s *Schema, n int) {
	t.Helper()
	for _, root := range s.Model.Roots {
		ref, err := s.Reference(root.Sample)
		if err != nil {
			t.Fatal(err)
		}
		budget := 0
		r := randomMessage{rand.New(rand.NewPCG(1, 2)), &budget}
		for range n {
			budget = 200
			checkRandom(t, s, ref, r.message(ref.root, 4))
			if t.Failed() {
				return
			}
		}
	}
}

func checkRandom(t *testing.T, s *Schema, ref *Reference, m protoreflect.Message) {
	t.Helper()
	wire, err := ref.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	own := dynamicpb.NewMessage(ref.own)
	if err := proto.Unmarshal(wire, own); err != nil {
		t.Fatalf("the user's own schema does not read the bytes: %v", err)
	}
	if b, err := (proto.MarshalOptions{Deterministic: true}).Marshal(own); err != nil || !bytes.Equal(b, wire) {
		t.Fatalf("the user's own schema writes other bytes (%v):\n%x\n%x", err, b, wire)
	}
	doc, err := ref.ToJSON(m)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ref.FromJSON(doc)
	if err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	if d := ref.Equal(m, back); d != nil {
		t.Fatalf("through JSON: %v in %s", d, doc)
	}
	if again, err := ref.ToJSON(back); err != nil || !bytes.Equal(again, doc) {
		t.Fatalf("JSON differs the second time (%v):\n%s\n%s", err, doc, again)
	}
	if s.ProtoJSONProblem() == "" {
		pj, err := ref.ProtoJSON(m)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := ref.MatchProtoJSON(m, pj); err != nil || d != nil {
			t.Fatalf("through ProtoJSON: %v %v in %s", err, d, pj)
		}
		if _, err := ref.CanonicalProtoJSON(m); err != nil {
			t.Fatal(err)
		}
	}
	if d, err := ref.MatchBinary(m, wire); err != nil || d != nil {
		t.Fatalf("through the wire form: %v %v", err, d)
	}
}
