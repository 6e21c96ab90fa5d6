package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchmath"

	"wirecost/internal/bench"
)

// TestMain lets the tests' program play the parts that the command's does.
func TestMain(m *testing.M) {
	if played, err := role(); played {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestSmoke(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for half a minute")
	}
	path := filepath.Join(t.TempDir(), "trials.jsonl")
	var out, errs bytes.Buffer
	cells := "gotest-2%,one-2%,one-twelve,apart-same,control-*"
	if err := run(t.Context(), []string{"-quick", "-cells", cells, "-neighbours", "1", "-o", path}, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	for _, want := range []string{"go test -count=10 + benchstat", "wirecost, in one process", "interval holds the truth at every look", "control, naive peeking: identical code different"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, out.String())
		}
	}
	f, err := reopen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.trials) != 6 {
		t.Errorf("%d trials; want 6", len(f.trials))
	}
	for _, x := range f.trials {
		if len(x.Looks) == 0 && x.Cell != "one-twelve" { // where the first fork may outlast the trial
			t.Errorf("%s: no look", x.Cell)
		}
		for _, l := range x.Looks {
			if !(l.Ratio > 0.05 && l.Ratio < 20) {
				t.Errorf("%s: a ratio of %v", x.Cell, l.Ratio)
			}
		}
	}

	// An interrupted run goes on where it was.
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	cut := bytes.Join(append(slices.Clone(lines[:len(lines)-3]), lines[len(lines)-3][:20]), nil)
	if err := os.WriteFile(path, cut, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"-cells", cells, "-resume", path}, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	again, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if kept := bytes.Join(lines[:len(lines)-3], nil); !bytes.HasPrefix(again, kept) || bytes.Count(again, []byte("\n")) != len(lines)-1 {
		t.Errorf("the run that went on has %d lines; want %d, and those of before", bytes.Count(again, []byte("\n")), len(lines)-1)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{"x", "-cells nothing", "-busy maybe", "-trials -1", "-seconds 0", "-neighbours 0", "-o a -resume b", "-what"} {
		err := run(t.Context(), strings.Fields(args), &bytes.Buffer{}, &bytes.Buffer{})
		if exitCode(err) != 2 {
			t.Errorf("%s: error %v, exit code %d; want 2", args, err, exitCode(err))
		}
	}
	if code := exitCode(context.Canceled); code != 130 {
		t.Errorf("an interrupt exits %d", code)
	}
	if code := exitCode(errMissed); code != 1 {
		t.Errorf("a missed bound exits %d", code)
	}
}

func TestNoFileIsOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := create(path, header{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("create: error %v", err)
	}
	for _, text := range []string{"", "\n", "{}\n", "{\"kind\":\"other\"}\n", "no JSON\n", "{\"kind\":\"trial\"}\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := reopen(path); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestScheduleSpreadsTheCells(t *testing.T) {
	s := selection{busy: "both", seed: 4}
	chosen, err := s.choose(cells(2.5))
	if err != nil {
		t.Fatal(err)
	}
	jobs := s.schedule(chosen)
	seen, first, busy := map[string]int{}, map[string]int{}, map[string]int{}
	for i, j := range jobs {
		seen[j.name]++
		if j.busy {
			busy[j.name]++
		}
		if i < len(jobs)/2 {
			first[j.name]++
		}
	}
	for _, c := range chosen {
		if c.control {
			t.Errorf("%s is run though nobody asked for controls", c.name)
		}
		if seen[c.name] != c.trials || math.Abs(float64(first[c.name])/float64(c.trials)-0.5) > 0.05 || busy[c.name] != c.trials/2 {
			t.Errorf("%s: %d trials, %d in the first half, %d busy; want %d", c.name, seen[c.name], first[c.name], busy[c.name], c.trials)
		}
	}
	expected, most := planned(jobs)
	if expected.Minutes() > 48 || most < expected {
		t.Errorf("planned for %v, at most %v", expected, most)
	}
	// Bounds speak of cells that there are, and of as many trials as are run.
	for _, b := range bounds() {
		trials := 0
		for _, name := range b.cells {
			for _, c := range cells(2.5) {
				if c.name == name {
					trials += c.trials
				}
			}
		}
		if trials == 0 || !b.control && trials < b.of {
			t.Errorf("%s: %d trials; want %d", b.claim, trials, b.of)
		}
	}
}

// The verdict of a trial is the one that the benchstat program prints.
func TestVerdictIsBenchstats(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds benchstat")
	}
	dir := t.TempDir()
	for name, c := range map[string]struct{ before, after []float64 }{
		"slower": {[]float64{100, 101, 102, 99, 100, 98, 103, 100, 101, 99}, []float64{104, 106, 105, 107, 104, 103, 105, 106, 104, 108}},
		"faster": {[]float64{104, 106, 105, 107, 104, 103, 105, 106, 104, 108}, []float64{100, 101, 102, 99, 100, 98, 103, 100, 101, 99}},
		"same":   {[]float64{100, 101, 102, 99, 100, 98, 103, 100, 101, 99}, []float64{100, 102, 101, 98, 100, 99, 104, 100, 102, 99}},
		"edge":   {[]float64{100, 101, 102, 103, 104, 105, 106, 107, 108, 109}, []float64{104, 105, 106, 107, 108, 109, 110, 111, 112, 103.5}},
	} {
		files := []string{}
		for side, values := range map[string][]float64{"a": c.before, "b": c.after} {
			text := ""
			for _, v := range values {
				text += fmt.Sprintf("BenchmarkX 1 %v ns/op\n", v)
			}
			path := filepath.Join(dir, name+"."+side)
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			files = append(files, path)
		}
		slices.Sort(files)
		out, err := exec.Command("go", append([]string{"run", "golang.org/x/perf/cmd/benchstat", "-format", "csv"}, files...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		l := benchstat(benchmath.NewSample(c.before, &benchmath.DefaultThresholds), benchmath.NewSample(c.after, &benchmath.DefaultThresholds))
		want := "~"
		if l.differs() {
			want = fmt.Sprintf("%+.2f%%", 100*(l.Ratio-1))
		}
		if !strings.Contains(string(out), ","+want+",") {
			t.Errorf("%s: our verdict is %s; benchstat printed\n%s", name, want, out)
		}
	}
}

func TestTimes(t *testing.T) {
	line := "BenchmarkRepeat/100a-2 \t 100 \t 2500 ns/op\n"
	got, err := times([]byte("goos: linux\n" + strings.Repeat(line, count) + "PASS\n"))
	if err != nil || len(got) != count || got[0] != 2.5e-6 {
		t.Errorf("read %v, error %v", got, err)
	}
	if _, err := times([]byte(line)); err == nil {
		t.Error("one time of ten passed")
	}
}

// made gives trials of a cell with the same looks.
func made(n int, cell string, looks ...look) (out []trial) {
	for i := range n {
		out = append(out, trial{Kind: "trial", Cell: cell, Index: i, Busy: i%2 == 1, Seconds: 2.5, Looks: looks})
	}
	return out
}

func TestBounds(t *testing.T) {
	right := look{At: 1, Ratio: 1.02, Low: 1.01, High: 1.03, Verdict: bench.Slower}
	late := look{At: 12, Ratio: 1.02, Low: 1.01, High: 1.03, Verdict: bench.Slower}
	open := look{At: 2, Ratio: 1, Low: 0.98, High: 1.025, Verdict: bench.Undecided}
	wrong := look{At: 1, Ratio: 0.98, Low: 0.97, High: 0.99, Verdict: bench.Faster}
	equal := look{At: 3, Ratio: 1, Low: 0.995, High: 1.005, Verdict: bench.Equivalent}
	for _, c := range []struct {
		claim    string
		trials   []trial
		hits, of int
		ok       bool
	}{
		{"identical code declared different, at any look", append(made(16, "one-same", wrong), made(184, "apart-same", open)...), 16, 200, true},
		{"identical code declared different, at any look", append(made(17, "one-same", wrong), made(183, "apart-same", open)...), 17, 200, false},
		{"identical code declared different, at any look", append(made(2, "one-same", wrong), made(8, "one-same", open)...), 2, 10, true},
		{"identical code declared different, at any look", append(made(4, "one-same", wrong), made(6, "one-same", open)...), 4, 10, false},
		{"true 2% across processes found in 10 s", append(made(27, "apart-2%", right), made(3, "apart-2%", late)...), 27, 30, true},
		{"true 2% across processes found in 10 s", append(made(26, "apart-2%", right), made(4, "apart-2%", open)...), 26, 30, false},
		{"wrong sign among verdicts at a true 1%", append(made(99, "one-1%", right), made(2, "apart-1%", wrong)...), 2, 101, false},
		{"wrong sign among verdicts at a true 1%", append(made(150, "one-1%", open), made(9, "apart-1%", right)...), 0, 9, true},
		{"interval holds the truth at every look", append(made(93, "one-2%", open, right), made(7, "one-2%", right, wrong)...), 93, 100, true},
		{"interval holds the truth at every look", append(made(92, "one-2%", open, right), made(8, "one-2%", right, wrong)...), 92, 100, false},
		{"identical across processes: equivalent in 30 s", append(made(42, "apart-same", equal), made(18, "apart-same", open)...), 42, 60, true},
		{"a true 1.5% called equivalent", append(made(98, "one-1.5%", right), made(2, "one-1.5%", equal)...), 2, 100, false},
		{"control, naive peeking: identical code different", append(made(4, "control-peeking", wrong), made(8, "control-peeking", open)...), 4, 12, true},
		{"control, naive peeking: identical code different", made(12, "control-peeking", open), 0, 12, false},
	} {
		i := slices.IndexFunc(bounds(), func(b bound) bool { return b.claim == c.claim })
		b, r := bounds()[i], newResults(&file{trials: c.trials})
		if hits, of := b.count(r, either); hits != c.hits || of != c.of || b.ok(hits, of) != c.ok {
			t.Errorf("%s: %d of %d, ok %v; want %d of %d, %v", c.claim, hits, of, b.ok(hits, of), c.hits, c.of, c.ok)
		}
	}
}

func TestDuel(t *testing.T) {
	slower := look{At: 1, Ratio: 1.02, Verdict: bench.Slower}
	faster := look{At: 1, Ratio: 0.98, Verdict: bench.Faster}
	open := look{At: 2, Ratio: 1, Verdict: bench.Undecided}
	trials := slices.Concat(
		made(20, "gotest-same", faster), made(60, "gotest-same", open), made(5, "one-same", faster), made(135, "one-same", open),
		made(6, "gotest-2%", slower), made(34, "gotest-2%", open), made(40, "one-2%", slower),
	)
	r := newResults(&file{header: header{Seconds: 2.5}, trials: trials})
	rows, missed := r.duel(nil)
	if len(rows) != 3 || missed {
		t.Errorf("missed %v: %v", missed, rows)
	}
	// 40 verdicts in 1 s each; 6 in 34 × 2.5 s + 6 × 1 s.
	if x, y := r.perVerdict(r.of(either, "one-2%")), r.perVerdict(r.of(either, "gotest-2%")); x != 1 || math.Abs(y-91.0/6) > 1e-9 {
		t.Errorf("%v and %v s per verdict; want 1 and 15.17", x, y)
	}
	worse := append(trials, made(60, "one-same", faster)...)
	if rows, missed := newResults(&file{header: header{Seconds: 2.5}, trials: worse}).duel(nil); !missed {
		t.Errorf("65 false verdicts of 200 passed against 20 of 80: %v", rows)
	}
	none := slices.Concat(made(40, "gotest-2%", open), made(40, "one-2%", open))
	if rows, missed := newResults(&file{header: header{Seconds: 2.5}, trials: none}).duel(nil); !missed {
		t.Errorf("an engine without any verdict passed: %v", rows)
	}
}

func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		k, n int
		p    float64
		want float64
	}{{0, 5, 0.3, 1}, {5, 5, 0.5, 1.0 / 32}, {3, 4, 0.5, 5.0 / 16}, {17, 200, 0.08, 0.4325}, {1, 1, 0.05, 0.05}} {
		if got := atLeast(c.k, c.n, c.p); math.Abs(got-c.want) > 0.01 {
			t.Errorf("P(X ≥ %d of %d at %v) is %v; want %v", c.k, c.n, c.p, got, c.want)
		}
	}
}
