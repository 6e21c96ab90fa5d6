package study

import (
	"math"
	"strconv"

	"wirecost/internal/verdict"
)

// Unit is what a figure counts: one of those below, or a noun.
type Unit string

// The units. Times in seconds or nanoseconds are of what the study timed.
const (
	Bytes       Unit = "B"
	Seconds     Unit = "s"
	Nanoseconds Unit = "ns"
	Times       Unit = "×"
	Share       Unit = "share"
	Bits        Unit = "bit/s"
)

// Format writes a number in its unit. Bytes are written to the last one.
func (u Unit) Format(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "?"
	case u == Bytes && x == math.Trunc(x):
		return thousands(int64(x)) + " B"
	case u == Bytes && math.Abs(x) >= 1000:
		return thousands(fourDigits(x)) + " B"
	case u == Bytes:
		return verdict.Bytes(x)
	case u == Seconds:
		return verdict.Duration(x * 1e9)
	case u == Nanoseconds:
		return verdict.Duration(x)
	case u == Bits:
		return verdict.Bandwidth(x)
	case u == Share:
		return verdict.Percent(x)
	}
	if u == Times {
		return verdict.Digits(x) + "×"
	}
	return verdict.Digits(x) + " " + string(u)
}

// fourDigits rounds to four significant digits.
func fourDigits(x float64) int64 {
	step := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-3)
	return int64(math.Round(x/step) * step)
}

// thousands writes a whole number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
