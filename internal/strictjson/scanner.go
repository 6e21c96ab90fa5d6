package strictjson

// Kind is what a JSON value is.
type Kind uint8

// The kinds. Invalid is what a Scanner returns after an error.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
	Invalid
)

var kindNames = [...]string{"null", "bool", "number", "string", "array", "object", "invalid"}

// String names the kind.
func (k Kind) String() string { return kindNames[k] }

// Scanner walks one document token by token without allocating. After Reset,
// call Value; where that returns Object, call Key and Value in turn until Key
// returns false, and where it returns Array, Elem and Value. End checks that
// nothing follows. The first error ends the walk: Value then returns Invalid,
// Key and Elem false, and Err tells.
//
// A Scanner checks everything but duplicate keys and the number of keys: its
// caller knows best how to remember keys.
type Scanner struct {
	data []byte
	pos  int

	depth, maxDepth int
	err             *Error

	// Of the last value or key:

	Text     []byte // contents of a string or key as written, between the quotes; text of a number
	Start    int    // offset of its first byte
	Escaped  bool   // a string or key holds escapes
	NonASCII bool   // a string or key holds bytes above 0x7F
	Float    bool   // a number has a fraction or an exponent
	Exponent bool   // a number has an exponent
	Bool     bool   // the value of a Bool
}

// Reset starts at the beginning of data. The limits' depth counts.
func (s *Scanner) Reset(data []byte, lim Limits) {
	lim = lim.WithDefaults()
	*s = Scanner{data: data, maxDepth: lim.Depth}
	if len(data) > lim.Document {
		s.err = tooLong(len(data), lim.Document)
	}
}

// Err returns what stopped the walk (an *Error), or nil.
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Pos returns the offset behind the last token.
func (s *Scanner) Pos() int { return s.pos }

// Depth returns how many arrays and objects are open.
func (s *Scanner) Depth() int { return s.depth }

// Fail stops the walk with an error of the caller's.
func (s *Scanner) Fail(e *Error) { s.failed(e) }

func (s *Scanner) failed(e *Error) Kind {
	if s.err == nil {
		s.err = e
	}
	return Invalid
}

// space skips white space and returns the next byte, 0 at the end (and where
// the byte is 0, which no token starts with).
func (s *Scanner) space() byte {
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		if c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		s.pos++
	}
	return 0
}

// next returns the next byte that is not white space. Compact text takes the
// short way, which is inlined.
func (s *Scanner) next() byte {
	if s.pos < len(s.data) && s.data[s.pos] > ' ' {
		return s.data[s.pos]
	}
	return s.space()
}

// Value reads a scalar, or the opening bracket of an array or object.
func (s *Scanner) Value() Kind {
	if s.err != nil {
		return Invalid
	}
	c := s.next()
	s.Start = s.pos
	switch c {
	case '"':
		if !s.str() {
			return Invalid
		}
		return String
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.number()
	case '{':
		return s.open(Object)
	case '[':
		return s.open(Array)
	case 't':
		s.Bool = true
		return s.literal("true", Bool)
	case 'f':
		s.Bool = false
		return s.literal("false", Bool)
	case 'n':
		return s.literal("null", Null)
	}
	return s.failed(s.noValue())
}

func (s *Scanner) open(k Kind) Kind {
	if s.depth == s.maxDepth {
		return s.failed(tooDeep(s.pos, s.maxDepth))
	}
	s.depth++
	s.pos++
	return k
}

func (s *Scanner) literal(word string, k Kind) Kind {
	end := s.pos + len(word)
	if end > len(s.data) || string(s.data[s.pos:end]) != word || end < len(s.data) && isWord(s.data[end]) {
		return s.failed(s.badWord())
	}
	s.pos = end
	return k
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// Elem tells whether the open array has another element; first says that none
// has been read yet. False closes the array.
func (s *Scanner) Elem(first bool) bool {
	if s.err != nil {
		return false
	}
	c := s.next()
	if c == ']' {
		s.pos++
		s.depth--
		return false
	}
	if first {
		return true // Value says what is wrong, if anything is
	}
	if c != ',' {
		s.failed(s.noComma(Array))
		return false
	}
	s.pos++
	if s.next() == ']' {
		s.failed(wrong(s.pos, "a comma before the closing bracket", "remove the trailing comma"))
		return false
	}
	return true
}

// Key reads the next member's key and its colon in the open object; first says
// that no member has been read yet. False closes the object.
func (s *Scanner) Key(first bool) bool {
	if s.err != nil {
		return false
	}
	c := s.next()
	if c == '}' {
		s.pos++
		s.depth--
		return false
	}
	if !first {
		if c != ',' {
			s.failed(s.noComma(Object))
			return false
		}
		s.pos++
		c = s.next()
	}
	if c != '"' {
		s.failed(s.noKey(first))
		return false
	}
	s.Start = s.pos
	if !s.str() {
		return false
	}
	if s.next() != ':' {
		s.failed(s.noColon())
		return false
	}
	s.pos++
	return true
}

// End checks that only white space follows.
func (s *Scanner) End() error {
	if s.err == nil {
		if s.space(); s.pos < len(s.data) {
			s.failed(s.trailing())
		}
	}
	return s.Err()
}

// Skip reads the rest of the value whose kind Value has just returned.
func (s *Scanner) Skip(k Kind) bool {
	switch k {
	case Array:
		for first := true; s.Elem(first); first = false {
			s.Skip(s.Value())
		}
	case Object:
		for first := true; s.Key(first); first = false {
			s.Skip(s.Value())
		}
	}
	return s.err == nil
}

// number reads a number at pos, which holds '-' or a digit.
func (s *Scanner) number() Kind {
	d, i := s.data, s.pos
	if d[i] == '-' {
		i++
	}
	if i >= len(d) || d[i]-'0' > 9 {
		return s.failed(s.badNumber(i))
	}
	if d[i] == '0' {
		i++
		if i < len(d) && d[i]-'0' <= 9 {
			return s.failed(wrong(s.pos, "a number with a leading zero", "remove the zero, or write a string"))
		}
	} else {
		i = digits(d, i)
	}
	s.Float, s.Exponent = false, false
	if i < len(d) && d[i] == '.' {
		s.Float = true
		end := digits(d, i+1)
		if end == i+1 {
			return s.failed(s.badNumber(end))
		}
		i = end
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		s.Float, s.Exponent = true, true
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		end := digits(d, i)
		if end == i {
			return s.failed(s.badNumber(end))
		}
		i = end
	}
	if i < len(d) && (isWord(d[i]) || d[i] == '.') {
		return s.failed(s.badNumber(i))
	}
	s.Text = d[s.pos:i]
	s.pos = i
	return Number
}

func digits(d []byte, i int) int {
	for i < len(d) && d[i]-'0' <= 9 {
		i++
	}
	return i
}
