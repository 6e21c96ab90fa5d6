package verdict

import (
	"math"
	"math/rand/v2"
	"testing"

	"wirecost/internal/bench"
)

func TestLinkInSentences(t *testing.T) {
	for in, want := range map[string]string{
		"100mbit/20ms": "100 Mbit/s and 20 ms", "1gbit": "1 Gbit/s", "56kbit/0.5s": "56 kbit/s and 500 ms",
		"2.5Gbit/150us": "2.5 Gbit/s and 150 µs", "9600bit/1s": "9.6 kbit/s and 1 s",
	} {
		if got, err := ParseLink(in); err != nil || got.String() != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	if got, err := ParseLink("100mb/20ms"); err == nil {
		t.Errorf("read as %+v", got)
	}
}

// The envelope must agree with trying every way at every link.
func TestFastestAgreesWithTrying(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var ways []way
		for range 1 + r.IntN(8) {
			ways = append(ways, way{codec: &codec{format: bench.JSON}, bytes: math.Exp(r.Float64() * 12), cpu: math.Exp(r.Float64() * 15)})
		}
		reaches := fastest(ways, slowestLink, fastestLink)
		if reaches[0].from != slowestLink || reaches[len(reaches)-1].to != fastestLink {
			t.Fatalf("%+v does not cover the range", reaches)
		}
		for i, x := range reaches {
			if i > 0 && x.from != reaches[i-1].to {
				t.Fatalf("%+v has gaps", reaches)
			}
			for _, share := range []float64{0.001, 0.5, 0.999} {
				link := Link{Bits: x.from * math.Pow(x.to/x.from, share)}
				best := ways[least(ways, link.Bits)].time(link)
				if got := x.way.time(link); got > best*(1+1e-9) {
					t.Fatalf("at %v: %v ns instead of %v", link, got, best)
				}
			}
		}
	}
}

func TestCrossing(t *testing.T) {
	small, quick := way{bytes: 100, cpu: 3000}, way{bytes: 300, cpu: 1000}
	at, ok := crossing(small, quick)
	if !ok || math.Abs(small.time(Link{Bits: at})-quick.time(Link{Bits: at})) > 1e-6 || math.Abs(at-800e6*1500/1460) > 1 {
		t.Errorf("%v %v", at, ok)
	}
	if _, ok := crossing(way{bytes: 100, cpu: 1000}, quick); ok {
		t.Error("a way that is never behind crosses")
	}
}

func TestMixHoldsTheTruth(t *testing.T) {
	// (10·0.5 + 30·2)/40 = 1.625
	got := mix([]float64{10, 30}, []Ratio{{0.5, 0.4, 0.6}, {2, 1.9, 2.1}})
	if math.Abs(got.Value-1.625) > 1e-12 || math.Abs(got.Low-1.525) > 1e-12 || math.Abs(got.High-1.725) > 1e-12 {
		t.Errorf("%+v", got)
	}
}

func TestRatioByWayOfABaseline(t *testing.T) {
	a, b, base := bench.Case{Codec: "a"}, bench.Case{Codec: "b"}, bench.Case{Codec: "base"}
	x := table{{a, base}: {0.5, 0.4, 0.6}, {b, base}: {0.25, 0.2, 0.3}}
	r, ok := x.ratio(a, b)
	if !ok || r.Value != 2 || math.Abs(r.Low-0.4/0.3) > 1e-12 || math.Abs(r.High-3) > 1e-12 {
		t.Errorf("%+v %v", r, ok)
	}
	if r, ok := x.ratio(base, a); !ok || r.Value != 2 || math.Abs(r.High-2.5) > 1e-12 {
		t.Errorf("%+v %v", r, ok)
	}
	if r, ok := x.ratio(a, a); !ok || r != (Ratio{1, 1, 1}) {
		t.Errorf("%+v %v", r, ok)
	}
	if _, ok := x.ratio(a, bench.Case{Codec: "c"}); ok {
		t.Error("a ratio to a case that was compared with nothing")
	}
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0": Digits(0), "0.0123": Digits(0.01234), "1.23": Digits(1.2345), "10.0": Digits(9.999), "123": Digits(123.4), "123000": Digits(123400), "1000": Digits(999.9),
		"999 ns": Duration(999), "1.00 µs": Duration(999.9), "1.50 ms": Duration(1.5e6), "2.00 s": Duration(2e9), "0.500 ns": Duration(0.5),
		"0 B": Bytes(0), "999 B": Bytes(999), "12.5 B": Bytes(12.5), "1.50 kB": Bytes(1500), "2.00 MB": Bytes(2e6),
		"100 Mbit/s": Bandwidth(1e8), "2.5 Gbit/s": Bandwidth(2.5e9), "9.6 kbit/s": Bandwidth(9600),
		"12%": Percent(0.123), "1.2%": Percent(0.0123), "2%": Percent(0.02), "-40%": Percent(-0.4), "0%": Percent(0), "10%": Percent(0.0999),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
