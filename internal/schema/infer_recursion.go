package schema

// Recursive structures show as the same object below itself, as deep as the
// documents go. Here such objects become one type. The equations are read off the
// tree, which order does not change, and closed under "objects of one type have
// members of one type", so that the outcome is unique. What a place holds besides
// (null, other kinds) stays its own.

// rep returns the place that v has become one with.
func (v *place) rep() *place {
	for v.same != nil {
		v = v.same
	}
	if v.object != nil {
		v.object = v.object.rep()
	}
	return v
}

// rep returns the object that o has become one with.
func (o *objectSeen) rep() *objectSeen {
	for o.same != nil {
		o = o.same
	}
	return o
}

// ancestor is an object on the way to a place.
type ancestor struct {
	at   *objectSeen
	how  string // by which key, through which lists and maps, it was reached
	down string // key of the member that the way goes on through
}

// foldRecursion makes objects one that recur below themselves.
func foldRecursion(root *place) {
	var f folder
	f.visit(root, "")
	for len(f.objects)+len(f.places) > 0 {
		if n := len(f.places) - 1; n >= 0 {
			e := f.places[n]
			f.places = f.places[:n]
			f.unify(e[0].rep(), e[1].rep())
			continue
		}
		n := len(f.objects) - 1
		e := f.objects[n]
		f.objects = f.objects[:n]
		f.unifyObjects(e[0].rep(), e[1].rep())
	}
}

// folder collects equations, and works them off.
type folder struct {
	way     []ancestor
	objects [][2]*objectSeen
	places  [][2]*place
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
	f.compare(o, how)
	f.way = append(f.way, ancestor{at: o, how: how})
	for _, m := range o.members {
		f.way[len(f.way)-1].down = m.key
		f.visit(&m.value, m.key)
	}
	f.way = f.way[:len(f.way)-1]
}

// compare looks for the nearest object above o that o is another case of: it
// was reached by the same key, or its member that leads to o is one of o's too;
// and their keys agree.
func (f *folder) compare(o *objectSeen, how string) {
	for i := len(f.way) - 1; i >= 0; i-- {
		a := f.way[i]
		least := 2 // shared keys
		switch {
		case a.how == how && how != "":
			least = min(1, len(o.members))
		case o.index[a.down] == nil:
			continue
		}
		if akin(a.at, o, least) {
			f.objects = append(f.objects, [2]*objectSeen{a.at, o})
			return
		}
	}
}

// akin tells whether two objects may be of one type: one has no keys but those
// of the other, or half of all keys are shared; and three quarters of the shared
// keys have a kind in common.
func akin(a, b *objectSeen, least int) bool {
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
	return shared >= least && conflicts*4 <= shared && (shared == fewer || shared*2 >= all)
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
	a.objects += b.objects
	a.noMembers += b.noMembers
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
		f.places = append(f.places, [2]*place{&x.elem, &y.elem})
	}
	switch {
	case b.object == nil:
	case a.object == nil:
		a.object = b.object
	default:
		f.objects = append(f.objects, [2]*objectSeen{a.object, b.object})
	}
}

func (f *folder) unifyObjects(a, b *objectSeen) {
	if a == b {
		return
	}
	b.same = a
	a.count += b.count
	a.entries += b.entries
	a.keyBytes += b.keyBytes
	a.longest = max(a.longest, b.longest)
	if a.values != nil || b.values != nil {
		f.collapse(a)
		f.collapse(b)
		f.places = append(f.places, [2]*place{a.values, b.values})
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
		f.places = append(f.places, [2]*place{&n.value, &m.value})
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
		f.places = append(f.places, [2]*place{o.values, &m.value})
	}
	o.members, o.index = nil, nil
}
