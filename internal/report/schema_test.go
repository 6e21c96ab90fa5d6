package report

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// strict compiles a schema of docs/ with every object closed, so that a member
// which the schema does not know is an error here, if not for readers.
func strict(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	defs := doc.(map[string]any)["$defs"].(map[string]any)
	for _, d := range defs {
		closeObjects(d)
	}
	if name != "result.schema.json" { // which is of lines of several kinds
		doc.(map[string]any)["additionalProperties"] = false
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeObjects(x any) {
	switch v := x.(type) {
	case map[string]any:
		if _, ok := v["properties"]; ok {
			v["additionalProperties"] = false
		}
		for _, y := range v {
			closeObjects(y)
		}
	case []any:
		for _, y := range v {
			closeObjects(y)
		}
	}
}

func TestReportFitsItsSchema(t *testing.T) {
	schema := strict(t, "report.schema.json")
	for _, files := range [][]string{{"orders.jsonl"}, {"orders.jsonl", "other.jsonl"}, {"sizes.jsonl"}, {"requests.jsonl"}} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(export(t, "json", load(t, files...), Options{})))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%v: %v", files, err)
		}
	}
}

func TestResultFitsItsSchema(t *testing.T) {
	schema := strict(t, "result.schema.json")
	for _, name := range []string{"orders.jsonl", "other.jsonl", "sizes.jsonl", "requests.jsonl"} {
		f, err := os.Open(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			if !json.Valid(lines.Bytes()) && name == "other.jsonl" {
				break // where the run was killed
			}
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(lines.Text()))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Fatalf("%s:%d: %v", name, n, err)
			}
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(written(t)), "\n") {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, bad := range []string{`{"kind":"memory","case":1}`, `{"kind":"outcome","case":1,"status":"fine"}`, `{"case":1}`, `{"kind":"footer","status":"complete","time":"2026-11-30T12:00:00Z","more":1}`} {
		var doc any
		if err := json.Unmarshal([]byte(bad), &doc); err != nil {
			t.Fatal(err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("%s passes", bad)
		}
	}
}

// written is a result file with one record of every kind, as few members filled
// in as happens.
func written(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	w, err := store.Create(path, store.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range []any{
		&store.Sample{}, &store.Size{Unit: store.PerDocument}, &store.Loss{}, &store.Case{Case: bench.Case{Sample: "s", Runtime: "r", Codec: "c", Operation: bench.Visit}},
		&store.Outcome{Status: bench.Measured}, &store.Fork{}, &store.Memory{}, &store.Noise{}, &store.Progress{},
		&store.Requests{}, &store.OpenLoop{Rate: 1}, &store.Storage{Keys: 1},
	} {
		if err := w.Append(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close("partial"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
