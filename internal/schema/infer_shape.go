package schema

import (
	"encoding/json"
)

// Shape tells what a sample's documents are like, for the verdict. Shares are of
// the bytes of compact JSON unless said otherwise.
type Shape struct {
	Documents         int64   `json:"documents"`
	Bytes             int64   `json:"bytes"`                // as given
	CompactBytes      int64   `json:"compact_bytes"`        // without white space between tokens
	KeyShare          float64 `json:"key_share"`            // keys with quotes and colons
	StringShare       float64 `json:"string_share"`         // strings with quotes
	NonASCIIShare     float64 `json:"non_ascii_share"`      // of strings, by number
	NumberShare       float64 `json:"number_share"`         // digits
	NumericArrayShare float64 `json:"numeric_array_share"`  // arrays of nothing but numbers
	LongestNumbers    int     `json:"longest_number_array"` // elements
	LongestString     int     `json:"longest_string"`       // bytes
	BlobShare         float64 `json:"blob_share"`           // each document's longest string, of the documents as given
	BlobPath          string  `json:"blob_path"`            // where the longest string is; any list's elements count as one
	BlobBase64        bool    `json:"blob_base64"`          // long strings there look like base64
	RepeatedStrings   float64 `json:"repeated_strings"`     // of string bytes: those that repeat an earlier string (estimate)
	ValueShare        float64 `json:"value_share"`          // under google.protobuf.Value
	Nesting           int     `json:"nesting"`              // levels of arrays and objects
	Keys              int     `json:"keys"`                 // distinct keys of the object that has most
	Paths             int     `json:"paths"`                // distinct paths
}

// Map gives the shape as a result file keeps it.
func (s Shape) Map() map[string]any {
	data, err := json.Marshal(s)
	if err != nil {
		return nil // not reached: numbers are finite
	}
	var m map[string]any
	_ = json.Unmarshal(data, &m)
	return m
}

// shape sums up what was seen, given a clone of the root; valueBytes are those
// under google.protobuf.Value.
func (p *Partial) shape(root *place, valueBytes int64) Shape {
	size := root.size()
	w := shapeWalk{seen: map[*objectSeen]bool{}, Shape: Shape{
		Documents: p.documents, Bytes: p.bytes, CompactBytes: size,
		LongestString: p.blobs.longest, BlobShare: share(p.blobs.longestSum, p.blobs.documentSum),
		RepeatedStrings: p.repeats.ratio(), ValueShare: min(share(valueBytes, size), 1), Nesting: p.nesting,
	}}
	w.visit(root, "$")
	w.KeyShare = share(w.keys, size)
	w.StringShare = share(w.strings, size)
	w.NonASCIIShare = share(w.nonASCII, w.stringCount)
	w.NumberShare = share(w.numbers, size)
	w.NumericArrayShare = share(w.numeric, size)
	return w.Shape
}

type shapeWalk struct {
	Shape
	seen                            map[*objectSeen]bool
	keys, strings, numbers, numeric int64 // bytes
	stringCount, nonASCII           int64 // strings
}

func (w *shapeWalk) visit(v *place, path string) {
	w.Paths++
	w.numbers += v.num.bytes
	w.strings += v.str.bytes + 2*v.str.count
	w.stringCount += v.str.count
	w.nonASCII += v.str.nonASCII
	w.blob(&v.str, path)
	if a := v.array; a != nil {
		if n := a.elem.num.count(); n > 0 && n == a.elem.count() {
			w.LongestNumbers = max(w.LongestNumbers, a.longest)
			w.numeric += v.arraySize()
		}
		w.visit(&a.elem, path+"[]")
	}
	if o := v.obj(); o != nil && !w.seen[o] {
		w.seen[o] = true
		w.Keys = max(w.Keys, len(o.members), o.longest)
		w.keys += o.keyBytes + 3*o.entries
		if o.values != nil {
			w.visit(o.values, path+".*")
		}
		for _, m := range o.members {
			w.visit(&m.value, memberPath(path, m.key))
		}
	}
}

// blob remembers where the longest string is, by path where there are several.
func (w *shapeWalk) blob(t *stringsSeen, path string) {
	if t.longest == w.LongestString && t.longest > 0 && (w.BlobPath == "" || path < w.BlobPath) {
		w.BlobPath, w.BlobBase64 = path, t.base64 > 0
	}
}

// size is the number of bytes that the values here take as compact JSON.
func (v *place) size() int64 {
	w := sizeWalk{}
	return w.size(v)
}

// sizeWalk counts what has become one only once.
type sizeWalk struct{ seen map[any]bool }

func (w *sizeWalk) size(v *place) int64 {
	v = v.rep()
	if w.seen[v] {
		return 0
	}
	if w.seen == nil {
		w.seen = map[any]bool{}
	}
	w.seen[v] = true
	n := 4*(v.nulls+v.trues) + 5*v.falses + v.num.bytes + v.str.bytes + 2*v.str.count
	if a := v.array; a != nil {
		n += w.size(&a.elem) + brackets(a.count, a.empty, a.elem.rep().count())
	}
	n += brackets(v.objects, v.noMembers, 0)
	if o := v.obj(); o != nil && !w.seen[o] {
		w.seen[o] = true
		n += o.keyBytes + 4*o.entries // with quotes, colon and a comma
		if o.values != nil {
			n += w.size(o.values)
		}
		for _, m := range o.members {
			n += w.size(&m.value)
		}
	}
	return n
}

// arraySize is the size of the arrays at v.
func (v *place) arraySize() int64 {
	return v.array.elem.size() + brackets(v.array.count, v.array.empty, v.array.elem.count())
}

// brackets is the size of brackets and commas of count containers.
func brackets(count, empty, elements int64) int64 {
	return 2*count + elements - (count - empty)
}
