package schema

import (
	"strconv"
	"strings"
)

// maxIdent bounds the length of an ID: keys can be 10 kB, and IDs become file
// names.
const maxIdent = 60

// identSet gives out IDs that are unique in one scope. An ID is ASCII words
// ended by "_", so it is no language's keyword, no macro and no reserved name;
// IDs of one scope differ when case and "_" are ignored, because protoc and
// file systems compare names so. It maps what is taken, without case and "_", to
// the last number given to a twin.
type identSet map[string]int

// member makes a field's or value's ID: lower-case words joined by "_". In C++ a
// field x_ brings functions has_x_ and _internal_x_, and every message has a member
// _internal_metadata_: no ID begins with "has_", and none is "metadata_".
func (s identSet) member(name string) string {
	words := identWords(name, false)
	if rest, ok := strings.CutPrefix(words, "has_"); ok {
		words = "has" + rest
	}
	if words == "metadata" {
		words = "meta_data"
	}
	return s.unique(words, "x")
}

// typeName makes a message's or enum's ID: words with an upper-case first letter.
func (s identSet) typeName(name string) string { return s.unique(identWords(name, true), "X") }

func (s identSet) unique(base, prefix string) string {
	if base == "" || base[0] >= '0' && base[0] <= '9' {
		base = prefix + base
	}
	if s.take(base) {
		return base + "_"
	}
	k := identKey(base)
	for { // the number goes on where the last twin stopped
		s[k]++
		if id := base + "_" + strconv.Itoa(s[k]); s.take(id) {
			return id + "_"
		}
	}
}

func (s identSet) take(id string) bool {
	k := identKey(id)
	if s[k] > 0 {
		return false
	}
	s[k] = 1
	return true
}

func identKey(id string) string { return strings.ToLower(strings.ReplaceAll(id, "_", "")) }

// identWords keeps a name's ASCII letters and digits.
func identWords(name string, upper bool) string {
	var b strings.Builder
	start := true // of a word
	for i := 0; i < len(name) && b.Len() < maxIdent; i++ {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z' && !upper:
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z' && upper && start:
			c -= 'a' - 'A'
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		default:
			start = true
			continue
		}
		if start && b.Len() > 0 && !upper {
			b.WriteByte('_')
		}
		b.WriteByte(c)
		start = false
	}
	return b.String()
}
