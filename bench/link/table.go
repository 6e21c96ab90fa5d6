package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"unicode/utf8"
)

// table is Markdown with columns of equal width.
type table struct {
	bound  float64
	rows   [][]string
	missed bool
}

func newTable(bound float64, head ...string) *table {
	return &table{bound: bound, rows: [][]string{head}}
}

// add adds a row and holds the measured value against the bound.
func (t *table) add(r run, v value) {
	bound := fmt.Sprintf("±%.0f%%", t.bound*100)
	if !(math.Abs(v.got/v.want-1) <= t.bound) {
		t.missed = true
		bound += " missed"
	}
	t.row(r, v, bound)
}

// note adds a row to which no bound applies.
func (t *table) note(r run, v value) { t.row(r, v, "none") }

func (t *table) row(r run, v value, bound string) {
	row := []string{r.link.String(), string(r.mode), v.what, v.format(v.want), v.format(v.got), fmt.Sprintf("%+.1f%%", (v.got/v.want-1)*100), bound}
	t.rows = append(t.rows, row)
	fmt.Fprintln(os.Stderr, strings.Join(row, "  ")) // progress
}

func (t *table) String() string {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for n, row := range t.rows {
		for i, cell := range row {
			fmt.Fprintf(&b, "| %s%s ", cell, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		b.WriteString("|\n")
		if n == 0 {
			for _, w := range widths {
				b.WriteString("|" + strings.Repeat("-", w+2))
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

func milliseconds(ns float64) string { return fmt.Sprintf("%.2f ms", ns/1e6) }
func megabits(bits float64) string   { return fmt.Sprintf("%.2f Mbit/s", bits/1e6) }

func kilobytes(n int) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%d MB", n/1_000_000)
	}
	return fmt.Sprintf("%d kB", n/1000)
}

func machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}

// heading begins the section of a document that holds the figures; it is the last.
const heading = "\n## Figures\n"

// upToFigures reads what a document holds before that section; of no document it
// is nothing.
func upToFigures(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	before, _, found := strings.Cut(string(data), heading)
	if !found {
		return "", fmt.Errorf("%s has no section %q", file, strings.TrimSpace(heading))
	}
	return before, nil
}
