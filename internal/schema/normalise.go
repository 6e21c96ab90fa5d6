package schema

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// NormalisedPackage is the Protobuf package of every normalised set.
const NormalisedPackage = "wirecost_types"

// Normalised returns a descriptor set with the same wire format, in which every
// name is the model's: a message is a top-level type named by its ID, also the
// wrappers, Struct, ListValue and Empty of google.protobuf; a field is named by
// its ID; an ordinary oneof by Field.Oneof, a union's "union_". Each enum lies
// in a message of its own, "<ID>Scope". Timestamp, Duration, Value and NullValue
// stay google.protobuf's. Packages, services, extensions, comments and options of
// languages are gone; numbers, types, defaults, packing and edition features are
// kept.
//
// With jsonNames, each json_name is the model's key and enum values keep their
// names, as ProtoJSON needs them (see ProtoJSONProblem). Without, values are
// named by their IDs: a value called errno or EOF is a macro in C++, and
// generators that name members by json_name see no text of the user's.
//
// A proto2 schema with groups becomes edition 2023, where a group's type need not
// lie inside the message that uses it.
//
// All is one file, "wirecost_types.proto", unless the schema's files differ in
// syntax or features; then there are "wirecost_types_1.proto" and so on.
func (s *Schema) Normalised(jsonNames bool) (*descriptorpb.FileDescriptorSet, error) {
	n := &normaliser{schema: s, jsonNames: jsonNames && s.ProtoJSONProblem() == "", raw: rawTypes(s.Set), place: map[string]*descriptorpb.FileDescriptorProto{}, enums: s.Model.index().enums}
	if err := n.placeTypes(); err != nil {
		return nil, err
	}
	for _, m := range s.Model.Messages {
		if err := n.message(m); err != nil {
			return nil, err
		}
	}
	for _, e := range s.Model.Enums {
		n.enum(e)
	}
	return n.finish()
}

// ProtoJSONProblem says why ProtoJSON cannot be used with the model's keys, or
// "" if it can.
func (s *Schema) ProtoJSONProblem() string {
	for _, m := range s.Model.Messages {
		seen := map[string]bool{}
		for _, f := range m.Fields {
			switch {
			case m.Form != FormObject: // the JSON form does not show the key
			case f.Key == "":
				return fmt.Sprintf("%s.%s has an empty JSON key", m.Name, f.Name)
			case strings.HasPrefix(f.Key, "[") && strings.HasSuffix(f.Key, "]"):
				return fmt.Sprintf("%s.%s has a JSON key in square brackets, which ProtoJSON takes for an extension", m.Name, f.Name)
			case strings.ContainsRune(f.Key, 0):
				return fmt.Sprintf("%s.%s has a JSON key with a zero character", m.Name, f.Name)
			case seen[f.Key]:
				return fmt.Sprintf("%s has two fields with the JSON key %q", m.Name, f.Key)
			}
			seen[f.Key] = true
		}
	}
	return ""
}

type normaliser struct {
	schema    *Schema
	jsonNames bool
	raw       map[string]rawType
	files     []*descriptorpb.FileDescriptorProto
	place     map[string]*descriptorpb.FileDescriptorProto // ID → new file
	enums     map[string]*Enum                             // by ID
	groups    bool                                         // some proto2 file uses groups
}

// rawType is a type as its file's author declared it.
type rawType struct {
	file    *descriptorpb.FileDescriptorProto
	message *descriptorpb.DescriptorProto
	enum    *descriptorpb.EnumDescriptorProto
}

// rawTypes indexes a set's types by full name.
func rawTypes(set *descriptorpb.FileDescriptorSet) map[string]rawType {
	out := map[string]rawType{}
	var add func(f *descriptorpb.FileDescriptorProto, scope string, ms []*descriptorpb.DescriptorProto, es []*descriptorpb.EnumDescriptorProto)
	add = func(f *descriptorpb.FileDescriptorProto, scope string, ms []*descriptorpb.DescriptorProto, es []*descriptorpb.EnumDescriptorProto) {
		if scope != "" {
			scope += "."
		}
		for _, e := range es {
			out[scope+e.GetName()] = rawType{file: f, enum: e}
		}
		for _, m := range ms {
			out[scope+m.GetName()] = rawType{file: f, message: m}
			add(f, scope+m.GetName(), m.NestedType, m.EnumType)
		}
	}
	for _, f := range set.File {
		add(f, f.GetPackage(), f.MessageType, f.EnumType)
	}
	return out
}

// placeTypes makes the new files, and says which type goes where.
func (n *normaliser) placeTypes() error {
	ids, names := []string{}, []string{}
	for _, m := range n.schema.Model.Messages {
		ids, names = append(ids, m.ID), append(names, m.Name)
	}
	for _, e := range n.schema.Model.Enums {
		ids, names = append(ids, e.ID), append(names, e.Name)
	}
	var olds []*descriptorpb.FileDescriptorProto
	for _, name := range names {
		t, ok := n.raw[name]
		if !ok {
			return fmt.Errorf("%s is not in the descriptor set", name)
		}
		if !slices.Contains(olds, t.file) {
			olds = append(olds, t.file)
		}
	}
	single := true
	for _, f := range olds {
		single = single && sameDialect(olds[0], f)
		n.groups = n.groups || syntaxOf(f) == "proto2" && n.hasGroups(f)
	}
	moved := map[*descriptorpb.FileDescriptorProto]*descriptorpb.FileDescriptorProto{}
	for i, old := range olds {
		if single && i > 0 {
			moved[old] = n.files[0]
			continue
		}
		f := newFile(old, NormalisedPackage+".proto")
		if n.converts(old) {
			f.Syntax, f.Edition = proto.String("editions"), descriptorpb.Edition_EDITION_2023.Enum()
			f.Options = &descriptorpb.FileOptions{Features: proto2Features()}
		}
		if !single {
			f.Name = proto.String(fmt.Sprintf("%s_%d.proto", NormalisedPackage, i+1))
		}
		n.files, moved[old] = append(n.files, f), f
	}
	for i, id := range ids {
		n.place[id] = moved[n.raw[names[i]].file]
	}
	return nil
}

// sameDialect reports whether types of both files mean the same in one file.
func sameDialect(a, b *descriptorpb.FileDescriptorProto) bool {
	return syntaxOf(a) == syntaxOf(b) && a.GetEdition() == b.GetEdition() &&
		proto.Equal(plainFeatures(a.GetOptions().GetFeatures()), plainFeatures(b.GetOptions().GetFeatures()))
}

func syntaxOf(f *descriptorpb.FileDescriptorProto) string {
	if f.GetSyntax() == "" {
		return "proto2"
	}
	return f.GetSyntax()
}

func newFile(old *descriptorpb.FileDescriptorProto, name string) *descriptorpb.FileDescriptorProto {
	f := &descriptorpb.FileDescriptorProto{
		Name: proto.String(name), Package: proto.String(NormalisedPackage),
		Syntax: proto.String(syntaxOf(old)), Edition: old.Edition,
	}
	features := plainFeatures(old.GetOptions().GetFeatures())
	if old.GetEdition() >= descriptorpb.Edition_EDITION_2024 {
		if features == nil {
			features = &descriptorpb.FeatureSet{}
		}
		// IDs end in "_", which this edition's naming style forbids.
		features.EnforceNamingStyle = descriptorpb.FeatureSet_STYLE_LEGACY.Enum()
		features.DefaultSymbolVisibility = descriptorpb.FeatureSet_VisibilityFeature_EXPORT_ALL.Enum()
	}
	if features != nil {
		f.Options = &descriptorpb.FileOptions{Features: features}
	}
	return f
}

// plainFeatures keeps the features that change the wire format or presence; those
// of languages are extensions.
func plainFeatures(f *descriptorpb.FeatureSet) *descriptorpb.FeatureSet {
	if f == nil {
		return nil
	}
	out := &descriptorpb.FeatureSet{
		FieldPresence: f.FieldPresence, EnumType: f.EnumType, RepeatedFieldEncoding: f.RepeatedFieldEncoding,
		Utf8Validation: f.Utf8Validation, MessageEncoding: f.MessageEncoding,
	}
	if proto.Size(out) == 0 {
		return nil
	}
	return out
}

// finish adds imports, and google's files, in dependency order.
func (n *normaliser) finish() (*descriptorpb.FileDescriptorSet, error) {
	set := &descriptorpb.FileDescriptorSet{}
	byName := map[string]*descriptorpb.FileDescriptorProto{}
	for _, f := range n.files {
		byName[f.GetName()] = f
		slices.Sort(f.Dependency)
	}
	done := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		f := byName[name]
		if f == nil {
			f = standardFile(name)
			f.SourceCodeInfo = nil
		}
		for _, d := range f.Dependency {
			add(d)
		}
		set.File = append(set.File, f)
	}
	for _, f := range n.files {
		add(f.GetName())
	}
	if _, err := protodesc.NewFiles(set); err != nil {
		return nil, fmt.Errorf("the schema cannot be brought into one form for all languages: %s", cleanProtoError(err))
	}
	return set, nil
}

// use lets a file refer to a type of another.
func (n *normaliser) use(from *descriptorpb.FileDescriptorProto, file string) {
	if file != from.GetName() && !slices.Contains(from.Dependency, file) {
		from.Dependency = append(from.Dependency, file)
	}
}

// typeName gives the new full name of a type, and imports its file.
func (n *normaliser) typeName(from *descriptorpb.FileDescriptorProto, f *Field) string {
	google := func(file, name string) string {
		n.use(from, "google/protobuf/"+file+".proto")
		return ".google.protobuf." + name
	}
	switch f.Kind {
	case KindTimestamp:
		return google("timestamp", "Timestamp")
	case KindDuration:
		return google("duration", "Duration")
	case KindValue:
		return google("struct", "Value")
	case KindNull:
		return google("struct", "NullValue")
	case KindEnum:
		n.use(from, n.place[f.Type].GetName())
		return "." + NormalisedPackage + "." + enumScope(f.Type) + "." + enumName(n.enums[f.Type])
	case KindMessage:
		n.use(from, n.place[f.Type].GetName())
		return "." + NormalisedPackage + "." + f.Type
	}
	return ""
}

// enumScope names the message that an enum lies in: enum values share the scope
// around their enum, so two enums with one value name need two scopes.
func enumScope(id string) string { return id + "Scope" }

// enumName is an enum's name within its scope: its ID, unless one of its values
// would clash, with that name or, less the name as a prefix, with another value.
func enumName(e *Enum) string {
	const other = "Values_"
	prefix := identKey(e.ID)
	names, ids := map[string]int32{}, map[string]int32{}
	for _, v := range e.Values {
		if v.Key == e.ID || clashes(names, prefix, v.Key, v.Number) || clashes(ids, prefix, v.ID, v.Number) {
			return other
		}
	}
	return e.ID
}

// clashes adds a value's name less the prefix, and reports whether another
// number has it.
func clashes(seen map[string]int32, prefix, name string, number int32) bool {
	rest := identKey(name)
	if r := strings.TrimPrefix(rest, prefix); r != "" {
		rest = r
	}
	old, ok := seen[rest]
	seen[rest] = number
	return ok && old != number
}

// valueName is an enum value's name in the set.
func (n *normaliser) valueName(v EnumValue) string {
	if n.jsonNames {
		return v.Key
	}
	return v.ID
}

func (n *normaliser) enum(e *Enum) {
	old := n.raw[e.Name].enum
	out := &descriptorpb.EnumDescriptorProto{Name: proto.String(enumName(e))}
	features := plainFeatures(old.GetOptions().GetFeatures())
	if old.GetOptions().GetAllowAlias() || features != nil {
		out.Options = &descriptorpb.EnumOptions{Features: features}
		if old.GetOptions().GetAllowAlias() {
			out.Options.AllowAlias = proto.Bool(true)
		}
	}
	for _, v := range e.Values {
		out.Value = append(out.Value, &descriptorpb.EnumValueDescriptorProto{Name: proto.String(n.valueName(v)), Number: proto.Int32(v.Number)})
	}
	f := n.place[e.ID]
	f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: proto.String(enumScope(e.ID)), EnumType: []*descriptorpb.EnumDescriptorProto{out}})
}

func (n *normaliser) message(m *Message) error {
	file := n.place[m.ID]
	old := n.raw[m.Name].message
	if old.GetOptions().GetMessageSetWireFormat() {
		return fmt.Errorf("%s: the MessageSet format is not supported", m.Name)
	}
	fields := map[int32]*descriptorpb.FieldDescriptorProto{}
	for _, f := range old.Field {
		fields[f.GetNumber()] = f
	}
	w := messageWriter{n: n, file: file, out: &descriptorpb.DescriptorProto{Name: proto.String(m.ID)}, oneofs: map[string]int32{}}
	for _, f := range m.Fields {
		w.field(m, f, fields[int32(f.Number)])
	}
	w.syntheticOneofs()
	file.MessageType = append(file.MessageType, w.out)
	return nil
}
