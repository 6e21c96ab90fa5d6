package schema

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxListed bounds how many names an error lists.
const maxListed = 20

// chooseRoot finds the root message: the one asked for, or else the one message
// of the user's files that no other message of them uses.
func (s *Schema) chooseRoot(message string) (protoreflect.FullName, error) {
	if message != "" {
		return s.findMessage(strings.TrimPrefix(message, "."))
	}
	all := s.mainMessages()
	if len(all) == 0 {
		return "", fmt.Errorf("the schema declares no message, so there is nothing to measure; give a file with the documents' message")
	}
	used := map[protoreflect.FullName]bool{}
	for _, m := range all {
		for _, t := range usedMessages(m) {
			if t.FullName() != m.FullName() {
				used[t.FullName()] = true
			}
		}
	}
	var free []protoreflect.FullName
	for _, m := range all {
		if !used[m.FullName()] && !isOnlyScope(m) {
			free = append(free, m.FullName())
		}
	}
	switch {
	case len(free) == 1:
		return free[0], nil
	case len(all) == 1:
		return all[0].FullName(), nil
	case len(free) == 0:
		for _, m := range all {
			free = append(free, m.FullName())
		}
		return "", fmt.Errorf("each message is used by another one, so which is the documents'? give --message with one of: %s", listNames(free))
	}
	return "", fmt.Errorf("%d messages are used by no other, so which is the documents'? give --message with one of: %s", len(free), listNames(free))
}

// isOnlyScope reports whether a message has no fields and only holds other types.
func isOnlyScope(m protoreflect.MessageDescriptor) bool {
	return m.Fields().Len() == 0 && m.Messages().Len()+m.Enums().Len() > 0
}

func listNames(names []protoreflect.FullName) string {
	texts := make([]string, 0, len(names))
	for i, n := range names {
		if i == maxListed {
			texts = append(texts, fmt.Sprintf("… (%d more)", len(names)-maxListed))
			break
		}
		texts = append(texts, string(n))
	}
	return strings.Join(texts, ", ")
}

// usedMessages gives the types of a message's fields, of map values as well.
func usedMessages(m protoreflect.MessageDescriptor) []protoreflect.MessageDescriptor {
	var out []protoreflect.MessageDescriptor
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		if f.IsMap() {
			f = f.MapValue()
		}
		if t := f.Message(); t != nil {
			out = append(out, t)
		}
	}
	return out
}

// mainMessages gives the messages of the user's files, nested ones included.
func (s *Schema) mainMessages() []protoreflect.MessageDescriptor {
	var out []protoreflect.MessageDescriptor
	for _, path := range s.main {
		if f, err := s.files.FindFileByPath(path); err == nil {
			out = appendMessages(out, f.Messages())
		}
	}
	return out
}

func appendMessages(to []protoreflect.MessageDescriptor, ms protoreflect.MessageDescriptors) []protoreflect.MessageDescriptor {
	for i := range ms.Len() {
		if m := ms.Get(i); !m.IsMapEntry() {
			to = appendMessages(append(to, m), m.Messages())
		}
	}
	return to
}

// findMessage finds a message of any file by its full name, or by the end of
// one, at a dot, if only one message ends so.
func (s *Schema) findMessage(name string) (protoreflect.FullName, error) {
	if !protoreflect.FullName(name).IsValid() {
		return "", fmt.Errorf("%q is not a message name", name)
	}
	if d, err := s.files.FindDescriptorByName(protoreflect.FullName(name)); err == nil {
		if _, ok := d.(protoreflect.MessageDescriptor); ok {
			return d.FullName(), nil
		}
		return "", fmt.Errorf("%s is not a message", name)
	}
	var all []protoreflect.MessageDescriptor
	s.files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		all = appendMessages(all, f.Messages())
		return true
	})
	var found, names []protoreflect.FullName
	for _, m := range all {
		names = append(names, m.FullName())
		if strings.HasSuffix(string(m.FullName()), "."+name) {
			found = append(found, m.FullName())
		}
	}
	slices.Sort(found)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if main := s.mainMessages(); len(main) > 0 {
			names = nil
			for _, m := range main {
				names = append(names, m.FullName())
			}
		}
		slices.Sort(names)
		return "", fmt.Errorf("the schema has no message %s; it has %s", name, listNames(names))
	}
	return "", fmt.Errorf("%d messages are called %s; give --message with one of: %s", len(found), name, listNames(found))
}
