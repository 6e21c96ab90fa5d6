package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes files.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPage(t *testing.T) {
	modules := tree(t, map[string]string{
		"@scope/lib/package.json": `{"name":"@scope/lib","version":"1.2.3","exports":{".":"./index.js"}}`,
		"@scope/lib/index.js":     "exports.secret = 'from the package';\n",
	})
	dir := tree(t, map[string]string{
		"index.html": "<!doctype html>", "page.css": "body {}", "set.binpb": "\x00\xff", "schema.json": `{"__proto__":"odd"}`,
		"main.mjs": `import { version } from '@scope/lib/package.json'; import set from './set.binpb'; import schema from './schema.json';
import('./lazy.mjs').then(({ default: x }) => console.log(x, version, set, schema));`,
		"lazy.mjs": `import lib from '@scope/lib'; export default lib.secret;`,
	})
	out := filepath.Join(dir, "page")
	if err := Page(dir, modules, out, []string{"index.html", "page.css", "main.mjs"}); err != nil {
		t.Fatal(err)
	}
	made := ""
	files, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		made += filepath.Base(file) + "\n" + string(b) + "\n"
	}
	for _, want := range []string{"index.html\n<!doctype html>\n", "page.css\nbody {}\n", "main.js\n", "from the package", "1.2.3", `["__proto__"]`, "AP8="} {
		if !strings.Contains(made, want) {
			t.Errorf("%q is not in what was made:\n%s", want, made)
		}
	}
	main, err := os.ReadFile(filepath.Join(out, "main.js"))
	if err != nil || strings.Contains(string(main), "from the package") {
		t.Errorf("what is loaded later is in main.js: %v", err)
	}
}

func TestPageSaysWhatIsWrong(t *testing.T) {
	dir := tree(t, map[string]string{"main.mjs": "import 'none';\n  import './codecs/a.mjs';\n", "codecs/a.mjs": "let = ;"})
	err := Page(dir, t.TempDir(), filepath.Join(dir, "page"), []string{"main.mjs"})
	if err == nil || !strings.Contains(err.Error(), `main.mjs:1:8: Could not resolve "none"`) || !strings.Contains(err.Error(), "codecs/a.mjs:1:") {
		t.Errorf("it says %v", err)
	}
	if err := Page(dir, t.TempDir(), filepath.Join(dir, "page"), []string{"nothing.mjs"}); err == nil {
		t.Error("no entry: no error")
	}
}
