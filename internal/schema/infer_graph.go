package schema

import (
	"slices"
	"strings"
)

// Places and objects form a tree at first: a path, a place. Merging Partials,
// making a map of an object, and folding recursion all say that two of them are
// one. Here such equations are closed under "equal objects have equal members":
// the outcome is unique, whatever the order in which they come. A place that
// became one with another is not used any more; an object may still be pointed to,
// so look at it through obj.

// obj returns the object at v, or nil.
func (v *place) obj() *objectSeen {
	if v.object != nil && v.object.same != nil {
		v.object = v.object.rep()
	}
	return v.object
}

// rep returns the object that o has become one with.
func (o *objectSeen) rep() *objectSeen {
	for o.same != nil {
		o = o.same
	}
	return o
}

// rep returns the place that v has become one with.
func (v *place) rep() *place {
	for v.same != nil {
		v = v.same
	}
	return v
}

// unifier holds equations that wait to be worked off.
type unifier struct {
	objects [][2]*objectSeen
	places  [][2]*place
}

func (u *unifier) samePlace(a, b *place) { u.places = append(u.places, [2]*place{a, b}) }

func (u *unifier) sameObject(a, b *objectSeen) {
	if a.rep() != b.rep() {
		u.objects = append(u.objects, [2]*objectSeen{a, b})
	}
}

// drain works off all equations, and those that follow.
func (u *unifier) drain() {
	for len(u.objects)+len(u.places) > 0 {
		if n := len(u.places) - 1; n >= 0 {
			e := u.places[n]
			u.places = u.places[:n]
			u.unify(e[0].rep(), e[1].rep())
			continue
		}
		n := len(u.objects) - 1
		e := u.objects[n]
		u.objects = u.objects[:n]
		u.unifyObjects(e[0].rep(), e[1].rep())
	}
}

// unify makes b one with a, and queues what that makes equal below.
func (u *unifier) unify(a, b *place) {
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
	if a.override == nil {
		a.override = b.override
	}
	switch {
	case b.array == nil:
	case a.array == nil:
		a.array = b.array
	default:
		x, y := a.array, b.array
		x.count += y.count
		x.empty += y.empty
		x.longest = max(x.longest, y.longest)
		u.samePlace(&x.elem, &y.elem)
	}
	switch {
	case b.object == nil:
	case a.object == nil:
		a.object = b.object
	default:
		u.sameObject(a.object, b.object)
	}
}

func (u *unifier) unifyObjects(a, b *objectSeen) {
	if a == b {
		return
	}
	b.same = a
	a.count += b.count
	a.entries += b.entries
	a.keyBytes += b.keyBytes
	a.longest = max(a.longest, b.longest)
	if a.values != nil || b.values != nil {
		u.collapse(a, nil)
		u.collapse(b, nil)
		u.samePlace(a.values, b.values)
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
		u.samePlace(&n.value, &m.value)
	}
}

// collapse makes the members one: the object is a map, and this is what its
// values look like.
func (u *unifier) collapse(o *objectSeen, ov *override) {
	if o.values != nil {
		return
	}
	o.values = &place{override: ov}
	for _, m := range o.members {
		u.samePlace(o.values, &m.value)
	}
	o.members, o.index, o.first = nil, nil, nil
}

// adopt takes over a member whose key is new.
func (o *objectSeen) adopt(m *memberSeen) {
	if o.index == nil {
		o.index = map[string]*memberSeen{}
	}
	m.next = nil // may not be live
	o.index[m.key] = m
	o.members = append(o.members, m)
}

// walk calls f for every place from v down, those inside before those around;
// what is reached by several ways is walked once. f may unify and collapse.
func (v *place) walk(f func(v *place)) { v.walkOnce(map[*objectSeen]bool{}, f) }

func (v *place) walkOnce(seen map[*objectSeen]bool, f func(v *place)) {
	if v.array != nil {
		v.array.elem.walkOnce(seen, f)
	}
	if o := v.obj(); o != nil && !seen[o] {
		seen[o] = true
		if o.values != nil {
			o.values.walkOnce(seen, f)
		}
		for _, m := range o.members {
			m.value.walkOnce(seen, f)
		}
	}
	f(v.rep())
}

// collapseWhere makes maps of the objects for which why gives a reason, until
// there are no more: merged values may be maps in their turn.
func (v *place) collapseWhere(why func(v *place) (reason string, isMap bool)) {
	var u unifier
	for again := true; again; {
		again = false
		v.walk(func(v *place) {
			o := v.obj()
			if o == nil || o.values != nil {
				return
			}
			if reason, ok := why(v); ok {
				o.why = reason
				u.collapse(o, v.override.valueOf())
				u.drain()
				again = true
			}
		})
	}
}

// settle collapses the objects that must be maps.
func (v *place) settle(maxKeys int) {
	v.collapseWhere(func(v *place) (string, bool) { return "", v.mustCollapse(maxKeys) })
}

// countPlaces counts v and everything below.
func (v *place) countPlaces() int {
	n := 0
	v.walk(func(*place) { n++ })
	return n
}

// clone copies v and everything below, with members in the order of their keys,
// so that whatever walks the copy does not depend on the documents' order.
func (v *place) clone() *place {
	c := cloner{}
	w := &place{}
	c.copyPlace(w, v)
	return w
}

type cloner map[*objectSeen]*objectSeen

func (c cloner) copyPlace(to, from *place) {
	*to = place{nulls: from.nulls, falses: from.falses, trues: from.trues, objects: from.objects, noMembers: from.noMembers, override: from.override}
	to.num.merge(&from.num)
	to.str.merge(&from.str)
	if a := from.array; a != nil {
		to.array = &arraySeen{count: a.count, empty: a.empty, longest: a.longest}
		c.copyPlace(&to.array.elem, &a.elem)
	}
	if o := from.obj(); o != nil {
		to.object = c.object(o)
	}
}

func (c cloner) object(o *objectSeen) *objectSeen {
	if x := c[o]; x != nil {
		return x
	}
	x := &objectSeen{count: o.count, entries: o.entries, keyBytes: o.keyBytes, longest: o.longest}
	c[o] = x
	if o.values != nil {
		x.values = &place{}
		c.copyPlace(x.values, o.values)
	}
	members := slices.Clone(o.members)
	slices.SortFunc(members, func(a, b *memberSeen) int { return strings.Compare(a.key, b.key) })
	for _, m := range members {
		n := &memberSeen{key: m.key, count: m.count, position: m.position}
		c.copyPlace(&n.value, &m.value)
		x.adopt(n)
	}
	return x
}
