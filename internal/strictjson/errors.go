package strictjson

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Code says what kind of fault an Error is, for a caller that has more to say of it.
type Code string

// The codes.
const (
	CodeSyntax    Code = "syntax"        // not as JSON is written
	CodeCut       Code = "cut"           // the document ends before its value does
	CodeSecond    Code = "second value"  // another value follows
	CodeUTF8      Code = "UTF-8"         // ill-formed bytes in a string
	CodeSurrogate Code = "surrogate"     // an escape that is half of a pair
	CodeDuplicate Code = "duplicate key" // a key that its object had before
	CodeDepth     Code = "depth"         // beyond Limits.Depth
	CodeKeys      Code = "keys"          // beyond Limits.Keys
	CodeLength    Code = "length"        // beyond Limits.Document
)

const (
	hintLimit = "raise the limit if this is meant"
	hintBare  = "put it in double quotes"
	hintValue = `a value is true, false or null, or begins with {, [, ", - or a digit`
)

func wrong(at int, msg, hint string) *Error { return &Error{at, CodeSyntax, msg, hint} }

func cut(at int, msg string) *Error { return &Error{at, CodeCut, msg, "the input is incomplete"} }

func tooDeep(at, limit int) *Error {
	return &Error{at, CodeDepth, fmt.Sprintf("nesting deeper than the limit of %d levels", limit), hintLimit}
}

func tooLong(n, limit int) *Error {
	return &Error{limit, CodeLength, fmt.Sprintf("a document of %d bytes is longer than the limit of %d", n, limit), hintLimit}
}

// TooManyKeys is the error for an object with more keys than the limit.
func TooManyKeys(at, limit int) *Error {
	return &Error{at, CodeKeys, fmt.Sprintf("an object has more keys than the limit of %d", limit), hintLimit}
}

// DuplicateKey is the error for a key, given as written, that its object had before.
func DuplicateKey(at int, raw []byte) *Error {
	return &Error{at, CodeDuplicate, "duplicate key " + show(Unquote(nil, raw)), "keep one of the two: readers disagree on which one counts"}
}

// show quotes the beginning of a text.
func show(text []byte) string {
	const most = 60
	if len(text) <= most {
		return strconv.Quote(string(text))
	}
	n := most
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strconv.Quote(string(text[:n])) + "…"
}

// word returns the letters and digits at i.
func word(d []byte, i int) []byte {
	end := i
	for end < len(d) && end-i < 40 && isWord(d[end]) {
		end++
	}
	return d[i:end]
}

// character names the character at i.
func character(d []byte, i int) string {
	r, n := utf8.DecodeRune(d[i:])
	if r == utf8.RuneError && n <= 1 || !strconv.IsPrint(r) {
		return fmt.Sprintf("the byte 0x%02X", d[i])
	}
	return strconv.QuoteRune(r)
}

// noValue says why no value begins at pos.
func (s *Scanner) noValue() *Error {
	d, i := s.data, s.pos
	if i >= len(d) {
		if s.depth == 0 {
			return wrong(i, "no value: the document is empty", "")
		}
		return cut(i, "the document ends where a value should be")
	}
	rest := d[i:]
	switch c := d[i]; {
	case c == '\'':
		return wrong(i, "a string in single quotes", "JSON takes double quotes")
	case c == '/' || c == '#':
		return wrong(i, "a comment, or something like one", "JSON has no comments: remove it")
	case c == '+':
		return wrong(i, "a number with a plus sign", "remove the sign")
	case c == '.':
		return wrong(i, "a number without a digit before the point", "write 0 before the point")
	case c == ',':
		return wrong(i, "a comma where a value should be", "remove it, or write null")
	case c == ':':
		return wrong(i, "a colon where a value should be", "remove it, or write the value before it")
	case c == ']' || c == '}':
		return wrong(i, "a closing bracket where a value should be", "write the value before it, or remove the bracket")
	case bytes.HasPrefix(rest, []byte("\xEF\xBB\xBF")):
		return wrong(i, "a byte order mark", "remove the bytes EF BB BF")
	case i == 0 && (bytes.HasPrefix(rest, []byte("\xFF\xFE")) || bytes.HasPrefix(rest, []byte("\xFE\xFF"))):
		return wrong(i, "UTF-16 text", "convert it to UTF-8")
	case c == 0 || i == 0 && len(rest) > 1 && rest[1] == 0:
		return wrong(i, "text with zero bytes, as in UTF-16 or UTF-32", "convert it to UTF-8")
	case isWord(c):
		return s.badWord()
	}
	return wrong(i, character(d, i)+" where a value should be", hintValue)
}

// badWord says what is wrong with a word without quotes at pos.
func (s *Scanner) badWord() *Error {
	w := word(s.data, s.pos)
	switch {
	case string(w) == "NaN" || string(w) == "Infinity":
		return wrong(s.pos, string(w)+" is not JSON", "use null, or a string")
	case s.pos+len(w) == len(s.data) && (bytes.HasPrefix([]byte("true"), w) || bytes.HasPrefix([]byte("false"), w) || bytes.HasPrefix([]byte("null"), w)):
		return cut(len(s.data), "the document ends inside a word")
	case bytes.EqualFold(w, []byte("true")) || bytes.EqualFold(w, []byte("false")) || bytes.EqualFold(w, []byte("null")):
		return wrong(s.pos, show(w)+" where a value should be", "true, false and null are written in lower case")
	}
	return wrong(s.pos, "the word "+show(w)+" where a value should be", hintBare)
}

// badNumber says what is wrong at i, inside or behind the number at pos.
func (s *Scanner) badNumber(i int) *Error {
	d := s.data
	if i >= len(d) {
		return cut(i, "the document ends inside a number")
	}
	if d[i-1] == '-' && i == s.pos+1 {
		if w := word(d, i); string(w) == "Infinity" || string(w) == "NaN" {
			return wrong(s.pos, "-"+string(w)+" is not JSON", "use null, or a string")
		}
		return wrong(s.pos, "a minus sign without a digit", "write the number, or remove the sign")
	}
	switch {
	case d[i-1] == '.':
		return wrong(s.pos, "a number without a digit behind the point", "write 0 behind the point")
	case d[i-1]|0x20 == 'e' || d[i-1] == '+' || d[i-1] == '-':
		return wrong(s.pos, "a number without a digit in its exponent", "write the exponent, or remove the e")
	case d[s.pos] == '0' && d[i]|0x20 == 'x':
		return wrong(s.pos, "a hexadecimal number", "write it as a decimal number or a string")
	}
	return wrong(i, character(d, i)+" inside a number", "if it is no number, put it in double quotes")
}

func (s *Scanner) noComma(in Kind) *Error {
	d, i := s.data, s.pos
	if i >= len(d) {
		return cut(i, "the document ends inside an "+in.String())
	}
	switch c := d[i]; {
	case c == '/' || c == '#':
		return s.noValue()
	case c == ']' || c == '}':
		return wrong(i, fmt.Sprintf("%q closes an %s", c, in), fmt.Sprintf("close it with %q", closing(in)))
	case c == ':' && in == Array:
		return wrong(i, "a colon inside an array", "members need an object")
	}
	return wrong(i, fmt.Sprintf("%s where a comma or the end of the %s should be", character(d, i), in), fmt.Sprintf("write a comma before it, or close the %s", in))
}

func closing(k Kind) byte {
	if k == Array {
		return ']'
	}
	return '}'
}

func (s *Scanner) noKey(first bool) *Error {
	d, i := s.data, s.pos
	if i >= len(d) {
		return cut(i, "the document ends inside an object")
	}
	switch c := d[i]; {
	case c == '}' && !first:
		return wrong(i, "a comma before the closing brace", "remove the trailing comma")
	case c == ',':
		return wrong(i, "a comma where a key should be", "remove it")
	case c == '\'':
		return wrong(i, "a key in single quotes", "JSON takes double quotes")
	case c == '/' || c == '#':
		return s.noValue()
	case isWord(c) || c == '-' || c == '$':
		return wrong(i, "a key without quotes", hintBare)
	}
	return wrong(i, character(d, i)+" where a key should be", "a key is a string in double quotes")
}

func (s *Scanner) noColon() *Error {
	d, i := s.data, s.pos
	if i >= len(d) {
		return cut(i, "the document ends after a key")
	}
	return wrong(i, character(d, i)+" where the colon after a key should be", "write a colon between key and value")
}

func (s *Scanner) trailing() *Error {
	d, i := s.data, s.pos
	switch c := d[i]; {
	case c == '{' || c == '[' || c == '"' || c == '-' || c-'0' <= 9 || c == 't' || c == 'f' || c == 'n':
		return &Error{i, CodeSecond, "a second JSON value follows", "if this is NDJSON, name the file .ndjson"}
	case c == '/' || c == '#':
		return s.noValue()
	case c == 0:
		return wrong(i, "zero bytes behind the document", "cut them off")
	}
	return wrong(i, character(d, i)+" behind the document", "remove what follows it")
}

func controlCharacter(d []byte, i int) *Error {
	switch d[i] {
	case '\n', '\r':
		return wrong(i, "a line break inside a string", `close the string, or write \n`)
	case '\t':
		return wrong(i, "a tab inside a string", `write \t`)
	}
	return wrong(i, fmt.Sprintf("the control character 0x%02X inside a string", d[i]), fmt.Sprintf(`write \u%04x`, d[i]))
}

func badEscape(d []byte, i int) *Error {
	return wrong(i, "a backslash before "+character(d, i+1), `JSON knows \" \\ \/ \b \f \n \r \t \uXXXX`)
}

func badHex(d []byte, i int) *Error {
	if i+6 > len(d) && bytes.IndexByte(d[i:], '"') < 0 {
		return cut(len(d), "the document ends inside a string")
	}
	return wrong(i, `\u without four hexadecimal digits`, `write four, as in \u00e9; a backslash itself is \\`)
}

// invalidUTF8 finds and names the first invalid byte from start on.
func invalidUTF8(d []byte, start int) *Error {
	i := start
	for i < len(d) {
		r, n := utf8.DecodeRune(d[i:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		i += n
	}
	what := "invalid UTF-8"
	switch rest := d[i:]; {
	case len(rest) > 2 && rest[0] == 0xED && rest[1] >= 0xA0:
		what = "a surrogate written as UTF-8"
	case rest[0] == 0xC0 || rest[0] == 0xC1 || len(rest) > 1 && rest[0] == 0xE0 && rest[1] < 0xA0 || len(rest) > 1 && rest[0] == 0xF0 && rest[1] < 0x90:
		what = "an overlong UTF-8 sequence"
	case 0xF4 <= rest[0] && rest[0] < 0xF8:
		what = "UTF-8 beyond U+10FFFF"
	}
	return &Error{i, CodeUTF8, fmt.Sprintf("%s: byte 0x%02X", what, d[i]), "convert the text to UTF-8"}
}
