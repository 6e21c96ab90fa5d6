package schema

import (
	"encoding/hex"
	"testing"
)

// wireText is a field of bytes with a short text, in hexadecimal.
func wireText(number byte, text string) string {
	return hex.EncodeToString(append([]byte{number<<3 | 2, byte(len(text))}, text...))
}

func TestValueText(t *testing.T) {
	for _, c := range []struct {
		schema, doc, wire string
		values            int64
	}{
		{"google.protobuf.Value a = 1; int32 b = 2;", `{"a":{"y":[1,2.50,{"z":"s"}],"x":null},"b":3}`, wireText(1, `{"x":null,"y":[1,2.5,{"z":"s"}]}`) + "1003", 7},
		{"google.protobuf.Value a = 1;", `{"a":null}`, wireText(1, "null"), 1},
		{"google.protobuf.Value a = 1;", `{}`, "", 0},
		{"repeated google.protobuf.Value a = 1;", `{"a":[1,"é",[]]}`, wireText(1, "1") + wireText(1, `"é"`) + wireText(1, "[]"), 3},
		{"map<string, google.protobuf.Value> a = 1;", `{"a":{"k":true,"j":[0]}}`, "0a08" + wireText(1, "j") + wireText(2, "[0]") + "0a09" + wireText(1, "k") + wireText(2, "true"), 3},
		{"google.protobuf.Struct a = 1; repeated google.protobuf.ListValue b = 2;", `{"a":{"x":1},"b":[[],[null]]}`, wireText(1, `{"x":1}`) + wireText(2, "[]") + wireText(2, "[null]"), 5},
		{"M m = 1; google.protobuf.Value a = 2; google.protobuf.Timestamp t = 3; repeated sint32 l = 4;", `{"m":{"a":1},"t":"2024-05-01T10:00:00.123456789Z","l":[-1,1]}`, "0a03" + wireText(2, "1") + "1a0b08a0a5c8b10610959aef3a" + "22020102", 1},
		{"oneof o { google.protobuf.Value a = 1; string b = 2; }", `{"a":"x"}`, wireText(1, `"x"`), 1},
	} {
		s := mustText(t, convertHead+"message M { "+c.schema+" }")
		ref := reference(t, s)
		text, err := s.ValueText(ref)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ref.FromJSON([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		wire, err := text.Marshal(m)
		if got := hex.EncodeToString(wire); err != nil || got != c.wire || text.Values != c.values {
			t.Errorf("%s: %s (%v), %d values, want %s, %d values", c.doc, got, err, text.Values, c.wire, c.values)
		}
	}
}

func TestValueTextOfOtherSyntaxes(t *testing.T) {
	for _, head := range []string{`syntax = "proto2";`, `edition = "2023"; option features.message_encoding = DELIMITED;`} {
		label := map[bool]string{true: "required"}[head[0] == 's']
		s := mustText(t, head+` import "google/protobuf/struct.proto"; message M { `+label+` google.protobuf.Value a = 1; }`)
		ref := reference(t, s)
		text, err := s.ValueText(ref)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ref.FromJSON([]byte(`{"a":[1]}`))
		if err != nil {
			t.Fatal(err)
		}
		if wire, err := text.Marshal(m); err != nil || hex.EncodeToString(wire) != wireText(1, "[1]") {
			t.Errorf("%s: %x, %v", head, wire, err)
		}
	}
}

func TestValueTextOfNone(t *testing.T) {
	s := mustText(t, convertHead+"message M { string a = 1; M m = 2; google.protobuf.Timestamp t = 3; }")
	if text, err := s.ValueText(reference(t, s)); text != nil || err != nil {
		t.Errorf("%v, %v", text, err)
	}
}
