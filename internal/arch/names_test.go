package arch

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wirecost/runners"
)

// vocabulary are words that name a codec somewhere and a format or form everywhere.
var vocabulary = []string{"json", "protobuf", "protojson"}

// data is what may name runtimes and codecs freely: published studies say what they measured.
const data = "internal/study/"

// allowed are the places that may name a runtime or a codec.
var allowed = []struct{ path, name string }{
	{"internal/cli/run.go", "go"},                      // the default of --runtime
	{"internal/runner/runnertest/runnertest.go", "go"}, // the tool, which builds wirecost for tests
}

// described reads the names of all runtimes and codecs from the runners.
func described(t *testing.T) []string {
	t.Helper()
	manifests, err := fs.Glob(runners.FS, "*/runner.json")
	if err != nil || len(manifests) == 0 {
		t.Fatalf("no runner found (error %v)", err)
	}
	var names []string
	for _, manifest := range manifests {
		names = append(names, named(t, manifest, readRunner(t, manifest), "runtime"))
		codecs, err := fs.Glob(runners.FS, path.Join(path.Dir(manifest), "codecs", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range codecs {
			for line := range strings.Lines(readRunner(t, file)) {
				if _, header, found := strings.Cut(line, "wirecost:codec {"); found {
					names = append(names, named(t, file, "{"+header, "name"))
					break
				}
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return slices.Contains(vocabulary, n) })
}

func readRunner(t *testing.T, file string) string {
	t.Helper()
	data, err := runners.FS.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// named reads one member of the JSON object that text starts with.
func named(t *testing.T, file, text, key string) string {
	t.Helper()
	var object map[string]any
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&object); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	name, ok := object[key].(string)
	if !ok || name == "" {
		t.Fatalf("%s: no %q", file, key)
	}
	return name
}

// mentions lists the names in a string literal of code: alone, or in a list or
// pattern such as "go,python" or "go/goccy". A literal with white space is
// prose (help, messages, queries); an example there is no knowledge.
func mentions(literal string, names []string) []string {
	if strings.ContainsAny(literal, " \t\n") {
		return nil
	}
	var found []string
	for _, word := range strings.FieldsFunc(literal, func(r rune) bool { return strings.ContainsRune(",/|*", r) }) {
		if slices.Contains(names, word) {
			found = append(found, word)
		}
	}
	return found
}

// literals calls visit for every string in the file that is neither an import
// path nor a struct tag.
func literals(file *ast.File, visit func(at token.Pos, value string)) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				return false
			}
			if value, err := strconv.Unquote(n.Value); err == nil {
				visit(n.Pos(), value)
			}
		}
		return true
	})
}

// TestCoreNamesNoRuntimeAndNoCodec: the core learns both from the runners.
func TestCoreNamesNoRuntimeAndNoCodec(t *testing.T) {
	names := described(t)
	set, files := sources(t)
	for _, s := range files {
		if s.test || !strings.HasPrefix(s.path, "internal/") || strings.HasPrefix(s.path, data) {
			continue
		}
		literals(s.file, func(at token.Pos, value string) {
			for _, name := range mentions(value, names) {
				if !slices.Contains(allowed, struct{ path, name string }{s.path, name}) {
					t.Errorf("%s:%d: %q names %q: a runner's own files should say this", s.path, set.Position(at).Line, value, name)
				}
			}
		})
	}
}

func TestMentions(t *testing.T) {
	names := []string{"go", "goccy", "encoding-json"}
	for literal, want := range map[string]string{
		"go": "go", "go/goccy": "go goccy", "python,go": "go", "go/*": "go", "goccy|x": "goccy",
		"go.mod": "", "gopher": "", "wirecost run --codec goccy FILE": "", "": "", "encoding/json": "",
	} {
		if got := strings.Join(mentions(literal, names), " "); got != want {
			t.Errorf("%q: %q, want %q", literal, got, want)
		}
	}
}
