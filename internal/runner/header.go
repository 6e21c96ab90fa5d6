package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"wirecost/internal/bench"
)

const (
	codecFolder = "codecs"
	codecMark   = "wirecost:codec "
	headerLines = 20 // a header line is among these
)

// header is what a line of a template's comment says, in JSON behind a mark.
type header interface {
	complete(file string) error // checks it and fills in the defaults
}

// headerOf is a header that a T holds.
type headerOf[T any] interface {
	*T
	header
}

// readHeaders reads the headers of the templates in a folder, ordered by file. A
// template without one is a helper of others.
func readHeaders[T any, H headerOf[T]](fsys fs.FS, folder, mark string) ([]T, error) {
	files, err := fs.Glob(fsys, folder+"/*"+templateSuffix)
	if err != nil {
		return nil, err
	}
	var all []T
	for _, file := range files {
		b, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, err
		}
		line, text := findHeader(b, mark)
		if line == 0 {
			continue
		}
		var one T
		if err := readHeader(text, H(&one), file); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// findHeader gives what follows the mark, and the number of its line; 0: there
// is none.
func findHeader(b []byte, mark string) (line int, text []byte) {
	lines := bytes.SplitN(b, []byte("\n"), headerLines+1)
	for i, l := range lines[:min(len(lines), headerLines)] {
		if _, text, found := bytes.Cut(l, []byte(mark)); found {
			return i + 1, text
		}
	}
	return 0, nil
}

func readHeader(text []byte, into header, file string) error {
	end := bytes.LastIndexByte(text, '}') // a comment may need more after it, as in "*/"
	if end < 0 {
		return errors.New("the header has no JSON object on its line")
	}
	if err := decodeStrict(text[:end+1], into); err != nil {
		return err
	}
	return into.complete(file)
}

// readCodecs reads the header of every codec's file.
func readCodecs(fsys fs.FS) ([]Codec, error) {
	codecs, err := readHeaders[Codec](fsys, codecFolder, codecMark)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(codecs, func(a, b Codec) int { return strings.Compare(a.Name, b.Name) })
	return codecs, checkCodecs(codecs)
}

func (c *Codec) complete(file string) error {
	c.File = file
	if c.Documents == "" {
		c.Documents = string(c.Format)
	}
	switch {
	case !codecName.MatchString(c.Name):
		return fmt.Errorf("codec name %q; use lower-case letters, digits, dots and dashes", c.Name)
	case !strings.HasPrefix(path.Base(file), c.Name+"."):
		return fmt.Errorf("codec %q is in the wrong file; call it %s.*.tmpl", c.Name, c.Name)
	case c.Format != bench.JSON && c.Format != bench.Protobuf:
		return fmt.Errorf("format is %q; want json or protobuf", c.Format)
	case !slices.Contains(documentForms, c.Documents):
		return fmt.Errorf("documents is %q; want json, protobuf or protojson", c.Documents)
	case c.Role != "" && c.Role != "default":
		return fmt.Errorf("role is %q; want default or nothing", c.Role)
	case c.Library == "":
		return errors.New("library is missing")
	case len(c.Traits) == 0:
		return errors.New("traits are missing")
	case len(c.Operations) == 0:
		return errors.New("operations are missing")
	}
	for i, op := range c.Operations {
		if !slices.Contains([]bench.Operation{bench.Encode, bench.Decode, bench.Visit}, op) || slices.Contains(c.Operations[:i], op) {
			return fmt.Errorf("operation %q; want encode, decode and visit, each at most once", op)
		}
	}
	return checkPatterns(c.Owns)
}

func checkPatterns(owns []string) error {
	for _, p := range owns {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("owns has %q: %w", p, err)
		}
	}
	return nil
}

// checkCodecs refuses codecs of one name, and two defaults of one format.
func checkCodecs(codecs []Codec) error {
	names, roles := map[string]string{}, map[bench.Format]string{}
	for _, c := range codecs {
		if other, ok := names[c.Name]; ok {
			return fmt.Errorf("%s: codec %q is in %s as well", c.File, c.Name, other)
		}
		names[c.Name] = c.File
		if c.Role == "" {
			continue
		}
		if other, ok := roles[c.Format]; ok {
			return fmt.Errorf("%s: %s has the role of %s's default as well", c.File, other, c.Format)
		}
		roles[c.Format] = c.File
	}
	return nil
}
