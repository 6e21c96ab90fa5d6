// Package rusttool measures the Rust codecs by criterion: a program in the build's
// own package, so that types, codecs, versions and compiler flags are those of the
// runner.
package rusttool

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wirecost/bench/fidelity/tool"
	"wirecost/internal/runner"
)

// sources are the program, and the lock file of the package with it.
//
//go:embed loop.rs harness.rs Cargo.lock
var sources embed.FS

// dependency and binary go into the package's manifest.
const (
	dependency = "criterion = { version = \"0.8\", default-features = false }\n"
	binary     = "\n[[bin]]\nname = \"loop\"\npath = \"loop/loop.rs\"\n"
)

// Tool is criterion. It is a tool.Tool.
type Tool struct{ program, folder string }

// Name implements tool.Tool.
func (*Tool) Name() string { return "criterion" }

// Build implements tool.Tool. It needs crates.io the first time.
func (t *Tool) Build(ctx context.Context, b *runner.Build, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(b.Dir)); err != nil {
		return err
	}
	for source, file := range map[string]string{"loop.rs": "loop/loop.rs", "harness.rs": "loop/harness.rs", "Cargo.lock": "Cargo.lock"} {
		text, err := sources.ReadFile(source)
		if err == nil {
			err = writeFile(filepath.Join(dir, filepath.FromSlash(file)), text)
		}
		if err != nil {
			return err
		}
	}
	manifest := filepath.Join(dir, "Cargo.toml")
	text, err := os.ReadFile(manifest)
	if err != nil {
		return err
	}
	changed := strings.Replace(string(text), "\n[dependencies]\n", "\n[dependencies]\n"+dependency, 1) + binary
	if err := os.WriteFile(manifest, []byte(changed), 0o644); err != nil {
		return err
	}
	t.folder, t.program = dir, filepath.Join(dir, "bin", "loop")
	return build(ctx, b, dir)
}

func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o644)
}

// build compiles the program as the runner was.
func build(ctx context.Context, b *runner.Build, dir string) error {
	cache, err := runner.DefaultCache()
	if err != nil {
		return err
	}
	status, err := (&runner.Builder{Cache: cache}).Look(ctx, b.Runner)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "cargo", "install", "--path", ".", "--root", ".", "--bin", "loop", "--features", strings.Join(b.Codecs, ","),
		"--no-track", "--locked", "--config", filepath.Join(status.Home.Dir, "config", "default-mode.toml"))
	c.Dir, c.Env = dir, os.Environ()
	for k, v := range b.Command().Environment {
		c.Env = append(c.Env, k+"="+v)
	}
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("the benchmark does not build: %w\n%s", err, out)
	}
	return nil
}

// Start implements tool.Tool.
func (t *Tool) Start(ctx context.Context, _ runner.Process) (tool.Process, error) {
	c := exec.CommandContext(ctx, t.program)
	c.Env = append(os.Environ(), "CRITERION_HOME="+filepath.Join(t.folder, "criterion"))
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{c, in, bufio.NewReader(out)}, c.Start()
}

// process is the program at work: a line of fields asks, a line answers.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Measure implements tool.Process. The context has ended the program when it ends.
func (p *process) Measure(_ context.Context, r tool.Request) (time.Duration, error) {
	_, err := fmt.Fprintf(p.in, "%s\t%s\t%d\t%s\t%d\t%d\n", r.Codec, r.Operation, r.Root, r.File, r.Warm, r.Iterations)
	if err != nil {
		return 0, fmt.Errorf("the benchmark has ended: %w", err)
	}
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			return 0, fmt.Errorf("the benchmark of %s %s ended: %w", r.Codec, r.Operation, err)
		}
		if problem, failed := strings.CutPrefix(line, "error\t"); failed {
			return 0, errors.New(strings.TrimSpace(problem))
		}
		answer, ok := strings.CutPrefix(line, "wirecost\t")
		if !ok {
			continue // criterion's own
		}
		ns, err := strconv.ParseInt(strings.TrimSpace(answer), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("the benchmark of %s %s answered %q", r.Codec, r.Operation, line)
		}
		return time.Duration(ns), nil
	}
}

// Close implements tool.Process.
func (p *process) Close() error {
	return errors.Join(p.in.Close(), p.command.Wait())
}
