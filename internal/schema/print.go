package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// inferredPackage is the package of inferred schemas.
const inferredPackage = "wirecost.inferred"

// protoPrinter writes a schema as the text of a .proto file.
type protoPrinter struct {
	body    strings.Builder
	options bool // wirecost's options are used
	structs bool // google/protobuf/struct.proto
	times   bool // google/protobuf/timestamp.proto
}

func printProto(messages []*protoMessage) string {
	var p protoPrinter
	for _, m := range messages {
		p.message(m)
	}
	var head strings.Builder
	head.WriteString("syntax = \"proto3\";\n\npackage " + inferredPackage + ";\n")
	imports := ""
	for _, i := range []struct {
		used bool
		path string
	}{{p.structs, "google/protobuf/struct.proto"}, {p.times, "google/protobuf/timestamp.proto"}, {p.options, OptionsPath}} {
		if i.used {
			imports += "import \"" + i.path + "\";\n"
		}
	}
	if imports != "" {
		head.WriteString("\n" + imports)
	}
	return head.String() + p.body.String()
}

func (p *protoPrinter) message(m *protoMessage) {
	b := &p.body
	b.WriteByte('\n')
	p.comments("", m.notes)
	fmt.Fprintf(b, "message %s {\n", m.name)
	if m.form != FormObject {
		p.options = true
		fmt.Fprintf(b, "  option (wirecost.form) = %s;\n", strings.ToUpper(string(m.form)))
	}
	indent := "  "
	if m.form == FormUnion {
		b.WriteString("  oneof v {\n")
		indent = "    "
	}
	for _, f := range m.fields {
		p.field(indent, f)
	}
	if m.form == FormUnion {
		b.WriteString("  }\n")
	}
	if m.enum != nil {
		b.WriteString("  enum " + enumTypeName + " {\n")
		for i, v := range m.enum {
			fmt.Fprintf(b, "    %s = %d;\n", v, i)
		}
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
}

func (p *protoPrinter) comments(indent string, notes []string) {
	for _, n := range notes {
		p.body.WriteString(indent + "// " + oneLine(n) + "\n")
	}
}

// oneLine makes text fit for a comment: nothing in it may end the line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0x85 || r == 0x2028 || r == 0x2029 || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s)
}

func (p *protoPrinter) field(indent string, f *protoField) {
	p.comments(indent, f.notes)
	typ := f.typ.ref()
	switch f.typ.name {
	case valueType, nullType:
		p.structs = true
	case timestampType:
		p.times = true
	}
	switch {
	case f.label == LabelList:
		typ = "repeated " + typ
	case f.label == LabelMap:
		typ = "map<string, " + typ + ">"
	case f.optional:
		typ = "optional " + typ
	}
	fmt.Fprintf(&p.body, "%s%s %s = %d%s;\n", indent, typ, f.name, f.number, p.fieldOptions(f))
}

func (p *protoPrinter) fieldOptions(f *protoField) string {
	var list []string
	switch {
	case f.key == keyless || defaultJSONName(f.name) == f.key:
	case jsonNameHolds(f.key):
		list = append(list, "json_name = "+protoString(f.key))
	default:
		p.options = true
		list = append(list, "(wirecost.key) = "+protoString(f.key))
	}
	if f.absent != "" {
		p.options = true
		list = append(list, "(wirecost.absent) = "+strings.ToUpper(string(f.absent)))
	}
	if f.typ.repr != ReprNative {
		p.options = true
		list = append(list, "(wirecost.repr) = "+strings.ToUpper(string(f.typ.repr)))
	}
	if len(list) == 0 {
		return ""
	}
	return " [" + strings.Join(list, ", ") + "]"
}

// keyless marks fields that have no JSON key: members of unions, and the field
// of a bare message. It is no valid UTF-8, so no key equals it.
const keyless = "\xFF"

// jsonNameHolds tells whether protoc takes the key as a json_name.
func jsonNameHolds(key string) bool {
	return !(strings.HasPrefix(key, "[") && strings.HasSuffix(key, "]")) && !strings.Contains(key, "\x00")
}

// protoString writes a string literal of the Protobuf language. What does not
// print is written as the octal value of its bytes.
func protoString(s string) string {
	b := []byte{'"'}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == utf8.RuneError || !strconv.IsPrint(r):
			for _, c := range []byte(s[i : i+n]) {
				b = fmt.Appendf(b, "\\%03o", c)
			}
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return string(append(b, '"'))
}

func num(n int) string { return strconv.Itoa(n) }
