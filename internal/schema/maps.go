package schema

// HasMaps reports whether a sample's documents may hold maps: fields that are,
// or google.protobuf.Value. A serializer is free to write a map's entries in any
// order, so equal messages may differ in their bytes.
func (m *Model) HasMaps(sample string) bool {
	root, ok := m.RootOf(sample)
	seen := map[string]bool{}
	var visit func(id string) bool
	visit = func(id string) bool {
		message := m.Message(id)
		if message == nil || seen[id] {
			return false
		}
		seen[id] = true
		for _, f := range message.Fields {
			if f.Label == LabelMap || f.Kind == KindValue || f.Kind == KindMessage && visit(f.Type) {
				return true
			}
		}
		return false
	}
	return ok && visit(root.Type)
}
