package store

import (
	"fmt"
	"maps"

	"wirecost/internal/bench"
)

// Environment is one kind of machine with one version of everything: the files
// that were made there, read as if they were one. Times are compared within an
// environment only.
type Environment struct {
	Header Header // of its first file
	parts  []part
	codecs map[string]string
}

// part is a file whose samples have the names that they have in the whole.
type part struct {
	file   *File
	sample map[string]string
}

// Merge sorts files by environment, in the order given. Samples are the same
// where their documents and their schema are; others of the same name get a
// number.
func Merge(files ...*File) []*Environment {
	var envs []*Environment
	names := newNames()
	for _, f := range files {
		p := part{f, map[string]string{}}
		again := map[string]int{} // equal documents may be there twice in one file
		for _, s := range f.samples {
			again[s.Digest]++
			p.sample[s.Sample] = names.of(s, f.Header.Schema.Digest, again[s.Digest])
		}
		env := fit(envs, f)
		if env == nil {
			env = &Environment{Header: f.Header, codecs: map[string]string{}}
			env.Header.Versions = maps.Clone(f.Header.Versions)
			envs = append(envs, env)
		}
		env.take(p)
	}
	return envs
}

func fit(envs []*Environment, f *File) *Environment {
	for _, e := range envs {
		if SameMachine(e.Header.Machine, f.Header.Machine) && agree(e.Header.Versions, f.Header.Versions) && agree(e.codecs, f.Codecs) {
			return e
		}
	}
	return nil
}

// SameMachine reports whether times measured on two machines may be compared.
func SameMachine(a, b Machine) bool {
	return a.OS == b.OS && a.Arch == b.Arch && a.CPU == b.CPU && a.Cores == b.Cores
}

// agree reports whether two maps say the same of the keys they share.
func agree(a, b map[string]string) bool {
	for k, v := range a {
		if w, ok := b[k]; ok && v != w {
			return false
		}
	}
	return true
}

func (e *Environment) take(p part) {
	e.parts = append(e.parts, p)
	maps.Copy(e.codecs, p.file.Codecs)
	if e.Header.Versions == nil {
		e.Header.Versions = map[string]string{}
	}
	maps.Copy(e.Header.Versions, p.file.Header.Versions)
}

// Files returns the environment's files.
func (e *Environment) Files() []*File {
	var fs []*File
	for _, p := range e.parts {
		fs = append(fs, p.file)
	}
	return fs
}

// Scan hands the records of all files to fn: cases and forks are numbered anew,
// and what several files say alike comes once. Headers and footers stay out.
func (e *Environment) Scan(fn func(rec any) error) error {
	m := merger{fn: fn, seen: map[any]bool{}, numbers: map[bench.Case]int{}, measured: map[int]bool{}}
	for _, p := range e.parts {
		m.begin(p)
		if err := p.file.Scan(m.record); err != nil {
			return err
		}
	}
	return nil
}

// merger renumbers the records of one file after another.
type merger struct {
	fn       func(rec any) error
	seen     map[any]bool
	numbers  map[bench.Case]int
	measured map[int]bool // cases that some file measured

	part     part
	number   map[int]int // this file's case numbers → the whole's
	fork     int         // added to this file's fork numbers
	nextFork int

	before Progress // of the runs before this one
	last   Progress // of this run, as it says
	sum    Progress // of all up to here
}

func (m *merger) begin(p part) {
	m.part, m.number = p, map[int]int{}
	m.fork, m.before, m.last = m.nextFork, m.sum, Progress{}
}

func (m *merger) record(rec any) error {
	switch r := rec.(type) {
	case *Sample:
		r.Sample = m.name(r.Sample)
		return m.once([2]string{"sample", r.Sample}, r)
	case *Size:
		r.Sample = m.name(r.Sample)
		return m.once([6]string{"size", r.Sample, string(r.Format), r.Form, r.Encoding, r.Unit}, r)
	case *Loss:
		r.Sample = m.name(r.Sample)
		return m.once([4]string{"loss", r.Sample, r.Path, r.What}, r)
	case *Case:
		return m.aCase(r)
	case *Outcome:
		r.Case = m.number[r.Case]
		if m.measured[r.Case] {
			return nil
		}
		m.measured[r.Case] = r.Status == bench.Measured
		return m.fn(r)
	case *Memory:
		r.Case = m.number[r.Case]
		return m.fn(r)
	case *Fork:
		r.Case = m.number[r.Case]
		r.Fork += m.fork
		m.nextFork = max(m.nextFork, r.Fork+1)
		return m.fn(r)
	case *Requests:
		r.Case = m.number[r.Case]
		r.Fork += m.fork
		m.nextFork = max(m.nextFork, r.Fork+1)
		return m.fn(r)
	case *OpenLoop:
		r.Case = m.number[r.Case]
		return m.fn(r)
	case *Storage:
		r.Case = m.number[r.Case]
		return m.fn(r)
	case *Noise:
		return m.fn(r)
	case *Progress:
		return m.fn(m.total(r))
	}
	return nil
}

// total makes a file's progress that of all files up to here. Forks are counted
// on when a run is resumed; its times begin anew.
func (m *merger) total(r *Progress) *Progress {
	if r.MeasureNS < m.last.MeasureNS {
		m.before.MeasureNS += m.last.MeasureNS
		m.before.BatchNS += m.last.BatchNS
		m.before.RuntimeNS = plus(m.before.RuntimeNS, m.last.RuntimeNS)
	}
	m.last = *r
	r.Forks += m.before.Forks
	r.MeasureNS += m.before.MeasureNS
	r.BatchNS += m.before.BatchNS
	r.RuntimeNS = plus(r.RuntimeNS, m.before.RuntimeNS)
	m.sum = *r
	return r
}

// plus adds up times by runtime.
func plus(a, b map[string]int64) map[string]int64 {
	if len(b) == 0 {
		return a
	}
	sum := maps.Clone(b)
	for k, v := range a {
		sum[k] += v
	}
	return sum
}

func (m *merger) name(sample string) string {
	if n, ok := m.part.sample[sample]; ok {
		return n
	}
	return sample
}

func (m *merger) once(key, rec any) error {
	if m.seen[key] {
		return nil
	}
	m.seen[key] = true
	return m.fn(rec)
}

func (m *merger) aCase(r *Case) error {
	old := r.Number
	r.Sample = m.name(r.Sample)
	n, known := m.numbers[r.Case]
	if !known {
		n = len(m.numbers)
		m.numbers[r.Case] = n
	}
	m.number[old], r.Number = n, n
	if known {
		return nil
	}
	return m.fn(r)
}

// identity is what makes samples of several files the same.
type identity struct {
	documents, schema string
	nth               int // among equal ones of a file
}

// names gives every sample of a merge a name of its own.
type names struct {
	known map[identity]string
	taken map[string]bool
}

func newNames() names { return names{map[identity]string{}, map[string]bool{}} }

func (n names) of(s Sample, schema string, nth int) string {
	id := identity{s.Digest, schema, nth}
	if s.Digest == "" {
		id.documents = "name:" + s.Sample
	}
	if name, ok := n.known[id]; ok {
		return name
	}
	name := s.Sample
	for i := 2; n.taken[name]; i++ {
		name = fmt.Sprintf("%s#%d", s.Sample, i)
	}
	n.known[id], n.taken[name] = name, true
	return name
}
