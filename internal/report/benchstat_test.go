package report

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wirecost/internal/bench"
)

// benchstatRows runs the real benchstat and returns its table of times, by the
// row's name.
func benchstatRows(t *testing.T, args ...string) map[string][]string {
	t.Helper()
	var stderr strings.Builder
	c := exec.Command("go", append([]string{"run", "golang.org/x/perf/cmd/benchstat", "-format", "csv"}, args...)...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("benchstat: %v\n%s", err, stderr.String())
	}
	in := csv.NewReader(strings.NewReader(string(out)))
	in.FieldsPerRecord = -1
	records, err := in.ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	rows, times := map[string][]string{}, false
	for _, r := range records {
		switch {
		case len(r) > 1 && r[0] == "": // a table's head
			times = strings.HasPrefix(r[1], "sec/op")
		case times && len(r) > 1:
			rows[r[0]] = r
		}
	}
	if len(rows) == 0 {
		t.Fatalf("benchstat found no times:\n%s\n%s", out, stderr.String())
	}
	return rows
}

// What is exported goes through the benchstat program: each case with the median
// of its forks, and the comparison of codecs as ratios of those.
func TestBenchstatReadsTheExport(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds benchstat")
	}
	r := load(t, "orders.jsonl")
	path := filepath.Join(t.TempDir(), "orders.txt")
	if err := os.WriteFile(path, []byte(export(t, "benchfmt", r, Options{})), 0o644); err != nil {
		t.Fatal(err)
	}
	rows := benchstatRows(t, path)
	measured := 0
	medians := map[string]float64{}
	for _, c := range r.Cases {
		if c.NS == nil {
			continue
		}
		measured++
		name := string(benchmarkName(c.Case))
		row := rows[name]
		if row == nil {
			t.Errorf("benchstat has no row for %s: %v", name, rows)
			continue
		}
		got, err := strconv.ParseFloat(row[1], 64)
		if err != nil || math.Abs(got*1e9/c.NS.Median-1) > 1e-3 {
			t.Errorf("%s: benchstat's median is %s s, error %v; want %v ns", name, row[1], err, c.NS.Median)
		}
		medians[name] = got
	}
	if measured == 0 {
		t.Fatal("nothing was measured")
	}

	// Codecs side by side.
	rows = benchstatRows(t, "-row", ".name", "-col", "/codec@(go-encoding-json go-goccy)", path)
	for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
		name := capital(string(op))
		base := medians[name+"/sample=orders/codec=go-encoding-json"]
		other := medians[name+"/sample=orders/codec=go-goccy"]
		want := fmt.Sprintf("%+.2f%%", 100*(other/base-1))
		if row := rows[name]; base == 0 || other == 0 || !strings.Contains(strings.Join(row, ","), ","+want+",") {
			t.Errorf("%s: benchstat's row is %v; want a difference of %s", name, row, want)
		}
	}
}
