package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/store"
)

func compared(t *testing.T, threshold float64, old, new []made) *Result {
	t.Helper()
	side := func(ms []made, name string) (files []*store.File) {
		for i, m := range ms {
			files = append(files, m.file(t, fmt.Sprintf("%s%d", name, i)))
		}
		return files
	}
	r, err := Files(side(old, "old"), side(new, "new"), threshold)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found is the rows with a verdict, one a line: "wire decode mutator".
func found(r *Result, v Verdict) string {
	var lines []string
	for _, row := range r.Rows {
		if row.Verdict != v {
			continue
		}
		words := []string{row.Kind, row.Form}
		if row.Case != nil {
			words = []string{row.Kind, row.Case.Codec, string(row.Case.Operation), string(row.Metric)}
		}
		lines = append(lines, strings.TrimSpace(strings.Join(words, " ")))
	}
	return strings.Join(lines, "\n")
}

func TestVerdicts(t *testing.T) {
	const times = "time wire encode mutator\ntime wire encode cpu\ntime wire decode mutator\ntime wire decode cpu"
	for _, tt := range []struct {
		name                    string
		threshold               float64
		old, new                made
		regression, improvement string
		undecided               string
	}{
		{"the same", 0.05, usual(), usual().with(func(m *made) { m.seed = 9 }), "", "", ""},
		{"20% slower", 0.05, usual(), usual().with(func(m *made) { m.seed, m.ratio = 9, 0.6 }), times, "", ""},
		{"20% faster", 0.05, usual().with(func(m *made) { m.ratio = 0.6 }), usual().with(func(m *made) { m.seed = 9 }), "", times, ""},
		{"20% slower, and 30% is allowed", 0.3, usual(), usual().with(func(m *made) { m.seed, m.ratio = 9, 0.6 }), "", "", ""},
		{"6% slower is within what runs may differ by", 0.05, usual(), usual().with(func(m *made) { m.seed, m.ratio = 9, 0.53 }), "", "", times},
		{"too few forks", 0.05, usual(), usual().with(func(m *made) { m.seed, m.forks = 9, 2 }), "", "", times},
		{"more bytes", 0.05, usual(), usual().with(func(m *made) { m.bytes = 2101 }), "size binary", "", ""},
		{"just as many more as are allowed", 0.05, usual(), usual().with(func(m *made) { m.bytes = 2100 }), "", "", ""},
		{"any byte counts at 0%", 0, usual(), usual().with(func(m *made) { m.bytes = 2001 }), "size binary", "", times},
		{"fewer allocations", 0.05, usual(), usual().with(func(m *made) { m.allocs = 19 }), "",
			"allocs text encode\nallocs wire encode\nallocs text decode\nallocs wire decode", ""},
		{"allocations where there were none", 0.05, usual().with(func(m *made) { m.allocs = 0 }), usual().with(func(m *made) { m.allocs = 1 }),
			"allocs text encode\nallocs wire encode\nallocs text decode\nallocs wire decode", "", ""},
		{"none before and now", 0.05, usual().with(func(m *made) { m.allocs = 0 }), usual().with(func(m *made) { m.allocs = 0 }), "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := compared(t, tt.threshold, []made{tt.old}, []made{tt.new})
			if d := cmp.Diff([]string{tt.regression, tt.improvement, tt.undecided}, []string{found(r, Regression), found(r, Improvement), found(r, Undecided)}); d != "" {
				t.Error(d)
			}
			if len(r.Rows) != 2+8+4 {
				t.Errorf("%d rows", len(r.Rows))
			}
		})
	}
}

func TestChangeIsOfTheRatioToTheBaseline(t *testing.T) {
	r := compared(t, 0.05, []made{usual()}, []made{usual().with(func(m *made) { m.seed, m.ratio = 9, 0.6 })})
	for _, row := range r.Rows {
		if row.Kind != Time {
			continue
		}
		if math.Abs(row.Old-0.5) > 0.005 || math.Abs(row.New-0.6) > 0.005 || math.Abs(*row.Change-1.2) > 0.015 || !(*row.Low < *row.Change && *row.Change < *row.High) {
			t.Errorf("%+v", row)
		}
	}
}

// Several runs a side show how far runs differ, and so find smaller changes.
func TestSeveralFilesPerSide(t *testing.T) {
	runs := func(n int, ratio float64, first uint64) (out []made) {
		for i := range n {
			out = append(out, usual().with(func(m *made) { m.seed, m.ratio = first+uint64(i), ratio }))
		}
		return out
	}
	r := compared(t, 0.02, runs(5, 0.5, 10), runs(5, 0.5225, 20))
	if r.Count(Regression) != 4 {
		t.Errorf("4.5%% is not found by five runs a side:\n%+v", r.Rows)
	}
	if r := compared(t, 0.02, runs(1, 0.5, 10), runs(1, 0.5225, 20)); r.Count(Regression) != 0 {
		t.Errorf("4.5%% is found by one run a side, which may differ so much by themselves:\n%+v", r.Rows)
	}
	// Where runs differ widely, so must the interval.
	wild := append(runs(2, 0.45, 30), runs(2, 0.55, 40)...)
	if r := compared(t, 0.02, wild, runs(4, 0.55, 50)); r.Count(Regression) != 0 || r.Count(Undecided) != 4 {
		t.Errorf("runs that differ by 20%% are trusted:\n%+v", r.Rows)
	}
	// A run of too few forks does not spoil the others.
	short := usual().with(func(m *made) { m.seed, m.forks = 60, 2 })
	if r := compared(t, 0.05, append(runs(3, 0.5, 10), short), runs(3, 0.6, 20)); r.Count(Regression) != 4 {
		t.Errorf("%+v", r.Rows)
	}
}

func TestMachinesApart(t *testing.T) {
	other := usual().with(func(m *made) { m.seed, m.cpu, m.bytes, m.ratio = 9, "Other CPU", 2500, 0.9 })
	r := compared(t, 0.05, []made{usual()}, []made{other})
	if want := "times are left out: they come from different machines (linux/amd64, Example CPU, 4 cores; linux/amd64, Other CPU, 4 cores)"; r.TimesLeftOut != want {
		t.Errorf("%q", r.TimesLeftOut)
	}
	if got := found(r, Regression); got != "size binary" || len(r.Rows) != 10 {
		t.Errorf("%d rows, regressions:\n%s", len(r.Rows), got)
	}
	r = compared(t, 0.05, []made{usual(), other}, []made{usual()})
	if !strings.Contains(r.TimesLeftOut, "old0, old1 come from different machines") {
		t.Errorf("%q", r.TimesLeftOut)
	}
}

func TestNotes(t *testing.T) {
	changed := usual().with(func(m *made) { m.digest, m.schema, m.version = "d2", "s2", "v1.1.0" })
	want := []string{
		"orders: the documents are not the same, so its sizes, allocations and times are those of other data",
		"the schema differs, and with it the generated code",
		"r/text: example.com/text v1.0.0 before, example.com/text v1.1.0 now",
		"r/wire: example.com/wire v1.0.0 before, example.com/wire v1.1.0 now",
	}
	if d := cmp.Diff(want, compared(t, 0.05, []made{usual()}, []made{changed}).Notes); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{}, compared(t, 0.05, []made{usual()}, []made{usual()}).Notes); d != "" {
		t.Error(d)
	}
	fails := usual().with(func(m *made) { m.failed = true })
	broken := compared(t, 0.05, []made{usual()}, []made{fails})
	if d := cmp.Diff([]string{"orders/r/wire/decode: only measured before (failed: it crashed)"}, broken.Notes); d != "" || broken.Broken != 1 {
		t.Errorf("%s\n%d are broken", d, broken.Broken)
	}
	mended := compared(t, 0.05, []made{fails}, []made{usual()})
	if d := cmp.Diff([]string{"orders/r/wire/decode: only measured now (failed: it crashed)"}, mended.Notes); d != "" || mended.Broken != 0 {
		t.Errorf("%s\n%d are broken", d, mended.Broken)
	}
}

// Samples of another name are the same where their documents are, or where
// there is no other.
func TestNamesOfSamples(t *testing.T) {
	renamed := usual().with(func(m *made) { m.sample = "copy" })
	if r := compared(t, 0.05, []made{renamed}, []made{usual()}); len(r.Rows) != 14 || r.Rows[0].Sample != "orders" || len(r.Notes) != 0 {
		t.Errorf("%d rows, %v", len(r.Rows), r.Notes)
	}
	foreign := usual().with(func(m *made) { m.sample, m.digest = "other", "d9" })
	_, err := Files([]*store.File{foreign.file(t, "a"), usual().file(t, "b")}, []*store.File{usual().with(func(m *made) { m.sample, m.digest = "third", "d3" }).file(t, "c")}, 0.05)
	if err == nil || !strings.Contains(err.Error(), "nothing that is in a, b can be compared with anything in c") {
		t.Errorf("error %v", err)
	}
	if _, err := Files(nil, []*store.File{usual().file(t, "a")}, 0.05); err == nil {
		t.Error("a comparison with nothing")
	}
}

// Published quantiles (Abramowitz and Stegun, table 26.10).
func TestStudentT(t *testing.T) {
	for degrees, want := range map[float64]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 8: 2.306, 10: 2.228, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.000, 120: 1.980} {
		if got := studentT(degrees); math.Abs(got-want) > 0.0011 {
			t.Errorf("%v degrees of freedom: %v, want %v", degrees, got, want)
		}
	}
}

// Published quantiles (Abramowitz and Stegun, table 26.8).
func TestSurprising(t *testing.T) {
	for degrees, want := range map[float64]float64{0: 0, 1: 3.841, 2: 5.991, 4: 9.488, 8: 15.507, 20: 31.410} {
		if got := surprising(degrees); math.Abs(got-want) > 0.03*want {
			t.Errorf("%v degrees of freedom: %v, want %v", degrees, got, want)
		}
	}
}

// With one run a side: 2.776 · 1% · √2 = 3.9%.
func TestAllowance(t *testing.T) {
	one := []reading{{}}
	if got := allowance(one, one); math.Abs(got-0.0393) > 1e-4 {
		t.Errorf("%v", got)
	}
	// Runs at 0 and 2% on one side, one on the other: the scatter is 2·0.01², so the
	// spread is √((2+4)·0.01²/5); t with 5 degrees is 2.571.
	two := []reading{{x: 0}, {x: 0.02}}
	if got, want := allowance(two, one), 2.571*math.Sqrt(6e-4/5*1.5); math.Abs(got-want) > 1e-4 {
		t.Errorf("%v, want %v", got, want)
	}
	// Runs at 0 and 4% contradict a spread of 1%: 8·0.01² with one degree of freedom.
	if got, want := allowance([]reading{{x: 0}, {x: 0.04}}, one), 12.706*math.Sqrt(8e-4*1.5); math.Abs(got-want) > 1e-4 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Simulated runs: each has a true ratio of its own, about that of its side, and an
// interval that misses it in 5% of all runs. The interval of the change covers the
// truth in at least 95% where runs differ by no more than is supposed, and nearly so where several a side show that
// they differ more.
func TestCoverage(t *testing.T) {
	const trials, within, change = 20_000, 0.004, 0.03
	for _, tt := range []struct {
		runs    int
		between float64
		least   float64
		width   float64 // half the interval on average, at most
	}{
		{1, 0, 0.99, 0.042}, {1, 0.01, 0.95, 0.042}, {3, 0.01, 0.95, 0.025}, {5, 0.002, 0.99, 0.013}, {5, 0.02, 0.945, 0.03}, {5, 0.05, 0.945, 0.072}, {2, 0.01, 0.95, 0.035}, {2, 0.05, 0.92, 0.2},
	} {
		r := rand.New(rand.NewPCG(1, uint64(tt.runs)))
		side := func(truth float64) (out []reading) {
			for range tt.runs {
				x := truth + tt.between*r.NormFloat64() + within*r.NormFloat64()
				out = append(out, reading{x, x - 1.96*within, x + 1.96*within})
			}
			return out
		}
		covered, width := 0, 0.0
		for range trials {
			in := interval(side(0), side(change))
			width += (in.High - in.Low) / 2 / trials
			if in.Contains(change) {
				covered++
			}
		}
		if rate := float64(covered) / trials; rate < tt.least || width > tt.width {
			t.Errorf("%d runs a side that differ by %v: covered %.2f%%, half width %.4f", tt.runs, tt.between, 100*rate, width)
		}
	}
}
