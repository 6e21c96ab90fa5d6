// Package gotool measures the Go codecs by testing.B.Loop, in the runner's own
// process: where a linker puts code was seen to make 7% for small messages, and
// how a heap has grown 6%.
package gotool

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"wirecost/bench/fidelity/tool"
	"wirecost/internal/runner"
)

// source is what the runner's program gets besides.
//
//go:embed loop.go.txt
var source []byte

// Tool is testing.B.Loop. It is a tool.Tool.
type Tool struct{}

// Name implements tool.Tool.
func (*Tool) Name() string { return "testing.B.Loop" }

// Build implements tool.Tool. The runner's side gets the program that holds both.
func (*Tool) Build(ctx context.Context, b *runner.Build, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(b.Dir)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "loop.go"), source, 0o644); err != nil {
		return err
	}
	b.Dir = dir
	program := filepath.Join(dir, filepath.Base(b.Command().Words[0]))
	c := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, ".")
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
func (*Tool) Start(_ context.Context, ours runner.Process) (tool.Process, error) {
	return tool.Within(ours)
}
