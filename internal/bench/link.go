package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Link is a network between two programs.
type Link struct {
	Bits      float64 // per second, headers included
	RoundTrip float64 // ns
}

// What TCP sends at once over a usual network, in bytes: of payload, and of IP and
// TCP headers with it.
const (
	SegmentPayload = 1460
	SegmentHeaders = 40
)

// Transfer is how long the link is busy with so many bytes of payload and their
// headers, in ns.
func (l Link) Transfer(bytes float64) float64 {
	return bytes * (SegmentPayload + SegmentHeaders) / SegmentPayload * 8 / l.Bits * 1e9
}

// Time is how long a request and its answer take on a warm connection, in ns, when
// one of them carries so many bytes: the transfer and a round trip.
func (l Link) Time(bytes float64) float64 { return l.Transfer(bytes) + l.RoundTrip }

// unit is a unit and how many of the smallest it holds.
type unit struct {
	size float64
	name string
}

// Larger ones first, and those before others that end like them.
var (
	rateUnits = []unit{{1e9, "gbit"}, {1e6, "mbit"}, {1e3, "kbit"}, {1, "bit"}}
	timeUnits = []unit{{1e6, "ms"}, {1e3, "us"}, {1e3, "µs"}, {1e9, "s"}}
)

// ParseLink reads a link as "100mbit/20ms": bits per second in bit, kbit, mbit
// or gbit, and the time of a round trip in us, ms or s, which may be left out.
func ParseLink(s string) (Link, error) {
	rate, trip, withTrip := strings.Cut(strings.ToLower(strings.TrimSpace(s)), "/")
	wrong := func(what, part string) error {
		return fmt.Errorf("the link %q: %q is not a %s; write it as 100mbit/20ms", s, part, what)
	}
	var l Link
	var ok bool
	if l.Bits, ok = quantity(rate, rateUnits); !ok || l.Bits <= 0 {
		return Link{}, wrong("rate", rate)
	}
	if !withTrip {
		return l, nil
	}
	if l.RoundTrip, ok = quantity(trip, timeUnits); !ok {
		return Link{}, wrong("time", trip)
	}
	return l, nil
}

func quantity(s string, units []unit) (float64, bool) {
	s = strings.TrimSpace(s)
	for _, u := range units {
		number, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		x *= u.size
		return x, err == nil && x >= 0 && !math.IsInf(x, 0) && !math.IsNaN(x)
	}
	return 0, false
}

// String writes the link as ParseLink reads it.
func (l Link) String() string {
	rate := rateUnits[len(rateUnits)-1]
	for _, u := range rateUnits {
		if l.Bits >= u.size {
			rate = u
			break
		}
	}
	s := number(l.Bits/rate.size) + rate.name
	switch {
	case l.RoundTrip == 0:
		return s
	case l.RoundTrip < 1e6:
		return s + "/" + number(l.RoundTrip/1e3) + "us"
	}
	return s + "/" + number(l.RoundTrip/1e6) + "ms"
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
