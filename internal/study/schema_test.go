package study

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestJSONIsAsDocumented holds the machine's form to docs/study.schema.json, in
// which every object is closed here: a member that it does not know is an error.
func TestJSONIsAsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/study.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	closed(doc)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("study.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("study.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	w := publishedWorld()
	w.lacks, w.forks = "cpp", 3
	for _, world := range []world{publishedWorld(), w} {
		var pages []*Page
		for _, s := range All() {
			pages = append(pages, NewPage(s, world.measure(t, s)))
		}
		var b bytes.Buffer
		if err := WriteJSON(&b, pages); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Error(err)
		}
	}
}

// closed lets no object have members that its schema does not name.
func closed(x any) {
	switch v := x.(type) {
	case map[string]any:
		if _, ok := v["properties"]; ok {
			v["additionalProperties"] = false
		}
		for _, y := range v {
			closed(y)
		}
	case []any:
		for _, y := range v {
			closed(y)
		}
	}
}
