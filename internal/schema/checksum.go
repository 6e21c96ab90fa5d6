package schema

import (
	"fmt"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// StringUnit is what a runtime counts as a string's length.
type StringUnit string

// The units.
const (
	UnitUTF8  StringUnit = "utf8"  // bytes
	UnitUTF16 StringUnit = "utf16" // UTF-16 units
	UnitRune  StringUnit = "rune"  // code points
)

// Checksums gives the numbers that decode and visit of this message add to a
// batch's checksum (docs/protocol.md, "Checksums"). The unit is a StringUnit.
func (r *Reference) Checksums(m protoreflect.Message, unit string) (leaf, visit uint32, err error) {
	var c checksummer
	switch StringUnit(unit) {
	case UnitUTF8:
		c.length = func(s string) uint32 { return uint32(len(s)) }
	case UnitUTF16:
		c.length = utf16Length
	case UnitRune:
		c.length = func(s string) uint32 { return uint32(utf8.RuneCountInString(s)) }
	default:
		return 0, 0, fmt.Errorf("the string unit %q is not known; utf8, utf16 and rune are", unit)
	}
	return c.leaf(r.leaf, m), c.message(r.root, m), nil
}

func utf16Length(s string) uint32 {
	n := uint32(0)
	for _, r := range s {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}

type checksummer struct{ length func(string) uint32 }

// leaf follows the way to one value: 1 where there is none.
func (c checksummer) leaf(way []*refField, m protoreflect.Message) uint32 {
	for i, f := range way {
		if !m.Has(f.desc) {
			return 1
		}
		v := m.Get(f.desc)
		if i < len(way)-1 {
			m = v.Message()
			continue
		}
		switch f.Label {
		case LabelList:
			return uint32(v.List().Len())
		case LabelMap:
			return uint32(v.Map().Len())
		}
		return c.value(f, v)
	}
	return 1
}

func (c checksummer) message(t *refMessage, m protoreflect.Message) uint32 {
	sum := uint32(1)
	for _, f := range t.fields {
		if m.Has(f.desc) && !negativeZero(f, m) {
			sum += c.field(f, m.Get(f.desc))
		}
	}
	return sum
}

// negativeZero reports whether a field without presence is set only in that it
// holds -0. Some codecs lose that sign, which is no error, so it does not count.
func negativeZero(f *refField, m protoreflect.Message) bool {
	return !f.Presence && f.Label == LabelOne && (f.Kind == KindDouble || f.Kind == KindFloat) && m.Get(f.desc).Float() == 0
}

func (c checksummer) field(f *refField, v protoreflect.Value) uint32 {
	switch f.Label {
	case LabelList:
		l := v.List()
		sum := uint32(0)
		for i := range l.Len() {
			sum += c.value(f, l.Get(i))
		}
		if l.Len() > 0 {
			sum++
		}
		return sum
	case LabelMap:
		sum := uint32(0)
		v.Map().Range(func(k protoreflect.MapKey, e protoreflect.Value) bool {
			sum += 1 + c.value(f, e)
			if f.MapKey == KindString {
				sum += c.length(k.String())
			}
			return true
		})
		if v.Map().Len() > 0 {
			sum++
		}
		return sum
	}
	return c.value(f, v)
}

func (c checksummer) value(f *refField, v protoreflect.Value) uint32 {
	switch f.Kind {
	case KindMessage:
		return c.message(f.message, v.Message())
	case KindValue:
		return c.any(f.special, v.Message())
	case KindBool:
		return boolSum(v.Bool())
	case KindInt32, KindInt64:
		return uint32(v.Int()) + 1
	case KindUint32, KindUint64:
		return uint32(v.Uint()) + 1
	case KindFloat, KindDouble:
		return floatSum(v.Float())
	case KindString:
		return c.length(v.String()) + 1
	}
	return 1
}

func boolSum(b bool) uint32 {
	if b {
		return 2
	}
	return 1
}

// floatSum adds the whole part of numbers that fit in 32 bits.
func floatSum(v float64) uint32 {
	if v > math.MinInt32 && v < -float64(math.MinInt32) {
		return 1 + uint32(int64(v))
	}
	return 1
}

func (c checksummer) any(s *refSpecial, m protoreflect.Message) uint32 {
	sum := uint32(1)
	switch {
	case m.Has(s.boolean):
		return boolSum(m.Get(s.boolean).Bool())
	case m.Has(s.number):
		return floatSum(m.Get(s.number).Float())
	case m.Has(s.text):
		return c.length(m.Get(s.text).String()) + 1
	case m.Has(s.list):
		l := m.Get(s.list).Message().Get(s.elements).List()
		for i := range l.Len() {
			sum += c.any(s, l.Get(i).Message())
		}
	case m.Has(s.object):
		m.Get(s.object).Message().Get(s.members).Map().Range(func(k protoreflect.MapKey, e protoreflect.Value) bool {
			sum += 1 + c.length(k.String()) + c.any(s, e.Message())
			return true
		})
	}
	return sum
}
