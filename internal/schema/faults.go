package schema

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/bufbuild/protocompile/ast"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/types/descriptorpb"
)

// faultList collects what is wrong with a schema, in the order of finding.
type faultList struct{ list []fault }

type fault struct {
	at   ast.SourcePos
	text string
}

// maxFaults bounds how many faults are printed: one missing brace can cause
// thousands.
const maxFaults = 50

func (f *faultList) add(err reporter.ErrorWithPos) error {
	f.insert(fault{err.GetPosition(), cleanProtoError(err.Unwrap())})
	return nil // go on and find the rest
}

func (f *faultList) addAt(at ast.SourceSpan, text string) {
	if at == nil {
		f.addPlain(text)
		return
	}
	f.insert(fault{at.Start(), text})
}

func (f *faultList) addPlain(text string) { f.insert(fault{text: text}) }

// insert leaves out what was said before: files are checked when they are read
// and again when they are linked.
func (f *faultList) insert(x fault) {
	for _, old := range f.list {
		if old.text == x.text && old.at.Filename == x.at.Filename && old.at.Line == x.at.Line && old.at.Col == x.at.Col {
			return
		}
	}
	f.list = append(f.list, x)
}

func (f *faultList) len() int  { return len(f.list) }
func (f *faultList) any() bool { return len(f.list) > 0 }

// err makes one error of all faults, a line each.
func (f *faultList) err(l *loader) error {
	lines := make([]string, 0, len(f.list))
	for i, x := range f.list {
		if i == maxFaults {
			lines = append(lines, fmt.Sprintf("… and %d more", len(f.list)-maxFaults))
			break
		}
		line := x.text + faultHint(x, l)
		if x.at.Filename != "" {
			line = l.position(x.at) + ": " + line
		}
		lines = append(lines, line)
	}
	return errors.New(strings.Join(lines, "\n"))
}

var (
	unknownType    = regexp.MustCompile(`unknown (?:\w+ )?type ([\w.]+)`)
	unknownEdition = regexp.MustCompile(`edition value "(\w+)" not recognized`)
	unknownOption  = regexp.MustCompile(`unknown extension ([\w.]+)`)
)

// faultHint says what to try, where the compiler's words let us know.
func faultHint(x fault, l *loader) string {
	if m := unknownType.FindStringSubmatch(x.text); m != nil {
		if file := l.declaring(m[1], x.at.Filename); file != "" {
			return fmt.Sprintf("; type %s is in %s, which %s does not import", m[1], file, x.at.Filename)
		}
	}
	if m := unknownOption.FindStringSubmatch(x.text); m != nil && strings.HasPrefix(m[1], "wirecost.") {
		return fmt.Sprintf("; import %q", OptionsPath)
	}
	if unknownEdition.MatchString(x.text) {
		return "; compile it with protoc --include_imports --descriptor_set_out=schema.binpb and give that file"
	}
	return ""
}

// declaring finds the loaded or standard file that declares a type, by its name
// as another file writes it.
func (l *loader) declaring(name, from string) string {
	name = strings.TrimPrefix(name, ".")
	scope := ""
	if r := l.parsed[from]; r != nil {
		scope = r.FileDescriptorProto().GetPackage()
	}
	for {
		full := name
		if scope != "" {
			full = scope + "." + name
		}
		for _, file := range l.order {
			if file != from && declaresType(l.parsed[file].FileDescriptorProto(), full) {
				return file
			}
		}
		if scope == "" {
			break
		}
		scope = scope[:max(strings.LastIndexByte(scope, '.'), 0)]
	}
	return standardDeclaring(name)
}

// standardDeclaring finds the standard file of a well-known type.
func standardDeclaring(full string) string {
	for _, file := range []string{"any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers"} {
		file = "google/protobuf/" + file + ".proto"
		if declaresType(standardFile(file), full) {
			return file
		}
	}
	return ""
}

func declaresType(f *descriptorpb.FileDescriptorProto, full string) bool {
	rest := full
	if p := f.GetPackage(); p != "" {
		var ok bool
		if rest, ok = strings.CutPrefix(full, p+"."); !ok {
			return false
		}
	}
	return declaredIn(f.MessageType, f.EnumType, strings.Split(rest, "."))
}

func declaredIn(ms []*descriptorpb.DescriptorProto, es []*descriptorpb.EnumDescriptorProto, parts []string) bool {
	for _, e := range es {
		if len(parts) == 1 && e.GetName() == parts[0] {
			return true
		}
	}
	for _, m := range ms {
		if m.GetName() == parts[0] && (len(parts) == 1 || declaredIn(m.NestedType, m.EnumType, parts[1:])) {
			return true
		}
	}
	return false
}
