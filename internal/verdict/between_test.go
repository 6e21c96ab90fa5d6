package verdict

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// runtimesOf puts what was measured of a runtime beside what was measured of others.
func runtimesOf(runtimes map[string][]contestant) Input {
	var all Input
	names := []string{}
	for name := range runtimes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		one := measured(runtimes[name]...)
		for i := range one.Cases {
			one.Cases[i].Runtime = name
		}
		for i := range one.Comparisons {
			one.Comparisons[i].Case.Runtime, one.Comparisons[i].Baseline.Runtime = name, name
		}
		all.Samples, all.Sizes = one.Samples, one.Sizes
		all.Cases = append(all.Cases, one.Cases...)
		all.Comparisons = append(all.Comparisons, one.Comparisons...)
	}
	return all
}

func TestTwoServicesInDifferentRuntimes(t *testing.T) {
	in := runtimesOf(map[string][]contestant{
		"a": {jsonCodec("std", 1000, 3000).usual(), protobufCodec("pb", 500, 1500).usual()},
		"b": {jsonCodec("std", 4000, 9000).usual(), protobufCodec("pb", 8000, 900).usual()},
	})
	// a to b: (500 + 900)/(1000 + 9000); b to a: (8000 + 1500)/(4000 + 3000).
	want := "Between services, encoding in one runtime and reading in the other, by the default codecs of both: Protobuf needs of the CPU time of JSON " +
		"0.140× (0.139–0.141) from a to b (500 ns + 900 ns against 1.00 µs + 9.00 µs) and 1.36× (1.34–1.37) from b to a (8.00 µs + 1.50 µs against 4.00 µs + 3.00 µs)."
	if d := cmp.Diff(want, say(in, Between)); d != "" {
		t.Error(d)
	}
	var got []Pair
	for _, p := range Pairs(in) {
		got = append(got, Pair{From: p.From, To: p.To, JSON: p.JSON, Protobuf: p.Protobuf, Ratio: Ratio{Value: p.Ratio.Value}})
	}
	pairs := []Pair{{From: "a", To: "b", JSON: 10000, Protobuf: 1400, Ratio: Ratio{Value: 0.14}}, {From: "b", To: "a", JSON: 7000, Protobuf: 9500, Ratio: Ratio{Value: 9500. / 7000}}}
	if d := cmp.Diff(pairs, got, cmpopts.EquateApprox(1e-9, 0), cmpopts.IgnoreUnexported(Pair{})); d != "" {
		t.Error(d)
	}
}

func TestManyServices(t *testing.T) {
	in := runtimesOf(map[string][]contestant{
		"a": {usualJSON, usualPB},
		"b": {usualJSON, protobufCodec("pb", 2000, 6000).usual()},
		"c": {usualJSON, protobufCodec("pb", 1010, 3000).usual().within(0.05)},
	})
	got := say(in, Between)
	for _, part := range []string{"of 6 directions it is less in 3 and more in 3", "the CPU time of JSON"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
}

func TestOneRuntimeTalksToNoOther(t *testing.T) {
	if got := say(measured(usualJSON, usualPB), Between); got != "" {
		t.Error(got)
	}
	// A runtime without one of the formats takes no part.
	in := runtimesOf(map[string][]contestant{"a": {usualJSON, usualPB}, "b": {usualJSON}})
	if got := say(in, Between); got != "" {
		t.Error(got)
	}
}

// Where one runtime cannot tell CPU time, all are compared by what they all tell.
func TestPairsAreOfOneMetric(t *testing.T) {
	in := runtimesOf(map[string][]contestant{"a": {usualJSON, usualPB}, "b": {usualJSON, usualPB}})
	for i := range in.Cases {
		c := &in.Cases[i]
		c.NS = analyse.Estimate{Median: 2 * c.CPU.Median, Low: 2 * c.CPU.Low, High: 2 * c.CPU.High, Forks: 20}
		if c.Runtime == "b" {
			c.CPU = analyse.Estimate{}
		}
	}
	for _, c := range in.Comparisons {
		c.Metric = bench.Mutator
		in.Comparisons = append(in.Comparisons, c)
	}
	for _, p := range Pairs(in) {
		if p.JSON != 8000 || p.unit != "time" {
			t.Errorf("%+v", p)
		}
	}
}

func TestUndecidedPairsAreNotBuiltOn(t *testing.T) {
	in := runtimesOf(map[string][]contestant{"a": {usualJSON, usualPB}, "b": {usualJSON, usualPB.within(math.Inf(1))}})
	want := "Between services, encoding in one runtime and reading in the other, by the default codecs of both: Protobuf needs of the CPU time of JSON ~0.500× from a to b, undecided so far and ~0.500× from b to a, undecided so far."
	if d := cmp.Diff(want, say(in, Between)); d != "" {
		t.Error(d)
	}
}

// swept is what two codecs took at 10 and 1000 elements.
func swept(pb10, pb1000 float64) Input {
	var all Input
	for _, x := range []struct {
		name  string
		value float64
		json  float64
		pb    float64
	}{{"s-n10", 10, 1000, pb10}, {"s-n1000", 1000, 100000, pb1000}} {
		one := measured(jsonCodec("std", x.json, x.json).usual(), protobufCodec("pb", x.pb, x.pb).usual())
		all.Samples = append(all.Samples, store.Sample{Sample: x.name, Documents: 10, Sweep: &store.Sweep{Of: "s", What: "$.items", Unit: store.SweepElements, Value: x.value, From: 3}})
		for _, c := range one.Cases {
			c.Sample = x.name
			for fork := range 8 {
				c.Forks = append(c.Forks, analyse.ForkTime{NS: c.NS.Median, Fork: fork})
			}
			all.Cases = append(all.Cases, c)
		}
		for _, c := range one.Comparisons {
			c.Case.Sample, c.Baseline.Sample, c.Metric, c.Verdict = x.name, x.name, bench.Mutator, bench.Slower
			if c.High < 1 {
				c.Verdict = bench.Faster
			}
			all.Comparisons = append(all.Comparisons, c)
		}
	}
	return all
}

func TestGrowth(t *testing.T) {
	// 900 + 60x and 100x cross at 22.5.
	got := say(swept(1500, 60900), Growth)
	want := "From 10 to 1000 elements of $.items, encode, pb against std: they change places between 10 and 1000. By a fixed part and a part that grows, they cross at 22.5 (22.5–22.5).\n" +
		"From 10 to 1000 elements of $.items, decode, pb against std: they change places between 10 and 1000. By a fixed part and a part that grows, they cross at 22.5 (22.5–22.5)."
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = say(swept(500, 60000), Growth)
	want = "From 10 to 1000 elements of $.items, encode, pb against std: Protobuf takes less time at 2 of 2 steps, and nowhere more.\n" +
		"From 10 to 1000 elements of $.items, decode, pb against std: Protobuf takes less time at 2 of 2 steps, and nowhere more."
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = say(swept(500000, 60000), Growth)
	if !strings.Contains(got, "Time does not grow with size everywhere, in several processes alike: r/pb encode at 1000 elements, r/pb decode at 1000 elements takes less time than a smaller step. Do not extrapolate.") {
		t.Error(got)
	}
}
