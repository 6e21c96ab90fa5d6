package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const homeMarkerFile = "wirecost-home.json"

// Home is the folder that holds a runner's pinned libraries: {home}. There is
// one for each version of what fills it.
type Home struct {
	Dir      string // empty: the runner has no set-up
	Versions string // what the check commands told when it was set up
	Problem  string // why it cannot be used, and what to try; empty: it can
}

// homeMarker is the last file that is written of a home: without it the set-up
// was interrupted, and one whose files are not as it says is broken.
type homeMarker struct {
	Versions string           `json:"versions,omitempty"`
	Files    map[string]int64 `json:"files"`
}

// Status is what there is of a runtime.
type Status struct {
	Needs []NeedStatus
	Home  Home
}

// Problem says why nothing can be built for the runtime, and what to try. Empty:
// it is ready.
func (s Status) Problem() string {
	if missing := s.missing(); missing != "" {
		return missing
	}
	return s.Home.Problem
}

// Missing lists the programs that the whole runtime needs and has not. What only
// the set-up needs is none of them once that is done.
func (s Status) Missing() []NeedStatus {
	var missing []NeedStatus
	for _, n := range s.Needs {
		if !n.OK() && len(n.Codecs) == 0 && (n.For != forSetup || s.Home.Problem != "") {
			missing = append(missing, n)
		}
	}
	return missing
}

func (s Status) missing() string {
	var problems []string
	for _, n := range s.Missing() {
		problems = append(problems, n.Problem)
	}
	return strings.Join(problems, "; ")
}

// Lacking tells which codecs cannot be built although the runtime is ready.
func (s Status) Lacking() []Dropped { return lacking(s.Needs) }

// id is all that a build depends on besides the runner and the schema.
func (s Status) id() string {
	var id []string
	for _, n := range s.Needs {
		if n.For != forSetup {
			id = append(id, n.Program, n.Path, n.Output)
		}
	}
	return strings.Join(append(id, s.Home.Dir), "\n")
}

// Look tells what there is of a runtime: the programs that it needs, and its
// home, by the list of its files. The error is that of a cancelled context, or
// of a cache that cannot be read.
func (b *Builder) Look(ctx context.Context, r *Runner) (Status, error) {
	if !filepath.IsAbs(b.Cache) {
		return Status{}, fmt.Errorf("the cache folder %q is not an absolute path", b.Cache)
	}
	needs, err := r.Check(ctx)
	s := Status{Needs: needs}
	if err != nil || len(r.Manifest.Setup) == 0 {
		return s, err
	}
	dir, err := b.homeDir(r, needs)
	if err == nil {
		s.Home = readHome(dir, r.Runtime)
	}
	return s, err
}

// Examine looks closer: it runs the check commands as well.
func (b *Builder) Examine(ctx context.Context, r *Runner) (Status, error) {
	s, err := b.Look(ctx, r)
	if err == nil && s.Problem() == "" && s.Home.Dir != "" {
		err = b.examine(ctx, r, &s.Home)
	}
	return s, err
}

func (b *Builder) examine(ctx context.Context, r *Runner, h *Home) error {
	versions, err := b.check(ctx, r, h.Dir)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		h.Problem = brokenHome(r.Runtime, err.Error())
		return nil
	}
	h.Versions = versions
	return nil
}

func brokenHome(runtime, why string) string {
	return fmt.Sprintf("the set-up of %s is broken (%s); run: wirecost setup %[1]s", runtime, why)
}

// homeDir names a home by everything that fills it.
func (b *Builder) homeDir(r *Runner, needs []NeedStatus) (string, error) {
	h := sha256.New()
	p := placeholders{tools: b.toolsDir(r), program: programMark, codecs: r.Codecs} // wherever the program is
	for _, words := range p.commands(r.Manifest.Setup) {
		for _, w := range append(words, "") {
			hashPart(h, []byte(w))
		}
	}
	if mentions(r.Manifest.Setup, programMark) {
		hashPart(h, []byte(release(b.Version)))
	}
	for _, name := range sortedKeys(r.Environment) {
		hashPart(h, []byte(name+"="+r.Environment[name]))
	}
	for _, n := range needs {
		if len(n.Codecs) == 0 && n.For == "" {
			hashPart(h, []byte(strings.Join([]string{n.Program, n.Path, n.Output}, "\n")))
		}
	}
	files, err := r.setupFiles()
	if err != nil {
		return "", err
	}
	for _, name := range sortedKeys(files) {
		hashPart(h, []byte(name))
		hashPart(h, files[name])
	}
	return filepath.Join(b.Cache, homesFolder, r.Runtime+"-"+hex.EncodeToString(h.Sum(nil))[:16]), nil
}

// setupFiles are the files that a home begins with.
func (r *Runner) setupFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(r.FS, setupFolder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name = strings.TrimPrefix(name, setupFolder+"/")
		files[strings.TrimSuffix(name, templateSuffix)], err = fs.ReadFile(r.FS, setupFolder+"/"+name)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return files, nil // set up by commands alone
	}
	return files, err
}

// readHome tells whether a home is there and whole.
func readHome(dir, runtime string) Home {
	h := Home{Dir: dir}
	raw, err := os.ReadFile(filepath.Join(dir, homeMarkerFile))
	if err != nil {
		h.Problem = fmt.Sprintf("%s is not set up; run: wirecost setup %[1]s", runtime)
		if _, err := os.Stat(dir); err == nil {
			h.Problem = fmt.Sprintf("the set-up of %s is not complete; run: wirecost setup %[1]s", runtime)
		}
		return h
	}
	var m homeMarker
	if json.Unmarshal(raw, &m) != nil {
		h.Problem = brokenHome(runtime, "the list of its files cannot be read")
		return h
	}
	if what := damage(dir, m.Files); what != "" {
		h.Problem = brokenHome(runtime, what)
	}
	h.Versions = m.Versions
	return h
}

// writeHomeMarker completes a home.
func writeHomeMarker(dir, versions string) error {
	files, err := fileSizes(dir)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(homeMarker{versions, files})
	if err != nil {
		return err
	}
	marker := filepath.Join(dir, homeMarkerFile)
	if err := os.WriteFile(marker+".tmp", raw, 0o644); err != nil {
		return err
	}
	return os.Rename(marker+".tmp", marker)
}

// pruneHomes removes homes that have not been used for long, and the oldest of a
// runtime with many, but never the one just made.
func (b *Builder) pruneHomes(r *Runner, made string) {
	entries := slices.DeleteFunc(b.entries(homesFolder), func(e entry) bool {
		return !strings.HasPrefix(filepath.Base(e.path), r.Runtime+"-")
	})
	for i, e := range entries {
		if age := time.Since(e.used); e.path != made && age > keepInUse && (i >= keepHomes || age > keepTools) {
			_ = os.RemoveAll(e.path)
		}
	}
}
