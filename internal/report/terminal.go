package report

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// terminal is the report for people at a terminal.
type terminal struct{}

func (terminal) Write(w io.Writer, r *Report, opt Options) error {
	out := bufio.NewWriter(w)
	p := printer{out, opt}
	for i, b := range layout(r) {
		if i > 0 {
			out.WriteByte('\n')
		}
		p.block(b)
	}
	return out.Flush()
}

type printer struct {
	w   *bufio.Writer
	opt Options
}

func (p printer) block(b block) {
	p.line(p.paint("\x1b[1m", b.title))
	if b.line != "" {
		p.wrapped("  ", "  ", b.line)
	}
	if b.grid != nil {
		for i, g := range p.fold(b.grid) {
			if i > 0 {
				p.line("")
			}
			p.w.WriteString(p.table(g))
		}
	}
	for _, item := range b.items {
		p.wrapped("  - ", "    ", item)
	}
}

func (p printer) line(s string) { p.w.WriteString(s + "\n") }

// wrapped writes text in lines that fit.
func (p printer) wrapped(first, next, s string) {
	indent, line := first, ""
	width := p.opt.width()
	for _, word := range strings.Fields(s) {
		if line != "" && utf8.RuneCountInString(indent)+text.StringWidth(line)+1+text.StringWidth(word) > width {
			p.line(indent + line)
			indent, line = next, ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	p.line(indent + line)
}

func (p printer) paint(code, s string) string {
	if !p.opt.Color {
		return s
	}
	return code + s + "\x1b[0m"
}

var tones = map[tone]string{good: "\x1b[32m", bad: "\x1b[31m", faint: "\x1b[2m"}

func (p printer) table(g *grid) string {
	t := table.NewWriter()
	t.SetStyle(bare)
	t.SuppressTrailingSpaces()
	t.AppendHeader(row(g.header))
	for _, cells := range g.rows {
		r := table.Row{}
		for _, c := range cells {
			s := c.text
			if code := tones[c.tone]; code != "" && s != "" {
				s = p.paint(code, s)
			}
			r = append(r, s)
		}
		t.AppendRow(r)
	}
	t.SetColumnConfigs(p.columns(g))
	lines := strings.Split(t.Render(), "\n")
	return "  " + strings.Join(lines, "\n  ") + "\n"
}

// fold splits a table that is too wide into several that fit, one below the
// other: each has the columns that say what a row is of. Columns of one group stay
// together where they can.
func (p printer) fold(g *grid) []*grid {
	if g.keys == 0 {
		return []*grid{g}
	}
	widths := g.widths()
	wide := func(from, to int) (w int) {
		for _, x := range widths[from:to] {
			w += x + 2
		}
		return w
	}
	free := p.opt.width() - wide(0, g.keys)
	part := g.columns(0, g.keys)
	out, room := []*grid{part}, free
	for from, to := g.keys, 0; from < len(g.header); from = to {
		to = from + 1
		for to < len(g.header) && g.group[to] == g.group[from] && wide(from, to+1) <= free {
			to++
		}
		if room < wide(from, to) && len(part.header) > g.keys {
			part, room = g.columns(0, g.keys), free
			out = append(out, part)
		}
		room -= wide(from, to)
		for i := from; i < to; i++ {
			part.append(g, i)
		}
	}
	return out
}

// columns is the part of a table between two columns.
func (g *grid) columns(from, to int) *grid {
	part := &grid{rows: make([][]cell, len(g.rows)), left: map[int]bool{}, group: map[int]int{}, keys: g.keys}
	for i := from; i < to; i++ {
		part.append(g, i)
	}
	return part
}

// append adds a column of another table with as many rows.
func (g *grid) append(from *grid, column int) {
	g.left[len(g.header)], g.group[len(g.header)] = from.left[column], from.group[column]
	g.header = append(g.header, from.header[column])
	for i, r := range from.rows {
		g.rows[i] = append(g.rows[i], r[column])
	}
}

// widths are the columns' widths.
func (g *grid) widths() []int {
	widths := make([]int, len(g.header))
	for i, h := range g.header {
		widths[i] = text.StringWidth(h)
		for _, r := range g.rows {
			widths[i] = max(widths[i], text.StringWidth(r[i].text))
		}
	}
	return widths
}

func row(header []string) table.Row {
	var r table.Row
	for _, h := range header {
		r = append(r, h)
	}
	return r
}

// columns aligns columns, and narrows the widest so that a row fits the screen.
func (p printer) columns(g *grid) []table.ColumnConfig {
	widths := g.widths()
	total := 0
	for _, w := range widths {
		total += w + 2
	}
	var out []table.ColumnConfig
	widest := 0
	for i := range widths {
		if widths[i] > widths[widest] {
			widest = i
		}
	}
	for i := range g.header {
		c := table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
		if i == 0 || g.left[i] {
			c.Align, c.AlignHeader = text.AlignLeft, text.AlignLeft
		}
		if excess := total - p.opt.width(); excess > 0 && i == widest {
			c.WidthMax, c.WidthMaxEnforcer = max(12, widths[i]-excess), text.WrapSoft
		}
		out = append(out, c)
	}
	return out
}

// bare is a table without lines: columns two spaces apart.
var bare = table.Style{
	Name:    "bare",
	Box:     table.BoxStyle{PaddingRight: "  "},
	Format:  table.FormatOptions{Header: text.FormatDefault},
	Options: table.Options{},
}
