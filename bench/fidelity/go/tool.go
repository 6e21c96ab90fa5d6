// Package gotool measures the Go codecs by testing.B.Loop, in the runner's own
// program: where a linker puts code was seen to make 7% for small messages.
package gotool

import (
	"bufio"
	"context"
	_ "embed"
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

// source is the program.
//
//go:embed loop.go.txt
var source []byte

// Tool is testing.B.Loop. It is a tool.Tool.
type Tool struct{ program string }

// Name implements tool.Tool.
func (*Tool) Name() string { return "testing.B.Loop" }

// Build implements tool.Tool. The runner's side gets the program that holds both.
func (t *Tool) Build(ctx context.Context, b *runner.Build, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(b.Dir)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "loop.go"), source, 0o644); err != nil {
		return err
	}
	b.Dir = dir
	t.program = filepath.Join(dir, filepath.Base(b.Command().Words[0]))
	c := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", t.program, ".")
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
func (t *Tool) Start(ctx context.Context) (tool.Process, error) {
	c := exec.CommandContext(ctx, t.program)
	c.Env = append(os.Environ(), "FIDELITY_LOOP=1")
	c.Stderr = os.Stderr
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
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("the benchmark of %s %s ended: %w", r.Codec, r.Operation, err)
	}
	if problem, failed := strings.CutPrefix(line, "error\t"); failed {
		return 0, errors.New(strings.TrimSpace(problem))
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the benchmark of %s %s answered %q", r.Codec, r.Operation, line)
	}
	return time.Duration(ns), nil
}

// Close implements tool.Process.
func (p *process) Close() error {
	return errors.Join(p.in.Close(), p.command.Wait())
}
