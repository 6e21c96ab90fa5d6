package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
)

const header = `{"kind":"header","format":"wirecost.result/v1","version":"v0.1.0","machine":{"os":"linux","cpu":"A"},"schema":{"digest":"S"}}` + "\n"
const caseZero = `{"kind":"case","case":0,"sample":"s","runtime":"r","codec":"a","format":"json","operation":"encode"}` + "\n"

func fork(number int) *Fork {
	return &Fork{Case: 0, Fork: number, Iterations: []int{2}, Document: []int{0}, Window: []int{1}, WallNS: []int64{10}, CPUNS: -1}
}

func progress(forks int) *Progress { return &Progress{Forks: forks} }

// write makes a result file of the records and returns its path.
func write(t *testing.T, records ...any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := Create(path, Header{Version: "v0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := w.file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// read lists what a file holds, one word per record.
func read(t *testing.T, path string) []string {
	t.Helper()
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := f.Scan(func(rec any) error { got = append(got, word(rec)); return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

func word(rec any) string {
	switch r := rec.(type) {
	case *Fork:
		return fmt.Sprintf("fork %d/%d", r.Case, r.Fork)
	case *Requests:
		return fmt.Sprintf("requests %d/%d", r.Case, r.Fork)
	case *OpenLoop:
		return fmt.Sprintf("open-loop %d", r.Case)
	case *Storage:
		return fmt.Sprintf("storage %d", r.Case)
	case *Case:
		return fmt.Sprintf("case %d %s", r.Number, r.Case)
	case *Progress:
		return fmt.Sprintf("progress %d", r.Forks)
	case *Outcome:
		return fmt.Sprintf("outcome %d %s", r.Case, r.Status)
	case *Sample:
		return "sample " + r.Sample
	case *Size:
		return fmt.Sprintf("size %s %s", r.Sample, r.Form)
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", rec), "*store."))
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	records := []any{
		&Header{Version: "v1", Seed: 7},
		&Sample{Sample: "s", Documents: 3, Shape: map[string]any{"blob_share": 0.5}},
		&Size{Sample: "s", Format: bench.JSON, Form: "compact", Encoding: "gzip:6", Unit: "document", Bytes: 12},
		&Loss{Sample: "s", Path: "$.a", What: "null is left out", Documents: 2},
		&Case{Number: 0, Case: bench.Case{Sample: "s", Runtime: "r", Codec: "a", Operation: "decode"}, Traits: []string{"typed"}},
		&Outcome{Case: 0, Status: bench.Failed, Reason: "it crashed"},
		fork(3), &Memory{Case: 0, AllocsPerOp: 2}, progress(1),
	}
	path := filepath.Join(t.TempDir(), "x")
	w, err := Create(path, *records[0].(*Header))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close("complete"); err != nil {
		t.Fatal(err)
	}
	records[0].(*Header).Kind, records[0].(*Header).Format = "header", FormatV1
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	if err := f.Scan(func(rec any) error { got = append(got, rec); return nil }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(records, got[:len(got)-1]); d != "" {
		t.Error(d)
	}
	if f.Status != "complete" || f.Header.Seed != 7 {
		t.Errorf("status %q, seed %d", f.Status, f.Header.Seed)
	}
}

func TestEveryKindCanBeWritten(t *testing.T) {
	for kind, empty := range kinds {
		rec := empty()
		if err := setKind(rec); err != nil {
			t.Fatal(err)
		}
		if got := reflect.ValueOf(rec).Elem().FieldByName("Kind").String(); got != kind {
			t.Errorf("kind %q is written as %q", kind, got)
		}
	}
	if err := setKind(Fork{}); err == nil {
		t.Error("a value that is not a pointer is taken")
	}
}

func TestResumeCutsWhatIsUnfinished(t *testing.T) {
	c := &Case{Number: 0, Case: bench.Case{Sample: "s", Runtime: "r", Codec: "a", Operation: "encode"}}
	begin := []string{"header", "case 0 s/r/a/encode"}
	footer := &Footer{Status: "interrupted"}
	for _, tt := range []struct {
		name    string
		records []any
		torn    string
		want    []string
	}{
		{"between forks", []any{c, fork(0), progress(1), fork(1), progress(2)}, "", append(begin, "fork 0/0", "progress 1", "fork 0/1", "progress 2")},
		{"a footer", []any{c, fork(0), progress(1), footer}, "", append(begin, "fork 0/0", "progress 1")},
		{"an open fork", []any{c, fork(0), progress(1), fork(1)}, "", append(begin, "fork 0/0", "progress 1")},
		{"an open fork with an outcome and a footer", []any{c, fork(0), progress(1), fork(1), &Outcome{Case: 0, Status: bench.Failed}, footer}, "", append(begin, "fork 0/0", "progress 1")},
		{"a torn line", []any{c, fork(0), progress(1)}, `{"kind":"fork","ca`, append(begin, "fork 0/0", "progress 1")},
		{"a whole line without its end", []any{c, fork(0)}, `{"kind":"progress","forks":1}`, begin},
		{"nothing measured yet", []any{c}, "", begin},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.records...)
			appendTo(t, path, tt.torn)
			w, err := Resume(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Append(fork(9)), w.Append(progress(9)), w.Close("complete")); err != nil {
				t.Fatal(err)
			}
			want := append(append([]string{}, tt.want...), "fork 0/9", "progress 9", "footer")
			if d := cmp.Diff(want, read(t, path)); d != "" {
				t.Error(d)
			}
		})
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestKilledRunCanBeRead(t *testing.T) {
	path := write(t, &Case{Number: 0, Case: bench.Case{Sample: "s", Runtime: "r", Codec: "a", Operation: "encode"}}, fork(0))
	appendTo(t, path, `{"kind":"fork","case":0,"iter`)
	if d := cmp.Diff([]string{"header", "case 0 s/r/a/encode", "fork 0/0"}, read(t, path)); d != "" {
		t.Error(d)
	}
	if f, _ := Read(path); f.Status != "killed" {
		t.Errorf("status %q", f.Status)
	}
}

func TestScanRefuses(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"nothing", "", "f: this is not a wirecost result file: it holds no header"},
		{"text", "hello\n", "f:1: this is not a record"},
		{"another JSON file", "[1,2]\n", "f:1: this is not a record"},
		{"JSON without a kind", `{"a":1}` + "\n", "f:1: the record has no kind"},
		{"no header", caseZero, `f:1: the first record is of kind "case", not a header`},
		{"a later format", strings.Replace(header, "/v1", "/v2", 1), `f:1: the file's format is "wirecost.result/v2" and this version of wirecost reads "wirecost.result/v1"`},
		{"two files in one", header + header, "f:2: a second header"},
		{"broken in the middle", header + "{\n" + caseZero, "f:2: this is not a record"},
		{"a blank line", header + "\n" + caseZero, "f:2: this is not a record"},
		{"a wrong type", header + `{"kind":"size","bytes":"12"}` + "\n", "f:2: a size record cannot be read"},
		{"a negative size", header + `{"kind":"size","bytes":-1}` + "\n", "f:2: a size of -1 bytes"},
		{"an unknown case", header + `{"kind":"memory","case":3}` + "\n", "f:2: case 3 is not known here"},
		{"a case twice", header + caseZero + caseZero, "f:3: case 0 is there twice"},
		{"a case of nothing", header + `{"kind":"case","case":0,"sample":"s"}` + "\n", "f:2: case 0 lacks its sample, runtime, codec or operation"},
		{"an unknown status", header + caseZero + `{"kind":"outcome","case":0,"status":"fine"}` + "\n", `f:3: the status "fine"`},
		{"arrays of different lengths", header + caseZero + `{"kind":"fork","case":0,"wall_ns":[1,2],"iterations":[1]}` + "\n", "f:3: a fork of case 0 has 1 entries of iterations for 2 of wall_ns"},
		{"no iterations", header + caseZero + `{"kind":"fork","case":0,"wall_ns":[1],"iterations":[0],"document":[0],"window":[1]}` + "\n", "f:3: entry 0 of a fork of case 0 is out of range"},
		{"more after the footer", header + `{"kind":"footer"}` + "\n" + caseZero, "f:3: a case record after the footer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Scan(strings.NewReader(tt.data), "f", func(any) error { return nil })
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s…", err, tt.want)
			}
		})
	}
}

func TestScanBoundsLines(t *testing.T) {
	long := io.MultiReader(strings.NewReader(header+`{"kind":"loss","what":"`), endless{})
	err := Scan(long, "f", func(any) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "f:2: the line is longer than") {
		t.Error(err)
	}
	w, err := Create(filepath.Join(t.TempDir(), "x"), Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(&Loss{What: strings.Repeat("x", MaxLine)}); err == nil {
		t.Error("a line is written that cannot be read")
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestUnknownKindsArePassedOver(t *testing.T) {
	var got []string
	data := header + `{"kind":"of a later version","case":4}` + "\n" + caseZero
	err := Scan(strings.NewReader(data), "f", func(rec any) error { got = append(got, word(rec)); return nil })
	if d := cmp.Diff([]string{"header", "case 0 s/r/a/encode"}, got); err != nil || d != "" {
		t.Error(err, d)
	}
}

func TestScanStopsAtCallersError(t *testing.T) {
	stop := errors.New("stop")
	err := Scan(strings.NewReader(header+caseZero), "f", func(any) error { return stop })
	if !errors.Is(err, stop) {
		t.Error(err)
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(header + caseZero))
	f.Add([]byte(header + caseZero + `{"kind":"fork","case":0,"fork":1,"wall_ns":[5],"iterations":[1],"document":[0],"window":[1]}` + "\n" + `{"kind":"footer","status":"complete"}`))
	f.Add([]byte(header + `{"kind":"sample","sample":"s","digest":"d","shape":{"a":1}}` + "\n" + `{"kind":"siz`))
	f.Add([]byte(`{"kind":"header","format":"wirecost.result/v9"}`))
	f.Add([]byte(header + caseZero + requestsZero + `{"kind":"open-loop","case":0,"rate":10,"seconds":2,"requests":20,"histogram":{"ns":[5],"count":[20]}}` + "\n" +
		`{"kind":"storage","case":0,"server":"x","keys":1,"value_bytes":3,"memory_usage":-1,"used_memory":-1}` + "\n" + `{"kind":"progress","forks":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var first []string
		if err := Scan(bytes.NewReader(data), "f", func(rec any) error { first = append(first, word(rec)); return nil }); err != nil {
			return
		}
		file, err := InMemory("f", data)
		if err != nil {
			t.Fatalf("read once, refused the second time: %v", err)
		}
		records := 0
		for _, e := range Merge(file) {
			if err := e.Scan(func(any) error { records++; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if records > len(first) {
			t.Errorf("%d records became %d", len(first), records)
		}
	})
}
