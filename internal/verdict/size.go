package verdict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// sizes are the sizes of a sample, per document.
type sizes struct {
	sample    store.Sample
	rows      map[[2]string]store.Size // form, encoding
	encodings []string                 // identity first, then in the order measured
}

func newSizes(all []store.Size, s store.Sample) sizes {
	z := sizes{sample: s, rows: map[[2]string]store.Size{}}
	for _, row := range all {
		if row.Sample != s.Sample || row.Unit != store.PerDocument {
			continue
		}
		z.rows[[2]string{row.Form, row.Encoding}] = row
		if !slices.Contains(z.encodings, row.Encoding) {
			z.encodings = append(z.encodings, row.Encoding)
		}
	}
	return z
}

// bytes is the mean size of a document; not ok where it was not measured.
func (z sizes) bytes(form, encoding string) (float64, bool) {
	row, ok := z.rows[[2]string{form, encoding}]
	if !ok || z.sample.Documents <= 0 {
		return 0, false
	}
	return float64(row.Bytes) / float64(z.sample.Documents), true
}

// coding is what compressing and decompressing a document takes, in ns.
func (z sizes) coding(form, encoding string) float64 {
	row := z.rows[[2]string{form, encoding}]
	return float64(row.CompressNS+row.DecompressNS) / float64(max(1, z.sample.Documents))
}

func (z sizes) compress(form, encoding string) float64 {
	return float64(z.rows[[2]string{form, encoding}].CompressNS) / float64(max(1, z.sample.Documents))
}

// static reports whether a content coding is too slow to be used on answers
// that are made on request.
func static(encoding string) bool {
	name, level, _ := strings.Cut(encoding, ":")
	n, err := strconv.Atoi(level)
	return err == nil && (name == "br" && n >= 10 || name == "zstd" && n >= 16)
}

// dynamic lists the compressing encodings for answers made on request.
func (z sizes) dynamic() []string {
	return slices.DeleteFunc(slices.Clone(z.encodings), func(e string) bool { return e == bench.Identity || static(e) })
}

// gap is how Protobuf's size compares with JSON's.
type gap struct {
	encoding       string
	json, protobuf float64
}

// share is Protobuf's size relative to JSON's, less 1: −0.4 where it is 40% smaller.
func (g gap) share() float64 {
	switch {
	case g.json > 0:
		return g.protobuf/g.json - 1
	case g.protobuf > 0:
		return math.Inf(1)
	}
	return 0
}

func (g gap) String() string {
	switch s := g.share(); {
	case s <= -0.001:
		return Percent(-s) + " smaller"
	case s >= 1:
		return Digits(s+1) + " times as large"
	case s >= 0.001:
		return Percent(s) + " larger"
	}
	return "the same size"
}

func (z sizes) gap(form, encoding string) (gap, bool) {
	j, ok := z.bytes(form, encoding)
	p, ok2 := z.bytes("binary", encoding)
	return gap{encoding, j, p}, ok && ok2
}

// sentences says what the forms take, raw and compressed; and what compressing
// costs, where sizes are all that was asked for.
func (z sizes) sentences(alone bool) []Sentence {
	all := []*Sentence{z.raw(), z.compressed()}
	if alone {
		all = append(all, z.cost())
	}
	var out []Sentence
	for _, s := range append(all, z.tooSlow()) {
		if s != nil {
			s.Claim, s.Sample = Size, z.sample.Sample
			out = append(out, *s)
		}
	}
	return out
}

func (z sizes) raw() *Sentence {
	text, ok := z.gap("original", bench.Identity)
	compact, ok2 := z.gap("compact", bench.Identity)
	if !ok {
		text, ok = compact, ok2
	}
	if !ok {
		return nil
	}
	s := &Sentence{Topic: "raw", Numbers: map[string]float64{"json": text.json, "protobuf": text.protobuf}}
	s.Text = fmt.Sprintf("Protobuf takes %s a document where your JSON takes %s: %s", Bytes(text.protobuf), Bytes(text.json), text)
	if ok2 && math.Abs(compact.json-text.json) > 0.01*text.json {
		s.Numbers["json_compact"] = compact.json
		s.Text += fmt.Sprintf(" (without white space: %s, %s)", Bytes(compact.json), compact)
	}
	s.Text += "."
	return s
}

// narrow is a gap too small to matter.
const narrow = 0.05

func (z sizes) compressed() *Sentence {
	s := &Sentence{Topic: "compressed", Numbers: map[string]float64{}}
	raw, ok := z.gap("compact", bench.Identity)
	var parts tally
	closed, turned := 0, 0
	for _, e := range z.dynamic() {
		g, ok := z.gap("compact", e)
		if !ok {
			continue
		}
		parts.add(g.String(), e)
		s.Numbers["json "+e], s.Numbers["protobuf "+e] = g.json, g.protobuf
		if math.Abs(g.share()) < narrow {
			closed++
		}
		if g.share()*raw.share() < 0 {
			turned++
		}
	}
	if parts.n == 0 {
		return nil
	}
	s.Text = "Compressed, document by document, Protobuf is " + parts.String() + "."
	switch {
	case !ok || math.Abs(raw.share()) < narrow:
	case turned == parts.n:
		s.Text += " Compression turns the order round."
	case closed == parts.n:
		s.Text += " Compression removes most of the difference."
	}
	return s
}

// tally puts together the encodings of which the same is said.
type tally struct {
	n      int
	order  []string
	groups map[string][]string
}

func (t *tally) add(what, encoding string) {
	if t.groups == nil {
		t.groups = map[string][]string{}
	}
	if t.groups[what] == nil {
		t.order = append(t.order, what)
	}
	t.groups[what] = append(t.groups[what], encoding)
	t.n++
}

// String writes "26% smaller with gzip:6 or gzip:9 and 29% smaller with zstd:3".
func (t *tally) String() string {
	var parts []string
	for _, what := range t.order {
		parts = append(parts, what+" with "+strings.Join(t.groups[what], " or "))
	}
	return list(parts)
}

func (z sizes) cost() *Sentence {
	s := &Sentence{Topic: "compression-time", Numbers: map[string]float64{}}
	var json, protobuf []string
	for _, e := range z.dynamic() {
		j, p := z.compress("compact", e), z.compress("binary", e)
		if j <= 0 || p <= 0 {
			continue
		}
		json = append(json, Duration(j)+" with "+e)
		protobuf = append(protobuf, Duration(p))
		s.Numbers["json "+e], s.Numbers["protobuf "+e] = j, p
	}
	if len(json) == 0 {
		return nil
	}
	s.Text = fmt.Sprintf("Compressing a JSON document takes about %s; a Protobuf one %s.", list(json), list(protobuf))
	return s
}

func (z sizes) tooSlow() *Sentence {
	s := &Sentence{Topic: "static-coding", Numbers: map[string]float64{}}
	var parts []string
	for _, e := range z.encodings {
		if ns := z.compress("compact", e); static(e) {
			parts = append(parts, fmt.Sprintf("%s takes %s a document", e, Duration(ns)))
			s.Numbers["json "+e] = ns
		}
	}
	if len(parts) == 0 {
		return nil
	}
	s.Text = list(parts) + ": for static files only, not for answers made on request."
	return s
}
