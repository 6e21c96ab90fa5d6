package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// SetupRequest says how to set up a runtime.
type SetupRequest struct {
	Again    bool         // even where it is whole
	Progress func(string) // told what is going on, one line each; may be nil
}

// Setup fills the runner's home: it copies the files of the folder setup there
// and runs the setup commands, unless it is whole already. Homes are made in
// their place, since virtual environments cannot move; the marker with the list
// of all files, written last, tells a whole home from others. If a command
// fails, what was there before comes back.
func (b *Builder) Setup(ctx context.Context, r *Runner, req SetupRequest) (home Home, cached bool, err error) {
	if req.Progress == nil {
		req.Progress = func(string) {}
	}
	status, err := b.Look(ctx, r)
	if err != nil {
		return Home{}, false, err
	}
	if missing := status.missing(); missing != "" {
		return Home{}, false, errors.New(missing)
	}
	dir := status.Home.Dir
	if dir == "" {
		return Home{}, true, nil
	}
	unlock, err := b.lock(ctx, r, req.Progress)
	if err != nil {
		return Home{}, false, err
	}
	defer unlock()
	home = readHome(dir, r.Runtime) // another process may just have made it
	if home.Problem == "" {
		if err := b.examine(ctx, r, &home); err != nil {
			return Home{}, false, err
		}
	}
	if home.Problem == "" && !req.Again {
		touch(dir)
		return home, true, nil
	}
	if _, err := os.Stat(dir); err == nil && home.Problem != "" {
		why, _, _ := strings.Cut(home.Problem, "; run: ")
		req.Progress(why + "; doing it again")
	}
	home = Home{Dir: dir}
	if home.Versions, err = b.fill(ctx, r, dir, req.Progress); err != nil {
		return Home{}, false, err
	}
	b.pruneHomes(r, dir)
	return home, false, nil
}

// fill makes a home in its place. What was there is kept aside meanwhile.
func (b *Builder) fill(ctx context.Context, r *Runner, dir string, progress func(string)) (versions string, err error) {
	aside := dir + ".old"
	if err := os.RemoveAll(aside); err != nil {
		return "", err
	}
	if err := os.Rename(dir, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	defer func() {
		if err != nil && os.RemoveAll(dir) == nil {
			_ = os.Rename(aside, dir) // if there was one
		}
		_ = os.RemoveAll(aside)
	}()
	if err := r.writeSetupFiles(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(b.toolsDir(r), 0o755); err != nil {
		return "", err
	}
	p, err := b.setupPlaceholders(r, dir)
	if err != nil {
		return "", err
	}
	if err := p.setUp(ctx, r, progress); err != nil {
		return "", err
	}
	versions, err = b.check(ctx, r, dir)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("setting up %s came to its end, but %w", r.Runtime, err)
	}
	return versions, writeHomeMarker(dir, versions)
}

func (r *Runner) writeSetupFiles(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := r.setupFiles()
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// setupPlaceholders is what setup and check commands stand on: they know all codecs.
func (b *Builder) setupPlaceholders(r *Runner, dir string) (placeholders, error) {
	program, err := b.program(r)
	return placeholders{home: dir, tools: b.toolsDir(r), program: program, codecs: r.Codecs}, err
}

// setupError is a setup command that did not succeed.
type setupError struct {
	runtime, command string
	output           string // its last lines
	err              error
}

func (e *setupError) Error() string {
	s := fmt.Sprintf("setting up %s: %s: %v", e.runtime, e.command, e.err)
	if e.output != "" {
		s += "; its output ends with:\n" + e.output
	}
	return s
}

func (e *setupError) Unwrap() error { return e.err }

// setUp runs the setup commands.
func (p placeholders) setUp(ctx context.Context, r *Runner, progress func(string)) error {
	dir, commands := p.home, p.commands(r.Manifest.Setup)
	for i, words := range commands {
		shown := strings.ReplaceAll(strings.Join(words, " "), dir+string(filepath.Separator), "")
		progress(fmt.Sprintf("setting up %s, %d of %d: %s", r.Runtime, i+1, len(commands), shown))
		var last tail
		err := command{words: words, dir: dir, env: p.environment(r.Environment)}.runTo(ctx, &last, &last)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return &setupError{r.Runtime, shown, last.Lines(setupErrorLines), err}
		}
	}
	return nil
}

const (
	setupErrorLines = 15
	checkTime       = time.Minute // for all checks of a runtime; they should take two seconds
)

// check runs the check commands and gives the versions that they tell.
func (b *Builder) check(ctx context.Context, r *Runner, dir string) (versions string, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	p, err := b.setupPlaceholders(r, dir)
	if err != nil {
		return "", err
	}
	var told []string
	for _, words := range p.commands(r.Checks) {
		out, err := command{words: words, dir: dir, env: p.environment(r.Environment)}.run(ctx)
		if err != nil {
			shown := strings.ReplaceAll(words[0], dir+string(filepath.Separator), "")
			return "", fmt.Errorf("its check with %s fails (%w%s)", shown, err, because(out))
		}
		if first := firstLines(out.stdout, 1); first != "" {
			told = append(told, first)
		}
	}
	return strings.Join(told, ", "), nil
}
