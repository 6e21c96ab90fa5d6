package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// figures are the values of every file of a side, by what they are of.
type figures[K comparable, V any] struct {
	keys []K // in the order in which they came
	of   map[K][]V
}

func (f *figures[K, V]) add(k K, v V) {
	if f.of == nil {
		f.of = map[K][]V{}
	}
	if f.of[k] == nil {
		f.keys = append(f.keys, k)
	}
	f.of[k] = append(f.of[k], v)
}

type sizeKey struct{ sample, form, encoding, unit string }

// memoryKey is of what a case takes of memory, or of the wire.
type memoryKey struct {
	kind string
	c    bench.Case
}

type timeKey struct {
	c, baseline bench.Case
	metric      bench.Metric
}

// reading is what one run says of a ratio, as logarithms; an end that is not
// bounded is infinite.
type reading struct{ x, low, high float64 }

// gathered is a side's files, read.
type gathered struct {
	side     Side
	machines []string // each kind once, in words
	sizes    figures[sizeKey, float64]
	memory   figures[memoryKey, float64]
	times    figures[timeKey, reading]

	versions figures[string, string] // of what is measured with: runtimes, codecs, wirecost
	digests  figures[string, string] // of samples' documents
	schemas  figures[string, string]
	outcomes map[bench.Case]bench.Outcome

	renamed map[string]string
}

// name is a sample's name in the comparison.
func (g *gathered) name(sample string) string {
	if n, ok := g.renamed[sample]; ok {
		return n
	}
	return sample
}

// pairing says what old samples that have another name now are called: those of
// the same documents, or, where either side has one sample only, that one.
func pairing(old, new []*store.File) map[string]string {
	names, byDigest := map[string]bool{}, map[string]string{}
	for _, f := range new {
		for _, s := range f.Samples() {
			names[s.Sample] = true
			if s.Digest != "" {
				byDigest[s.Digest] = s.Sample
			}
		}
	}
	was := map[string]bool{}
	out := map[string]string{}
	for _, f := range old {
		for _, s := range f.Samples() {
			was[s.Sample] = true
			if now, ok := byDigest[s.Digest]; ok && !names[s.Sample] {
				out[s.Sample] = now
			}
		}
	}
	if len(was) == 1 && len(names) == 1 {
		for a := range was {
			for b := range names {
				out[a] = b
			}
		}
	}
	return out
}

// gather reads a side's files, each as a run of its own. Samples are given the
// names that renamed has for them.
func gather(files []*store.File, opt analyse.Options, renamed map[string]string) (*gathered, error) {
	g := &gathered{outcomes: map[bench.Case]bench.Outcome{}, renamed: renamed}
	h := files[0].Header
	g.side = Side{Machine: h.Machine, Wirecost: h.Version, Versions: map[string]string{}}
	for _, f := range files {
		g.about(f)
		if err := g.read(f, opt); err != nil {
			return nil, err
		}
	}
	for _, k := range g.versions.keys {
		g.side.Versions[k] = joined(g.versions.of[k])
	}
	return g, nil
}

// about takes what a file says of itself.
func (g *gathered) about(f *store.File) {
	g.side.Files = append(g.side.Files, f.Name)
	if m := machineName(f.Header.Machine); !slices.Contains(g.machines, m) {
		g.machines = append(g.machines, m)
	}
	g.versions.add("wirecost", f.Header.Version)
	for _, versions := range []map[string]string{f.Header.Versions, f.Codecs} {
		for _, name := range slices.Sorted(maps.Keys(versions)) {
			g.versions.add(name, versions[name])
		}
	}
	g.schemas.add("schema", f.Header.Schema.Digest)
}

// machineName names what makes times comparable.
func machineName(m store.Machine) string {
	cpu := m.CPU
	if cpu == "" {
		cpu = "unknown CPU"
	}
	return fmt.Sprintf("%s/%s, %s, %d cores", m.OS, m.Arch, cpu, m.Cores)
}

func (g *gathered) read(f *store.File, opt analyse.Options) error {
	a := analyse.New(opt)
	documents := map[string]int{}
	err := f.Scan(func(rec any) error {
		switch r := rec.(type) {
		case *store.Sample:
			r.Sample = g.name(r.Sample)
			documents[r.Sample] = r.Documents
			g.digests.add(r.Sample, r.Digest)
		case *store.Case:
			r.Sample = g.name(r.Sample)
		case *store.Size:
			r.Sample = g.name(r.Sample)
			bytes := float64(r.Bytes)
			if r.Unit == store.PerDocument {
				bytes /= float64(max(1, documents[r.Sample]))
			}
			g.sizes.add(sizeKey{r.Sample, r.Form, r.Encoding, r.Unit}, bytes)
		}
		a.Add(rec)
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range a.Cases() {
		g.outcomes[c.Case.Case] = c.Outcome
		if c.Memory != nil {
			if c.Memory.AllocsPerOp >= 0 {
				g.memory.add(memoryKey{Allocs, c.Case.Case}, c.Memory.AllocsPerOp)
			}
			g.memory.add(memoryKey{Memory, c.Case.Case}, c.Memory.BytesPerOp)
		}
		if q := c.Requests; q != nil {
			g.memory.add(memoryKey{Wire, c.Case.Case}, q.Bytes)
			if q.Allocated.Forks > 0 {
				g.memory.add(memoryKey{Memory, c.Case.Case}, q.Allocated.Median)
			}
		}
	}
	cpu := map[[2]bench.Case]bool{}
	for _, c := range a.Comparisons() {
		pair := [2]bench.Case{c.Case, c.Baseline}
		cpu[pair] = cpu[pair] || c.Metric == bench.CPU // which comes before wall time and says more
		if c.Ratio > 0 && !(c.Metric == bench.Wall && cpu[pair]) {
			g.times.add(timeKey{c.Case, c.Baseline, c.Metric}, reading{math.Log(c.Ratio), math.Log(c.Low), math.Log(c.High)})
		}
	}
	return nil
}
