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
func (m *Model) findLeaves() {
	x := m.index()
	for i := range m.Roots {
		r := &m.Roots[i]
		root := x.messages[r.Type]
		r.Leaf = x.leaf(root, true, map[*Message]bool{})
		if r.Leaf == nil {
			r.Leaf = x.leaf(root, false, map[*Message]bool{})
		}
	}
}

// leaf looks through single object messages, in field order. With always, it
// takes only values that are written even when they are unset.
func (x modelIndex) leaf(t *Message, always bool, seen map[*Message]bool) []string {
	if seen[t] || t.Form == FormUnion {
		return nil
	}
	seen[t] = true
	for _, f := range t.Fields {
		if f.Label != LabelOne || f.Kind != KindMessage {
			if !always || t.Form == FormBare || f.Absent == AbsentWrite {
				return []string{f.ID}
			}
		}
	}
	for _, f := range t.Fields {
		if f.Label != LabelOne || f.Kind != KindMessage || x.messages[f.Type].Form != FormObject {
			continue
		}
		if rest := x.leaf(x.messages[f.Type], always, seen); rest != nil {
			return append([]string{f.ID}, rest...)
		}
	}
	return nil
}
