package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/bench"
)

// decided gives the outcome of each claim of some studies in a world, as "go-redis 2".
func decided(t *testing.T, w world, names ...string) map[string]Decided {
	t.Helper()
	chosen, err := Named(names)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Decided{}
	for _, s := range chosen {
		for _, c := range NewPage(s, w.measure(t, s)).Decided {
			out[s.Name+" "+c.ID] = c
		}
	}
	return out
}

// TestClaimsHoldWhereTheyWereMade: on a machine on which everything takes what was
// published, every claim holds that can.
func TestClaimsHoldWhereTheyWereMade(t *testing.T) {
	all := decided(t, publishedWorld(), Everything)
	if len(all) != 15 {
		t.Errorf("%d claims", len(all))
	}
	for id, c := range all {
		want := Holds
		if id == "go-redis 1" { // unsafe.Sizeof shows a header
			want = HoldsNot
		}
		if c.Outcome != want {
			t.Errorf("%s %s, want %s: %+v", id, c.Outcome, want, c.deciding())
		}
	}
}

// TestSwappedCodecsFlipClaims plants a falsification for each claim on times.
func TestSwappedCodecsFlipClaims(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want map[string]Outcome
	}{
		{"python/ujson", "python/protobuf", map[string]Outcome{"address-book 2": Reversed, "address-book 3": HoldsNot, "address-book 4": HoldsNot}},
		{"python/ujson", "python/json", map[string]Outcome{"address-book 3": Reversed}},
		{goJSON, goProtobuf, map[string]Outcome{"go-redis 2": Reversed, "go-redis 3": Reversed, "go-redis 4": Reversed}},
		{v8.protobuf, v8.json, map[string]Outcome{"people-http 2": HoldsNot, "people-http 3": Reversed}},
		{spiderMonkey.protobuf, spiderMonkey.json, map[string]Outcome{"people-http 2": HoldsNot}},
		{javaProtobuf, javaJSONFormat, map[string]Outcome{"people-http 4": Reversed}},
		{"go/goccy", "go/protobuf", map[string]Outcome{"small-message 1": HoldsNot}},
	} {
		var name string
		for id := range tt.want {
			name, _, _ = strings.Cut(id, " ")
		}
		all := decided(t, publishedWorld().swapped(tt.a, tt.b), name)
		for id, want := range tt.want {
			if got := all[id].Outcome; got != want {
				t.Errorf("with %s and %s swapped, %s %s, want %s", tt.a, tt.b, id, got, want)
			}
		}
	}
}

// TestPlantedDataFlipsClaims does so for the claims that are not about two codecs.
func TestPlantedDataFlipsClaims(t *testing.T) {
	w := publishedWorld()
	w.size = func(s *Study, sample, form, encoding string) int64 {
		if form == "binary" {
			form = "compact"
		} else {
			form = "binary"
		}
		return publishedSize(s, sample, form, encoding)
	}
	sizes := decided(t, w, "address-book", "people-http")
	w = publishedWorld()
	w.ns = func(c bench.Case) float64 {
		if strings.HasPrefix(c.Encoding, "gzip") {
			return publishedNS(c) / 4
		}
		if c.CodecID() == "go/protobuf" {
			return 4 * publishedNS(c)
		}
		return publishedNS(c)
	}
	times := decided(t, w, "people-http", "small-message")
	for id, got := range map[string]Outcome{
		"address-book 1": sizes["address-book 1"].Outcome, "people-http 1": sizes["people-http 1"].Outcome,
		"people-http 5": times["people-http 5"].Outcome, "small-message 2": times["small-message 2"].Outcome,
	} {
		if got != HoldsNot && got != Reversed {
			t.Errorf("%s %s", id, got)
		}
	}
}

func TestRatioOutcome(t *testing.T) {
	for _, tt := range []struct {
		published float64
		less      bool
		low, high float64
		want      Outcome
	}{
		{0.5, true, 0.45, 0.55, Holds},
		{0.5, true, 0.39, 0.55, Undecided}, // one end outside 0.5/1.25
		{0.5, true, 0.60, 0.70, Undecided}, // one end beyond 0.5·1.25
		{0.5, true, 0.64, 0.70, HoldsNot},
		{0.5, true, 0.20, 0.30, HoldsNot},
		{0.5, true, 0.90, 1.10, HoldsNot},
		{0.5, true, 1.01, 1.10, Reversed},
		{0.98, true, 0.90, 0.99, Holds},
		{0.98, true, 0.97, 1.01, Undecided},
		{0.98, true, 1.001, 1.01, Reversed},
		{1.06, false, 1.01, 1.10, Holds},
		{1.06, false, 0.90, 0.99, Reversed},
		{1.06, false, 1.40, 1.50, HoldsNot},
		{1, true, 0.85, 0.95, Holds},
		{1, true, 0.5, 0.7, HoldsNot},
		{0, true, 0.01, 0.02, Holds},
		{0, true, 0.5, 1.5, Undecided},
		{0, true, 2, 3, Reversed},
		{3, false, 2.5, 3.5, Holds},
		{3, false, 0.2, 0.4, Reversed},
		{1, true, 1, 1, HoldsNot},
		{0.5, true, 0, 0.3, HoldsNot},
		{0.5, true, 0, 0.9, Undecided},
		{2.25, false, 3, math.Inf(1), HoldsNot},
	} {
		p := Ratio{Published: tt.published, Less: tt.less}
		if got := p.outcome(Number{Value: (tt.low + tt.high) / 2, Low: tt.low, High: tt.high}); got != tt.want {
			t.Errorf("%v of %v…%v: %s, want %s", tt.published, tt.low, tt.high, got, tt.want)
		}
	}
}

func TestWhole(t *testing.T) {
	for parts, want := range map[string]Outcome{
		"holds,holds": Holds, "reversed,reversed": Reversed, "holds,reversed": HoldsNot, "holds,does not hold": HoldsNot,
		"holds,undecided": Undecided, "undecided,reversed": HoldsNot, "undecided": Undecided,
	} {
		var findings []Finding
		for _, o := range strings.Split(parts, ",") {
			findings = append(findings, Finding{Outcome: Outcome(o), Statement: o})
		}
		if got := whole(findings); got != want {
			t.Errorf("%s: %s, want %s", parts, got, want)
		}
		d := Decided{Outcome: want, Findings: findings}
		if want != HoldsNot && d.deciding().Outcome != want {
			t.Errorf("%s: decided by %q", parts, d.deciding().Statement)
		}
	}
	d := Decided{Outcome: HoldsNot, Findings: []Finding{{Outcome: Holds}, {Outcome: Reversed, Statement: "this one"}}}
	if d.deciding().Statement != "this one" {
		t.Errorf("decided by %q", d.deciding().Statement)
	}
}

// forkValues gives a measure with these values, in forks of a lane.
func forkValues(lane string, skewed bool, x ...float64) Measure {
	return func(*Results) Forks {
		f := Forks{Lane: lane, Skewed: skewed, Values: map[int]float64{}}
		for i, v := range x {
			f.Values[i+1] = v
		}
		return f
	}
}

// spread gives n values around a centre.
func spread(n int, centre, width float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = centre * math.Exp(width*math.Sin(float64(7*i)))
	}
	return out
}

func TestCrossing(t *testing.T) {
	at := func(ratios ...float64) Crossing {
		sizes := []int{100, 1000, 2000, 4000, 8000}
		return Crossing{
			Sizes: sizes, From: 4000, To: 8000, Unit: "phones",
			A: func(n int) Measure {
				return forkValues("x", false, spread(30, ratios[slices.Index(sizes, n)], 0.002)...)
			},
			B: func(int) Measure { return forkValues("x", false, spread(30, 1, 0)...) },
		}
	}
	for _, tt := range []struct {
		ratios []float64
		want   Outcome
		place  string
	}{
		{[]float64{0.6, 0.8, 0.9, 0.97, 1.1}, Holds, "5000–8000"},
		{[]float64{1.6, 1.2, 1.1, 1.05, 0.9}, Reversed, ""},
		{[]float64{0.6, 0.7, 0.7, 0.7, 0.8}, HoldsNot, ""},
		{[]float64{1.6, 1.7, 1.7, 1.7, 1.8}, HoldsNot, ""},
		{[]float64{0.6, 1.2, 1.3, 1.3, 1.4}, HoldsNot, "100–1000"},
		{[]float64{0.6, 0.8, 0.9, 1.0, 1.1}, Undecided, "2000–8000"},
		{[]float64{0.6, 0.8, 0.9, 0.95, 1.0}, Undecided, ""},
	} {
		p := at(tt.ratios...)
		f := p.decide(nil, 0.05)
		if f.Outcome != tt.want {
			t.Errorf("%v: %s (%s), want %s", tt.ratios, f.Outcome, f.Reason, tt.want)
		}
		if tt.place != "" && f.Number.Known() && tt.want != Holds && fmt.Sprintf("%.0f–%.0f", f.Number.Low, f.Number.High) != tt.place {
			t.Errorf("%v: between %v and %v, want %s", tt.ratios, f.Number.Low, f.Number.High, tt.place)
		}
		if tt.want == Holds && !(f.Number.Low == 4000 && f.Number.High == 8000 && f.Number.Value > 4000 && f.Number.Value < 8000) {
			t.Errorf("%v: at %+v", tt.ratios, f.Number)
		}
	}
	lacking := at(1, 1, 1, 1, 1)
	lacking.B = func(int) Measure { return func(*Results) Forks { return missing("no such runtime") } }
	if f := lacking.decide(nil, 0.05); f.Outcome != Undecided || !f.Unmeasured || f.Reason != "no such runtime" {
		t.Errorf("%+v", f)
	}
}

func TestDepends(t *testing.T) {
	to := forkValues("x", false, spread(30, 1, 0)...)
	of := func(x float64) Ratio {
		return Ratio{What: "r", Of: forkValues("x", false, spread(30, x, 0.001)...), To: to}
	}
	for _, tt := range []struct {
		ratios []float64
		want   Outcome
	}{{[]float64{0.5, 2}, Holds}, {[]float64{0.5, 0.9}, HoldsNot}, {[]float64{2, 3}, HoldsNot}, {[]float64{0.5, 1}, Undecided}} {
		var p Depends
		for _, x := range tt.ratios {
			p.Ratios = append(p.Ratios, of(x))
		}
		if f := p.decide(nil, 0.05); f.Outcome != tt.want {
			t.Errorf("%v: %s (%s), want %s", tt.ratios, f.Outcome, f.Reason, tt.want)
		}
	}
}
