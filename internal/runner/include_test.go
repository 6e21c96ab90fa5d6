package runner

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// sharing is a runner that takes sources of two others.
func sharing(include string, more map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, content := range map[string]string{
		"toy/runner.json":            strings.Replace(goodManifest, `"needs"`, `"include":`+include+`,"needs"`, 1),
		"toy/main.txt":               "main of toy",
		"page/main.txt":              "main of page",
		"page/setup/lock.json":       "lock",
		"page/deep/er/x.txt":         "x of page",
		"other/runner.json":          strings.Replace(goodManifest, "toy", "other", 1),
		"other/codecs/x.go.tmpl":     "// wirecost:codec " + goodHeader,
		"other/codecs/parts.inc":     "parts",
		"other/codecs/y.go.tmpl":     "// wirecost:codec " + strings.Replace(goodHeader, `"x"`, `"y"`, 1),
		"other/harness/documents.js": "documents",
	} {
		m[name] = &fstest.MapFile{Data: []byte(content)}
	}
	for name, content := range more {
		m[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return m
}

func loadToy(t *testing.T, fsys fs.FS) *Runner {
	t.Helper()
	all, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Runtime == "toy" {
			return r
		}
	}
	t.Fatal("no toy")
	return nil
}

func TestInclude(t *testing.T) {
	const include = `{"page":".","other/codecs/x.go.tmpl":"codecs/x.go.tmpl","other/harness":"lib/harness"}`
	r := loadToy(t, sharing(include, nil))
	want := map[string]string{
		"main.txt": "main of toy", "setup/lock.json": "lock", "deep/er/x.txt": "x of page", "lib/harness/documents.js": "documents",
		"codecs/x.go.tmpl": "// wirecost:codec " + goodHeader,
	}
	err := eachFile(r.FS, ".", func(name string, content []byte) error {
		if name != manifestFile && want[name] != string(content) {
			t.Errorf("%s: %q", name, content)
		}
		delete(want, name)
		return nil
	})
	if err != nil || len(want) > 0 {
		t.Errorf("not there: %v (%v)", want, err)
	}
	if _, ok := r.Codec("x"); !ok || len(r.Codecs) != 1 {
		t.Errorf("codecs: %+v", r.Codecs)
	}
	if other := loadToy(t, sharing(include, map[string]string{"other/harness/documents.js": "changed"})); other.Digest == r.Digest {
		t.Error("a change to an included file does not change the digest")
	}
	if other := loadToy(t, sharing(include, map[string]string{"other/codecs/y.go.tmpl": "changed"})); other.Digest != r.Digest {
		t.Error("a change to a file that is not included changes the digest")
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := r.Render(hostileModel(), r.Codecs, nil, dir); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, "lib/harness/documents.js"); got != "documents" {
		t.Errorf("rendered %q", got)
	}
	if files, err := r.setupFiles(); err != nil || string(files["lock.json"]) != "lock" {
		t.Errorf("set up with %q, %v", files, err)
	}
}

func TestIncludeRefuses(t *testing.T) {
	for include, want := range map[string]string{
		`{"nowhere":"."}`:                         "toy/runner.json: include: open nowhere",
		`{"../x":"."}`:                            `include has "../x" at "."`,
		`{".":"."}`:                               `include has "." at "."`,
		`{"page":"/tmp"}`:                         `include has "page" at "/tmp"`,
		`{"page":"a","page/deep":"a/deep"}`:       "both page and page/deep put a file at a/deep/er/x.txt",
		`{"page":"../b"}`:                         `at "../b"`,
		`{"other/codecs":"codecs","page":"."}`:    "",
		`{"other/harness/documents.js":"file.x"}`: "",
	} {
		_, err := Load(sharing(include, nil))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: have %v; want %q", include, err, want)
		}
	}
}

// TestProgramPlaceholder has commands that are wirecost's own, played by the
// test binary.
func TestProgramPlaceholder(t *testing.T) {
	w := newWorkshop(t, map[string]string{"a": "fine"})
	build := func() (*Build, error) {
		r := w.runner()
		r.Manifest.Warm, r.Manifest.Generate = nil, nil
		r.Manifest.Build, r.Run = [][]string{{programMark, "build", "{codecs}"}}, []string{programMark, "page"}
		return w.builder.Build(context.Background(), r, w.request(r))
	}
	if _, err := build(); err == nil || !strings.Contains(err.Error(), "is a test; set Builder.Program") {
		t.Errorf("have %v", err)
	}
	program := filepath.Join(t.TempDir(), "wirecost")
	if err := os.Symlink(self(t), program); err != nil {
		t.Skip(err)
	}
	w.builder.Program = program
	b, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Command().Words; got[0] != program || got[1] != "page" {
		t.Errorf("runs %q", got)
	}
	if got := w.ran(); got[0] != "build a" {
		t.Errorf("ran %q", got)
	}
	if again, err := build(); err != nil || !again.Cached {
		t.Errorf("again: %+v, %v", again, err)
	}
	// Another program builds anew.
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec "+self(t)+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if again, err := build(); err != nil || again.Cached || again.Dir == b.Dir {
		t.Errorf("with another program: %+v, %v", again, err)
	}
}

func TestHomesByRelease(t *testing.T) {
	w := newWorkshop(t, map[string]string{"a": "fine"})
	home := func(version, program string) string {
		t.Helper()
		r := w.runner()
		r.Manifest.Setup = [][]string{{programMark, "bundle"}}
		dir, err := (&Builder{Cache: w.builder.Cache, Version: version, Program: program}).homeDir(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	first := home("v1.2.3", "/a")
	if home("v1.2.3", "/b") != first {
		t.Error("the place of the program changes the home")
	}
	if home("v1.2.4", "/a") == first {
		t.Error("a release keeps the home of another")
	}
	if home("devel", "/a") != home("v0.0.0-20261130120000-abcdef123456+dirty", "/a") {
		t.Error("every change to wirecost changes the home")
	}
}
