package schema

import "testing"

func TestHasMaps(t *testing.T) {
	message := func(id string, fields ...*Field) *Message { return &Message{ID: id, Fields: fields} }
	to := func(id string) *Field { return &Field{Kind: KindMessage, Type: id, Label: LabelOne} }
	m := &Model{
		Roots: []Root{{Sample: "plain", Type: "Plain_"}, {Sample: "map", Type: "Outer_"}, {Sample: "value", Type: "Free_"}},
		Messages: []*Message{
			message("Plain_", &Field{Kind: KindString, Label: LabelList}, to("Plain_")),
			message("Inner_", &Field{Kind: KindString, Label: LabelMap, MapKey: KindString}),
			message("Outer_", to("Plain_"), to("Inner_")),
			message("Free_", &Field{Kind: KindValue, Label: LabelOne}),
		},
	}
	for sample, want := range map[string]bool{"plain": false, "map": true, "value": true, "none": false} {
		if got := m.HasMaps(sample); got != want {
			t.Errorf("%s: %v", sample, got)
		}
	}
}
