package study

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wirecost/internal/report"
)

// introduction says how a page is to be read.
var introduction = []string{
	"Each study is run again with the real parts, and what it published stands beside what was measured here. A time belongs to its machine, so claims are about ratios. A claim holds where the interval of the ratio lies on the published side of 1 and within the published ratio ×/÷ 1.25; it is reversed where the interval lies wholly on the other side of 1; it does not hold where it lies outside in another way; else it is undecided. Sizes are compared exactly.",
	"The interval of a claim's ratio comes from a confidence sequence over processes, and holds with 95% confidence however often one looked, for each part of a claim. That of another figure is the ordinary 95% interval of the median over processes (their range below six). They are about this machine.",
}

// Document is pages that read as articles.
func Document(pages []*Page) report.Document {
	d := report.Document{Title: "Published studies, run again", Text: introduction}
	for _, p := range pages {
		d.Articles = append(d.Articles, p.article())
	}
	return d
}

func (p *Page) article() report.Article {
	a := report.Article{Title: p.Name + ": " + p.Title}
	add := func(part report.Part) { a.Parts = append(a.Parts, part) }
	add(report.Part{Text: append([]string{p.Question}, p.Setting...)})
	for _, part := range p.figures() {
		add(part)
	}
	for _, part := range p.claims() {
		add(part)
	}
	for i, e := range p.Explanations {
		t := p.Told[i]
		part := report.Part{Title: e.Title, Text: t.Text}
		if len(t.Rows) > 0 {
			part.Table = &report.Table{Header: t.Header, Rows: t.Rows}
		}
		add(part)
	}
	add(report.Part{Title: "What else differs", Items: p.Differences})
	add(p.provenance())
	return a
}

// figures are the tables of published beside measured, a table for each group.
func (p *Page) figures() []report.Part {
	var parts []report.Part
	reasons := map[string]bool{}
	for i, f := range p.Figures {
		n := p.Measured[i]
		if len(parts) == 0 || i > 0 && p.Figures[i-1].Group != f.Group {
			title := "Published and measured"
			if f.Group != "" {
				title += ": " + f.Group
			}
			parts = append(parts, report.Part{Title: title, Table: &report.Table{Header: []string{"", "published", "measured"}}})
		}
		t := parts[len(parts)-1].Table
		measured := n.in(f.Unit)
		switch {
		case !n.Known():
			measured, reasons[n.Problem] = "not measured", true
		case f.Exact && n.Value == f.Published:
			measured += ", equal"
		case f.Exact:
			measured += ", not equal"
		}
		t.Rows = append(t.Rows, []string{f.Name, f.Unit.Format(f.Published), measured})
	}
	if len(reasons) > 0 {
		parts[len(parts)-1].Items = slices.Sorted(maps.Keys(reasons))
	}
	return parts
}

// claims are the table of claims, and below it what each rests on.
func (p *Page) claims() []report.Part {
	all := report.Part{Title: "Claims", Table: &report.Table{Header: []string{"", "claim", "outcome"}, Left: []int{1, 2}}}
	var details []report.Part
	for _, c := range p.Decided {
		all.Table.Rows = append(all.Table.Rows, []string{c.ID, c.Statement, string(c.Outcome)})
		details = append(details, detail(c))
	}
	return append([]report.Part{all}, details...)
}

// detail shows a claim's parts.
func detail(c Decided) report.Part {
	part := report.Part{Title: fmt.Sprintf("Claim %s %s", c.ID, verb(c.Outcome)), Text: []string{c.Statement + "."}}
	t := &report.Table{Header: []string{"", "published", "measured", "outcome"}, Left: []int{3}}
	reasons := map[string]bool{}
	for _, f := range c.Findings {
		published := ""
		if f.Published > 0 {
			published = f.Unit.Format(f.Published)
		}
		if f.Reason != "" {
			reasons[f.Reason] = true
		}
		t.Rows = append(t.Rows, []string{f.Statement, published, f.Number.in(f.Unit), string(f.Outcome)})
	}
	part.Table, part.Items = t, slices.Sorted(maps.Keys(reasons))
	return part
}

// verb is an outcome as a headline has it.
func verb(o Outcome) string {
	switch o {
	case Reversed, Undecided:
		return "is " + string(o)
	}
	return string(o)
}

// busy is the share of CPU time for others from which on a page speaks of it.
const busy = 0.1

// provenance says when and on what the results were measured.
func (p *Page) provenance() report.Part {
	part := report.Part{Title: "Measured"}
	machines, libraries := map[string]bool{}, map[string]bool{}
	versions := map[string]string{}
	for _, f := range p.Results.Files() {
		m := f.Header.Machine
		machines[fmt.Sprintf("%s, wirecost %s, on %s, %d cores, %s/%s", f.Header.Time.UTC().Format("2006-01-02"), f.Header.Version, m.CPU, m.Cores, m.OS, m.Arch)] = true
		maps.Copy(versions, f.Header.Versions)
		for codec, library := range f.Codecs {
			libraries[codec+": "+strings.TrimSpace(library)] = true
		}
	}
	part.Items = slices.Sorted(maps.Keys(machines))
	if x := p.Results.Others(); x > busy {
		part.Items = append(part.Items, fmt.Sprintf("other programs used up to %s of the machine's CPU time just before a run: intervals are wide, and times too long", Share.Format(x)))
	}
	for _, runtime := range slices.Sorted(maps.Keys(versions)) {
		part.Items = append(part.Items, runtime+": "+versions[runtime])
	}
	part.Items = append(part.Items, slices.Sorted(maps.Keys(libraries))...)
	for _, f := range p.Results.Failed() {
		part.Items = append(part.Items, "failed: "+f)
	}
	if len(part.Items) == 0 {
		part.Text = []string{"Nothing was measured."}
	}
	return part
}
