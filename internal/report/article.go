package report

import (
	"bufio"
	"fmt"
	"io"
)

// Document is articles under one title.
type Document struct {
	Title    string
	Text     []string
	Articles []Article
}

// Article is a page that reads from top to bottom.
type Article struct {
	Title string
	Parts []Part
}

// Part is a part of an article: what is there of a title, paragraphs, a table and a
// list.
type Part struct {
	Title string
	Text  []string
	Table *Table
	Items []string
}

// Table is a table of text. The first column and those of Left are aligned left,
// others right.
type Table struct {
	Header []string
	Rows   [][]string
	Left   []int
}

// ArticleFormats names the forms of articles.
func ArticleFormats() []string { return []string{"terminal", "markdown"} }

// WriteDocument writes articles in one of ArticleFormats.
func WriteDocument(w io.Writer, d Document, format string, opt Options) error {
	out := bufio.NewWriter(w)
	switch format {
	case "terminal":
		d.terminal(printer{out, opt})
	case "markdown":
		d.markdown(out)
	default:
		return fmt.Errorf("articles are not written as %q", format)
	}
	return out.Flush()
}

func (d Document) terminal(p printer) {
	p.line(p.paint("\x1b[1m", clean(d.Title)))
	for _, text := range d.Text {
		p.line("")
		p.wrapped("", "", clean(text))
	}
	for _, a := range d.Articles {
		p.line("")
		p.line("")
		p.line(p.paint("\x1b[1m", clean(a.Title)))
		for _, part := range a.Parts {
			p.line("")
			p.part(part)
		}
	}
}

func (p printer) part(part Part) {
	if part.Title != "" {
		p.line(p.paint("\x1b[1m", clean(part.Title)))
	}
	for i, text := range part.Text {
		if i > 0 {
			p.line("")
		}
		p.wrapped("  ", "  ", clean(text))
	}
	if part.Table != nil {
		if len(part.Text) > 0 {
			p.line("")
		}
		p.w.WriteString(p.table(part.Table.grid()))
	}
	for _, item := range part.Items {
		p.wrapped("  - ", "    ", clean(item))
	}
}

func (d Document) markdown(w *bufio.Writer) {
	fmt.Fprintf(w, "# %s\n", escape(clean(d.Title)))
	for _, text := range d.Text {
		fmt.Fprintf(w, "\n%s\n", escape(clean(text)))
	}
	for _, a := range d.Articles {
		fmt.Fprintf(w, "\n## %s\n", escape(clean(a.Title)))
		for _, part := range a.Parts {
			part.markdown(w)
		}
	}
}

func (part Part) markdown(w *bufio.Writer) {
	if part.Title != "" {
		fmt.Fprintf(w, "\n### %s\n", escape(clean(part.Title)))
	}
	for _, text := range part.Text {
		fmt.Fprintf(w, "\n%s\n", escape(clean(text)))
	}
	if part.Table != nil {
		fmt.Fprintf(w, "\n%s\n", markdownTable(part.Table.grid()))
	}
	if len(part.Items) > 0 {
		fmt.Fprintln(w)
	}
	for _, item := range part.Items {
		fmt.Fprintf(w, "- %s\n", escape(clean(item)))
	}
}

func (t *Table) grid() *grid {
	g := &grid{header: t.Header, left: map[int]bool{}}
	for _, i := range t.Left {
		g.left[i] = true
	}
	for _, row := range t.Rows {
		var cells []cell
		for _, text := range row {
			cells = append(cells, show(text))
		}
		g.rows = append(g.rows, cells)
	}
	return g
}
