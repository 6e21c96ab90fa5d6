package strictjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stops marks, in the high bit of its byte, the first byte of x that is a
// quote, a backslash or a control character (marks above the first may be
// wrong: a borrow passes on from a true one only). Bytes above 0x7F are not
// marked.
func stops(x uint64) uint64 {
	quote := (x ^ '"'*ones) - ones
	slash := (x ^ '\\'*ones) - ones
	control := x - 0x20*ones
	return (quote | slash | control) &^ x & highs
}

// str reads a string whose opening quote is at pos: its contents go to Text.
func (s *Scanner) str() bool {
	d, start := s.data, s.pos+1
	i := start
	var seen uint64 // all bytes together: the high bits tell of non-ASCII
	s.Escaped = false
	for {
		for i+8 <= len(d) {
			x := binary.LittleEndian.Uint64(d[i:])
			if m := stops(x); m != 0 {
				n := bits.TrailingZeros64(m) &^ 7
				seen |= x & (1<<n - 1)
				i += n >> 3
				goto stop
			}
			seen |= x
			i += 8
		}
		for i < len(d) && d[i] != '"' && d[i] != '\\' && d[i] >= ' ' {
			seen |= uint64(d[i])
			i++
		}
		if i == len(d) {
			s.failed(cut(i, "the document ends inside a string"))
			return false
		}
	stop:
		switch d[i] {
		case '"':
			return s.ended(start, i, seen&highs != 0)
		case '\\':
			s.Escaped = true
			n, err := escape(d, i)
			if err != nil {
				s.failed(err)
				return false
			}
			i += n
		default:
			s.failed(controlCharacter(d, i))
			return false
		}
	}
}

// ended takes over the contents of a string, data[start:end].
func (s *Scanner) ended(start, end int, nonASCII bool) bool {
	s.Text = s.data[start:end]
	s.NonASCII = nonASCII
	s.pos = end + 1
	if nonASCII && !utf8.Valid(s.Text) {
		s.failed(invalidUTF8(s.data, start))
		return false
	}
	return true
}

// escape checks the escape at d[i] and returns its length: 12 for a pair of
// surrogates.
func escape(d []byte, i int) (int, *Error) {
	if i+1 >= len(d) {
		return 0, cut(len(d), "the document ends inside a string")
	}
	switch d[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, nil
	case 'u':
	default:
		return 0, badEscape(d, i)
	}
	r, ok := hex4(d, i+2)
	switch {
	case !ok:
		return 0, badHex(d, i)
	case !utf16.IsSurrogate(r):
		return 6, nil
	case r < 0xDC00 && i+7 < len(d) && d[i+6] == '\\' && d[i+7] == 'u':
		if low, ok := hex4(d, i+8); ok && 0xDC00 <= low && low <= 0xDFFF {
			return 12, nil
		}
	}
	return 0, &Error{i, CodeSurrogate, "the escape " + string(d[i:i+6]) + " is half of a surrogate pair", "the text was cut inside a character"}
}

// hex4 reads four hexadecimal digits.
func hex4(d []byte, i int) (rune, bool) {
	if i+4 > len(d) {
		return 0, false
	}
	var r rune
	for _, c := range d[i : i+4] {
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case (c|0x20)-'a' <= 5:
			r = r<<4 | rune((c|0x20)-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// Unquote appends the meaning of a string's contents as a Scanner gives them.
func Unquote(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' || i+1 >= len(raw) {
			dst = append(dst, c)
			i++
			continue
		}
		if raw[i+1] != 'u' {
			dst = append(dst, unescaped(raw[i+1]))
			i += 2
			continue
		}
		r, _ := hex4(raw, i+2)
		i += 6
		if utf16.IsSurrogate(r) {
			low, _ := hex4(raw, i+2)
			r = utf16.DecodeRune(r, low)
			i += 6
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// AppendQuoted appends s as a JSON string with the fewest escapes: the quote,
// the backslash and control characters.
func AppendQuoted[T string | []byte](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
