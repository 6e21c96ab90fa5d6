package strictjson

import (
	"bytes"
	"unsafe"
)

// Check tells whether data is exactly one JSON value, with white space around
// it at most. Otherwise it returns an *Error.
func Check(data []byte, lim Limits) error {
	lim = lim.WithDefaults()
	var c checker
	c.scan.Reset(data, lim)
	c.keys.limit = lim.Keys
	c.value(c.scan.Value())
	return c.scan.End()
}

type checker struct {
	scan Scanner
	keys keySet
}

// value reads the rest of a value; the Scanner limits the recursion.
func (c *checker) value(k Kind) {
	s := &c.scan
	switch k {
	case Array:
		for first := true; s.Elem(first); first = false {
			c.value(s.Value())
		}
	case Object:
		mark := c.keys.open()
		for first := true; s.Key(first); first = false {
			if !c.keys.add(s) {
				return
			}
			c.value(s.Value())
		}
		c.keys.close(mark)
	}
}

// fewKeys is the number of keys up to which comparing one by one beats a map.
const fewKeys = 12

// keySet finds duplicate keys in nested objects. Keys without escapes are
// slices of the document.
type keySet struct {
	limit int
	keys  [][]byte            // of all open objects, innermost last
	base  int                 // where the innermost object's begin
	many  map[string]struct{} // the innermost object's keys, where there are many
}

type keyMark struct {
	base int
	many map[string]struct{}
}

func (k *keySet) open() keyMark {
	m := keyMark{k.base, k.many}
	k.base, k.many = len(k.keys), nil
	return m
}

func (k *keySet) close(m keyMark) {
	k.keys = k.keys[:k.base]
	k.base, k.many = m.base, m.many
}

// add takes the scanner's key, and stops the scanner where the object had it before.
func (k *keySet) add(s *Scanner) bool {
	key := s.Text
	if s.Escaped {
		key = Unquote(nil, key)
	}
	if k.has(key) {
		s.Fail(DuplicateKey(s.Start, s.Text))
		return false
	}
	k.keys = append(k.keys, key)
	if n := len(k.keys) - k.base; n > k.limit {
		s.Fail(TooManyKeys(s.Start, k.limit))
		return false
	}
	return true
}

func (k *keySet) has(key []byte) bool {
	own := k.keys[k.base:]
	if len(own) < fewKeys {
		for _, o := range own {
			if bytes.Equal(o, key) {
				return true
			}
		}
		return false
	}
	if k.many == nil {
		k.many = make(map[string]struct{}, 4*fewKeys)
		for _, o := range own {
			k.many[alias(o)] = struct{}{}
		}
	}
	if _, ok := k.many[string(key)]; ok {
		return true
	}
	k.many[alias(key)] = struct{}{}
	return false
}

// alias gives bytes as a string without copying. The set lives no longer than
// the walk over the document, which does not change the bytes.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Compact appends src, which must be valid JSON, without the white space
// between tokens. Tokens stay byte for byte as they are.
func Compact(dst, src []byte) []byte {
	from, i := 0, 0
	for i < len(src) {
		switch c := src[i]; {
		case c == '"':
			i = stringEnd(src, i+1)
		case c > ' ':
			i++
		default:
			dst = append(dst, src[from:i]...)
			for i < len(src) && src[i] <= ' ' {
				i++
			}
			from = i
		}
	}
	return append(dst, src[from:]...)
}

// stringEnd returns the offset behind the quote that closes the string whose
// contents begin at i.
func stringEnd(d []byte, i int) int {
	for i < len(d) {
		n := bytes.IndexByte(d[i:], '"')
		if n < 0 {
			return len(d)
		}
		slashes := 0
		for j := i + n - 1; j >= i && d[j] == '\\'; j-- {
			slashes++
		}
		i += n + 1
		if slashes%2 == 0 {
			return i
		}
	}
	return len(d)
}
