package schema

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// modelNotes says what a user should know about what will be measured.
func (s *Schema) modelNotes(model *Model) []Note {
	notes := s.extensionNotes(model)
	var leaves, maps []Note
	envelope := true // no message has more than one field, and no field more than one value
	for _, m := range model.Messages {
		envelope = envelope && len(m.Fields) == 1
		for _, f := range m.Fields {
			where := m.Name + "." + f.Name
			envelope = envelope && f.Label == LabelOne
			if f.Label == LabelMap {
				maps = append(maps, Note{where, "the bytes of a map differ from run to run and between languages; they are no stable key for a cache"})
			}
			if f.Kind != KindMessage {
				leaves = append(leaves, Note{where, string(f.Kind)})
			}
		}
	}
	if len(maps) > 0 {
		notes = append(notes, maps[0]) // the same holds for all
	}
	if envelope && len(leaves) == 1 && (leaves[0].Text == string(KindString) || leaves[0].Text == string(KindBytes)) {
		notes = append(notes, Note{leaves[0].Where, "the schema's only value: nothing structural is measured, only how text is copied"})
	}
	return notes
}

// extensionNotes says that proto2 extensions of the model's messages are left out.
func (s *Schema) extensionNotes(model *Model) []Note {
	used := map[protoreflect.FullName]bool{}
	for _, m := range model.Messages {
		used[protoreflect.FullName(m.Name)] = true
	}
	var found []Note
	s.files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		rangeExtensions(f, func(x protoreflect.ExtensionDescriptor) {
			if used[x.ContainingMessage().FullName()] {
				found = append(found, Note{string(x.FullName()), "extensions are left out: documents must not use this one"})
			}
		})
		return true
	})
	slices.SortFunc(found, func(a, b Note) int { return strings.Compare(a.Where, b.Where) })
	return found
}

type extensionHolder interface {
	Extensions() protoreflect.ExtensionDescriptors
	Messages() protoreflect.MessageDescriptors
}

func rangeExtensions(in extensionHolder, f func(protoreflect.ExtensionDescriptor)) {
	for i := range in.Extensions().Len() {
		f(in.Extensions().Get(i))
	}
	for i := range in.Messages().Len() {
		rangeExtensions(in.Messages().Get(i), f)
	}
}
