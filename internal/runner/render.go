package runner

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"text/template"

	"wirecost/internal/schema"
)

const (
	templateSuffix = ".tmpl"
	includeSuffix  = ".inc.tmpl"
)

// Data is what a template sees as its dot.
type Data struct {
	*schema.Model
	Codecs  []Codec // those selected
	Codec   *Codec  // in a codec's own file: that codec; else nil
	Runtime string
	Version string // of the runner: the start of its digest
}

// renderError is a template that does not go through.
type renderError struct {
	runtime, file string
	err           error // the template's own words, with file and line
}

func (e *renderError) Error() string { return fmt.Sprintf("runner %s: %v", e.runtime, e.err) }
func (e *renderError) Unwrap() error { return e.err }

// Render writes the runner's folder to dir for a schema and a selection of its
// codecs. Every FILE.tmpl is run over Data and written as FILE, unless nothing
// but white space comes out; FILE.inc.tmpl only holds {{define}}s that the
// others use; other files are copied. Left out are runner.json, the folder setup,
// and the files of codecs that are not selected. An error names the template and
// its line.
func (r *Runner) Render(m *schema.Model, codecs []Codec, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // nothing is written outside it, whatever a name says
	if err != nil {
		return err
	}
	defer root.Close()
	data := Data{Model: m, Codecs: codecs, Runtime: r.Runtime, Version: r.Digest[:min(12, len(r.Digest))]}
	set, err := r.includes(data)
	if err != nil {
		return err
	}
	return fs.WalkDir(r.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name == setupFolder {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || name == manifestFile || strings.HasSuffix(name, includeSuffix) {
			return err
		}
		out, err := r.renderFile(set, data, name)
		if err != nil {
			return &renderError{r.Runtime, name, err}
		}
		if out == nil {
			return nil
		}
		name = strings.TrimSuffix(name, templateSuffix)
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		return root.WriteFile(name, out, 0o644)
	})
}

// includes parses the files that only hold definitions.
func (r *Runner) includes(data Data) (*template.Template, error) {
	set := template.New("").Option("missingkey=error").Funcs(functions(data))
	err := fs.WalkDir(r.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, includeSuffix) {
			return err
		}
		b, err := fs.ReadFile(r.FS, name)
		if err != nil {
			return err
		}
		_, err = set.New(name).Parse(string(b))
		return err
	})
	return set, err
}

// renderFile gives the content of one file, nil where it is not to be written.
func (r *Runner) renderFile(set *template.Template, data Data, name string) ([]byte, error) {
	for _, c := range r.Codecs {
		if c.File != name {
			continue
		}
		if !selected(data.Codecs, c.Name) {
			return nil, nil
		}
		data.Codec = &c
	}
	b, err := fs.ReadFile(r.FS, name)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, templateSuffix) {
		return append([]byte{}, b...), nil // not nil where the file is empty
	}
	set, err = set.Clone() // so that a definition stays within its file
	if err != nil {
		return nil, err
	}
	t, err := set.New(name).Parse(string(b))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(out.Bytes())) == 0 {
		return nil, nil
	}
	return out.Bytes(), nil
}

func selected(codecs []Codec, name string) bool {
	return slices.ContainsFunc(codecs, func(c Codec) bool { return c.Name == name })
}
