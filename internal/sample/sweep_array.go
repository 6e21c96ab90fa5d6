package sample

import (
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/strictjson"
)

// grower gives an array of each document so many elements: its own first, then
// those of the documents that follow, round and round. Real elements of other
// documents come before any is repeated.
type grower struct {
	path string
	way  way
	docs []parsed
	pool []strictjson.Value // the elements of all documents
	// starts[i] are, for each array of document i, the place of its first
	// element in the pool and how many it has.
	starts       [][][2]int
	least, most  int     // elements of an array as it was
	mean         float64 // bytes of an element, and the comma
	withoutCount int
}

func newGrower(target string, docs []parsed) (*grower, error) {
	if target == sweepArray {
		var err error
		if target, err = largestArray(docs); err != nil {
			return nil, err
		}
	}
	w, err := parseWay(target)
	if err != nil {
		return nil, err
	}
	g := &grower{path: target, way: w, docs: docs, starts: make([][][2]int, len(docs))}
	for i, d := range docs {
		g.walk(d.value, w, func(v strictjson.Value) strictjson.Value {
			n := len(v.Elems)
			g.starts[i] = append(g.starts[i], [2]int{len(g.pool), n})
			g.pool = append(g.pool, v.Elems...)
			if n > 0 {
				g.most = max(g.most, n)
				if g.least == 0 || n < g.least {
					g.least = n
				}
			}
			return v
		})
		if !g.takes(i) {
			g.withoutCount++
		}
	}
	if len(g.pool) == 0 {
		return nil, fmt.Errorf("no document has an array with an element at %s", target)
	}
	for _, e := range g.pool {
		g.mean += float64(len(e.Append(nil))+1) / float64(len(g.pool))
	}
	return g, nil
}

// largestArray is the path of the array that has the most elements in any
// document.
func largestArray(docs []parsed) (string, error) {
	most := map[string]int{}
	for _, d := range docs {
		measureArrays(d.value, "$", most)
	}
	var paths []string
	largest := 1
	for path, n := range most {
		switch {
		case n > largest:
			largest, paths = n, []string{path}
		case n == largest:
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	const shown = 5
	switch {
	case len(paths) == 0:
		return "", fmt.Errorf("no document has an array with an element; string:16,256 changes strings instead")
	case len(paths) > shown:
		return "", fmt.Errorf("%d arrays have %d elements at most, among them %s; name one, as --sweep '%s:10,100'", len(paths), largest, strings.Join(paths[:shown], ", "), paths[0])
	case len(paths) > 1:
		return "", fmt.Errorf("%s have %d elements at most each; name one, as --sweep '%s:10,100'", strings.Join(paths, " and "), largest, paths[0])
	}
	return paths[0], nil
}

func measureArrays(v strictjson.Value, path string, most map[string]int) {
	if n := len(v.Elems); n > 0 {
		most[path] = max(most[path], n)
	}
	for _, e := range v.Elems {
		measureArrays(e, path+"[]", most)
	}
	for _, m := range v.Members {
		measureArrays(m.Value, child(path, m.Key), most)
	}
}

// walk replaces the arrays that a way leads to. What it does not touch it shares.
func (g *grower) walk(v strictjson.Value, w way, replace func(strictjson.Value) strictjson.Value) strictjson.Value {
	switch {
	case len(w) == 0:
		if v.Kind == strictjson.Array {
			return replace(v)
		}
	case w[0].element && v.Kind == strictjson.Array:
		v.Elems = slices.Clone(v.Elems)
		for i := range v.Elems {
			v.Elems[i] = g.walk(v.Elems[i], w[1:], replace)
		}
	case !w[0].element && v.Kind == strictjson.Object:
		v.Members = slices.Clone(v.Members)
		for i, m := range v.Members {
			if w[0].any || m.Key == w[0].key {
				v.Members[i].Value = g.walk(m.Value, w[1:], replace)
			}
		}
	}
	return v
}

func (g *grower) takes(index int) bool {
	return slices.ContainsFunc(g.starts[index], func(s [2]int) bool { return s[1] > 0 })
}

func (g *grower) change(index, value int) strictjson.Value {
	k := 0
	return g.walk(g.docs[index].value, g.way, func(v strictjson.Value) strictjson.Value {
		start := g.starts[index][k]
		k++
		if start[1] == 0 {
			return v // nothing to repeat
		}
		v.Elems = make([]strictjson.Value, value)
		for i := range v.Elems {
			v.Elems[i] = g.pool[(start[0]+i)%len(g.pool)]
		}
		return v
	})
}

func (g *grower) estimate(index, value int) int64 {
	arrays := 0
	for _, s := range g.starts[index] {
		if s[1] > 0 {
			arrays++
		}
	}
	return int64(float64(arrays) * float64(value) * g.mean)
}

func (g *grower) about() (what, unit string, from float64) {
	return g.path, unitElements, float64(g.most)
}

func (g *grower) notes(_, value int) []string {
	had := fmt.Sprint(g.least)
	if g.most > g.least {
		had = fmt.Sprintf("%d to %d", g.least, g.most)
	}
	out := []string{fmt.Sprintf("each %s has %s; it had %s", g.path, count(value, "element", "elements"), had)}
	if g.withoutCount > 0 {
		out = append(out, fmt.Sprintf("%s without an element there left out", count(g.withoutCount, "document is", "documents are")))
	}
	if value > g.most {
		out = append(out, fmt.Sprintf("there are %s of different documents to fill it with, so that text is repeated (%d times at most): compressed sizes are better than real documents of this size would have", count(len(g.pool), "element", "elements"), (value+len(g.pool)-1)/len(g.pool)))
	}
	return out
}
