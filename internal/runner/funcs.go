package runner

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf16"

	"wirecost/internal/bench"
	"wirecost/internal/schema"
)

// functions are what templates may call. They know no language: a template
// brings its own literal syntax (esc).
func functions(data Data) template.FuncMap {
	return template.FuncMap{
		"message": func(id string) (*schema.Message, error) {
			if m := data.Message(id); m != nil {
				return m, nil
			}
			return nil, fmt.Errorf("the model has no message %q", id)
		},
		"enum": func(id string) (*schema.Enum, error) {
			if e := data.Enum(id); e != nil {
				return e, nil
			}
			return nil, fmt.Errorf("the model has no enum %q", id)
		},
		"token": func(f *schema.Field) string { return schemaToken(data.Model, f) },
		"codec": func(name string) bool { return selected(data.Codecs, name) },
		"transport": func(name bench.Transport) bool {
			return slices.Contains(transportNames(data.Transports), name)
		},
		"esc":      escape,
		"quoteGo":  strconv.QuoteToASCII,
		"camel":    camel,
		"pascal":   pascal,
		"lower":    strings.ToLower,
		"upper":    strings.ToUpper,
		"contains": strings.Contains,   // contains TEXT PART
		"matches":  regexp.MatchString, // matches PATTERN TEXT
		"join":     join,               // join LIST SEPARATOR
		"has":      has,                // has LIST VALUE
		"list":     func(v ...any) []any { return v },
		"dict":     dict, // dict KEY VALUE KEY VALUE …
		"add":      func(a, b int) int { return a + b },
		"sub":      func(a, b int) int { return a - b },
	}
}

// schemaToken names what a field's value starts with in JSON: string, number, bool,
// null, object, array, or any where that depends on the value.
func schemaToken(m *schema.Model, f *schema.Field) string {
	for range len(m.Messages) + 1 { // a bare message may hold a bare message, but not for ever
		switch f.Label {
		case schema.LabelList:
			return "array"
		case schema.LabelMap:
			return "object"
		}
		if f.Kind != schema.KindMessage {
			return scalarToken(f)
		}
		msg := m.Message(f.Type)
		switch {
		case msg == nil || msg.Form == schema.FormUnion:
			return "any"
		case msg.Form != schema.FormBare || len(msg.Fields) != 1:
			return "object"
		}
		f = msg.Fields[0]
	}
	return "any"
}

func scalarToken(f *schema.Field) string {
	switch f.Kind {
	case schema.KindBool:
		return "bool"
	case schema.KindNull:
		return "null"
	case schema.KindValue:
		return "any"
	case schema.KindString, schema.KindEnum:
		if f.Repr == schema.ReprNumber {
			return "number"
		}
		return "string"
	case schema.KindBytes, schema.KindTimestamp, schema.KindDuration:
		return "string"
	}
	if f.Repr == schema.ReprString {
		return "string"
	}
	return "number"
}

// escape writes s for the inside of a string literal of some language. ASCII
// letters, digits, space and "_" stay; any other unit is put through the fmt
// pattern ascii (below 128) or wide. Units are byte, utf16 or rune.
func escape(unit, ascii, wide, s string) (string, error) {
	var units []rune
	switch unit {
	case "byte":
		for _, c := range []byte(s) {
			units = append(units, rune(c))
		}
	case "utf16":
		for _, c := range utf16.Encode([]rune(s)) {
			units = append(units, rune(c))
		}
	case "rune":
		units = []rune(s)
	default:
		return "", fmt.Errorf("esc: unit is %q; want byte, utf16 or rune", unit)
	}
	var b strings.Builder
	for _, c := range units {
		switch {
		case c == ' ' || c == '_' || isLetter(c) || '0' <= c && c <= '9':
			b.WriteRune(c)
		case c < 128:
			fmt.Fprintf(&b, ascii, c)
		default:
			fmt.Fprintf(&b, wide, c)
		}
	}
	return b.String(), nil
}

func isLetter(c rune) bool { return isLower(c) || 'A' <= c && c <= 'Z' }
func isLower(c rune) bool  { return 'a' <= c && c <= 'z' }

// pascal gives the name that Go's Protobuf generator makes of an identifier:
// "page_count_" becomes "PageCount_". A "_" goes where a lower-case letter
// follows, and that letter is raised; a leading "_" becomes "X".
func pascal(id string) string {
	var b strings.Builder
	raise := true
	for i := 0; i < len(id); i++ {
		c := rune(id[i])
		switch {
		case c == '_' && i == 0:
			b.WriteByte('X')
		case c == '_' && i+1 < len(id) && isLower(rune(id[i+1])):
			raise = true
			continue
		case isLower(c) && raise:
			b.WriteRune(c - 'a' + 'A')
		default:
			b.WriteRune(c)
		}
		raise = !isLetter(c)
	}
	return b.String()
}

// camel is pascal with a lower-case first letter.
func camel(id string) string {
	s := pascal(id)
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func join(list any, separator string) (string, error) {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice {
		return "", fmt.Errorf("join: want a list, have %T", list)
	}
	parts := make([]string, v.Len())
	for i := range parts {
		parts[i] = fmt.Sprint(v.Index(i))
	}
	return strings.Join(parts, separator), nil
}

// has compares by text, so that a plain string is found among named ones.
func has(list, value any) (bool, error) {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice {
		return false, fmt.Errorf("has: want a list, have %T", list)
	}
	for i := range v.Len() {
		if fmt.Sprint(v.Index(i)) == fmt.Sprint(value) {
			return true, nil
		}
	}
	return false, nil
}

func dict(kv ...any) (map[string]any, error) {
	if len(kv)%2 != 0 {
		return nil, fmt.Errorf("dict: %d arguments; want pairs", len(kv))
	}
	d := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		k, ok := kv[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: key is %T; want a string", kv[i])
		}
		d[k] = kv[i+1]
	}
	return d, nil
}
