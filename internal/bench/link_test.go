package bench

import (
	"math"
	"testing"
)

func TestParseLink(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Link
		text string
	}{
		{"100mbit/20ms", Link{100e6, 20e6}, "100mbit/20ms"},
		{"1gbit", Link{1e9, 0}, "1gbit"},
		{"56kbit/0.5s", Link{56e3, 0.5e9}, "56kbit/500ms"},
		{"2.5Gbit/150us", Link{2.5e9, 150e3}, "2.5gbit/150us"},
		{"1mbit/7µs", Link{1e6, 7e3}, "1mbit/7us"},
		{"9600bit/1s", Link{9600, 1e9}, "9.6kbit/1000ms"},
		{" 10 mbit / 0ms ", Link{10e6, 0}, "10mbit"},
		{"0.5bit", Link{0.5, 0}, "0.5bit"},
	} {
		got, err := ParseLink(tt.in)
		if err != nil || got != tt.want || got.String() != tt.text {
			t.Errorf("%q: %+v %q %v", tt.in, got, got, err)
		}
		if again, err := ParseLink(got.String()); err != nil || again != got {
			t.Errorf("%q is read again as %+v (error %v)", got, again, err)
		}
	}
	for _, in := range []string{"", "/", "100", "100mb/20ms", "mbit", "-1mbit", "0mbit", "nanmbit", "infmbit", "1e400mbit", "1mbit/", "1mbit/20", "1mbit/-1ms", "1mbit/1ms/1ms", "1mbit/nans"} {
		if got, err := ParseLink(in); err == nil {
			t.Errorf("%q is read as %+v", in, got)
		}
	}
}

func TestLinkTime(t *testing.T) {
	l := Link{Bits: 12e6, RoundTrip: 20e6}
	// 1460 bytes are 1500 with their headers: 12,000 bits.
	if got := l.Transfer(1460); math.Abs(got-1e6) > 1e-6 {
		t.Errorf("a segment takes %v ns", got)
	}
	if got := l.Time(14600); math.Abs(got-30e6) > 1e-6 {
		t.Errorf("ten segments and a round trip take %v ns", got)
	}
}

func FuzzParseLink(f *testing.F) {
	for _, seed := range []string{"100mbit/20ms", "1.5gbit", "56kbit/0.5s", "1bit/1us", "/", "1e308mbit/1e308s", "5e-324bit"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ParseLink(s)
		if err != nil {
			return
		}
		if !(l.Bits > 0) || !(l.RoundTrip >= 0) || math.IsInf(l.Bits+l.RoundTrip, 0) {
			t.Fatalf("%q is read as %+v", s, l)
		}
		again, err := ParseLink(l.String())
		if err != nil || math.Abs(again.Bits/l.Bits-1) > 1e-9 || math.Abs(again.RoundTrip-l.RoundTrip) > 1e-9*l.RoundTrip {
			t.Fatalf("%q is written %q and read again as %+v (error %v)", s, l, again, err)
		}
	})
}
