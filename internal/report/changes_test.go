package report

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"wirecost/internal/compare"
	"wirecost/internal/store"
)

func changesOf(t *testing.T, old, new []string, format string, opt Options) string {
	t.Helper()
	read := func(names []string) (out []*store.File) {
		for _, n := range names {
			f, err := store.Read(filepath.Join("..", "compare", "testdata", n))
			if err != nil {
				t.Fatal(err)
			}
			f.Name = n
			out = append(out, f)
		}
		return out
	}
	r, err := compare.Files(read(old), read(new), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteChanges(&b, r, format, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestChanges(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new []string
	}{
		{"slower", []string{"old-1.jsonl", "old-2.jsonl"}, []string{"slower.jsonl"}},
		{"machine", []string{"old-1.jsonl"}, []string{"machine.jsonl"}},
		{"few", []string{"old-1.jsonl"}, []string{"few.jsonl"}},
		// A name that would be HTML and Markdown.
		{"else", []string{"old-1.jsonl", "else.jsonl"}, []string{"else.jsonl", "larger.jsonl"}},
	} {
		for _, format := range ChangeFormats() {
			if format == "json" && tt.name != "slower" {
				continue
			}
			name := "changes-" + tt.name + "." + format
			t.Run(name, func(t *testing.T) {
				got := changesOf(t, tt.old, tt.new, format, Options{})
				golden(t, name, got)
				if format == "markdown" && strings.Contains(got, "<b>") {
					t.Error("Markdown passes HTML on")
				}
				if format != "terminal" {
					return
				}
				for _, line := range strings.Split(got, "\n") {
					if utf8.RuneCountInString(line) > 80 {
						t.Errorf("wider than 80: %s", line)
					}
				}
			})
		}
	}
	if err := WriteChanges(&bytes.Buffer{}, &compare.Result{}, "pdf", Options{}); err == nil {
		t.Error("pdf is written")
	}
}

func TestChangesFitTheirSchema(t *testing.T) {
	schema := strict(t, "compare.schema.json")
	for _, new := range []string{"slower.jsonl", "machine.jsonl", "few.jsonl", "larger.jsonl"} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(changesOf(t, []string{"old-1.jsonl"}, []string{new}, "json", Options{})))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", new, err)
		}
	}
}

func TestSigned(t *testing.T) {
	for ratio, want := range map[float64]string{1: "none", 1.05: "+5%", 0.9: "−10%", 1.0004: "<0.1%", 0.9996: "<0.1%", 2.5: "+150%", 1.012: "+1.2%"} {
		if got := signed(ratio); got != want {
			t.Errorf("%v: %q, want %q", ratio, got, want)
		}
	}
}
