package cli

import (
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// Two whole runs, of which the second has a codec that takes 30% longer.
func TestCompareOfTwoRuns(t *testing.T) {
	inOrders(t)
	measure := func(file string, slow float64, seed uint64) {
		t.Helper()
		app, rt := newFake(t)
		rt.Checksums, rt.Seed = checksums(t, orders), seed
		cost := rt.Cost
		rt.Cost = func(o runner.FakeOperation) float64 {
			if o.Codec == "messages" && o.Operation == bench.Decode {
				return slow * cost(o)
			}
			return cost(o)
		}
		code, _, stderr := app.test(t, t.Context(), "run", "--runtime", "fake", "--codec", "plain,messages", "--encoding", "identity", "--max-forks", "16", "-o", file, "orders.ndjson")
		if code != exitOK {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
	}
	measure("old.jsonl", 1, 11)
	measure("same.jsonl", 1, 12)
	measure("slow.jsonl", 1.3, 13)
	app, _ := newFake(t)
	code, stdout, stderr := app.test(t, t.Context(), "compare", "old.jsonl", "same.jsonl")
	if code != exitOK || !strings.Contains(stdout, "Compared: no regression\n") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = app.test(t, t.Context(), "compare", "old.jsonl", "slow.jsonl")
	if code != exitRegression || !strings.Contains(stdout, "messages decode: time ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if changed, _, _ := strings.Cut(stdout, "Times that did not change"); strings.Contains(changed, "encode") {
		t.Errorf("encode has not changed:\n%s", stdout)
	}
	if code, _, stderr := app.test(t, t.Context(), "compare", "--format", "pdf", "old.jsonl", "slow.jsonl"); code != exitUsage {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// A run whose time is up before its ratios are as precise as was asked for says
// what that would take; half as long again is enough.
func TestARunSaysHowLongItWouldNeed(t *testing.T) {
	inOrders(t)
	measure := func(maxTime string) (stdout, stderr string) {
		t.Helper()
		app, rt := newFake(t)
		rt.Checksums = checksums(t, orders)
		rt.Noise.ForkSpread = 0.012
		code, stdout, stderr := app.test(t, t.Context(), "run", "--runtime", "fake", "--codec", "plain,messages", "--encoding", "identity", "--max-time", maxTime, "orders.ndjson")
		if code != exitOK {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		return stdout, stderr
	}
	stdout, _ := measure("5s")
	joined := strings.Join(strings.Fields(stdout), " ")
	_, rest, found := strings.Cut(joined, "for ±1% on every ratio it would need about ")
	_, rest, found2 := strings.Cut(rest, "(--max-time ")
	argument, _, _ := strings.Cut(rest, ")")
	need, err := time.ParseDuration(argument)
	if !found || !found2 || err != nil || need <= 5*time.Second {
		t.Fatalf("it does not say how long it would need (%v):\n%s", err, stdout)
	}
	stdout, stderr := measure((need * 3 / 2).String())
	if strings.Contains(stdout, "it would need") {
		t.Errorf("half as long again as %s is not enough:\n%s", need, stdout)
	}
	if !strings.Contains(stderr, "; ±1% on every ratio would take about ") {
		t.Errorf("nothing is said while it runs:\n%s", stderr)
	}
}
