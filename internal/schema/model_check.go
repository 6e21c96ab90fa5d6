package schema

import (
	"fmt"
	"math/bits"
)

// tokens is a set of the first tokens that a JSON value may have.
type tokens uint8

const (
	tokenNull tokens = 1 << iota
	tokenBool
	tokenNumber
	tokenString
	tokenArray
	tokenObject
	tokenAny = tokenNull | tokenBool | tokenNumber | tokenString | tokenArray | tokenObject
)

var tokenNames = [...]string{"null", "bool", "number", "string", "array", "object"}

func (t tokens) String() string {
	if bits.OnesCount8(uint8(t)) == 1 {
		return tokenNames[bits.TrailingZeros8(uint8(t))]
	}
	return "value of any kind"
}

// modelIndex finds types by ID without searching, and knows which tokens each
// message's JSON form may begin with.
type modelIndex struct {
	messages map[string]*Message
	enums    map[string]*Enum
	tokens   map[*Message]tokens
}

func (m *Model) index() modelIndex {
	x := modelIndex{make(map[string]*Message, len(m.Messages)), make(map[string]*Enum, len(m.Enums)), make(map[*Message]tokens, len(m.Messages))}
	for _, t := range m.Messages {
		x.messages[t.ID] = t
	}
	for _, e := range m.Enums {
		x.enums[e.ID] = e
	}
	for changed := true; changed; { // until nothing grows: types may be recursive
		changed = false
		for _, t := range m.Messages {
			if now := x.messageTokens(t); now != x.tokens[t] {
				x.tokens[t], changed = now, true
			}
		}
	}
	return x
}

func (x modelIndex) messageTokens(t *Message) tokens {
	if t.Form == FormObject {
		return tokenObject
	}
	var all tokens
	for _, f := range t.Fields {
		all |= x.fieldTokens(f)
	}
	return all
}

// fieldTokens says which tokens a set field's JSON value may begin with.
func (x modelIndex) fieldTokens(f *Field) tokens {
	switch f.Label {
	case LabelList:
		return tokenArray
	case LabelMap:
		return tokenObject
	}
	switch f.Repr {
	case ReprString, ReprHex, ReprUUID:
		return tokenString
	case ReprNumber:
		return tokenNumber
	}
	switch f.Kind {
	case KindBool:
		return tokenBool
	case KindNull:
		return tokenNull
	case KindValue:
		return tokenAny
	case KindString, KindBytes, KindEnum, KindTimestamp, KindDuration:
		return tokenString
	case KindMessage:
		return x.tokens[x.messages[f.Type]]
	}
	return tokenNumber
}

// markNil marks the fields for which null is a value.
func (m *Model) markNil() {
	x := m.index()
	for _, t := range m.Messages {
		for _, f := range t.Fields {
			f.Nil = f.Label == LabelOne && x.fieldTokens(f)&tokenNull != 0
		}
	}
}

// check refuses what no JSON reader could follow.
func (m *Model) check() error {
	x := m.index()
	for _, t := range m.Messages {
		for _, f := range t.Fields {
			if err := checkRepr(t, f); err != nil {
				return err
			}
		}
		if err := x.checkForm(t); err != nil {
			return err
		}
	}
	return nil
}

func (x modelIndex) checkForm(t *Message) error {
	switch t.Form {
	case FormBare:
		if len(t.Fields) != 1 {
			return fmt.Errorf("%s: a bare message has exactly one field, this one has %d", t.Name, len(t.Fields))
		}
		return x.checkBareChain(t)
	case FormUnion:
		return x.checkUnion(t)
	}
	keys := map[string]*Field{}
	for _, f := range t.Fields {
		if g := keys[f.Key]; g != nil {
			return fmt.Errorf("%s: the fields %s and %s have one JSON key, %q; give one of them another json_name", t.Name, g.Name, f.Name, f.Key)
		}
		keys[f.Key] = f
	}
	return nil
}

// maxBareChain bounds how many bare messages may lie in one another without a
// token in between.
const maxBareChain = 100

// checkBareChain refuses bare messages whose only field leads back to them, or
// through too many others.
func (x modelIndex) checkBareChain(t *Message) error {
	f := t.Fields[0]
	for range maxBareChain {
		if f.Label != LabelOne || f.Kind != KindMessage {
			return nil
		}
		next := x.messages[f.Type]
		if next == t {
			return fmt.Errorf("%s: a bare message whose JSON value is that of itself", t.Name)
		}
		if next.Form != FormBare || len(next.Fields) != 1 {
			return nil
		}
		f = next.Fields[0]
	}
	return fmt.Errorf("%s: more than %d bare messages lie in one another", t.Name, maxBareChain)
}

func (x modelIndex) checkUnion(t *Message) error {
	if len(t.Fields) == 0 {
		return fmt.Errorf("%s: a union without members", t.Name)
	}
	taken := map[tokens]*Field{}
	for _, f := range t.Fields {
		token := x.fieldTokens(f)
		if f.Kind == KindMessage && x.messages[f.Type].Form == FormUnion {
			return fmt.Errorf("%s: the member %s is a union itself; put its members here", t.Name, f.Name)
		}
		if bits.OnesCount8(uint8(token)) != 1 {
			return fmt.Errorf("%s: the member %s may be a JSON %s, so a union cannot tell it from the others", t.Name, f.Name, token)
		}
		if g := taken[token]; g != nil {
			return fmt.Errorf("%s: the members %s and %s are both a JSON %s, so a union cannot tell them apart", t.Name, g.Name, f.Name, token)
		}
		taken[token] = f
	}
	return nil
}

// checkRepr refuses representations that a kind cannot have, and defaults that
// a type does not have.
func checkRepr(t *Message, f *Field) error {
	if !reprFits(f.Kind, f.Repr) {
		return fmt.Errorf("%s.%s: a field of kind %s cannot be represented as %q", t.Name, f.Name, f.Kind, f.Repr)
	}
	if f.Absent == AbsentWrite && f.Label == LabelOne && (f.Kind == KindMessage || f.Kind == KindValue) {
		return fmt.Errorf("%s.%s: absent = WRITE needs a type with a default value; use OMIT or NULL", t.Name, f.Name)
	}
	return nil
}

// reprFits reports whether a kind can be spelt that way.
func reprFits(k Kind, r Repr) bool {
	switch r {
	case ReprNative:
		return true
	case ReprHex, ReprUUID:
		return k == KindBytes
	case ReprNumber:
		return k == KindString || k == KindEnum
	case ReprString:
		return k == KindEnum || isNumeric(k)
	}
	return false
}

func isNumeric(k Kind) bool { return isInteger(k) || k == KindFloat || k == KindDouble }

func isInteger(k Kind) bool {
	return k == KindInt32 || k == KindInt64 || k == KindUint32 || k == KindUint64
}
