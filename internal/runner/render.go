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

	"wirecost/internal/bench"
	"wirecost/internal/schema"
)

const (
	templateSuffix = ".tmpl"
	includeSuffix  = ".inc.tmpl"
)

// Data is what a template sees as its dot.
type Data struct {
	*schema.Model
	Codecs     []Codec     // those selected
	Codec      *Codec      // in a codec's own file: that codec; else nil
	Transports []Transport // those selected, each without its transports that are not
	Transport  *Transport  // in a transport's own file: that transport; else nil
	Runtime    string
	Version    string // of the runner: the start of its digest
}

// Serves are the transports that the build can serve, for "describe".
func (d Data) Serves() []bench.Transport { return transportNames(d.Transports, RoleServe) }

// Calls are the transports that the build can call over, for "describe".
func (d Data) Calls() []bench.Transport { return transportNames(d.Transports, RoleCall) }

// Encodings are the content codings of the transports selected, for "describe".
func (d Data) Encodings() []string { return encodings(d.Transports) }

// renderError is a template that does not go through.
type renderError struct {
	runtime, file string
	err           error // the template's own words, with file and line
}

func (e *renderError) Error() string { return fmt.Sprintf("runner %s: %v", e.runtime, e.err) }
func (e *renderError) Unwrap() error { return e.err }

// Render writes the runner's folder to dir for a schema and a selection of its
// codecs and transports. Every FILE.tmpl is run over Data and written as FILE,
// unless nothing but white space comes out; FILE.inc.tmpl only holds {{define}}s
// that the others use; other files are copied. Left out are runner.json, the
// folder setup, and the files of codecs and transports that are not selected. An
// error names the template and its line.
func (r *Runner) Render(m *schema.Model, codecs []Codec, transports []Transport, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // nothing is written outside it, whatever a name says
	if err != nil {
		return err
	}
	defer root.Close()
	data := Data{Model: m, Codecs: codecs, Transports: transports, Runtime: r.Runtime, Version: r.Digest[:min(12, len(r.Digest))]}
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
	if !r.assign(&data, name) {
		return nil, nil
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

// assign tells a file's codec or transport; false: it has one that is not
// selected.
func (r *Runner) assign(data *Data, name string) bool {
	for _, c := range r.Codecs {
		if c.File == name {
			data.Codec = &c
			return selected(data.Codecs, c.Name)
		}
	}
	holds := func(t Transport) bool { return t.holds(name) }
	if !slices.ContainsFunc(r.Transports, holds) {
		return true
	}
	for _, t := range data.Transports {
		if t.File == name {
			data.Transport = &t
		}
	}
	if slices.ContainsFunc(r.Transports, func(t Transport) bool { return t.File == name }) {
		return data.Transport != nil
	}
	return slices.ContainsFunc(data.Transports, holds)
}

func selected(codecs []Codec, name string) bool {
	return slices.ContainsFunc(codecs, func(c Codec) bool { return c.Name == name })
}
