package schema

import (
	"fmt"

	"wirecost/internal/strictjson"
)

// value takes the rest of a value of kind k at place v. The Scanner limits the
// recursion, and after an error everything ends by itself.
func (p *Partial) value(v *place, k strictjson.Kind) {
	switch k {
	case strictjson.String:
		p.str(v)
	case strictjson.Number:
		v.num.add(&p.scan)
	case strictjson.Object:
		p.nesting = max(p.nesting, p.scan.Depth())
		if p.poolDepth > 0 {
			p.deepObject(v)
		} else {
			p.object(v)
		}
	case strictjson.Array:
		p.nesting = max(p.nesting, p.scan.Depth())
		p.array(v)
	case strictjson.Null:
		v.nulls++
	case strictjson.Bool:
		if p.scan.Bool {
			v.trues++
		} else {
			v.falses++
		}
	}
}

func (p *Partial) array(v *place) {
	a := v.array
	if a == nil {
		a = &arraySeen{}
		a.elem.override = v.override.elemOf()
		v.array = a
		p.grow()
	}
	n := 0
	for p.scan.Elem(n == 0) {
		p.value(&a.elem, p.scan.Value())
		n++
	}
	a.count++
	if n == 0 {
		a.empty++
	}
	a.longest = max(a.longest, n)
}

// object reads members by guessing that they come in the order of the object
// before, which makes finding a member one comparison of bytes. A member's stamp
// tells a key that its object had before.
func (p *Partial) object(v *place) {
	o := v.object
	if o == nil {
		o = &objectSeen{}
		v.object = o
	}
	if o.values != nil {
		p.mapped(v)
		return
	}
	s := &p.scan
	p.instance++
	id := p.instance
	var last *memberSeen
	guess := o.first
	n := 0
	for s.Key(n == 0) {
		m := guess
		if m == nil || m.raw != string(s.Text) {
			m = p.find(v, last)
		}
		if m.stamp == id {
			s.Fail(strictjson.DuplicateKey(s.Start, s.Text))
			return
		}
		m.stamp = id
		m.count++
		m.position = min(m.position, n)
		o.keyBytes += int64(len(s.Text))
		p.value(&m.value, s.Value())
		guess, last = m.next, m
		n++
	}
	p.counted(v, n)
}

// find looks a member up that was not guessed, and mends the guess.
func (p *Partial) find(v *place, last *memberSeen) *memberSeen {
	o, s := v.object, &p.scan
	var m *memberSeen
	if s.Escaped {
		p.scratch = strictjson.Unquote(p.scratch[:0], s.Text)
		m = o.index[string(p.scratch)]
	} else {
		m = o.index[string(s.Text)]
	}
	if m == nil {
		key := string(s.Text)
		if s.Escaped {
			key = string(p.scratch)
		}
		m = o.member(key, v.override.memberOf(key))
		p.grow()
		if len(o.members) > p.opt.Limits.Keys {
			s.Fail(strictjson.TooManyKeys(s.Start, p.opt.Limits.Keys))
		}
	}
	if m.raw != string(s.Text) {
		m.raw = string(s.Text)
	}
	if last == nil {
		o.first = m
	} else {
		last.next = m
	}
	return m
}

// counted ends an object of n members.
func (p *Partial) counted(v *place, n int) {
	o := v.object
	v.objects++
	if n == 0 {
		v.noMembers++
	}
	o.count++
	o.entries += int64(n)
	o.longest = max(o.longest, n)
	if o.values == nil && v.mustCollapse(p.opt.MaxKeys) {
		p.collapse(o, v.override.valueOf())
		p.drain()
		o.values.settle(p.opt.MaxKeys)
		p.places = p.root.countPlaces()
	}
}

// mapped reads an object that has become a map.
func (p *Partial) mapped(v *place) {
	o, s := v.object, &p.scan
	n := 0
	mark := p.keys.Open()
	for s.Key(n == 0) {
		if !p.keys.Add(s) {
			return
		}
		o.keyBytes += int64(len(s.Text))
		p.value(o.values, s.Value())
		n++
	}
	p.keys.Close(mark)
	p.counted(v, n)
}

// grow counts a new place. What is too many is put in order after the document,
// unless this one document has far too many.
func (p *Partial) grow() {
	p.places++
	if p.places > 20*p.opt.MaxPlaces {
		p.scan.Fail(p.tooMany(p.scan.Start))
	}
}

func (p *Partial) tooMany(at int) *strictjson.Error {
	return &strictjson.Error{
		Offset: at,
		Msg:    fmt.Sprintf("the documents have more than %d different paths, too many for a schema", p.opt.MaxPlaces),
		Hint:   "name objects whose keys are data with --map PATH",
	}
}
