package store

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
)

// made is a result file of one sample and some codecs, two forks each.
type made struct {
	cpu, schema, sample, digest, version string
	codecs                               []string
	failed                               string // the codec that failed
}

func (m made) file(t *testing.T) *File {
	t.Helper()
	records := []any{
		&Header{Format: FormatV1, Machine: Machine{CPU: m.cpu}, Versions: map[string]string{"r": m.version}, Schema: SchemaInfo{Digest: m.schema}},
		&Sample{Sample: m.sample, Digest: m.digest}, &Size{Sample: m.sample, Form: "compact"},
	}
	for i, c := range m.codecs {
		records = append(records, &Case{Number: 5 + i, Case: bench.Case{Sample: m.sample, Runtime: "r", Codec: c, Operation: "encode"}})
	}
	for n := range 2 {
		for i, c := range m.codecs {
			f := fork(n)
			f.Case = 5 + i
			if c != m.failed {
				records = append(records, f)
			}
		}
	}
	for i, c := range m.codecs {
		o := &Outcome{Case: 5 + i, Status: bench.Measured}
		if c == m.failed {
			o.Status = bench.Failed
		}
		records = append(records, o)
	}
	records = append(records, &Progress{Forks: 2, MeasureNS: 10})
	var b strings.Builder
	for _, r := range records {
		if err := setKind(r); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&b).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	f, err := InMemory(m.sample, []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func merged(t *testing.T, ms ...made) [][]string {
	t.Helper()
	var files []*File
	for _, m := range ms {
		files = append(files, m.file(t))
	}
	var all [][]string
	for _, e := range Merge(files...) {
		var got []string
		if err := e.Scan(func(rec any) error { got = append(got, word(rec)); return nil }); err != nil {
			t.Fatal(err)
		}
		all = append(all, got)
	}
	return all
}

func TestMerge(t *testing.T) {
	monday := made{cpu: "A", schema: "S", sample: "s", digest: "d", version: "1", codecs: []string{"x"}}
	first := []string{"sample s", "size s compact", "case 0 s/r/x/encode", "fork 0/0", "fork 0/1", "outcome 0 measured", "progress 2"}
	with := func(change func(*made)) made { m := monday; change(&m); return m }
	for _, tt := range []struct {
		name string
		next made
		want [][]string
	}{
		{"another day adds forks", monday,
			[][]string{append(first, "fork 0/2", "fork 0/3", "progress 4")}},
		{"another codec adds a case", with(func(m *made) { m.codecs = []string{"y"} }),
			[][]string{append(first, "case 1 s/r/y/encode", "fork 1/2", "fork 1/3", "outcome 1 measured", "progress 4")}},
		{"the same documents under another name", with(func(m *made) { m.sample = "t" }),
			[][]string{append(first, "fork 0/2", "fork 0/3", "progress 4")}},
		{"other documents of the same name", with(func(m *made) { m.digest = "e" }),
			[][]string{append(first, "sample s#2", "size s#2 compact", "case 1 s#2/r/x/encode", "fork 1/2", "fork 1/3", "outcome 1 measured", "progress 4")}},
		{"another schema", with(func(m *made) { m.schema = "T" }),
			[][]string{append(first, "sample s#2", "size s#2 compact", "case 1 s#2/r/x/encode", "fork 1/2", "fork 1/3", "outcome 1 measured", "progress 4")}},
		{"another machine", with(func(m *made) { m.cpu = "B" }), [][]string{first, first}},
		{"another version", with(func(m *made) { m.version = "2" }), [][]string{first, first}},
		{"a failure does not undo a measurement", with(func(m *made) { m.failed = "x" }),
			[][]string{append(first, "progress 4")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, merged(t, monday, tt.next)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEqualSamplesOfOneFileStayApart(t *testing.T) {
	data := header + `{"kind":"sample","sample":"a","digest":"d"}` + "\n" + `{"kind":"sample","sample":"b","digest":"d"}` + "\n"
	f, err := InMemory("f", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	g, err := InMemory("g", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	envs := Merge(f, g)
	if err := envs[0].Scan(func(rec any) error { got = append(got, word(rec)); return nil }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"sample a", "sample b"}, got); d != "" || len(envs) != 1 {
		t.Error(d, len(envs))
	}
}

func TestProgressOfSeveralRunsAddsUp(t *testing.T) {
	of := func(forks int, ns ...int64) *File {
		records := []any{&Header{Machine: Machine{CPU: "A"}}}
		for i, t := range ns {
			records = append(records, &Progress{Forks: forks + i, MeasureNS: t, BatchNS: t / 2})
		}
		f, err := Of("f", records)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	var last Progress
	resumed := of(1, 100, 200, 40, 80) // forks are counted on, times begin anew
	for _, e := range Merge(resumed, of(1, 1000)) {
		if err := e.Scan(func(rec any) error { last = *rec.(*Progress); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if last.Forks != 5 || last.MeasureNS != 1280 || last.BatchNS != 640 {
		t.Errorf("%+v", last)
	}
}
