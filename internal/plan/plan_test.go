package plan

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

func runners() []*runner.Runner {
	both := []bench.Operation{bench.Encode, bench.Decode, bench.Visit}
	return []*runner.Runner{
		{Manifest: runner.Manifest{Runtime: "one"}, Codecs: []runner.Codec{
			{Name: "plain", Format: bench.JSON, Default: true, Operations: both},
			{Name: "quick", Format: bench.JSON, Default: true, Operations: both},
			{Name: "late", Format: bench.Protobuf, Lazy: true, Operations: []bench.Operation{bench.Decode, bench.Visit}},
		}},
		{Manifest: runner.Manifest{Runtime: "two"}, Codecs: []runner.Codec{
			{Name: "plain", Format: bench.JSON, Default: true, Operations: both},
		}},
	}
}

func TestChoose(t *testing.T) {
	for _, test := range []struct {
		name      string
		selection Selection
		want      []string // codecs, with * where asked for by name
		unknown   string
	}{
		{"nothing said", Selection{}, []string{"one/plain", "one/quick", "two/plain"}, ""},
		{"a name", Selection{Codecs: []string{"plain"}}, []string{"one/plain*", "two/plain*"}, ""},
		{"with its runtime", Selection{Codecs: []string{"one/late"}}, []string{"one/late*"}, ""},
		{"a pattern", Selection{Codecs: []string{"one/*"}}, []string{"one/plain", "one/quick", "one/late"}, ""},
		{"the baseline joins", Selection{Codecs: []string{"late"}, Baseline: "one/quick"}, []string{"one/quick*", "one/late*"}, ""},
		{"a baseline that is no default", Selection{Baseline: "late"}, []string{"one/plain", "one/quick", "one/late", "two/plain"}, ""},
		{"nothing fits", Selection{Codecs: []string{"plain", "nosuch"}}, nil, "nosuch"},
		{"no such baseline", Selection{Baseline: "nosuch"}, nil, "nosuch"},
		{"a broken pattern", Selection{Codecs: []string{"["}}, nil, "["},
	} {
		t.Run(test.name, func(t *testing.T) {
			choices, err := test.selection.Choose(runners())
			var unknown *UnknownCodecError
			if errors.As(err, &unknown) != (test.unknown != "") || unknown != nil && unknown.Pattern != test.unknown {
				t.Fatalf("error %v; want one about %q", err, test.unknown)
			}
			var got []string
			for _, c := range choices {
				for _, name := range c.CodecNames() {
					id := c.Runner.Runtime + "/" + name
					if c.Named[name] {
						id += "*"
					}
					got = append(got, id)
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("chosen (-want +got):\n%s", d)
			}
		})
	}
}

func TestVisitJoinsALazyCodec(t *testing.T) {
	operations := func(s Selection) []string {
		choices, err := s.Choose(runners()[:1])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range s.Cases(choices[0], []string{"s"}) {
			got = append(got, c.Codec+"/"+string(c.Operation))
		}
		return got
	}
	if got := operations(Selection{}); slices.Contains(got, "plain/visit") || len(got) != 4 {
		t.Errorf("default codecs: %q", got)
	}
	got := operations(Selection{Codecs: []string{"*"}})
	for _, want := range []string{"plain/visit", "late/visit", "late/decode"} {
		if !slices.Contains(got, want) {
			t.Errorf("with a lazy codec there is no %s: %q", want, got)
		}
	}
	if slices.Contains(got, "late/encode") {
		t.Errorf("an operation that the codec lacks: %q", got)
	}
	if got := operations(Selection{Codecs: []string{"*"}, Operations: []bench.Operation{bench.Decode}}); len(got) != 3 {
		t.Errorf("only decode: %q", got)
	}
}

func TestWindows(t *testing.T) {
	for _, test := range []struct {
		cost []float64
		want []Window
	}{
		{nil, nil},
		{[]float64{5}, []Window{{0, 1}}},
		{[]float64{500}, []Window{{0, 1}}}, // too long, but a document cannot be cut
		{[]float64{40, 40, 40, 40, 40}, []Window{{0, 2}, {2, 2}, {4, 1}}},
		{[]float64{90, 200, 5, 5}, []Window{{0, 1}, {1, 1}, {2, 2}}},
	} {
		if d := cmp.Diff(test.want, Windows(test.cost, 100)); d != "" {
			t.Errorf("%v (-want +got):\n%s", test.cost, d)
		}
	}
}

func TestOrderRepeatsWithItsSeed(t *testing.T) {
	ws := Windows(make([]float64, 50), 0)
	if len(ws) != 1 {
		t.Fatalf("documents that cost nothing make %d windows", len(ws))
	}
	ws = Windows([]float64{2, 2, 2, 2, 2, 2, 2, 2}, 3)
	pick := func(seed uint64, fork int) []Window { return NewOrder(seed, fork).Pick(ws, 5) }
	if d := cmp.Diff(pick(1, 2), pick(1, 2)); d != "" {
		t.Errorf("the same seed and fork pick otherwise:\n%s", d)
	}
	if cmp.Equal(pick(1, 2), pick(1, 3)) || cmp.Equal(pick(1, 2), pick(2, 2)) {
		t.Error("another fork or seed picks the same in the same order")
	}
	seen := map[Window]bool{}
	for _, w := range pick(7, 0) {
		if seen[w] {
			t.Errorf("%v is picked twice", w)
		}
		seen[w] = true
	}
	o := NewOrder(1, 1)
	for range 1000 {
		if j := o.Jitter(); j < 0.9 || j >= 1.1 {
			t.Fatalf("jitter %v", j)
		}
	}
}

func TestPasses(t *testing.T) {
	for _, test := range []struct {
		pass, target float64
		want         int
	}{{100, 1000, 10}, {1000, 100, 1}, {0, 100, 1}, {300, 1000, 3}} {
		if got := Passes(test.pass, test.target); got != test.want {
			t.Errorf("%v to last %v: %d passes; want %d", test.pass, test.target, got, test.want)
		}
	}
}
