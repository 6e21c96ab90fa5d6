package schema

// markBoxes marks the single fields whose type leads back to their own message
// through single fields: both lie in one strongly connected component of that
// graph (Tarjan 1972).
func (m *Model) markBoxes() {
	g := &singleGraph{index: m.index(), order: map[*Message]int{}, low: map[*Message]int{}, component: map[*Message]int{}}
	for _, t := range m.Messages {
		if g.order[t] == 0 {
			g.visit(t)
		}
	}
	for _, t := range m.Messages {
		for _, f := range t.Fields {
			if f.Label == LabelOne && f.Kind == KindMessage {
				f.Box = g.component[t] == g.component[g.index.messages[f.Type]]
			}
		}
	}
}

type singleGraph struct {
	index          modelIndex
	order, low     map[*Message]int
	component      map[*Message]int
	stack          []*Message
	next, complete int
}

func (g *singleGraph) visit(t *Message) {
	g.next++
	g.order[t], g.low[t] = g.next, g.next
	g.stack = append(g.stack, t)
	for _, f := range t.Fields {
		if f.Label != LabelOne || f.Kind != KindMessage {
			continue
		}
		u := g.index.messages[f.Type]
		if g.order[u] == 0 {
			g.visit(u)
			g.low[t] = min(g.low[t], g.low[u])
		} else if g.component[u] == 0 {
			g.low[t] = min(g.low[t], g.order[u])
		}
	}
	if g.low[t] != g.order[t] {
		return
	}
	g.complete++
	for {
		u := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		g.component[u] = g.complete
		if u == t {
			return
		}
	}
}

// findLeaves chooses each root's leaf: the way to the first value that is
// always there, else to the first value at all.
func (m *Model) findLeaves(always func(*Message, *Field) bool) {
	x := m.index()
	for i := range m.Roots {
		r := &m.Roots[i]
		root := x.messages[r.Type]
		r.Leaf = x.leaf(root, always, map[*Message]bool{})
		if r.Leaf == nil {
			r.Leaf = x.leaf(root, func(*Message, *Field) bool { return true }, map[*Message]bool{})
		}
	}
}

// isWritten reports whether a field is in JSON even when it is unset.
func isWritten(t *Message, f *Field) bool { return t.Form == FormBare || f.Absent == AbsentWrite }

// leaf looks through single object messages, in field order, and takes only
// fields that are wanted.
func (x modelIndex) leaf(t *Message, wanted func(*Message, *Field) bool, seen map[*Message]bool) []string {
	if seen[t] || t.Form == FormUnion {
		return nil
	}
	seen[t] = true
	for _, f := range t.Fields {
		if (f.Label != LabelOne || f.Kind != KindMessage) && wanted(t, f) {
			return []string{f.ID}
		}
	}
	for _, f := range t.Fields {
		if f.Label != LabelOne || f.Kind != KindMessage || x.messages[f.Type].Form != FormObject || !wanted(t, f) {
			continue
		}
		if rest := x.leaf(x.messages[f.Type], wanted, seen); rest != nil {
			return append([]string{f.ID}, rest...)
		}
	}
	return nil
}
