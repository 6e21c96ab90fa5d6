package report

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// run is a made-up run: what each codec of each runtime takes, in ns, by document.
type run struct {
	records []any
	cases   []float64 // ns of each
}

func (r *run) sample(s *store.Sample, jsonBytes, protobufBytes int64) {
	s.Documents, s.Timed, s.Shape = 1, 1, map[string]any{}
	r.records = append(r.records, s)
	for _, z := range []store.Size{{Format: bench.JSON, Form: "compact", Bytes: jsonBytes}, {Format: bench.Protobuf, Form: "binary", Bytes: protobufBytes}} {
		for _, e := range []string{bench.Identity, "gzip:6"} {
			row := z
			row.Sample, row.Encoding, row.Unit = s.Sample, e, store.PerDocument
			r.records = append(r.records, &row)
		}
	}
}

func (r *run) codec(sample, id string, format bench.Format, encode, decode float64, compiles bool, traits ...string) {
	runtime, codec, _ := strings.Cut(id, "/")
	for i, op := range []bench.Operation{bench.Encode, bench.Decode} {
		r.records = append(r.records, &store.Case{
			Number: len(r.cases), Role: "default", Library: "example.com/" + codec, Version: "1", Traits: traits, Compiles: compiles,
			Case: bench.Case{Sample: sample, Runtime: runtime, Codec: codec, Format: format, Operation: op, Transport: bench.Memory, Encoding: bench.Identity},
		})
		r.cases = append(r.cases, []float64{encode, decode}[i])
	}
}

// report measures all cases in so many forks.
func (r *run) report(t *testing.T, forks int) *Report {
	t.Helper()
	records := append([]any{&store.Header{Version: "1", Machine: store.Machine{OS: "linux", Arch: "amd64", Cores: 2}}}, r.records...)
	for fork := range forks + 1 {
		for i, ns := range r.cases {
			f := &store.Fork{Case: i, Fork: fork, Pilot: fork == 0, CPUNS: int64(ns * 1e4), CPUWallNS: int64(ns * 1e4), CPUIterations: 1e4, Collections: int64(i % 2), WarmupBatches: 40}
			for range 3 {
				f.Iterations, f.Document, f.Window, f.WallNS = append(f.Iterations, 1000), append(f.Document, 0), append(f.Window, 1), append(f.WallNS, int64(ns*1e3))
			}
			records = append(records, f)
		}
	}
	records = append(records, &store.Progress{Forks: forks + 1, MeasureNS: 1e9, BatchNS: 9e8, RuntimeNS: map[string]int64{"a": 5e8, "b": 5e8}})
	file, err := store.Of("made-up", records)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Build(file)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// twoRuntimes is one sample in two runtimes, of which one compiles while it runs.
func twoRuntimes(t *testing.T) *Report {
	r := &run{}
	r.sample(&store.Sample{Sample: "s", Name: "s.json"}, 200, 100)
	r.codec("s", "a/std", bench.JSON, 1000, 3000, false, "typed", "copies strings", "replaces invalid UTF-8")
	r.codec("s", "a/pb", bench.Protobuf, 500, 1500, false, "typed", "copies strings", "validates UTF-8")
	r.codec("s", "b/tree", bench.JSON, 4000, 9000, true, "dom", "aliases input")
	r.codec("s", "b/wire", bench.Protobuf, 8000, 900, true, "lazy")
	return r.report(t, 12)
}

// swept is a sweep over three sizes, in which the order changes.
func swept(t *testing.T) *Report {
	r := &run{}
	for _, x := range []struct {
		name  string
		value float64
	}{{"s-n10", 10}, {"s-n100", 100}, {"s-n1000", 1000}} {
		r.sample(&store.Sample{Sample: x.name, Name: "s.json", Sweep: &store.Sweep{Of: "s", What: "$.items", Unit: store.SweepElements, Value: x.value, From: 3}}, int64(20*x.value), int64(40+8*x.value))
		r.codec(x.name, "a/std", bench.JSON, 100+10*x.value, 200+20*x.value, false, "typed")
		r.codec(x.name, "a/pb", bench.Protobuf, 500+6*x.value, 100+10*x.value, false, "typed")
	}
	return r.report(t, 12)
}

func TestSeveralRuntimesAndSweepsFitTheSchema(t *testing.T) {
	schema := strict(t, "report.schema.json")
	for name, r := range map[string]*Report{"runtimes": twoRuntimes(t), "sweep": swept(t)} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(export(t, "json", r, Options{})))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRuntimesStandSideBySide(t *testing.T) {
	text := export(t, "terminal", twoRuntimes(t), Options{})
	for _, part := range []string{
		`Across runtimes
  CPU time of an operation, collection included, ± its interval; and what is
  done for it. Compare within a runtime first.
  codec        encode         read  makes  strings  UTF-8
  a/std   1.00 µs ±0%  3.00 µs ±0%  typed  copied   replaced
  b/tree  4.00 µs ±0%  9.00 µs ±0%  dom    aliased
  a/pb     500 ns ±0%  1.50 µs ±0%  typed  copied   checked
  b/wire  8.00 µs ±0%   900 ns ±0%  lazy
`,
		"- a: a collector, which ran 24 times.\n",
		"- b: a collector, which ran 24 times; compiles while it runs, so each fork\n    warms up first (40 batches).\n",
		`Between runtimes, default codecs
  Protobuf's time as a ratio to JSON's: encode in the row's runtime, read in the
  column's
  from           a            b
  a                 0.140 ±`,
		"Verdict, a\n", "Verdict, b\n", "Verdict, between runtimes\n",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the report lacks\n%s\nin\n%s", part, text)
		}
	}
	order := []string{"Encode, a\n", "Decode, a\n", "Encode, b\n", "Decode, b\n", "Across runtimes\n", "Between runtimes, default codecs\n", "Codecs\n", "Verdict, a\n", "Verdict, b\n", "Verdict, between runtimes\n"}
	at := -1
	for _, title := range order {
		i := strings.Index(text, title)
		if i < at {
			t.Errorf("%q comes too early", title)
		}
		at = i
	}
}

func TestASweepIsShownByItsSteps(t *testing.T) {
	text := export(t, "terminal", swept(t), Options{})
	for _, part := range []string{
		"Encode, a, by elements of $.items\n",
		"  - pb against std: the order changes between ",
		"the lines\n    cross at 100 (",
		"Size by elements of $.items: Protobuf's ratio to JSON\n",
		"gzip:6 (repeats)",
		"Verdict, s\n",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the report lacks %q in\n%s", part, text)
		}
	}
	for _, part := range []string{"Encode, s-n10", "Cold start", "Verdict, s-n10"} {
		if strings.Contains(text, part) {
			t.Errorf("steps are shown each for itself: %q in\n%s", part, text)
		}
	}
}

// While several runtimes are measured, the one at hand is shown in full and the
// others in a line each.
func TestLiveTableOfSeveralRuntimes(t *testing.T) {
	r := &run{}
	r.sample(&store.Sample{Sample: "s"}, 200, 100)
	r.codec("s", "a/std", bench.JSON, 1000, 3000, false)
	r.codec("s", "a/pb", bench.Protobuf, 500, 1500, false)
	r.codec("s", "b/tree", bench.JSON, 4000, 9000, true)
	a := analyse.New(analyse.Options{})
	for _, rec := range r.records {
		a.Add(rec)
	}
	want := `  runtime  forks  decided
  b            0  0 of 0 ratios

  operation  codec  time  ratio
  encode     a/std     …
  decode     a/std     …
  encode     a/pb      …
  decode     a/pb      …
`
	if got := LiveTable(a, "a", 80); got != want {
		t.Errorf("%s", got)
	}
}
