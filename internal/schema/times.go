package schema

import (
	"strconv"
	"strings"
	"time"
)

// Bounds of google.protobuf.Timestamp (years 1 to 9999) and Duration (10,000
// years), in seconds.
const (
	minTimestamp = -62135596800
	maxTimestamp = 253402300799
	maxDuration  = 315576000000
)

// parseTimestamp reads an RFC 3339 time with zone and at most nine decimals.
func parseTimestamp(text string) (seconds int64, nanos int32, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || strings.ContainsRune(text, ',') || t.Unix() < minTimestamp || t.Unix() > maxTimestamp {
		return 0, 0, false
	}
	if i := strings.IndexByte(text, '.'); i >= 0 {
		digits := 0
		for _, c := range text[i+1:] {
			if c < '0' || c > '9' {
				break
			}
			digits++
		}
		if digits > 9 {
			return 0, 0, false
		}
	}
	return t.Unix(), int32(t.Nanosecond()), true
}

// appendTimestamp writes ProtoJSON's form: UTC, with 0, 3, 6 or 9 decimals.
func appendTimestamp(dst []byte, seconds int64, nanos int32) ([]byte, bool) {
	if seconds < minTimestamp || seconds > maxTimestamp || nanos < 0 || nanos > 999_999_999 {
		return dst, false
	}
	dst = append(dst, '"')
	dst = time.Unix(seconds, 0).UTC().AppendFormat(dst, "2006-01-02T15:04:05")
	dst = appendNanos(dst, nanos)
	return append(dst, 'Z', '"'), true
}

func appendNanos(dst []byte, nanos int32) []byte {
	if nanos == 0 {
		return dst
	}
	digits := strconv.Itoa(1_000_000_000 + int(nanos))[1:]
	for strings.HasSuffix(digits, "000") {
		digits = digits[:len(digits)-3]
	}
	return append(append(dst, '.'), digits...)
}

// parseDuration reads seconds with at most nine decimals and an "s".
func parseDuration(text string) (seconds int64, nanos int32, ok bool) {
	rest, negative := strings.CutPrefix(text, "-")
	rest, unit := strings.CutSuffix(rest, "s")
	whole, fraction, dot := strings.Cut(rest, ".")
	if !unit || whole == "" || dot && fraction == "" || len(fraction) > 9 || len(whole) > 12 {
		return 0, 0, false
	}
	for _, c := range whole + fraction {
		if c < '0' || c > '9' {
			return 0, 0, false
		}
	}
	seconds, _ = strconv.ParseInt(whole, 10, 64)
	n, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 32)
	if seconds > maxDuration {
		return 0, 0, false
	}
	if negative {
		return -seconds, int32(-n), true
	}
	return seconds, int32(n), true
}

// appendDuration writes ProtoJSON's form: with 0, 3, 6 or 9 decimals.
func appendDuration(dst []byte, seconds int64, nanos int32) ([]byte, bool) {
	if seconds < -maxDuration || seconds > maxDuration || nanos < -999_999_999 || nanos > 999_999_999 ||
		seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0 {
		return dst, false
	}
	dst = append(dst, '"')
	if seconds < 0 || nanos < 0 {
		dst = append(dst, '-')
		seconds, nanos = -seconds, -nanos
	}
	dst = appendNanos(strconv.AppendInt(dst, seconds, 10), nanos)
	return append(dst, 's', '"'), true
}
