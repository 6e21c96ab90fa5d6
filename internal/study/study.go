// Package study holds published studies as data: what they asked, what they
// measured, what they claimed, and what is measured here to see whether the
// claims hold. It decides the claims from result files and writes a page about
// each study. A further study is one more file that calls register.
package study

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wirecost/internal/bench"
)

// Study is a published study.
type Study struct {
	Name         string
	Title        string
	Question     string
	Setting      []string // what its author did, in paragraphs
	Schema       string   // the .proto that the payloads are of
	Payloads     []Payload
	Runs         []Run
	Figures      []Figure
	Claims       []Claim
	Explanations []Explanation
	Differences  []string // between the author's setting and this one, that the figures do not show
}

// Payload is documents that a study measures.
type Payload struct {
	Name     string // also the id of the sample
	Message  string // its type in the study's schema
	Count    int    // of documents
	Document func(i int) []byte
	JSON     int64 // bytes of all documents as the generator writes them
	Protobuf int64 // bytes of all documents in Protobuf
}

// Run is a measurement: what "wirecost run" is asked for.
type Run struct {
	Name       string
	Payloads   []string
	Runtimes   []string
	Codecs     []string
	Operations []bench.Operation // none: the usual ones
	Over       []bench.Transport // none: memory
	Server     string            // the runtime that answers over HTTP; empty: each its own
	Encodings  []string          // none: identity
	Time       time.Duration     // of measuring, for each runtime
	Forks      int               // at most, for each runtime; 0: as many as the time holds
	Full       time.Duration     // instead of Time and Forks with --full; 0: as without
	SizesOnly  bool              // nothing is timed; "wirecost size" in a result file
}

// Figure is a number that the study published, and how it is measured here.
type Figure struct {
	Group     string // figures of one table
	Name      string
	Published float64
	Unit      Unit
	Measured  Quantity
	Exact     bool // the data is fully specified, so both are to be equal
}

// Claim is a statement of the study, as parts that a program can decide.
type Claim struct {
	ID        string
	Statement string
	Parts     []Part
}

// Explanation is what the study mixed up, or what came of it since, by
// measurement.
type Explanation struct {
	Title string
	Tell  func(*Results) Told
}

// Told is what an explanation says.
type Told struct {
	Text    []string // paragraphs
	Header  []string // of the table; none: there is none
	Rows    [][]string
	Numbers map[string]Number
}

var studies []*Study

// register adds a study. Each study's file calls it.
func register(s *Study) {
	studies = append(studies, s)
	slices.SortFunc(studies, func(a, b *Study) int { return cmp.Compare(a.Name, b.Name) })
}

// All lists the studies by name.
func All() []*Study { return slices.Clone(studies) }

// Everything stands for all studies where names of studies are asked for.
const Everything = "all"

// Named returns the studies of these names, each once, in the order of All.
func Named(names []string) ([]*Study, error) {
	var known []string
	for _, s := range studies {
		known = append(known, s.Name)
	}
	for _, n := range names {
		if n != Everything && !slices.Contains(known, n) {
			return nil, fmt.Errorf("there is no study %q; there are %s, and %s", n, strings.Join(known, ", "), Everything)
		}
	}
	return slices.DeleteFunc(All(), func(s *Study) bool {
		return !slices.Contains(names, s.Name) && !slices.Contains(names, Everything)
	}), nil
}

// payload returns the payload of a name; a study that lacks one that its own run
// names is a fault that a test finds.
func (s *Study) payload(name string) *Payload {
	i := slices.IndexFunc(s.Payloads, func(p Payload) bool { return p.Name == name })
	return &s.Payloads[i]
}

// schemaFile is the name of the schema among a study's files.
const schemaFile = "schema.proto"

// Write writes the schema and the payloads into a folder, which it makes. A
// generator that gives other sizes than it is known for is an error.
func (s *Study) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range s.Payloads {
		text := p.text()
		if want := p.JSON + int64(p.Count); int64(len(text)) != want {
			return fmt.Errorf("the generator of %s gave %d bytes instead of %d, which is a fault of wirecost", p.Name, int64(len(text))-int64(p.Count), p.JSON)
		}
		if err := writeIfNew(filepath.Join(dir, p.file()), text); err != nil {
			return err
		}
	}
	return writeIfNew(filepath.Join(dir, schemaFile), []byte(s.Schema))
}

// writeIfNew leaves a file alone that holds the same already.
func writeIfNew(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return os.WriteFile(path, data, 0o644)
}

func (p Payload) file() string {
	if p.Count == 1 {
		return p.Name + ".json"
	}
	return p.Name + ".ndjson"
}

// text is the payload's file: a document per line.
func (p Payload) text() []byte {
	out := make([]byte, 0, p.JSON+int64(p.Count))
	for i := range p.Count {
		out = append(append(out, p.Document(i)...), '\n')
	}
	return out
}

// Args is the command line of a run, from its flags to its files, which Write
// has put into the folder.
func (s *Study) Args(r Run, dir string, full bool) []string {
	args := []string{"--schema=" + filepath.Join(dir, schemaFile), "--message=" + s.payload(r.Payloads[0]).Message}
	for _, name := range r.Payloads[1:] {
		if p := s.payload(name); p.Message != s.payload(r.Payloads[0]).Message {
			args = append(args, "--root="+p.Name+"="+p.Message)
		}
	}
	list := func(flag string, values []string) {
		if len(values) > 0 {
			args = append(args, "--"+flag+"="+strings.Join(values, ","))
		}
	}
	encodings := r.Encodings
	if len(encodings) == 0 {
		encodings = []string{bench.Identity}
	}
	list("encoding", encodings)
	if !r.SizesOnly {
		list("runtime", r.Runtimes)
		list("codec", r.Codecs)
		list("op", words(r.Operations))
		list("over", words(r.Over))
		if r.Server != "" {
			args = append(args, "--server="+r.Server)
		}
		limit, forks := r.Time, r.Forks
		if full && r.Full > 0 {
			limit, forks = r.Full, 0
		}
		args = append(args, "--max-time="+limit.String())
		if forks > 0 {
			args = append(args, fmt.Sprintf("--max-forks=%d", forks))
		}
	}
	args = append(args, "--")
	for _, name := range r.Payloads {
		args = append(args, filepath.Join(dir, s.payload(name).file()))
	}
	return args
}

func words[T ~string](list []T) []string {
	var out []string
	for _, x := range list {
		out = append(out, string(x))
	}
	return out
}

// Runtimes lists the runtimes that the study's runs name.
func (s *Study) Runtimes() []string {
	var out []string
	for _, r := range s.Runs {
		for _, x := range append(slices.Clone(r.Runtimes), r.Server) {
			if x != "" && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}
