package schema

import (
	"strconv"
	"strings"
)

// nameLength bounds names made from keys, which can be kilobytes long.
const nameLength = 40

// nameSet gives out names of one scope. Those differ when case and "_" are
// ignored, because protoc compares default JSON names.
type nameSet map[string]bool

func foldName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// take returns the first of the candidates that is free, or else the last one
// with a number.
func (s nameSet) take(candidates ...string) string {
	for _, c := range candidates {
		if s.free(c) {
			return c
		}
	}
	last := candidates[len(candidates)-1]
	for n := 2; ; n++ {
		if c := last + "_" + strconv.Itoa(n); s.free(c) {
			return c
		}
	}
}

func (s nameSet) free(name string) bool {
	f := foldName(name)
	if s[f] {
		return false
	}
	s[f] = true
	return true
}

// words splits a key into its ASCII words: at other characters, and where an
// upper-case letter follows a lower-case one or begins a word.
func words(key string) []string {
	var list []string
	start := -1
	end := func(i int) {
		if start >= 0 {
			list = append(list, key[start:i])
		}
		start = -1
	}
	for i := 0; i < len(key); i++ {
		c := key[i]
		if c == '_' || !isLetter(c) && !isDigit(c) {
			end(i)
			continue
		}
		if start >= 0 && isUpper(c) && (!isUpper(key[i-1]) || i+1 < len(key) && isLower(key[i+1])) {
			end(i)
		}
		if start < 0 {
			start = i
		}
	}
	end(len(key))
	return list
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// fieldName makes a field's name of a key: words in lower case, joined by "_".
func fieldName(key string) string {
	var name string
	for _, w := range words(key) {
		if name != "" {
			name += "_"
		}
		if name += strings.ToLower(w); len(name) >= nameLength {
			name = strings.TrimRight(name[:nameLength], "_")
			break
		}
	}
	switch {
	case name == "":
		return "key"
	case isDigit(name[0]):
		return "k" + name
	case name == "google" || name == "wirecost": // would hide the package
		return name + "_field"
	}
	return name
}

// messageName makes a message's name of a key: words with a capital first letter.
func messageName(key string) string {
	var name string
	for _, w := range words(key) {
		name += strings.ToUpper(w[:1]) + strings.ToLower(w[1:])
		if len(name) >= nameLength {
			name = name[:nameLength]
			break
		}
	}
	switch {
	case name == "":
		return "Key"
	case isDigit(name[0]):
		return "K" + name
	}
	return name
}

// withoutEntry keeps message names apart from those that protoc gives to the
// entries of maps.
func withoutEntry(name string) string {
	if strings.HasSuffix(strings.ToLower(name), "entry") {
		return name + "Object"
	}
	return name
}

// singular guesses what one element of a list or map is called.
func singular(key string) string {
	lower := strings.ToLower(key)
	cut := func(n int, end string) string { return key[:len(key)-n] + end }
	switch {
	case len(key) < 4:
		return key
	case strings.HasSuffix(lower, "ies"):
		return cut(3, "y")
	case strings.HasSuffix(lower, "sses"), strings.HasSuffix(lower, "xes"), strings.HasSuffix(lower, "ches"), strings.HasSuffix(lower, "shes"), strings.HasSuffix(lower, "uses"):
		return cut(2, "")
	case strings.HasSuffix(lower, "ss"), strings.HasSuffix(lower, "us"), strings.HasSuffix(lower, "is"):
		return key
	case strings.HasSuffix(lower, "s"):
		return cut(1, "")
	}
	return key
}

// defaultJSONName is the JSON name that protoc gives a field without json_name.
func defaultJSONName(name string) string {
	var b strings.Builder
	up := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '_' {
			up = true
			continue
		}
		if up && isLower(c) {
			c -= 'a' - 'A'
		}
		up = false
		b.WriteByte(c)
	}
	return b.String()
}

// nameMessages names all messages: by the nearest key, with the parent's before
// it or a number behind it where that is taken.
func nameMessages(list []*protoMessage) {
	names := nameSet{}
	for _, m := range list {
		if m.root != "" { // first: roots keep their names
			m.name = names.take(m.shortName())
		}
	}
	for _, m := range list {
		switch {
		case m.name != "":
		case m.parent == "" || m.parent == m.hint:
			m.name = names.take(m.shortName(), withoutEntry(messageName(m.hint)+"Item"+m.suffix))
		default:
			m.name = names.take(m.shortName(), withoutEntry(messageName(m.parent)+m.shortName()))
		}
	}
}

func (m *protoMessage) shortName() string { return withoutEntry(messageName(m.hint) + m.suffix) }
