package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/store"
	"wirecost/internal/verdict"
)

// verdictBlocks gives the sentences, sample by sample, those of all runtimes
// first.
func verdictBlocks(r *Report) []block {
	var out []block
	for _, s := range r.Verdict {
		if r.swept(s.Sample) {
			continue
		}
		title := "Verdict"
		if len(r.Samples) > 1 {
			title += ", " + clean(s.Sample)
		}
		switch {
		case s.Claim == verdict.Between:
			title += ", between runtimes"
		case s.Runtime != "" && len(runtimesOf(r)) > 1:
			title += ", " + s.Runtime
		}
		if s.Runtime != "" || s.Claim == verdict.Between {
			title = onMachine(r, title, s.Machine)
		}
		i := slices.IndexFunc(out, func(b block) bool { return b.title == title })
		if i < 0 {
			i = len(out)
			out = append(out, block{title: title})
		}
		if b := &out[i]; s.Claim == verdict.Size && len(b.items) > 0 {
			b.items[0] += " " + clean(s.Text) // sizes come first, and make one item
		} else {
			b.items = append(b.items, clean(s.Text))
		}
	}
	return out
}

// summaryBlocks puts several samples side by side: Protobuf's ratio to JSON in
// size and time.
func summaryBlocks(r *Report) []block {
	if len(r.Samples) < 2 {
		return nil
	}
	g := &grid{header: []string{"sample", "machine", "runtime", "JSON", "size", "compressed", "default", "best"}, left: map[int]bool{2: true}}
	for _, s := range r.Samples {
		for _, k := range columnsOf(r, s.Sample) {
			g.rows = append(g.rows, summaryRow(r, s, k))
		}
	}
	return []block{{title: "Protobuf's ratio to JSON: size, and time by default and best codecs", grid: g.trim()}}
}

// column is where the times of a sample were measured.
type column struct {
	machine int
	runtime string
}

func columnsOf(r *Report, sample string) []column {
	var out []column
	for _, c := range r.Cases {
		k := column{c.Machine, c.Case.Runtime}
		if c.Case.Sample == sample && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	if out == nil {
		out = []column{{}}
	}
	return out
}

func summaryRow(r *Report, s Sample, k column) []cell {
	row := make([]cell, 8)
	row[0] = show(s.Sample)
	if len(r.Machines) > 1 {
		row[1] = show(fmt.Sprint(k.machine + 1))
	}
	if len(runtimesOf(r)) > 1 {
		row[2] = show(k.runtime)
	}
	for _, z := range r.Sizes {
		if z.Sample != s.Sample || z.Unit != store.PerDocument {
			continue
		}
		switch {
		case z.Form == "compact" && z.Encoding == bench.Identity:
			row[3].text = verdict.Bytes(whole(float64(z.Bytes) / float64(max(1, s.Documents))))
		case z.Form == "binary" && z.RatioToJSON != nil && z.Encoding == bench.Identity:
			row[4] = cell{verdict.Digits(*z.RatioToJSON), sizeTone(*z.RatioToJSON)}
		case z.Form == "binary" && z.RatioToJSON != nil && row[5].text == "":
			row[5] = cell{verdict.Digits(*z.RatioToJSON) + " " + z.Encoding, sizeTone(*z.RatioToJSON)}
		}
	}
	row[6], row[7] = duelCell(r, s.Sample, k, verdict.Default), duelCell(r, s.Sample, k, verdict.Best)
	return row
}

// duelCell writes the ratio of a request in one codec of each format; the best
// are left out where they are the defaults.
func duelCell(r *Report, sample string, k column, topic string) cell {
	for _, s := range r.Verdict {
		if s.Claim != verdict.CPU || s.Topic != topic || s.Sample != sample || s.Machine != k.machine || s.Runtime != k.runtime {
			continue
		}
		ratio, low, high := s.Numbers["ratio"], s.Numbers["low"], s.Numbers["high"]
		switch {
		case low > 0 && high > 0 && high < 1:
			return cell{verdict.Digits(ratio), good}
		case low > 1:
			return cell{verdict.Digits(ratio), bad}
		}
		return cell{"~" + verdict.Digits(ratio), faint}
	}
	return cell{}
}

// machineBlocks says where the times were measured, and how well that went.
func machineBlocks(r *Report) []block {
	if len(r.Cases) == 0 {
		return nil
	}
	var out []block
	for i, m := range r.Machines {
		b := block{title: onMachine(r, "Measured", i)}
		b.items = append(append(b.items, machineLine(m), runLine(m)), noiseLines(m)...)
		if line := forecastLine(m.Forecast); line != "" {
			b.items = append(b.items, line)
		}
		out = append(out, b)
	}
	last := &out[len(out)-1]
	last.items = append(last.items, "Ratios and intervals hold for these builds on this machine; ~ is undecided"+unbounded(r)+", = the same within 1%.")
	return out
}

// unbounded explains ±?, where it is there.
func unbounded(r *Report) string {
	for _, x := range r.Comparisons {
		if x.Low == nil || x.High == nil {
			return " (±? after too few forks)"
		}
	}
	return ""
}

func machineLine(m Machine) string {
	words := []string{m.OS + "/" + m.Arch}
	if m.CPU != "" {
		words = append(words, m.CPU)
	}
	if m.Cores > 0 {
		words = append(words, count(m.Cores, "core"))
	}
	if m.MemoryByte > 0 {
		words = append(words, verdict.Bytes(float64(m.MemoryByte)))
	}
	for _, x := range [][2]string{{"governor ", m.Governor}, {"under ", m.Virtual}, {"load ", m.Load}} {
		if x[1] != "" {
			words = append(words, x[0]+x[1])
		}
	}
	var runtimes []string
	for name := range m.Versions {
		runtimes = append(runtimes, name)
	}
	slices.Sort(runtimes)
	for _, name := range runtimes {
		version := m.Versions[name]
		if !strings.HasPrefix(version, name) {
			version = name + " " + version
		}
		words = append(words, strings.TrimSpace(version))
	}
	if m.Wirecost != "" {
		words = append(words, "wirecost "+m.Wirecost)
	}
	return clean(strings.Join(words, ", ")) + "."
}

func runLine(m Machine) string {
	var words []string
	for _, f := range m.Files {
		words = append(words, fmt.Sprintf("%s (%s, seed %d)", clean(f.Name), f.Status, f.Seed))
	}
	line := strings.Join(words, ", ")
	if m.MeasureNS > 0 {
		measured := time.Duration(m.MeasureNS)
		line += fmt.Sprintf(": %s in %s, %s of it inside timed batches; %s of the batches were interrupted",
			count(m.Forks, "fork"), verdict.Duration(float64(measured)), verdict.Percent(float64(m.BatchNS)/float64(m.MeasureNS)), verdict.Percent(m.Preempted))
	}
	return line + "."
}
