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

	"wirecost/internal/bench"
	"wirecost/internal/schema"
)

// Builder builds runners for schemas and keeps the builds. Several wirecost
// processes may use one cache at the same time.
type Builder struct {
	Cache   string // an absolute path; DefaultCache unless a user says otherwise
	Version string // of wirecost: a new version builds anew
	Program string // wirecost's own, for runners that use it; default: the program that runs
}

// DefaultCache is $WIRECOST_CACHE, or wirecost's folder among the user's caches.
func DefaultCache() (string, error) {
	if dir := os.Getenv("WIRECOST_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder: %w; set WIRECOST_CACHE to a folder", err)
	}
	return filepath.Join(dir, "wirecost"), nil
}

// BuildRequest asks for a runner that knows a schema.
type BuildRequest struct {
	Model  *schema.Model
	Sets   map[string][]byte // files for the generators: name within the build folder → content
	Codecs []string
	// Transports are what the runner shall serve and call over besides, of those
	// that it has; memory needs nothing.
	Transports []bench.Transport
	Progress   func(string) // told what is going on, one line each; may be nil
}

// Build is a runner that is ready to start.
type Build struct {
	Dir     string
	Runner  *Runner
	Codecs  []string // built in
	Dropped []Dropped
	Cached  bool // it was there already

	Transports        []bench.Transport // built in
	DroppedTransports []DroppedTransport

	tools, home, program string
}

// Dropped is a codec that could not be built for the schema.
type Dropped struct {
	Codec  string `json:"codec"`
	Reason string `json:"reason"`
}

// DroppedTransport is a transport that could not be built.
type DroppedTransport struct {
	Transport bench.Transport `json:"transport"`
	Reason    string          `json:"reason"`
}

// Warm runs the manifest's warm commands: work that needs no schema. It runs
// them once per version of the runner, of its tools, and selection of codecs and
// transports.
func (b *Builder) Warm(ctx context.Context, r *Runner, codecs []string, transports ...bench.Transport) error {
	m, err := b.materials(ctx, r, codecs, transports)
	if err != nil {
		return err
	}
	return b.warm(ctx, r, m, func(string) {})
}

// materials are what a build is made of besides the runner and the schema.
type materials struct {
	id         string // of the installed programs and libraries
	home       string
	program    string // wirecost's own, where the runner uses it
	codecs     []Codec
	dropped    []Dropped // chosen, but what they need is not installed
	transports []Transport
}

// materials chooses codecs and transports, and fails where the runtime is not
// ready.
func (b *Builder) materials(ctx context.Context, r *Runner, codecs []string, transports []bench.Transport) (materials, error) {
	chosen, err := r.choose(codecs)
	if err != nil {
		return materials{}, err
	}
	crossed, err := r.chooseTransports(transports)
	if err != nil {
		return materials{}, err
	}
	status, err := b.Look(ctx, r)
	if err != nil {
		return materials{}, err
	}
	if problem := status.Problem(); problem != "" {
		return materials{}, errors.New(problem)
	}
	touch(status.Home.Dir)
	m := materials{id: status.id(), home: status.Home.Dir, codecs: chosen, transports: crossed}
	if m.program, err = b.program(r); err != nil {
		return materials{}, err
	}
	if mentions(slices.Concat(r.Manifest.Warm, r.Generate, r.Manifest.Build), programMark) {
		digest, err := fileDigest(m.program)
		if err != nil {
			return materials{}, err
		}
		m.id += "\n" + digest
	}
	for _, d := range status.Lacking() {
		if selected(m.codecs, d.Codec) {
			m.codecs, m.dropped = without(m.codecs, d.Codec), append(m.dropped, d)
		}
	}
	if len(m.codecs) == 0 {
		return materials{}, nothingBuilds(r, m.dropped)
	}
	return m, nil
}

func (b *Builder) warm(ctx context.Context, r *Runner, m materials, progress func(string)) error {
	tools := b.toolsDir(r)
	if err := os.MkdirAll(tools, 0o755); err != nil {
		return err
	}
	touch(tools)
	if len(r.Manifest.Warm) == 0 {
		return nil
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%v", m.id, strings.Join(names(m.codecs), ","), transportNames(m.transports)))
	marker := filepath.Join(tools, "warm-"+hex.EncodeToString(sum[:8]))
	unlock, err := b.lock(ctx, r, progress)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(marker); err == nil {
		return nil
	}
	progress(fmt.Sprintf("preparing the tools and libraries of %s for %s", plural(len(m.codecs), "codec"), r.Runtime))
	dir, err := os.MkdirTemp(tools, "warm.tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := r.Render(&schema.Model{Format: schema.ModelFormat}, m.codecs, m.transports, dir); err != nil {
		return err
	}
	a := attempt{runner: r, materials: m, dir: dir, tools: tools}
	if _, err := a.commands(ctx, r.Manifest.Warm); err != nil {
		return err
	}
	return os.WriteFile(marker, nil, 0o644)
}

// Build gives a runner for the schema, out of the cache where that build is
// there and whole. Codecs that do not build, or whose needs are not installed, are
// dropped, and the rest is built. It fails where the runtime is not ready, and
// where no codec can be built.
func (b *Builder) Build(ctx context.Context, r *Runner, req BuildRequest) (*Build, error) {
	if req.Progress == nil {
		req.Progress = func(string) {}
	}
	if req.Model == nil {
		return nil, errors.New("a build needs a model")
	}
	m, err := b.materials(ctx, r, req.Codecs, req.Transports)
	if err != nil {
		return nil, err
	}
	key, err := b.key(r, req, m)
	if err != nil {
		return nil, err
	}
	build := &Build{Dir: filepath.Join(b.Cache, buildsFolder, key), Runner: r, tools: b.toolsDir(r), home: m.home, program: m.program}
	if build.reuse() {
		return build, nil
	}
	// A failure to warm up is told only if the build fails as well: it may be one
	// codec's, which the build drops.
	cold := b.warm(ctx, r, m, req.Progress)
	unlock, err := b.lock(ctx, r, req.Progress)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if build.reuse() { // another process has just made it
		return build, nil
	}
	if err := b.make(ctx, build, req, m); err != nil {
		return nil, withCause(err, cold)
	}
	b.prune(key)
	return build, nil
}

// withCause puts the failure to warm up before a build's command that failed,
// unless that says the same.
func withCause(err, cold error) error {
	var a, b *commandError
	if cold == nil || !errors.As(err, &a) || errors.As(cold, &b) && firstLines(a.output, 1) == firstLines(b.output, 1) {
		return err
	}
	return errors.Join(cold, err)
}

// make builds beside the final folder and moves there what is complete.
func (b *Builder) make(ctx context.Context, build *Build, req BuildRequest, m materials) error {
	temporary := build.Dir + ".tmp"
	defer os.RemoveAll(temporary)
	d := drive{attempt: attempt{runner: build.Runner, request: req, materials: m, dir: temporary, tools: build.tools}}
	if err := d.run(ctx); err != nil {
		return err
	}
	build.Codecs, build.Dropped = names(d.codecs), d.dropped
	build.Transports, build.DroppedTransports = transportNames(d.transports), d.lost
	if err := writeMarker(temporary, marker{
		Codecs: build.Codecs, Dropped: build.Dropped, Guessed: d.guessed,
		Transports: build.Transports, DroppedTransports: build.DroppedTransports,
	}); err != nil {
		return err
	}
	if err := os.RemoveAll(build.Dir); err != nil { // a broken one
		return err
	}
	return os.Rename(temporary, build.Dir)
}

// choose turns names into codecs, in the order of names.
func (r *Runner) choose(names []string) ([]Codec, error) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	var codecs []Codec
	for _, n := range names {
		c, ok := r.Codec(n)
		if !ok {
			return nil, fmt.Errorf("the runner for %s has no codec %q", r.Runtime, n)
		}
		codecs = append(codecs, c)
	}
	if len(codecs) == 0 {
		return nil, fmt.Errorf("no codec is selected for %s", r.Runtime)
	}
	return codecs, nil
}

// key names a build by everything that it is made of.
func (b *Builder) key(r *Runner, req BuildRequest, m materials) (string, error) {
	model, err := json.Marshal(req.Model)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, part := range []string{b.Version, r.Runtime, r.Digest, m.id, strings.Join(names(m.codecs), ",")} {
		hashPart(h, []byte(part))
	}
	for _, d := range m.dropped {
		hashPart(h, []byte(d.Codec)) // the build remembers it
	}
	for _, name := range transportNames(m.transports) {
		hashPart(h, []byte(name))
	}
	hashPart(h, model)
	for _, name := range sortedKeys(req.Sets) {
		hashPart(h, []byte(name))
		hashPart(h, req.Sets[name])
	}
	return r.Runtime + "-" + hex.EncodeToString(h.Sum(nil))[:32], nil
}

func (b *Builder) toolsDir(r *Runner) string {
	return filepath.Join(b.Cache, toolsFolder, r.Runtime+"-"+r.Digest[:min(32, len(r.Digest))])
}

// lock keeps other wirecost processes, and other calls in this one, from
// building or setting up the same runtime. It waits until it can or ctx ends, and
// says so.
func (b *Builder) lock(ctx context.Context, r *Runner, progress func(string)) (unlock func(), err error) {
	if err := os.MkdirAll(b.Cache, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(b.Cache, r.Runtime+".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for waits := 0; ; waits++ {
		ok, err := lockFile(f)
		if ok {
			return func() { f.Close() }, nil
		}
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		if waits == 1 {
			progress("waiting for another wirecost that prepares " + r.Runtime)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("another wirecost prepares %s: %w", r.Runtime, context.Cause(ctx))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// writeSets writes the generators' input into the build folder.
func writeSets(dir string, sets map[string][]byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range sortedKeys(sets) {
		if !fs.ValidPath(name) {
			return fmt.Errorf("set %q: not a path within the build folder", name)
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, sets[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
