package schema

// pools bound the number of places where the documents' structure is recursive in
// many ways, as syntax trees are: there the number of paths grows with the
// documents. Objects at least poolDepth members deep are then told apart by
// their nearest key alone. poolDepth is the largest that leaves no more than
// MaxPlaces places, which depends on the set of documents only, as long as no
// map with too many keys is among them.
type pools struct {
	unifier
	poolDepth int // 0: no limit yet
	pool      map[string]*objectSeen

	// Used while a document is read:
	depth   int    // members around the current value
	nearest string // key
	over    bool   // an object has too many keys
}

// shallower is the lesser of two pool depths, of which 0 is the greatest.
func shallower(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// pooled returns the object that stands for all deep ones with that nearest key.
func (p *pools) pooled(key string) *objectSeen {
	o := p.pool[key]
	if o == nil {
		if p.pool == nil {
			p.pool = map[string]*objectSeen{}
		}
		o = &objectSeen{}
		p.pool[key] = o
	}
	return o.rep()
}

// deepObject reads an object where some objects are pooled. One object may then be
// open several times, so stamps do not find duplicate keys, and nothing may
// be made one before the document ends.
func (p *Partial) deepObject(v *place) {
	o := v.obj()
	if p.depth >= p.poolDepth {
		q := p.pooled(p.nearest)
		if o == nil {
			o, v.object = q, q
		}
		p.sameObject(q, o)
	} else if o == nil {
		o = &objectSeen{}
		v.object = o
	}
	s := &p.scan
	nearest, mark := p.nearest, p.keys.Open()
	p.depth++
	n := 0
	var last *memberSeen
	for s.Key(n == 0) {
		if !p.keys.Add(s) {
			return
		}
		o.keyBytes += int64(len(s.Text))
		if o.values != nil {
			p.nearest = nearest + ".*"
			p.value(o.values, s.Value())
		} else {
			m := p.expected(v, o, last)
			m.count++
			m.position = min(m.position, n)
			p.nearest = m.key
			p.value(&m.value, s.Value())
			last = m
		}
		n++
	}
	p.depth--
	p.nearest = nearest
	p.keys.Close(mark)
	v.objects++
	if n == 0 {
		v.noMembers++
	}
	o.count++
	o.entries += int64(n)
	o.longest = max(o.longest, n)
	p.over = p.over || o.values == nil && v.mustCollapse(p.opt.MaxKeys)
}

// expected finds the member of the Scanner's key, first where it came last time.
func (p *Partial) expected(v *place, o *objectSeen, last *memberSeen) *memberSeen {
	guess := o.first
	if last != nil {
		guess = last.next
	}
	if guess != nil && guess.raw == string(p.scan.Text) {
		return guess
	}
	return p.find(v, last)
}

// tidy restores order after a document.
func (p *Partial) tidy() {
	if p.poolDepth > 0 {
		p.drain()
		if p.over {
			p.root.settle(p.opt.MaxKeys)
			p.over = false
		}
	}
	if p.places > p.opt.MaxPlaces {
		p.places = p.root.countPlaces()
		p.bound()
	}
}

// bound lowers the depth until there are few enough places.
func (p *Partial) bound() {
	for p.places > p.opt.MaxPlaces && p.poolDepth != 1 {
		d := p.poolDepth - 1
		if p.poolDepth == 0 {
			d = p.root.levels()
		}
		p.lower(max(d, 1))
		p.root.settle(p.opt.MaxKeys)
		p.places = p.root.countPlaces()
	}
}

// lower pools the objects that are at least d members deep.
func (p *Partial) lower(d int) {
	if p.poolDepth > 0 && p.poolDepth <= d {
		return
	}
	p.poolDepth = d
	known := map[*objectSeen]bool{}
	for _, o := range p.pool {
		known[o.rep()] = true
	}
	p.poolBelow(&p.root, 0, "", known)
	p.drain()
}

func (p *Partial) poolBelow(v *place, depth int, nearest string, known map[*objectSeen]bool) {
	if v.array != nil {
		p.poolBelow(&v.array.elem, depth, nearest, known)
	}
	o := v.obj()
	if o == nil || known[o] {
		return
	}
	if depth >= p.poolDepth {
		p.sameObject(p.pooled(nearest), o)
	}
	if o.values != nil {
		p.poolBelow(o.values, depth+1, nearest+".*", known)
	}
	for _, m := range o.members {
		p.poolBelow(&m.value, depth+1, m.key, known)
	}
}

// levels is the number of members around the deepest object of a tree.
func (v *place) levels() int {
	n := 0
	if v.array != nil {
		n = v.array.elem.levels()
	}
	if o := v.obj(); o != nil {
		if o.values != nil {
			n = max(n, 1+o.values.levels())
		}
		for _, m := range o.members {
			n = max(n, 1+m.value.levels())
		}
	}
	return n
}
