package schema

import (
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"wirecost/internal/strictjson"
)

// numbersSeen describes the numbers at a place.
type numbersSeen struct {
	ints, floats int64  // tokens without and with fraction or exponent
	max          uint64 // of the integers from 0 to 2⁶⁴−1
	min          int64  // of the integers from −2⁶³ to 0
	bytes        int64  // of their text
	plain        int64  // bytes of the integers as int64 on the wire, tags aside
	zigzag       int64  // and as sint64
	rare         *rareNumbers
}

// rareNumbers describes numbers that need care.
type rareNumbers struct {
	zeros   int64  // written -0
	big     int64  // integers beyond 64 bits
	outside int64  // floats that a double turns into infinity or zero
	long    int64  // floats of more than 17 digits
	example string // of big or outside: the shortest, then least
}

func (n *numbersSeen) count() int64 { return n.ints + n.floats }

func (n *numbersSeen) merge(o *numbersSeen) {
	n.ints += o.ints
	n.floats += o.floats
	n.max = max(n.max, o.max)
	n.min = min(n.min, o.min)
	n.bytes += o.bytes
	n.plain += o.plain
	n.zigzag += o.zigzag
	if r := o.rare; r != nil {
		x := n.rarely()
		x.zeros += r.zeros
		x.big += r.big
		x.outside += r.outside
		x.long += r.long
		x.show(r.example)
	}
}

func (n *numbersSeen) rarely() *rareNumbers {
	if n.rare == nil {
		n.rare = &rareNumbers{}
	}
	return n.rare
}

func (r *rareNumbers) show(text string) {
	const most = 80
	if len(text) > most {
		text = text[:most-3] + "..."
	}
	if text == "" {
		return
	}
	if e := r.example; e == "" || len(text) < len(e) || len(text) == len(e) && text < e {
		r.example = text
	}
}

// add takes the Scanner's number.
func (n *numbersSeen) add(s *strictjson.Scanner) {
	n.bytes += int64(len(s.Text))
	if s.Float {
		n.floats++
		if s.Exponent || len(s.Text) > 18 {
			n.oddFloat(s)
		}
		return
	}
	n.ints++
	text := s.Text
	if len(text) > 19 { // may not fit
		n.bigInt(text)
		return
	}
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	var u uint64
	for _, c := range text {
		u = u*10 + uint64(c-'0')
	}
	n.integer(u, negative)
}

// integer takes an integer of 64 bits.
func (n *numbersSeen) integer(u uint64, negative bool) {
	if negative {
		if u == 0 {
			n.rarely().zeros++
		}
		n.min = min(n.min, -int64(u))
		n.plain += int64(protowire.SizeVarint(-u))
		n.zigzag += int64(protowire.SizeVarint(protowire.EncodeZigZag(-int64(u))))
	} else {
		n.max = max(n.max, u)
		n.plain += int64(protowire.SizeVarint(u))
		n.zigzag += int64(protowire.SizeVarint(2 * u))
	}
}

func (n *numbersSeen) bigInt(text []byte) {
	if text[0] == '-' {
		if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			n.integer(uint64(-i), true)
			return
		}
	} else if u, err := strconv.ParseUint(string(text), 10, 64); err == nil {
		n.integer(u, false)
		return
	}
	r := n.rarely()
	r.big++
	r.show(string(text))
}

// oddFloat looks at a float that a double may not hold.
func (n *numbersSeen) oddFloat(s *strictjson.Scanner) {
	digits, nonzero := mantissa(s.Text)
	if digits > 17 {
		n.rarely().long++
	}
	if !s.Exponent && len(s.Text) <= 300 {
		return
	}
	f, err := strconv.ParseFloat(string(s.Text), 64)
	if err != nil || math.IsInf(f, 0) || f == 0 && nonzero {
		r := n.rarely()
		r.outside++
		r.show(string(s.Text))
	}
}

// mantissa counts a number's significant digits, leading zeros aside.
func mantissa(text []byte) (digits int, nonzero bool) {
	for _, c := range text {
		switch {
		case c|0x20 == 'e':
			return digits, nonzero
		case '1' <= c && c <= '9':
			nonzero = true
			digits++
		case c == '0' && nonzero:
			digits++
		}
	}
	return digits, nonzero
}

// maxExact is the integer up to which a double holds every integer, and prints
// it as it was.
const maxExact = 1 << 53

// scalar chooses the numbers' type. Decimal text stands where nothing else keeps
// them exactly.
func (n *numbersSeen) scalar() (name string, repr Repr) {
	r := n.rare
	if r == nil {
		r = &rareNumbers{}
	}
	text := func() (string, Repr) { return "string", ReprNumber }
	switch {
	case r.outside > 0 || n.floats > 0 && (r.big > 0 || n.max > maxExact || n.min < -maxExact):
		return text()
	case n.floats > 0:
		return "double", ReprNative
	case r.big > 0 || n.min < 0 && n.max > math.MaxInt64:
		return text()
	case n.min < math.MinInt32 || n.min < 0 && n.max > math.MaxInt32:
		return "sint64", ReprNative
	case n.min < 0:
		return "sint32", ReprNative
	case n.max > math.MaxInt64:
		return "uint64", ReprNative
	case n.max > math.MaxInt32:
		return "int64", ReprNative
	}
	return "int32", ReprNative
}

// doubles tells whether doubles keep all numbers exactly enough for
// google.protobuf.Value: no integers above 2⁵³, nothing beyond a double.
func (n *numbersSeen) doubles() bool {
	if n.max > maxExact || n.min < -maxExact {
		return false
	}
	return n.rare == nil || n.rare.big == 0 && n.rare.outside == 0
}
