package sample

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wirecost/internal/strictjson"
)

// Sweep says which property of documents takes which values, one after another
// (docs/sweeps.md). It is written as TARGET:VALUE,VALUE,…
type Sweep struct {
	Target string // array, string, string2, string4, ascii, or the path of an array
	Values []int  // ascending
}

// The targets of a sweep besides the path of an array.
const (
	sweepArray   = "array"   // the largest array; also what is meant where only values are given
	sweepString  = "string"  // the length of strings, of their own characters
	sweepString2 = "string2" // the same of characters that take two bytes
	sweepString4 = "string4" // and four
	sweepASCII   = "ascii"   // the share of strings that are all ASCII
)

const sweepForm = "write it as 10,100,1000, '$.items:10,100', string:16,256,4096 or ascii:0,50,100"

// mostSteps is how many values a sweep may have: each is a sample of its own.
const mostSteps = 16

// ParseSweep reads a sweep.
func ParseSweep(text string) (Sweep, error) {
	w := Sweep{Target: sweepArray}
	values := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		w.Target, values = text[:i], text[i+1:]
	}
	if strings.HasPrefix(w.Target, "$") {
		if _, err := parseWay(w.Target); err != nil {
			return Sweep{}, err
		}
	} else if !slices.Contains([]string{sweepArray, sweepString, sweepString2, sweepString4, sweepASCII}, w.Target) {
		return Sweep{}, fmt.Errorf("there is no sweep of %q; %s", w.Target, sweepForm)
	}
	for _, v := range strings.Split(values, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil {
			return Sweep{}, fmt.Errorf("%q is not a whole number; %s", v, sweepForm)
		}
		w.Values = append(w.Values, n)
	}
	slices.Sort(w.Values)
	return w, w.check()
}

func (w Sweep) check() error {
	least, most := 1, 1<<30
	if w.Target == sweepASCII {
		least, most = 0, 100
	}
	for i, v := range w.Values {
		switch {
		case v < least || v > most:
			return fmt.Errorf("%d is out of range: a sweep of %s goes from %d to %d", v, w.Target, least, most)
		case i > 0 && v == w.Values[i-1]:
			return fmt.Errorf("%d is there twice; name each value once", v)
		}
	}
	if n := len(w.Values); n < 2 || n > mostSteps {
		return fmt.Errorf("a sweep has 2 to %d values, and this one %d; %s", mostSteps, n, sweepForm)
	}
	return nil
}

// String writes the sweep as ParseSweep reads it.
func (w Sweep) String() string {
	if w.Values == nil {
		return ""
	}
	var values []string
	for _, v := range w.Values {
		values = append(values, strconv.Itoa(v))
	}
	text := strings.Join(values, ",")
	if w.Target == sweepArray {
		return text
	}
	return w.Target + ":" + text
}

// What a sweep's values count.
const (
	unitElements = "elements"
	unitBytes    = "bytes"
	unitASCII    = "% ASCII"
)

// SweepStep is the documents of a sample at one value of a sweep.
type SweepStep struct {
	*Sample
	What  string // what was changed: "$.items", "strings"
	Unit  string // elements, bytes or "% ASCII"
	Value float64
	From  float64 // the value of the documents as they were
}

// sweptBytes bounds the documents of the largest step: as much as is timed, so
// that all steps are of the same documents.
const sweptBytes = 8 << 20

// Steps makes a sample of each value. Lim bounds the documents that are made.
func (w Sweep) Steps(s *Sample, lim Limits) ([]SweepStep, error) {
	lim = lim.orDefaults()
	docs, err := parseAll(s, lim)
	if err != nil {
		return nil, err
	}
	change, err := w.changer(s, docs)
	if err != nil {
		return nil, fmt.Errorf("%s: --sweep %s: %w", s.Name, w, err)
	}
	docs, left, err := fewer(docs, change, w.Values[len(w.Values)-1], lim)
	if err != nil {
		return nil, fmt.Errorf("%s: --sweep %s: %w", s.Name, w, err)
	}
	var steps []SweepStep
	for _, v := range w.Values {
		steps = append(steps, w.step(s, docs, change, v))
	}
	if left > 0 {
		note := fmt.Sprintf("of %s the first %d: at the largest step they make %s", count(len(docs)+left, "document", "documents"), len(docs), size(sweptBytes))
		for _, x := range steps {
			x.Notes = append(x.Notes, note)
		}
	}
	return steps, nil
}

// changer changes documents to a value.
type changer interface {
	// change gives the document of that index at a value.
	change(index, value int) strictjson.Value
	// about says what is changed, in which unit, from which value.
	about() (what, unit string, from float64)
	// notes says what a reader must know of a step.
	notes(documents, value int) []string
	// takes tells whether a document takes part.
	takes(index int) bool
	// estimate is about how many bytes a document would have at a value.
	estimate(index, value int) int64
}

func (w Sweep) changer(s *Sample, docs []parsed) (changer, error) {
	switch w.Target {
	case sweepString, sweepString2, sweepString4:
		return newLengths(w.Target, docs)
	case sweepASCII:
		return newLetters(docs)
	}
	return newGrower(w.Target, docs)
}

// parsed is a document as a tree.
type parsed struct {
	Document
	value strictjson.Value
}

func parseAll(s *Sample, lim Limits) ([]parsed, error) {
	docs := make([]parsed, len(s.Documents))
	for i, d := range s.Documents {
		v, err := strictjson.Parse(d.Data, lim.json(len(d.Data)))
		if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", s.Name, i+1, err)
		}
		docs[i] = parsed{d, v}
	}
	return docs, nil
}

// fewer leaves out documents that take no part, and the last ones where the
// largest step would be too large. It says how many of these there are.
func fewer(docs []parsed, c changer, largest int, lim Limits) (kept []parsed, left int, err error) {
	total := 0
	for i, d := range docs {
		if !c.takes(i) {
			continue
		}
		d.Index = i
		if n := c.estimate(i, largest); n > lim.Document {
			return nil, 0, fmt.Errorf("document %d would have about %d MB at %d, and the limit is %s; %s raises it", i+1, n/1e6, largest, size(lim.Document), FlagDocument)
		}
		n := len(c.change(i, largest).Append(nil))
		if total += n; len(kept) > 0 && total > sweptBytes {
			for j := i; j < len(docs); j++ {
				if c.takes(j) {
					left++
				}
			}
			return kept, left, nil
		}
		kept = append(kept, d)
	}
	if len(kept) == 0 {
		return nil, 0, errors.New("no document is left to change")
	}
	return kept, 0, nil
}

// step makes the sample of one value.
func (w Sweep) step(s *Sample, docs []parsed, c changer, value int) SweepStep {
	what, unit, from := c.about()
	suffix := "n"
	if unit != unitElements {
		suffix = w.Target + "-"
	}
	out := &Sample{ID: fmt.Sprintf("%s-%s%d", s.ID, suffix, value), Name: s.Name + ", " + amount(value, unit), Notes: slices.Clone(s.Notes)}
	for _, d := range docs {
		out.add(Document{Data: c.change(d.Index, value).Append(nil), Source: d.Source + " at " + amount(value, unit)})
	}
	out.Notes = append(out.Notes, c.notes(len(docs), value)...)
	out.finish()
	return SweepStep{Sample: out, What: what, Unit: unit, Value: float64(value), From: from}
}

// amount writes a value of a sweep.
func amount(value int, unit string) string {
	switch unit {
	case unitElements:
		return count(value, "element", "elements")
	case unitBytes:
		return count(value, "byte", "bytes")
	}
	return fmt.Sprintf("%d%s", value, unit)
}

// way is the path of a place in documents: keys, and elements of arrays.
type way []wayStep

type wayStep struct {
	key     string
	element bool // any element
	any     bool // any key
}

// parseWay reads a path: $.items, $.orders[].lines, $.by_id.*.tags, $["odd key"].
func parseWay(text string) (way, error) {
	wrong := func() error { return fmt.Errorf("%q is not a path; write it as $.items or $.orders[].lines", text) }
	rest, ok := strings.CutPrefix(text, "$")
	if !ok {
		return nil, wrong()
	}
	w := way{}
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "[]"):
			w, rest = append(w, wayStep{element: true}), rest[2:]
		case strings.HasPrefix(rest, `["`):
			end := strings.Index(rest, `"]`)
			if end < 0 {
				return nil, wrong()
			}
			key, err := strconv.Unquote(rest[1 : end+1])
			if err != nil {
				return nil, wrong()
			}
			w, rest = append(w, wayStep{key: key}), rest[end+2:]
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			key := rest[1 : 1+end]
			if key == "" {
				return nil, wrong()
			}
			w, rest = append(w, wayStep{key: key, any: key == "*"}), rest[1+end:]
		default:
			return nil, wrong()
		}
	}
	return w, nil
}

// child is the way to a member.
func child(path, key string) string {
	if key != "" && strings.IndexFunc(key, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0 {
		return path + "." + key
	}
	return path + "[" + strconv.Quote(key) + "]"
}
