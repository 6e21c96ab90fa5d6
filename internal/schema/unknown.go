package schema

import "google.golang.org/protobuf/reflect/protoreflect"

// Unknown looks for fields that the schema lacks: how many bytes they take in
// all, and the path of the first message that has some.
func (r *Reference) Unknown(m protoreflect.Message) (path string, bytes int) {
	u := unknownFinder{}
	u.message(r.root, m)
	return u.first, u.bytes
}

type unknownFinder struct {
	path  docPath
	first string
	bytes int
}

func (u *unknownFinder) message(t *refMessage, m protoreflect.Message) {
	if n := len(m.GetUnknown()); n > 0 {
		if u.bytes == 0 {
			u.first = u.path.exact()
		}
		u.bytes += n
	}
	for _, f := range t.fields {
		if f.Kind != KindMessage || !m.Has(f.desc) {
			continue
		}
		u.path = append(u.path, pathStep{key: f.Key})
		u.field(f, m.Get(f.desc))
		u.path = u.path[:len(u.path)-1]
	}
}

func (u *unknownFinder) field(f *refField, v protoreflect.Value) {
	switch f.Label {
	case LabelList:
		u.path = append(u.path, pathStep{kind: stepElement})
		for i := range v.List().Len() {
			u.path[len(u.path)-1].index = i
			u.message(f.message, v.List().Get(i).Message())
		}
		u.path = u.path[:len(u.path)-1]
	case LabelMap:
		for _, k := range sortedKeys(v.Map()) {
			u.path = append(u.path, pathStep{kind: stepEntry, key: k.String()})
			u.message(f.message, v.Map().Get(k).Message())
			u.path = u.path[:len(u.path)-1]
		}
	default:
		u.message(f.message, v.Message())
	}
}
