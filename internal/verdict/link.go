package verdict

import (
	"strings"

	"wirecost/internal/bench"
)

// Link is a network between two programs, as sentences write it.
type Link bench.Link

// ParseLink reads a link as bench.ParseLink does.
func ParseLink(s string) (Link, error) {
	l, err := bench.ParseLink(s)
	return Link(l), err
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
//	encode + compress + transfer + one round trip + decompress + decode.
//
// The transfer is that of the bytes with their segments' headers. It leaves out what
// does not depend on the form: HTTP's headers, queues, the program's own work, and
// TCP's slow start, which a warm connection is past.
func (w way) time(l Link) float64 { return w.cpu + bench.Link(l).Time(w.bytes) }

// bandwidth is that of the link on which so many bytes take so long, in bits per
// second.
func bandwidth(bytes, ns float64) float64 { return bench.Link{Bits: 1}.Transfer(bytes) / ns }

// crossing is the bandwidth at which two ways take equal time,
//
//	transfer of (bytes of a − bytes of b) = cpu of b − cpu of a;
//
// below it the one with fewer bytes is ahead. It is not ok where one of them is
// ahead on every link.
func crossing(a, b way) (bits float64, ok bool) {
	bytes, cpu := a.bytes-b.bytes, b.cpu-a.cpu
	if bytes*cpu <= 0 {
		return 0, false
	}
	return bandwidth(bytes, cpu), true
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
