package study

import (
	"cmp"
	"fmt"
	"strings"

	"wirecost/internal/bench"
)

// column is a column of a table of cases.
type column struct {
	name string
	of   func(codec string) Measure
	unit Unit
}

// times makes columns of times, an operation each, and of their ratios to a codec.
func times(c Cell, base string, ops ...bench.Operation) []column {
	var out []column
	for _, op := range ops {
		at := func(codec string) Measure {
			c := c
			c.Codec, c.Operation = codec, op
			return Time(c)
		}
		out = append(out, column{string(op), at, Nanoseconds})
		if base != "" {
			out = append(out, column{"to " + after(base), func(codec string) Measure { return Over(at(codec), at(base)) }, Times})
		}
	}
	return out
}

func after(codec string) string {
	_, name, _ := strings.Cut(codec, "/")
	return name
}

// table lays out codecs and columns; what is not known is left out, and rows of
// which nothing is known are too.
func table(r *Results, first string, codecs []string, columns []column) (header []string, rows [][]string) {
	header = []string{first}
	for _, c := range columns {
		header = append(header, c.name)
	}
	for _, codec := range codecs {
		row, known := []string{codec}, false
		for _, c := range columns {
			text := ""
			if n := c.of(codec)(r).median(); n.Known() {
				text, known = n.alone(c.unit), true
			}
			row = append(row, text)
		}
		if known {
			rows = append(rows, row)
		}
	}
	return header, rows
}

// tell starts what an explanation says: with the table of codecs and columns.
func tell(r *Results, first string, codecs []string, columns []column) Told {
	t := Told{Numbers: map[string]Number{}}
	t.Header, t.Rows = table(r, first, codecs, columns)
	return t
}

// number keeps a number under a name.
func (t *Told) number(name string, n Number) Number {
	if t.Numbers == nil {
		t.Numbers = map[string]Number{}
	}
	t.Numbers[name] = n
	return n
}

// say adds a paragraph if all the numbers that it is made of are known, and else
// says what is not.
func (t *Told) say(format string, args ...any) {
	for _, a := range args {
		if n, ok := a.(shown); ok && !n.Known() {
			t.Text = append(t.Text, "Not known here: "+n.Problem+".")
			return
		}
	}
	t.Text = append(t.Text, fmt.Sprintf(format, args...))
}

// lacks says why nothing is known of a run.
func (t *Told) lacks(r *Results, run string) {
	_, problem := r.run(run)
	t.say("%s", shown{Number{Problem: cmp.Or(problem, "nothing of it was measured")}, ""})
}

// shown is a number as a sentence has it.
type shown struct {
	Number
	text string
}

func (s shown) String() string { return s.text }

// with writes a number with its interval.
func with(n Number, u Unit) shown { return shown{n, n.in(u)} }

// codecsOf lists the codecs that a run has measured a sample with, in its order.
func (r *Results) codecsOf(run, sample string) []string {
	m, _ := r.run(run)
	if m == nil {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for _, c := range m.cases {
		id := c.CodecID()
		if c.Sample == sample && !seen[id] && c.Outcome.Status == bench.Measured {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// title begins a sentence with a word.
func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
