package schema

import (
	"encoding/binary"
	"strings"

	"wirecost/internal/strictjson"
)

func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// place is everything seen at one path: how often each JSON token, and what
// lies inside. All of it adds up, takes a minimum or takes a maximum, so order
// never matters.
type place struct {
	nulls, falses, trues int64
	objects, noMembers   int64 // objects here, and those of them that are empty
	num                  numbersSeen
	str                  stringsSeen
	array                *arraySeen
	object               *objectSeen // may be shared with other places
	override             *override   // what the user said about this path and those below
	same                 *place      // what this place has become one with
}

// arraySeen describes the arrays at a place.
type arraySeen struct {
	count, empty int64
	longest      int // elements
	elem         place
}

// objectSeen describes the objects at a place. Its members have become one,
// values, once there are too many of them.
type objectSeen struct {
	count    int64
	entries  int64 // members of all objects
	keyBytes int64
	longest  int // members
	members  []*memberSeen
	index    map[string]*memberSeen
	values   *place
	why      string // it is a map, where that was decided by looking

	first *memberSeen // of the last object: the guess for the next one's
	same  *objectSeen // what this has become one with
}

// memberSeen describes one key of the objects at a place.
type memberSeen struct {
	key      string
	raw      string // as it was written last
	count    int64  // objects that have it
	position int    // smallest index among an object's members
	value    place

	stamp uint64      // the object that had it last
	next  *memberSeen // what followed it last
}

// member returns the member with that key, made where it is new.
func (a *objectSeen) member(key string, ov *override) *memberSeen {
	if m := a.index[key]; m != nil {
		return m
	}
	if a.index == nil {
		a.index = map[string]*memberSeen{}
	}
	m := &memberSeen{key: key, raw: key, position: 1 << 30}
	m.value.override = ov
	a.index[key] = m
	a.members = append(a.members, m)
	return m
}

// mustCollapse tells whether the objects here are a map whatever they look like.
func (v *place) mustCollapse(maxKeys int) bool {
	switch v.override.modeOf() {
	case overrideMap:
		return true
	case overrideNoMap:
		return false
	}
	return len(v.obj().members) > maxKeys
}

func (v *place) bools() int64 { return v.falses + v.trues }

func (v *place) arrays() int64 {
	if v.array == nil {
		return 0
	}
	return v.array.count
}

// scalars counts values that are neither array nor object.
func (v *place) scalars() int64 {
	return v.nulls + v.bools() + v.num.count() + v.str.count
}

// count counts all values.
func (v *place) count() int64 { return v.scalars() + v.arrays() + v.objects }

// kindCount says how often a kind of value was seen.
type kindCount struct {
	kind  strictjson.Kind
	count int64
}

// kinds gives the kinds seen, null aside.
func (v *place) kinds() (list []kindCount) {
	for _, c := range []kindCount{
		{strictjson.Bool, v.bools()}, {strictjson.Number, v.num.count()}, {strictjson.String, v.str.count},
		{strictjson.Array, v.arrays()}, {strictjson.Object, v.objects},
	} {
		if c.count > 0 {
			list = append(list, c)
		}
	}
	return list
}

// scalarNames names the scalars seen: "null, a number or a string".
func (v *place) scalarNames() string {
	var names []string
	for _, x := range []struct {
		n    int64
		name string
	}{{v.nulls, "null"}, {v.bools(), "true or false"}, {v.num.count(), "a number"}, {v.str.count, "a string"}} {
		if x.n > 0 {
			names = append(names, x.name)
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}

// share is a/b, 0 for nothing of nothing.
func share(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
