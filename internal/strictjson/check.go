package strictjson

import (
	"bytes"
	"sync"
)

// Check tells whether data is exactly one JSON value, with white space around
// it at most. Otherwise it returns an *Error.
func Check(data []byte, lim Limits) error {
	c := newChecker(data, lim)
	c.value(c.scan.Value())
	return c.end()
}

// checkers keeps checkers of documents that were right, whose key sets are
// empty again: most documents are small, and making a key set takes longer than
// checking one.
var checkers = sync.Pool{New: func() any { return new(checker) }}

func newChecker(data []byte, lim Limits) *checker {
	lim = lim.WithDefaults()
	c := checkers.Get().(*checker)
	c.scan.Reset(data, lim)
	c.keys.Limit = lim.Keys
	return c
}

// end checks that nothing follows. The checker must not be used afterwards.
func (c *checker) end() error {
	if err := c.scan.End(); err != nil {
		return err
	}
	c.scan = Scanner{} // which holds the document
	checkers.Put(c)
	return nil
}

type checker struct {
	scan Scanner
	keys KeySet
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
		mark := c.keys.Open()
		for first := true; s.Key(first); first = false {
			if !c.keys.Add(s) {
				return
			}
			c.value(s.Value())
		}
		c.keys.Close(mark)
	}
}

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
