package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

// load builds the report of files in testdata.
func load(t testing.TB, names ...string) *Report {
	t.Helper()
	var files []*store.File
	for _, n := range names {
		f, err := store.Read(filepath.Join("testdata", n))
		if err != nil {
			t.Fatal(err)
		}
		f.Name = n
		files = append(files, f)
	}
	r, err := Build(files...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func export(t testing.TB, format string, r *Report, opt Options) string {
	t.Helper()
	e, ok := For(format)
	if !ok {
		t.Fatalf("there is no format %s", format)
	}
	var b bytes.Buffer
	if err := e.Write(&b, r, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (run with -update if it should):\n%s", name, d)
	}
}

func TestGolden(t *testing.T) {
	r := load(t, "orders.jsonl")
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) { golden(t, "orders."+format, export(t, format, r, Options{})) })
	}
}
