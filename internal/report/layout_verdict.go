package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wirecost/internal/verdict"
)

// verdictBlocks gives the sentences, sample by sample.
func verdictBlocks(r *Report) []block {
	var out []block
	for _, s := range r.Verdict {
		title := "Verdict"
		if len(r.Samples) > 1 {
			title += ", " + clean(s.Sample)
		}
		if s.Runtime != "" && len(runtimesOf(r)) > 1 {
			title += ", " + s.Runtime
		}
		if s.Runtime != "" {
			title = onMachine(r, title, s.Machine)
		}
		if len(out) == 0 || out[len(out)-1].title != title {
			out = append(out, block{title: title})
		}
		b := &out[len(out)-1]
		b.items = append(b.items, clean(s.Text))
	}
	return out
}

// machineBlocks says where the times were measured, and how well that went.
func machineBlocks(r *Report) []block {
	if len(r.Cases) == 0 {
		return nil
	}
	var out []block
	for i, m := range r.Machines {
		b := block{title: onMachine(r, "Measured", i)}
		b.items = append(b.items, machineLine(m), runLine(m))
		out = append(out, b)
	}
	last := &out[len(out)-1]
	last.items = append(last.items, "Ratios and intervals hold for these builds on this machine; ~ is undecided, = the same within 1%.")
	return out
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
		words = append(words, version)
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
		line += fmt.Sprintf(": %s in %s, %s of it inside timed batches; %s of turns were preempted",
			count(m.Forks, "fork"), verdict.Duration(float64(measured)), verdict.Percent(float64(m.BatchNS)/float64(m.MeasureNS)), verdict.Percent(m.Preempted))
	}
	return line + "."
}
