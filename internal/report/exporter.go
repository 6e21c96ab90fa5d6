package report

import "io"

// Options are what a reader's screen asks for.
type Options struct {
	Color bool
	Width int // columns; 0: 80
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 80
	}
	return max(o.Width, 40)
}

// Exporter writes a report in one form.
type Exporter interface {
	Write(w io.Writer, r *Report, opt Options) error
}

// exporters are the forms, in the order in which they are offered.
var exporters = []struct {
	name     string
	exporter Exporter
}{
	{"terminal", terminal{}},
	{"markdown", markdown{}},
	{"csv", csvTable{}},
	{"json", jsonReport{}},
	{"benchfmt", benchfmtLines{}},
}

// Formats names the forms of a report.
func Formats() []string {
	var names []string
	for _, e := range exporters {
		names = append(names, e.name)
	}
	return names
}

// For returns the exporter of a form.
func For(name string) (Exporter, bool) {
	for _, e := range exporters {
		if e.name == name {
			return e.exporter, true
		}
	}
	return nil, false
}
