package report

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/analyse"
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
	for _, tt := range []struct {
		name    string
		files   []string
		formats []string
	}{
		{"orders", []string{"orders.jsonl"}, Formats()},
		// Two machines, one of them killed, undecided, with names that would be
		// escape sequences, HTML, Markdown and formulas.
		{"merged", []string{"orders.jsonl", "other.jsonl"}, []string{"terminal", "markdown", "csv", "benchfmt"}},
		{"sizes", []string{"sizes.jsonl"}, []string{"terminal"}},
		// What crosses transports: HTTP from two runtimes and over a link, Redis,
		// a fixed rate.
		{"requests", []string{"requests.jsonl"}, Formats()},
	} {
		for _, format := range tt.formats {
			name := tt.name + "." + format
			t.Run(name, func(t *testing.T) { golden(t, name, export(t, format, load(t, tt.files...), Options{})) })
		}
	}
}

func TestColourChangesNothingElse(t *testing.T) {
	r := load(t, "orders.jsonl")
	colour := export(t, "terminal", r, Options{Color: true})
	if !strings.Contains(colour, "\x1b[32m") {
		t.Error("no colour")
	}
	if d := cmp.Diff(export(t, "terminal", r, Options{}), regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(colour, "")); d != "" {
		t.Error(d)
	}
}

func TestTablesFitTheScreen(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		for _, files := range [][]string{{"orders.jsonl"}, {"orders.jsonl", "other.jsonl"}, {"sizes.jsonl"}, {"requests.jsonl"}} {
			for i, line := range strings.Split(export(t, "terminal", load(t, files...), Options{Width: width}), "\n") {
				if n := utf8.RuneCountInString(line); n > max(width, 76) {
					t.Errorf("%v, width %d, line %d is %d wide: %s", files, width, i+1, n, line)
				}
				if line != strings.TrimRight(line, " ") {
					t.Errorf("%v, line %d ends in spaces", files, i+1)
				}
			}
		}
	}
}

func TestNamesFromUsersCannotEscape(t *testing.T) {
	r := load(t, "orders.jsonl", "other.jsonl")
	for _, format := range []string{"terminal", "markdown", "benchfmt"} {
		if got := export(t, format, r, Options{}); strings.Contains(got, "\x1b") {
			t.Errorf("%s passes an escape character on", format)
		}
	}
	if strings.Contains(export(t, "markdown", r, Options{}), "<b>") {
		t.Error("Markdown passes HTML on")
	}
	rows, err := csv.NewReader(strings.NewReader(export(t, "csv", r, Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") {
				t.Errorf("CSV passes the formula %q on", cell)
			}
		}
	}
}

func TestBuildNeedsAFile(t *testing.T) {
	if _, err := Build(); err == nil {
		t.Error("a report of nothing")
	}
}

// Adding records one at a time as they are made gives what the file gives.
func TestLiveAndFileAgree(t *testing.T) {
	f, err := store.Read(filepath.Join("testdata", "orders.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	live := analyse.New(analyse.Options{})
	var records []any
	if err := f.Scan(func(rec any) error {
		records = append(records, rec)
		live.Add(rec)
		live.Settled("", 0.01) // looking must not change what is seen
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "again.jsonl")
	w, err := store.Create(path, *records[0].(*store.Header))
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records[1 : len(records)-1] {
		if err := w.Append(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close("complete"); err != nil {
		t.Fatal(err)
	}
	again, err := store.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Build(again)
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	for _, c := range live.Cases() {
		cases = append(cases, newCase(c, 0))
	}
	var comparisons []Comparison
	for _, c := range live.Comparisons() {
		comparisons = append(comparisons, newComparison(c, 0))
	}
	if d := cmp.Diff(cases, r.Cases, cmp.AllowUnexported(Case{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(comparisons, r.Comparisons); d != "" {
		t.Error(d)
	}
}

func TestLiveTable(t *testing.T) {
	f, err := store.Read(filepath.Join("testdata", "orders.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	a := analyse.New(analyse.Options{})
	if got := LiveTable(a, "go", 80); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	var rows []int
	if err := f.Scan(func(rec any) error {
		a.Add(rec)
		if _, ok := rec.(*store.Progress); ok {
			rows = append(rows, strings.Count(LiveTable(a, "go", 80), "\n"))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if slices.Min(rows) != slices.Max(rows) {
		t.Errorf("the table changes its height: %v", rows)
	}
	golden(t, "orders.live", LiveTable(a, "go", 80))
}
