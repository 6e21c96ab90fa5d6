package schema

import "google.golang.org/protobuf/reflect/protoreflect"

// missingRequired gives the path of a required field that is unset, or "".
func (r *Reference) missingRequired(m protoreflect.Message) string {
	found := ""
	w := messageWalker{visit: func(path docPath, t *refMessage, m protoreflect.Message) {
		for _, i := range t.needed {
			if f := t.fields[i]; found == "" && !m.Has(f.desc) {
				found = append(path, pathStep{key: f.Key}).exact()
			}
		}
	}}
	w.message(r.root, m)
	return found
}

// Unknown looks for fields that the schema lacks: how many bytes they take in
// all, and the path of the first message that has some.
func (r *Reference) Unknown(m protoreflect.Message) (path string, bytes int) {
	w := messageWalker{visit: func(at docPath, _ *refMessage, m protoreflect.Message) {
		if n := len(m.GetUnknown()); n > 0 {
			if bytes == 0 {
				path = at.exact()
			}
			bytes += n
		}
	}}
	w.message(r.root, m)
	return path, bytes
}

// messageWalker visits a message and all messages inside it.
type messageWalker struct {
	path  docPath
	visit func(docPath, *refMessage, protoreflect.Message)
}

func (w *messageWalker) message(t *refMessage, m protoreflect.Message) {
	w.visit(w.path, t, m)
	for _, f := range t.fields {
		if f.Kind != KindMessage || !m.Has(f.desc) {
			continue
		}
		w.path = append(w.path, pathStep{key: f.Key})
		w.field(f, m.Get(f.desc))
		w.path = w.path[:len(w.path)-1]
	}
}

func (w *messageWalker) field(f *refField, v protoreflect.Value) {
	switch f.Label {
	case LabelList:
		w.path = append(w.path, pathStep{kind: stepElement})
		for i := range v.List().Len() {
			w.path[len(w.path)-1].index = i
			w.message(f.message, v.List().Get(i).Message())
		}
		w.path = w.path[:len(w.path)-1]
	case LabelMap:
		for _, k := range sortedKeys(v.Map()) {
			w.path = append(w.path, pathStep{kind: stepEntry, key: k.String()})
			w.message(f.message, v.Map().Get(k).Message())
			w.path = w.path[:len(w.path)-1]
		}
	default:
		w.message(f.message, v.Message())
	}
}
