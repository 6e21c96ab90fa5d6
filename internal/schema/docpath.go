package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// PathError says what is wrong at one place of a JSON document.
type PathError struct {
	Path   string // "$.items[3].price"
	Where  string // the same for all elements and map keys: "$.items[].price"
	What   string
	Offset int // bytes from the beginning of the document
}

// Error gives the path and what is wrong there.
func (e *PathError) Error() string { return e.Path + ": " + e.What }

// docPath is the way from the document to one of its values.
type docPath []pathStep

type pathStep struct {
	kind  pathKind
	key   string // of a member or map entry
	index int    // of an element
}

type pathKind uint8

const (
	stepMember pathKind = iota
	stepEntry           // of a map: the key is data
	stepElement
)

// exact names the place, with indexes and map keys.
func (p docPath) exact() string {
	var b strings.Builder
	b.WriteByte('$')
	for _, s := range p {
		if s.kind == stepElement {
			fmt.Fprintf(&b, "[%d]", s.index)
			continue
		}
		writePathKey(&b, s.key)
	}
	return b.String()
}

// general names the place for all elements ("[]") and map keys ("{}").
func (p docPath) general() string {
	var b strings.Builder
	b.WriteByte('$')
	for _, s := range p {
		switch s.kind {
		case stepElement:
			b.WriteString("[]")
		case stepEntry:
			b.WriteString("{}")
		default:
			writePathKey(&b, s.key)
		}
	}
	return b.String()
}

// writePathKey writes a key behind a dot if that is unambiguous, else quoted in brackets.
func writePathKey(b *strings.Builder, key string) {
	const most = 100
	plain := key != "" && len(key) <= most
	for i := 0; plain && i < len(key); i++ {
		c := key[i]
		plain = c == '_' || c == '-' || c == '$' || c == '@' || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
	}
	if plain {
		b.WriteByte('.')
		b.WriteString(key)
		return
	}
	b.WriteByte('[')
	b.WriteString(quoteShort(key, most))
	b.WriteByte(']')
}

// quoteShort quotes a text, cut to about that many bytes.
func quoteShort(s string, most int) string {
	if len(s) <= most {
		return strconv.Quote(s)
	}
	return strconv.Quote(strings.ToValidUTF8(s[:most], "")) + "…"
}
