package schema

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// describe writes a message's fields in a line each.
func describe(m *Message) string {
	var b strings.Builder
	for _, f := range m.Fields {
		var words []string
		for _, w := range []string{f.ID, f.Key, string(f.Label), string(f.MapKey), string(f.Kind), f.Type, string(f.Absent), string(f.Repr), f.Oneof} {
			if w != "" {
				words = append(words, w)
			}
		}
		for word, set := range map[string]bool{"presence": f.Presence} {
			if set {
				words = append(words, word)
			}
		}
		if f.Nil {
			words = append(words, "nil")
		}
		if f.Box {
			words = append(words, "box")
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	return b.String()
}

func TestModelOfKitchen(t *testing.T) {
	s := testSchema(t, "kitchen.proto", "Sink")
	want := map[string]string{
		"Sink_": `id_ id one int64 write
name_ name one string omit presence
note_ note one string null presence
items_ items list message Item_ write
by_key_ byKey map string message Item_ omit
mixed_ mixed one message Mixed_ omit presence nil
mixes_ mixes list message Mixed_ omit
free_ free one value omit presence nil
fields_ fields one message Struct_ omit presence
values_ values one message ListValue_ omit presence
blob_ blob one bytes write
trace_ trace one bytes write hex
uuid_ uuid one bytes omit uuid presence
color_ color one enum Color_ write
code_ code one enum Color_ omit number presence
grid_ grid list message Row_ omit
cells_ cells one message Cells_ omit presence
big_ big one int64 omit string presence
exact_ exact one string omit number presence
at_ at one timestamp omit presence
took_ took one duration omit presence
text_ text one message StringValue_ omit presence
count_ count one message Int64Value_ omit presence
flag_ flag one message BoolValue_ omit presence
nothing_ nothing one message Empty_ omit presence
nil_ nil one null write nil
numbered_ numbered map int32 string omit
flags_ flags map bool double omit
colors_ colors map uint64 enum Color_ omit
word_ word one string omit choice_ presence
number_ number one int64 omit choice_ presence
object_ object one message Item_ omit choice_ presence
none_ none one null omit choice_ presence nil
ratio_ ratio one float write
numbers_ numbers list double omit
fixed_ fixed list int32 omit
huge_ huge one uint64 omit presence
times_ times list timestamp omit
anything_ anything list value omit
loose_ loose map string value omit
loop_ loop one message Loop_ omit presence
`,
		"Item_": `sku_ sku one string write
child_ child one message Item_ omit presence box
kids_ kids list message Item_ omit
dims_ dims map string double omit
`,
		"LoopBack_":  "loop_ loop one message Loop_ omit presence box\n",
		"Struct_":    "fields_ fields map string value omit\n",
		"ListValue_": "values_ values list value omit\n",
		"Row_":       "v_ v list double omit\n",
	}
	for id, lines := range want {
		m := s.Model.Message(id)
		if m == nil {
			t.Errorf("no message %s", id)
			continue
		}
		if got := describe(m); got != lines {
			t.Errorf("%s:\n%s\nwant\n%s", id, got, lines)
		}
	}
	for id, form := range map[string]Form{"Sink_": FormObject, "Mixed_": FormUnion, "Row_": FormBare, "Struct_": FormBare, "StringValue_": FormBare, "Empty_": FormObject} {
		if m := s.Model.Message(id); m == nil || m.Form != form {
			t.Errorf("%s is not %s", id, form)
		}
	}
	seen := map[string]bool{}
	for _, m := range s.Model.Messages {
		for _, f := range m.Fields {
			if f.Type != "" && f.Kind == KindMessage && !seen[f.Type] && f.Type != m.ID && !f.Box {
				t.Errorf("%s comes before %s, which it uses", m.ID, f.Type)
			}
		}
		seen[m.ID] = true
	}
	if len(s.Notes) != 3 || !strings.HasPrefix(s.Notes[0].String(), "kitchen.Sink.any: google.protobuf.Any is not supported") || s.Notes[1].Where != "kitchen.Sink.mask" {
		t.Errorf("notes: %v", s.Notes)
	}
}

func TestModelNotesExtensions(t *testing.T) {
	s := testSchema(t, "legacy.proto", "")
	if len(s.Notes) != 2 || s.Notes[0].Where != "legacy.note" || s.Notes[1].Where != "legacy.Legacy.map" {
		t.Errorf("notes: %v", s.Notes)
	}
}

func TestModelNotesEnvelope(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; message Env { Body body = 1; } message Body { string json = 1; }`)
	if len(s.Notes) != 1 || s.Notes[0].Where != "Body.json" || !strings.Contains(s.Notes[0].Text, "nothing structural is measured") {
		t.Errorf("notes: %v", s.Notes)
	}
}

// Every Protobuf library knows google's types by name alone.
func TestModelRefusesForeignWellKnownTypes(t *testing.T) {
	_, err := CompileText(context.Background(), "own.proto", `syntax = "proto3"; package google.protobuf; message Timestamp { string text = 1; } message M { Timestamp t = 1; }`, map[string]string{"x": "google.protobuf.M"})
	if err == nil || !strings.Contains(err.Error(), "own.proto: declares google.protobuf.Timestamp") {
		t.Errorf("have %v", err)
	}
}

func TestWithRoots(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; package p; message A { B b = 1; } message B { int32 x = 1; }`)
	two, err := s.WithRoots(map[string]string{"one": "", "two": "p.B", "three": "B"})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(two.Model.Roots)
	if want := `[{"sample":"one","type":"A_","leaf":["b_","x_"]},{"sample":"three","type":"B_","leaf":["x_"]},{"sample":"two","type":"B_","leaf":["x_"]}]`; string(got) != want {
		t.Errorf("roots %s", got)
	}
	if len(s.Model.Roots) != 1 {
		t.Error("the first schema changed")
	}
	if _, err := s.WithRoots(map[string]string{"one": "C"}); err == nil {
		t.Error("a root that does not exist was accepted")
	}
	if _, err := s.Reference("z"); err == nil {
		t.Error("a sample without a root has a reference")
	}
}

func TestDigest(t *testing.T) {
	text := `syntax = "proto3"; message M { int32 a = 1; }`
	one, same, other := mustText(t, text).Digest(), mustText(t, text+" // note").Digest(), mustText(t, strings.Replace(text, "1", "2", 1)).Digest()
	if one != same || one == other || !strings.HasPrefix(one, "sha256:") {
		t.Errorf("%s %s %s", one, same, other)
	}
	s := mustText(t, text)
	if _, err := s.Fit("", texts(`{}`), FitOptions{}); err != nil || s.Digest() == one {
		t.Error("the digest does not know the JSON mapping")
	}
}

// The numbers by which options are found are those of wirecost/json.proto.
func TestOptionNumbers(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; import "wirecost/json.proto"; message M {}`)
	for name, number := range map[protoreflect.FullName]protoreflect.FieldNumber{
		"wirecost.form": optionForm, "wirecost.absent": optionAbsent, "wirecost.repr": optionRepr, "wirecost.key": optionKey,
	} {
		d, err := s.files.FindDescriptorByName(name)
		if err != nil || d.(protoreflect.ExtensionDescriptor).Number() != number {
			t.Errorf("%s: %v %v", name, d, err)
		}
	}
}
