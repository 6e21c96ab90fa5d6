package schema

import (
	"fmt"
	"math/bits"

	"wirecost/internal/strictjson"
)

// The tracks of inference.
const (
	TrackLiteral = "literal" // strings stay strings
	TrackTyped   = "typed"   // timestamps, UUIDs, base64, enums and decimal strings are recognised
)

// InferOptions say how a schema is inferred. The zero value is usable.
type InferOptions struct {
	Track string // TrackLiteral (also for "") or TrackTyped
	// Map and NoMap are paths of objects that are, or are not, maps: "$.pairs",
	// "$.items[].by_id", "$.by_id.*.tags", `$["odd key"]`.
	Map, NoMap []string
	// MaxKeys is the number of distinct keys above which an object is a map
	// whatever its values (default 1000).
	MaxKeys int
	// MaxPlaces is the number of distinct paths that one Partial remembers
	// (default 100,000, about 50 MB). Where there are more, objects deep inside are
	// told apart by their nearest key only.
	MaxPlaces int
	// ExactNull keeps null, missing and [] apart where all are seen, at the
	// price of a union.
	ExactNull bool
	Limits    strictjson.Limits
}

func (o InferOptions) withDefaults() InferOptions {
	if o.Track == "" {
		o.Track = TrackLiteral
	}
	if o.MaxKeys <= 0 {
		o.MaxKeys = 1000
	}
	if o.MaxPlaces <= 0 {
		o.MaxPlaces = 100_000
	}
	o.Limits = o.Limits.WithDefaults()
	return o
}

// Check tells what is wrong with the options.
func (o InferOptions) Check() error {
	if t := o.Track; t != "" && t != TrackLiteral && t != TrackTyped {
		return fmt.Errorf("track %q: it is %s or %s", t, TrackLiteral, TrackTyped)
	}
	_, err := compileOverrides(o)
	return err
}

// Partial is what has been seen of some documents. Merging is associative and
// commutative, and an empty Partial changes nothing, so that documents may be
// split over workers in any way. Its size is bounded by the schema's, not by the
// documents'.
type Partial struct {
	opt       InferOptions
	typed     bool
	documents int64
	bytes     int64 // of the documents as given
	root      place
	places    int
	pools
	nesting int // levels of arrays and objects
	blobs   blobStats
	repeats repeatStats

	// Used while a document is read:
	scan     strictjson.Scanner
	keys     strictjson.KeySet // of objects that have become maps
	instance uint64            // number of the object that was begun last, from 1
	longest  int               // string of the current document
	scratch  []byte
}

// NewPartial returns a Partial that has seen nothing. Invalid options are
// reported by Infer.
func NewPartial(opt InferOptions) *Partial {
	opt = opt.withDefaults()
	p := &Partial{opt: opt, places: 1, typed: opt.Track == TrackTyped, repeats: newRepeatStats()}
	p.root.override, _ = compileOverrides(opt)
	p.keys.Limit = opt.Limits.Keys
	return p
}

// Documents returns how many documents were added.
func (p *Partial) Documents() int64 { return p.documents }

// Add takes one JSON document into account. What strictjson.Check refuses is
// refused with the same *strictjson.Error, its offset from the beginning of doc.
// After an error the Partial holds half of a document and must not be used.
func (p *Partial) Add(doc []byte) error {
	p.scan.Reset(doc, p.opt.Limits)
	p.longest, p.depth, p.nearest = 0, 0, ""
	p.value(&p.root, p.scan.Value())
	p.keys.Reset()
	if err := p.scan.End(); err != nil {
		return err
	}
	p.documents++
	p.bytes += int64(len(doc))
	if p.tidy(); p.places > p.opt.MaxPlaces {
		return p.tooMany(len(doc))
	}
	p.blobs.add(p.longest, len(doc))
	return nil
}

// Merge adds what q has seen. Both must have been made with the same options; q
// must not be used after that.
func (p *Partial) Merge(q *Partial) {
	p.documents += q.documents
	p.bytes += q.bytes
	p.nesting = max(p.nesting, q.nesting)
	p.blobs.merge(q.blobs)
	p.repeats.merge(&q.repeats)
	p.instance = max(p.instance, q.instance) // q's stamps come along
	if d := shallower(p.poolDepth, q.poolDepth); d > 0 {
		p.lower(d)
		q.lower(d)
		for key, o := range q.pool {
			p.sameObject(p.pooled(key), o)
		}
	}
	p.samePlace(&p.root, &q.root)
	p.drain()
	p.root.settle(p.opt.MaxKeys)
	p.places = p.root.countPlaces()
	p.bound()
}

// Nothing says why there is nothing to measure, or is empty if there is something.
func (p *Partial) Nothing() string {
	r := &p.root
	switch {
	case p.documents == 0:
		return "there are no documents"
	case r.object == nil && r.array == nil:
		return "every document is " + r.scalarNames()
	case !r.holdsSomething():
		return "every document is empty: only brackets such as {} and []"
	}
	return ""
}

// holdsSomething tells whether any scalar lies inside an object or array here.
func (v *place) holdsSomething() bool {
	var inside int64
	v.walk(func(w *place) {
		if w != v {
			inside += w.scalars()
		}
	})
	return inside > 0
}

// blobStats tells how far documents are one long string.
type blobStats struct {
	longest     int   // string of any document, in bytes
	longestSum  int64 // of each document's longest string
	documentSum int64
}

func (b *blobStats) add(longest, document int) {
	b.longest = max(b.longest, longest)
	b.longestSum += int64(longest)
	b.documentSum += int64(document)
}

func (b *blobStats) merge(o blobStats) {
	b.longest = max(b.longest, o.longest)
	b.longestSum += o.longestSum
	b.documentSum += o.documentSum
}

// repeatStats estimates how much of the strings are repetitions, in bounded
// memory: it counts exactly those distinct strings whose hash is below a limit,
// which is halved whenever there are too many. The result depends on the set of
// strings only, not on their order.
type repeatStats struct {
	limit uint64
	seen  map[uint64]repeated
}

type repeated struct{ count, length int64 }

const maxRepeats = 4096

func newRepeatStats() repeatStats {
	return repeatStats{limit: ^uint64(0), seen: map[uint64]repeated{}}
}

func (r *repeatStats) add(h uint64, count, length int64) {
	if h > r.limit {
		return
	}
	e := r.seen[h]
	r.seen[h] = repeated{e.count + count, length}
	for len(r.seen) > maxRepeats {
		r.lower(r.limit / 2)
	}
}

func (r *repeatStats) lower(limit uint64) {
	r.limit = limit
	for h := range r.seen {
		if h > limit {
			delete(r.seen, h)
		}
	}
}

func (r *repeatStats) merge(o *repeatStats) {
	if o.limit < r.limit {
		r.lower(o.limit)
	}
	for h, e := range o.seen {
		r.add(h, e.count, e.length)
	}
}

// ratio estimates the share of string bytes that repeat an earlier string.
func (r *repeatStats) ratio() float64 {
	var all, again int64
	for _, e := range r.seen {
		all += e.count * e.length
		again += (e.count - 1) * e.length
	}
	return share(again, all)
}

// hashString mixes all bytes of s, eight at a time, by wide multiplication. It is the
// same in every process, so that estimates are reproducible.
func hashString(s []byte) uint64 {
	const m1, m2 = 0x9E3779B97F4A7C15, 0xE7037ED1A0B428DB
	h := uint64(len(s)) ^ m1
	for len(s) >= 8 {
		hi, lo := bits.Mul64(h^le64(s), m2)
		h = hi ^ lo ^ m1
		s = s[8:]
	}
	var tail uint64
	for i, c := range s {
		tail |= uint64(c) << (8 * i)
	}
	hi, lo := bits.Mul64(h^tail, m2)
	return hi ^ lo
}
