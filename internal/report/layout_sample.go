package report

import (
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/store"
	"wirecost/internal/verdict"
)

// sampleBlock says what was measured.
func sampleBlock(r *Report, s Sample) block {
	parts := []string{count(s.Documents, "document"), verdict.Bytes(float64(s.Bytes))}
	if s.Timed > 0 && s.Timed < s.Documents {
		parts = append(parts, fmt.Sprintf("%d of them timed", s.Timed))
	}
	if x, ok := s.Shape["non_ascii_share"].(float64); ok {
		parts = append(parts, verdict.Percent(x)+" of strings beyond ASCII")
	}
	parts = append(parts, schemaOf(r))
	b := block{title: clean(s.Sample), line: strings.Join(parts, ", ")}
	if s.Name != "" && s.Name != s.Sample {
		b.line = clean(s.Name) + ": " + b.line
	}
	for _, n := range s.Notes {
		b.items = append(b.items, clean(n))
	}
	return b
}

func schemaOf(r *Report) string {
	info := r.Machines[0].Schema
	switch {
	case info.Track != "":
		return fmt.Sprintf("schema %s (%s)", info.Source, info.Track)
	case info.Source != "":
		return "schema " + info.Source
	}
	return "no schema"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shownLosses is how many losses of a sample people are shown; the JSON report
// has all.
const shownLosses = 12

// lossBlock lists what JSON → Protobuf → JSON changes: meaning first, then
// spelling.
func lossBlock(r *Report, s Sample) []block {
	g := &grid{header: []string{"path", "documents", "what changes"}, left: map[int]bool{2: true}}
	for _, note := range []bool{false, true} {
		for _, l := range r.Losses {
			if l.Sample != s.Sample || l.Note != note {
				continue
			}
			what := l.What
			if l.Note && !strings.Contains(what, "spelt") {
				what += " (spelling only)"
			}
			g.rows = append(g.rows, []cell{show(l.Path), show(fmt.Sprint(l.Documents)), show(what)})
		}
	}
	if len(g.rows) == 0 {
		return nil
	}
	b := block{title: "Lost on the way JSON → Protobuf → JSON", grid: g}
	if more := len(g.rows) - shownLosses; more > 0 {
		g.rows = g.rows[:shownLosses]
		b.items = []string{fmt.Sprintf("and %d more; --format json lists them all", more)}
	}
	return []block{b}
}

// sizeKey is a row of the size table.
type sizeKey struct{ form, encoding, unit string }

// sizeBlock shows sizes per document, of each content coding, and, where that
// was measured, what compressing and decompressing a document takes.
func sizeBlock(r *Report, s Sample) []block {
	rows := map[sizeKey]Size{}
	var encodings []string
	for _, z := range r.Sizes {
		if z.Sample != s.Sample {
			continue
		}
		rows[sizeKey{z.Form, z.Encoding, z.Unit}] = z
		if !slices.Contains(encodings, z.Encoding) {
			encodings = append(encodings, z.Encoding)
		}
	}
	if len(encodings) == 0 {
		return nil
	}
	t := sizeTable{s, rows}
	g := &grid{header: []string{"encoding", "JSON", "Protobuf", "ratio", "stream: JSON / Protobuf"}}
	times := &grid{header: []string{"encoding", "compress JSON", "Protobuf", "decompress JSON", "Protobuf"}}
	for _, e := range encodings {
		g.rows = append(g.rows, t.row(e))
		if row := t.times(e); row != nil {
			times.rows = append(times.rows, row)
		}
	}
	out := []block{{title: "Size of a document", line: t.forms(), grid: g.trim()}}
	if len(times.rows) > 0 && s.Sweep == nil {
		out = append(out, block{title: "Time to compress and to decompress a document, roughly", grid: times})
	}
	return out
}

type sizeTable struct {
	sample Sample
	rows   map[sizeKey]Size
}

// mean writes a per-document size.
func (t sizeTable) mean(form, encoding string) string {
	z, ok := t.rows[sizeKey{form, encoding, store.PerDocument}]
	if !ok {
		return ""
	}
	return verdict.Bytes(float64(z.Bytes) / float64(max(1, t.sample.Documents)))
}

func (t sizeTable) forms() string {
	var parts []string
	for _, f := range [][2]string{{"original", "as you wrote it"}, {"compact", "compact JSON"}, {"protojson", "ProtoJSON"}, {"binary", "Protobuf"}, {"binary-json", "Protobuf with any-values as JSON text"}} {
		if m := t.mean(f[0], bench.Identity); m != "" {
			parts = append(parts, f[1]+" "+m)
		}
	}
	return strings.Join(parts, ", ")
}

func (t sizeTable) row(encoding string) []cell {
	row := []cell{show(encoding), show(t.mean("compact", encoding)), show(t.mean("binary", encoding)), {}, {}}
	json := t.rows[sizeKey{"compact", encoding, store.PerDocument}]
	binary := t.rows[sizeKey{"binary", encoding, store.PerDocument}]
	if binary.RatioToJSON != nil {
		row[3] = cell{verdict.Digits(*binary.RatioToJSON), sizeTone(*binary.RatioToJSON)}
	}
	var streams []string
	for _, z := range []Size{json, binary} {
		if z, ok := t.rows[sizeKey{z.Form, encoding, store.Concatenated}]; ok && t.sample.Documents > 1 {
			streams = append(streams, verdict.Bytes(float64(z.Bytes)))
		}
	}
	row[4] = show(strings.Join(streams, " / "))
	if json.Note != "" {
		row[0].text += ", " + clean(json.Note)
	}
	return row
}

// times is a row of what compressing and decompressing takes; nil where nothing
// was measured.
func (t sizeTable) times(encoding string) []cell {
	row := []cell{show(encoding)}
	total := int64(0)
	json := t.rows[sizeKey{"compact", encoding, store.PerDocument}]
	binary := t.rows[sizeKey{"binary", encoding, store.PerDocument}]
	for _, ns := range []int64{json.CompressNS, binary.CompressNS, json.DecompressNS, binary.DecompressNS} {
		total += ns
		c := cell{}
		if ns > 0 {
			c = show(verdict.Duration(float64(ns) / float64(max(1, t.sample.Documents))))
		}
		row = append(row, c)
	}
	if total == 0 {
		return nil
	}
	return row
}

func sizeTone(ratio float64) tone {
	switch {
	case ratio < 0.95:
		return good
	case ratio > 1.05:
		return bad
	}
	return plain
}
