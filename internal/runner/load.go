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
)

const (
	manifestFile = "runner.json"
	setupFolder  = "setup" // goes into {home}, not into builds
)

// Runner is a runner's folder: its manifest, its codecs, its transports, its files.
type Runner struct {
	Manifest
	Codecs     []Codec     // by name
	Transports []Transport // by file
	FS         fs.FS       // the folder itself, with what it includes
	Digest     string      // SHA-256 over the names and contents of all files, hexadecimal
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
		manifest, err := fs.ReadFile(fsys, path.Join(d.Name(), manifestFile))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r, err := loadRunner(fsys, d.Name(), manifest)
		if err != nil {
			return nil, err
		}
		runners = append(runners, r)
	}
	return runners, nil
}

func loadRunner(fsys fs.FS, folder string, manifest []byte) (r *Runner, err error) {
	r = &Runner{}
	if err := decodeStrict(manifest, &r.Manifest); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", folder, manifestFile, err)
	}
	if err := r.Manifest.check(folder); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", folder, manifestFile, err)
	}
	if r.FS, err = fs.Sub(fsys, folder); err != nil {
		return nil, err
	}
	if len(r.Include) > 0 {
		if r.FS, err = include(fsys, r.FS, r.Include); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", folder, manifestFile, err)
		}
	}
	if r.Codecs, err = readCodecs(r.FS); err != nil {
		return nil, fmt.Errorf("%s/%w", folder, err)
	}
	if r.Transports, err = readTransports(r.FS); err != nil {
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
		if n.For != "" && (n.For != forSetup && n.For != forRun || len(n.Codecs) > 0) {
			return fmt.Errorf("%s is for %q; want setup or run, or nothing, and then no codecs", n.Program, n.For)
		}
		if _, ok := parseVersion(n.Minimum); n.Minimum != "" && !ok {
			return fmt.Errorf("minimum of %s is %q; want a version such as 1.26", n.Program, n.Minimum)
		}
	}
	run := slices.DeleteFunc(slices.Clone(m.Run), func(w string) bool { return w == memoryMark })
	commands := slices.Concat(m.Setup, m.Checks, m.Warm, m.Generate, m.Build, [][]string{run})
	for _, c := range commands {
		if len(c) == 0 || c[0] == "" {
			return errors.New("a command is empty; every command and run need a program")
		}
	}
	if err := m.Memory.check(m.Run); err != nil {
		return err
	}
	return m.checkPlaceholders(commands)
}

func (m *Manifest) checkPlaceholders(commands [][]string) error {
	words := slices.Concat(commands...)
	if run := commands[len(commands)-1]; run[0] == programMark { // which has more of its own
		words = words[:len(words)-len(run)]
	}
	for _, v := range m.Environment {
		words = append(words, v)
	}
	homeless := len(m.Setup) == 0
	for _, w := range words {
		for _, p := range placeholder.FindAllStringSubmatch(w, -1) {
			if !slices.Contains([]string{"home", "tools", "codecs", "wirecost", "exe"}, p[1]) {
				return fmt.Errorf("unknown placeholder {%s} in %q; there are {home}, {tools}, {codecs}, {wirecost} and {exe}", p[1], w)
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
