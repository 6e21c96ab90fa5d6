package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
)

// markdown is the report for a wiki or a pull request.
type markdown struct{}

func (markdown) Write(w io.Writer, r *Report, _ Options) error {
	out := bufio.NewWriter(w)
	for i, b := range layout(r) {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "### %s\n", escape(b.title))
		if b.line != "" {
			fmt.Fprintf(out, "\n%s\n", escape(b.line))
		}
		if b.grid != nil {
			fmt.Fprintf(out, "\n%s\n", markdownTable(b.grid))
		}
		if len(b.items) > 0 {
			fmt.Fprintln(out)
		}
		for _, item := range b.items {
			fmt.Fprintf(out, "- %s\n", escape(item))
		}
	}
	return out.Flush()
}

func markdownTable(g *grid) string {
	t := table.NewWriter()
	t.AppendHeader(row(g.header))
	var configs []table.ColumnConfig
	for i := range g.header {
		c := table.ColumnConfig{Number: i + 1, Align: prettytext.AlignRight}
		if i == 0 || g.left[i] {
			c.Align = prettytext.AlignLeft
		}
		configs = append(configs, c)
	}
	t.SetColumnConfigs(configs)
	for _, cells := range g.rows {
		r := table.Row{}
		for _, c := range cells {
			// go-pretty escapes the bar.
			r = append(r, strings.ReplaceAll(escape(c.text), `\|`, "|"))
		}
		t.AppendRow(r)
	}
	return t.RenderMarkdown()
}

// escape keeps text from being taken for Markdown or HTML.
func escape(s string) string {
	return escaper.Replace(s)
}

var escaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "|", `\|`, "~", `\~`)
