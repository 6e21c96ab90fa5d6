package schema

// Recursive structures show as the same object below itself, as deep as the
// documents go. Here such places are made one. The equations are read off the
// tree, which order does not change, and closed under "equal places have equal
// members", so that the outcome is unique.

// rep returns the place that v has become one with.
func (v *place) rep() *place {
	for v.same != nil {
		if v.same.same != nil {
			v.same = v.same.same
		}
		v = v.same
	}
	return v
}

// ancestor is an object on the way to a place.
type ancestor struct {
	at   *place
	how  string // by which key, through which lists and maps, it was reached
	down string // key of the member that the way goes on through
}

// equation says that two places are one.
type equation struct{ a, b *place }

// foldRecursion makes objects one that recur below themselves.
func foldRecursion(root *place) {
	var f folder
	f.visit(root, "")
	for len(f.queue) > 0 {
		e := f.queue[0]
		f.queue = f.queue[1:]
		f.unify(e.a.rep(), e.b.rep())
	}
}

type folder struct {
	way   []ancestor
	queue []equation
}

// visit collects equations in the tree.
func (f *folder) visit(v *place, how string) {
	if v.array != nil {
		f.visit(&v.array.elem, how+"[]")
	}
	o := v.object
	if o == nil {
		return
	}
	if o.values != nil {
		f.visit(o.values, how+".*")
		return
	}
	f.compare(v, how)
	f.way = append(f.way, ancestor{at: v, how: how})
	for _, m := range o.members {
		f.way[len(f.way)-1].down = m.key
		f.visit(&m.value, m.key)
	}
	f.way = f.way[:len(f.way)-1]
}

// compare looks for the nearest object above v that v is another case of: it
// was reached by the same key, or its member that leads to v is one of v's too;
// and their keys agree.
func (f *folder) compare(v *place, how string) {
	for i := len(f.way) - 1; i >= 0; i-- {
		a := f.way[i]
		sameWay := a.how == how && how != ""
		if sameWay && len(v.object.members) == 0 || (sameWay || v.object.index[a.down] != nil) && akin(a.at.object, v.object) {
			f.queue = append(f.queue, equation{a.at, v})
			return
		}
	}
}

// akin tells whether two objects may be of one type: one has no keys but those
// of the other, or half of all keys are shared; and nearly all shared keys have a kind in common.
func akin(a, b *objectSeen) bool {
	shared, conflicts := 0, 0
	for _, m := range b.members {
		if n := a.index[m.key]; n != nil {
			shared++
			if !kindsMeet(&n.value, &m.value) {
				conflicts++
			}
		}
	}
	fewer, all := min(len(a.members), len(b.members)), len(a.members)+len(b.members)-shared
	return shared > 0 && conflicts*4 <= shared && (shared == fewer || shared*2 >= all)
}

func kindsMeet(a, b *place) bool {
	x, y := a.kinds(), b.kinds()
	for _, k := range x {
		for _, l := range y {
			if k.kind == l.kind {
				return true
			}
		}
	}
	return len(x) == 0 || len(y) == 0
}

// unify makes b one with a, and queues what that makes equal below.
func (f *folder) unify(a, b *place) {
	if a == b {
		return
	}
	b.same = a
	a.nulls += b.nulls
	a.falses += b.falses
	a.trues += b.trues
	a.num.merge(&b.num)
	a.str.merge(&b.str)
	switch {
	case b.array == nil:
	case a.array == nil:
		a.array = b.array
	default:
		x, y := a.array, b.array
		x.count += y.count
		x.empty += y.empty
		x.longest = max(x.longest, y.longest)
		f.queue = append(f.queue, equation{&x.elem, &y.elem})
	}
	switch {
	case b.object == nil:
	case a.object == nil:
		a.object = b.object
	default:
		f.unifyObjects(a.object, b.object)
	}
}

func (f *folder) unifyObjects(a, b *objectSeen) {
	a.count += b.count
	a.empty += b.empty
	a.entries += b.entries
	a.keyBytes += b.keyBytes
	a.longest = max(a.longest, b.longest)
	if a.values != nil || b.values != nil {
		f.collapse(a)
		f.collapse(b)
		f.queue = append(f.queue, equation{a.values, b.values})
		return
	}
	for _, m := range b.members {
		n := a.index[m.key]
		if n == nil {
			a.adopt(m)
			continue
		}
		n.count += m.count
		n.position = min(n.position, m.position)
		f.queue = append(f.queue, equation{&n.value, &m.value})
	}
}

func (a *objectSeen) adopt(m *memberSeen) {
	if a.index == nil {
		a.index = map[string]*memberSeen{}
	}
	a.index[m.key] = m
	a.members = append(a.members, m)
}

// collapse makes a map of an object whose places may already be shared.
func (f *folder) collapse(o *objectSeen) {
	if o.values != nil {
		return
	}
	o.values = &place{}
	for _, m := range o.members {
		f.queue = append(f.queue, equation{o.values, &m.value})
	}
	o.members, o.index = nil, nil
}
