package verdict

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Digits writes a number with three significant digits and no exponent:
// 0.0123, 1.23, 12.3, 123, 1230.
func Digits(x float64) string {
	switch {
	case math.IsInf(x, 0) || math.IsNaN(x):
		return "?"
	case x == 0:
		return "0"
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(rounded))))
	return strconv.FormatFloat(rounded, 'f', min(max(decimals, 0), 12), 64)
}

// scaled writes a number with the unit that leaves it at 1 or more.
func scaled(x float64, steps []step) string {
	s := steps[0]
	for _, next := range steps[1:] {
		// 999.6 would be written as 1000.
		if math.Abs(x) >= next.from*0.9995 {
			s = next
		}
	}
	return Digits(x/s.from) + " " + s.unit
}

type step struct {
	from float64
	unit string
}

// Duration writes nanoseconds as in "1.23 µs".
func Duration(ns float64) string {
	return scaled(ns, []step{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}})
}

// Bytes writes bytes in decimal units, as in "1.23 kB"; below 1000 they are
// written as they are when they are whole.
func Bytes(n float64) string {
	if n < 1000 && n == math.Trunc(n) {
		return strconv.FormatFloat(n, 'f', 0, 64) + " B"
	}
	return scaled(n, []step{{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}})
}

// Bandwidth writes bits per second as in "100 Mbit/s".
func Bandwidth(bits float64) string {
	s := scaled(bits, []step{{1, "bit/s"}, {1e3, "kbit/s"}, {1e6, "Mbit/s"}, {1e9, "Gbit/s"}})
	number, unit, _ := strings.Cut(s, " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + " " + unit
}

// Percent writes a share such as 0.123 as "12%", below 10% with a decimal.
func Percent(share float64) string {
	p := share * 100
	if math.Abs(p) < 9.95 && math.Abs(p-math.Round(p)) > 0.005 {
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}

// Share writes a share of something that is there, however little.
func Share(x float64) string {
	if 0 < x && x < 0.0005 {
		return "<0.1%"
	}
	return Percent(x)
}

// plural writes a count: "1 fork", "8 forks".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// list joins words as in "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
