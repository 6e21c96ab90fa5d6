package arch

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wirecost/runners"
)

const dependencies = "docs/dependencies.md"

// requirement is a line of a go.mod: path, version, and what follows.
var requirement = regexp.MustCompile(`(?m)^(?:require )?\s*([\w.-]+\.[\w./~-]+) (v\S+)(.*)$`)

// row is a line of the table: a module and its version, both in backquotes.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\| (.+) \\|$")

// required gives the modules of a go.mod with their versions: those that keep
// reports true for.
func required(gomod string, keep func(path, comment string) bool) map[string]string {
	out := make(map[string]string)
	for _, m := range requirement.FindAllStringSubmatch(gomod, -1) {
		if keep(m[1], m[3]) {
			out[m[1]] = m[2]
		}
	}
	return out
}

// direct gives the modules that our own files import, tests included.
func direct(t *testing.T) map[string]string {
	_, files := sources(t)
	var imports []string
	for _, s := range files {
		imports = append(imports, s.imports...)
	}
	return required(text(t, "go.mod"), func(path, _ string) bool {
		return slices.ContainsFunc(imports, func(i string) bool { return i == path || strings.HasPrefix(i, path+"/") })
	})
}

// ofRunners gives the modules that runners' go.mod files require themselves.
func ofRunners(t *testing.T) map[string]string {
	t.Helper()
	files, err := fs.Glob(runners.FS, "*/go.mod.tmpl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no go.mod found among the runners (error %v)", err)
	}
	out := make(map[string]string)
	for _, file := range files {
		for path, version := range required(readRunner(t, file), func(_, comment string) bool {
			return !strings.Contains(comment, "indirect")
		}) {
			out[path] = version
		}
	}
	return out
}

// TestDependenciesAreExplained: docs/dependencies.md lists all that is used, at
// its version, and nothing that is gone.
func TestDependenciesAreExplained(t *testing.T) {
	core, generated, found := strings.Cut(text(t, dependencies), "\n## The generated runner")
	if !found {
		t.Fatalf("%s has no section on the generated runner", dependencies)
	}
	all := required(text(t, "go.mod"), func(string, string) bool { return true })
	for _, table := range []struct {
		what, text  string
		used, known map[string]string
	}{{"go.mod", core, direct(t), all}, {"a runner's go.mod", generated, ofRunners(t), ofRunners(t)}} {
		listed := make(map[string]string)
		for _, m := range row.FindAllStringSubmatch(table.text, -1) {
			listed[m[1]] = m[2]
		}
		for path, version := range table.used {
			if listed[path] != version {
				t.Errorf("%s: %s %s of %s is listed with version %q: correct the row", dependencies, path, version, table.what, listed[path])
			}
		}
		for path := range listed {
			if table.known[path] == "" {
				t.Errorf("%s lists %s, which is not in %s: remove the row", dependencies, path, table.what)
			}
		}
	}
}

func TestRequirement(t *testing.T) {
	gomod := "module x\n\ngo 1.26.0\n\nrequire example.com/one v1.0.0\n\nrequire (\n\tgithub.com/a/b/v2 v2.0.1 // indirect\n\tgolang.org/x/c v0.0.0-2026-abc\n)\n"
	var got []string
	for path, version := range required(gomod, func(string, string) bool { return true }) {
		got = append(got, path+" "+version)
	}
	slices.Sort(got)
	want := []string{"example.com/one v1.0.0", "github.com/a/b/v2 v2.0.1", "golang.org/x/c v0.0.0-2026-abc"}
	if !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}
