package schema

// Recursive structures show as the same object below itself, as deep as the
// documents go. Here such objects become one type. The equations are read off the
// tree, which order does not change, and closed under "objects of one type have
// members of one type", so that the outcome is unique. What a place holds besides
// (null, other kinds) stays its own.

// ancestor is an object on the way to a place.
type ancestor struct {
	at   *objectSeen
	how  string // by which key, through which lists and maps, it was reached
	down string // key of the member that the way goes on through
}

// foldRecursion makes objects one that recur below themselves.
func foldRecursion(root *place) {
	f := folder{seen: map[*objectSeen]bool{}}
	f.visit(root, "")
	f.drain()
}

// folder collects equations on its way through the tree.
type folder struct {
	unifier
	way  []ancestor
	seen map[*objectSeen]bool
}

// visit collects equations in the tree.
func (f *folder) visit(v *place, how string) {
	if v.array != nil {
		f.visit(&v.array.elem, how+"[]")
	}
	o := v.obj()
	if o == nil {
		return
	}
	if o.values != nil {
		if !f.seen[o] {
			f.seen[o] = true
			f.visit(o.values, how+".*")
		}
		return
	}
	f.compare(o, how)
	if f.seen[o] {
		return
	}
	f.seen[o] = true
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
		if a.at == o {
			return
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
