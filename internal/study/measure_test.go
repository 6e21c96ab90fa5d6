package study

import (
	"math"
	"testing"
)

func TestCombine(t *testing.T) {
	a := forkValues("x", false, 10, 20, 30)
	b := func(*Results) Forks { return Forks{Lane: "x", Values: map[int]float64{2: 2, 3: 3, 9: 1}} }
	if f := Over(a, b)(nil); f.Lane != "x" || f.Skewed || len(f.Values) != 2 || f.Values[2] != 10 || f.Values[3] != 10 {
		t.Errorf("forks of one lane pair by their number: %+v", f)
	}
	// Forks of other lanes pair by their order, and may have two modes then.
	c := func(*Results) Forks { return Forks{Lane: "y", Values: map[int]float64{5: 1, 7: 2}} }
	if f := Over(a, c)(nil); f.Lane != "" || !f.Skewed || len(f.Values) != 2 || f.Values[0] != 10 || f.Values[1] != 10 {
		t.Errorf("forks of two lanes: %+v", f)
	}
	if f := Sum(a, a.Times(2), Constant(1))(nil); f.Exact || f.Values[1] != 31 || f.Values[3] != 91 {
		t.Errorf("with an exact number: %+v", f)
	}
	if f := Minus(Constant(5), Constant(3))(nil); !f.Exact || f.Values[0] != 2 {
		t.Errorf("of exact numbers: %+v", f)
	}
	gone := func(*Results) Forks { return missing("gone") }
	if f := Sum(a, gone)(nil); f.Problem != "gone" {
		t.Errorf("%+v", f)
	}
	if f := Over(a, forkValues("x", false, 0, 0, 0))(nil); f.Problem == "" {
		t.Errorf("divided by 0: %+v", f)
	}
	if f := Over(a, func(*Results) Forks { return Forks{Lane: "x", Values: map[int]float64{8: 1}} })(nil); f.Problem == "" {
		t.Errorf("without a fork in common: %+v", f)
	}
}

func TestNumbers(t *testing.T) {
	n := forkValues("x", false, 3, 1, 2).Median()(nil)
	if n.Value != 2 || n.Low != 1 || n.High != 3 || n.Forks != 3 {
		t.Errorf("%+v", n)
	}
	if n := forkValues("x", false, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10).Median()(nil); n.Value != 5.5 || n.Low <= 1 || n.High >= 10 {
		t.Errorf("%+v", n)
	}
	if n := Constant(608_060).Median()(nil); n.in(Bytes) != "608,060 B" {
		t.Errorf("%+v is %q", n, n.in(Bytes))
	}
	if n := forkValues("x", false, 3).Median()(nil); n.in(Nanoseconds) != "~3.00 ns" {
		t.Errorf("of one process: %q", n.in(Nanoseconds))
	}
	one := forkValues("x", false, spread(40, 1, 0)...)
	few := ratio(nil, forkValues("x", false, 2, 2, 2), one, 0.05)
	if few.bounded() || few.in(Times) != "~2.00×" {
		t.Errorf("three forks bound a ratio: %+v is %q", few, few.in(Times))
	}
	if many := ratio(nil, forkValues("x", false, spread(40, 2, 0.01)...), one, 0.05); !many.bounded() || many.Low < 1.9 || many.High > 2.1 {
		t.Errorf("%+v", many)
	}
	if sign := ratio(nil, forkValues("x", true, spread(40, 2, 0.01)...), one, 0.05); !sign.bounded() || !(sign.Low < 2 && 2 < sign.High) {
		t.Errorf("%+v", sign)
	}
	if exact := ratio(nil, Constant(1), Constant(4), 0.05); exact.Low != 0.25 || exact.High != 0.25 {
		t.Errorf("%+v", exact)
	}
}

func TestSpan(t *testing.T) {
	for _, tt := range [][3]string{
		{"102 ns", "120 ns", "102–120 ns"}, {"980 ns", "1.02 µs", "980 ns–1.02 µs"}, {"0.5×", "2.00×", "0.5–2.00×"}, {"121%", "171%", "121–171%"},
		{"-21.4 ns", "-7.58 ns", "-21.4 to -7.58 ns"}, {"0×", "?", "0×–?"}, {"1,134 B", "2,000 B", "1,134–2,000 B"},
	} {
		if got := span(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s, %s: %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestUnits(t *testing.T) {
	for _, tt := range []struct {
		u    Unit
		x    float64
		want string
	}{
		{Bytes, 440, "440 B"}, {Bytes, 12_850_000, "12,850,000 B"}, {Bytes, -1234, "-1,234 B"}, {Bytes, 20.765, "20.8 B"}, {Bytes, 4_372_123.4, "4,372,000 B"}, {Bytes, 1234.5, "1,235 B"},
		{Seconds, 4.3898424, "4.39 s"}, {Seconds, 7.54e-6, "7.54 µs"}, {Nanoseconds, 55, "55.0 ns"},
		{Times, 0.61, "0.610×"}, {Share, 0.245, "24%"}, {Bits, 2.5e9, "2.5 Gbit/s"}, {"phones", 5600, "5600 phones"}, {Times, math.Inf(1), "?"},
	} {
		if got := tt.u.Format(tt.x); got != tt.want {
			t.Errorf("%v %s: %q, want %q", tt.x, tt.u, got, tt.want)
		}
	}
}
