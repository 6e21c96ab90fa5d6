package verdict

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Link is a network between two programs.
type Link struct {
	Bits      float64 // per second
	RoundTrip float64 // ns
}

// ParseLink reads a link as "100mbit/20ms": bits per second in bit, kbit, mbit
// or gbit, and the time of a round trip in us, ms or s, which may be left out.
func ParseLink(s string) (Link, error) {
	rate, trip, withTrip := strings.Cut(strings.ToLower(strings.TrimSpace(s)), "/")
	wrong := func(what, part string) error {
		return fmt.Errorf("the link %q: %q is not a %s; write it as 100mbit/20ms", s, part, what)
	}
	var l Link
	var ok bool
	if l.Bits, ok = quantity(rate, []step{{1e3, "kbit"}, {1e6, "mbit"}, {1e9, "gbit"}, {1, "bit"}}); !ok || l.Bits <= 0 {
		return Link{}, wrong("rate", rate)
	}
	if !withTrip {
		return l, nil
	}
	if l.RoundTrip, ok = quantity(trip, []step{{1e3, "us"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}); !ok {
		return Link{}, wrong("time", trip)
	}
	return l, nil
}

func quantity(s string, units []step) (float64, bool) {
	s = strings.TrimSpace(s)
	for _, u := range units {
		number, ok := strings.CutSuffix(s, u.unit)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		x *= u.from
		return x, err == nil && x >= 0 && !math.IsInf(x, 0) && !math.IsNaN(x)
	}
	return 0, false
}

func (l Link) String() string {
	if l.RoundTrip == 0 {
		return Bandwidth(l.Bits)
	}
	trip := Duration(l.RoundTrip)
	number, unit, _ := strings.Cut(trip, " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return Bandwidth(l.Bits) + " and " + number + " " + unit
}

// The range of links that the verdict speaks of when none is given.
const (
	slowestLink = 1e6  // 1 Mbit/s
	fastestLink = 10e9 // 10 Gbit/s
)

// way is one way to bring a document across: a codec and a content coding.
type way struct {
	codec    *codec
	encoding string
	bytes    float64
	cpu      float64 // ns: encode, compress, decompress, decode
}

// time is what one request takes on a warm connection, in ns:
//
//	encode + compress + 8·bytes/bandwidth + one round trip + decompress + decode.
//
// It leaves out what does not depend on the form: headers, queues, the program's own
// work, and TCP's slow start, which a warm connection is past.
func (w way) time(l Link) float64 { return w.cpu + w.bytes*8/l.Bits*1e9 + l.RoundTrip }

// crossing is the bandwidth at which two ways take equal time,
//
//	8·(bytes of a − bytes of b) / (cpu of b − cpu of a);
//
// below it the one with fewer bytes is ahead. It is not ok where one of them is
// ahead on every link.
func crossing(a, b way) (bits float64, ok bool) {
	bytes, cpu := a.bytes-b.bytes, b.cpu-a.cpu
	if bytes*cpu <= 0 {
		return 0, false
	}
	return bytes * 8 / cpu * 1e9, true
}

// reach is the part of the range of links on which a way is the fastest.
type reach struct {
	way      way
	from, to float64 // bits per second
}

// fastest divides the range of links by the way that takes the least time there,
// from slow links to fast ones.
func fastest(ways []way, from, to float64) []reach {
	if len(ways) == 0 {
		return nil
	}
	var out []reach
	at := from
	current := least(ways, at)
	for {
		// The next way to take over needs less CPU and more bytes: of those,
		// the one that crosses first.
		next, where := -1, to
		for i, w := range ways {
			if w.cpu >= ways[current].cpu {
				continue
			}
			if x, ok := crossing(ways[current], w); ok && x >= at && x < where {
				next, where = i, x
			}
		}
		out = append(out, reach{ways[current], at, where})
		if next < 0 {
			return out
		}
		current, at = next, where
	}
}

func least(ways []way, bits float64) int {
	best := 0
	for i, w := range ways {
		if w.time(Link{Bits: bits}) < ways[best].time(Link{Bits: bits}) {
			best = i
		}
	}
	return best
}
