package schema

import (
	"strconv"
	"strings"
)

// decimal is a JSON number as a sign, the digits of an integer without zeros at
// either end, and a power of ten. It compares numbers exactly, however many
// digits or however large an exponent they are written with.
type decimal struct {
	negative bool
	digits   string // "" for zero
	exponent int64
}

// parseDecimal reads a JSON number's text.
func parseDecimal(text string) decimal {
	var d decimal
	rest, negative := strings.CutPrefix(text, "-")
	d.negative = negative
	mantissa := rest
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa = rest[:i]
		n, err := strconv.ParseInt(rest[i+1:], 10, 62)
		if err != nil && n == 0 { // no number at all
			return d
		}
		d.exponent = n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= int64(len(fraction))
	all := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(all, "0")
	d.exponent += int64(len(all) - len(d.digits))
	if d.digits == "" {
		d.exponent = 0
	}
	return d
}

// sameNumber reports whether two JSON numbers are equal; 0 equals -0.
func sameNumber(a, b string) bool {
	x, y := parseDecimal(a), parseDecimal(b)
	if x.digits == "" && y.digits == "" {
		return true
	}
	return x == y
}
