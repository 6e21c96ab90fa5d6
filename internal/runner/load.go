package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"wirecost/internal/bench"
)

const (
	manifestFile = "runner.json"
	codecFolder  = "codecs"
	setupFolder  = "setup" // goes into {home}, not into builds
	codecMark    = "wirecost:codec "
	headerLines  = 20 // the codec's header line is among these
)

// Runner is a runner's folder: its manifest, its codecs, its files.
type Runner struct {
	Manifest
	Codecs []Codec // by name
	FS     fs.FS   // the folder itself
	Digest string  // SHA-256 over the names and contents of all files, hexadecimal
}

// Codec returns the codec of that name.
func (r *Runner) Codec(name string) (Codec, bool) {
	for _, c := range r.Codecs {
		if c.Name == name {
			return c, true
		}
	}
	return Codec{}, false
}

// Load reads the runners among the top-level folders of fsys, ordered by
// runtime. A folder without runner.json is none. An error names the file.
func Load(fsys fs.FS) ([]*Runner, error) {
	folders, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var runners []*Runner
	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		r, err := loadRunner(fsys, d.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		runners = append(runners, r)
	}
	return runners, nil
}

func loadRunner(fsys fs.FS, folder string) (*Runner, error) {
	b, err := fs.ReadFile(fsys, path.Join(folder, manifestFile))
	if err != nil {
		return nil, err
	}
	r := &Runner{}
	if err := decodeStrict(b, &r.Manifest); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", folder, manifestFile, err)
	}
	if err := r.Manifest.check(folder); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", folder, manifestFile, err)
	}
	if r.FS, err = fs.Sub(fsys, folder); err != nil {
		return nil, err
	}
	if r.Codecs, err = readCodecs(r.FS); err != nil {
		return nil, fmt.Errorf("%s/%w", folder, err)
	}
	if err := r.checkNeeds(); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", folder, manifestFile, err)
	}
	if r.Digest, err = digestFS(r.FS); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return r, nil
}

// decodeStrict reads one JSON value and refuses fields that v has not.
func decodeStrict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON object; remove it")
	}
	return nil
}

var (
	runtimeName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	codecName   = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)
	placeholder = regexp.MustCompile(`(?:^|[^{])\{([a-z]+)\}`)
)

func (m *Manifest) check(folder string) error {
	switch {
	case m.Format != ManifestFormat:
		return fmt.Errorf("format is %q; want %q", m.Format, ManifestFormat)
	case m.Runtime != folder:
		return fmt.Errorf("runtime is %q; want the folder's name, %q", m.Runtime, folder)
	case !runtimeName.MatchString(m.Runtime):
		return fmt.Errorf("runtime %q; use lower-case letters and digits", m.Runtime)
	case m.Isolation != "shared" && m.Isolation != "codec":
		return fmt.Errorf("isolation is %q; want shared or codec", m.Isolation)
	}
	for _, n := range m.Needs {
		if n.Program == "" || n.Get == "" {
			return errors.New("a need lacks program or get")
		}
		if _, ok := parseVersion(n.Minimum); n.Minimum != "" && !ok {
			return fmt.Errorf("minimum of %s is %q; want a version such as 1.26", n.Program, n.Minimum)
		}
	}
	commands := slices.Concat(m.Setup, m.Checks, m.Warm, m.Generate, m.Build, [][]string{m.Run})
	for _, c := range commands {
		if len(c) == 0 || c[0] == "" {
			return errors.New("a command is empty; every command and run need a program")
		}
	}
	return m.checkPlaceholders(commands)
}

func (m *Manifest) checkPlaceholders(commands [][]string) error {
	words := slices.Concat(commands...)
	for _, v := range m.Environment {
		words = append(words, v)
	}
	homeless := len(m.Setup) == 0
	for _, w := range words {
		for _, p := range placeholder.FindAllStringSubmatch(w, -1) {
			if !slices.Contains([]string{"home", "tools", "codecs", "exe"}, p[1]) {
				return fmt.Errorf("unknown placeholder {%s} in %q; there are {home}, {tools}, {codecs} and {exe}", p[1], w)
			}
			if p[1] == "home" && homeless {
				return fmt.Errorf("%q has {home}, but there are no setup commands to fill it; add setup", w)
			}
		}
	}
	if homeless && len(m.Checks) > 0 {
		return errors.New("there are check commands, but no setup commands whose work they could check; add setup or remove check")
	}
	return nil
}

// checkNeeds refuses needs of codecs that do not exist.
func (r *Runner) checkNeeds() error {
	for _, n := range r.Needs {
		for _, name := range n.Codecs {
			if _, ok := r.Codec(name); !ok {
				return fmt.Errorf("%s is needed for the codec %q, which does not exist", n.Program, name)
			}
		}
	}
	return nil
}

// readCodecs reads the header of every codec's file.
func readCodecs(fsys fs.FS) ([]Codec, error) {
	names, err := fs.Glob(fsys, codecFolder+"/*.tmpl")
	if err != nil {
		return nil, err
	}
	var codecs []Codec
	for _, name := range names {
		c, ok, err := readCodec(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
		if ok {
			codecs = append(codecs, c)
		}
	}
	slices.SortFunc(codecs, func(a, b Codec) int { return strings.Compare(a.Name, b.Name) })
	return codecs, checkCodecs(codecs)
}

// readCodec reads one file's header; ok is false where it has none.
func readCodec(fsys fs.FS, name string) (c Codec, ok bool, err error) {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return c, false, err
	}
	lines := bytes.SplitN(b, []byte("\n"), headerLines+1)
	for i, line := range lines[:min(len(lines), headerLines)] {
		_, header, found := bytes.Cut(line, []byte(codecMark))
		if !found {
			continue
		}
		header, err := headerJSON(header)
		if err == nil {
			err = decodeStrict(header, &c)
		}
		if err == nil {
			err = c.complete(name)
		}
		if err != nil {
			return c, false, fmt.Errorf("%d: %w", i+1, err)
		}
		return c, true, nil
	}
	return c, false, nil
}

// headerJSON cuts what a comment needs after the JSON object, as in "*/".
func headerJSON(b []byte) ([]byte, error) {
	end := bytes.LastIndexByte(b, '}')
	if end < 0 {
		return nil, errors.New("the codec's header has no JSON object on its line")
	}
	return b[:end+1], nil
}

// complete checks what the header says and fills in the defaults.
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
	for _, p := range c.Owns {
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

// digestFS hashes the names and contents of all files.
func digestFS(fsys fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		hashPart(h, []byte(name))
		hashPart(h, b)
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// hashPart adds one part with its length, so that parts cannot run together.
func hashPart(h hash.Hash, b []byte) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(b)))
	h.Write(n[:])
	h.Write(b)
}
