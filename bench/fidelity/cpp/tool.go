// Package cpptool measures the C++ codecs by Google Benchmark: a program of the
// runner's own objects, so that types, codecs and versions are the same.
package cpptool

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

// source is the program, and makefile how it is built.
var (
	//go:embed loop.cpp.txt
	source []byte
	//go:embed loop.mk
	makefile []byte
)

// Tool is Google Benchmark. It is a tool.Tool.
type Tool struct{ dir string }

// Name implements tool.Tool.
func (*Tool) Name() string { return "benchmark" }

// Build implements tool.Tool.
func (t *Tool) Build(ctx context.Context, b *runner.Build, dir string) error {
	if err := exec.CommandContext(ctx, "pkg-config", "--exists", "benchmark").Run(); err != nil {
		return fmt.Errorf("pkg-config does not know Google's benchmark (%w); get it: apt-get install -y libbenchmark-dev", err)
	}
	if err := os.CopyFS(dir, os.DirFS(b.Dir)); err != nil {
		return err
	}
	for name, content := range map[string][]byte{"loop.cpp": source, "loop.mk": makefile} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	t.dir = dir
	c := exec.CommandContext(ctx, "make", "-f", "loop.mk", "loop")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("the benchmark does not build: %w\n%s", err, out)
	}
	return nil
}

// Start implements tool.Tool.
func (t *Tool) Start(ctx context.Context, _ runner.Process) (tool.Process, error) {
	c := exec.CommandContext(ctx, "./loop")
	c.Dir = t.dir
	return tool.Lines(c)
}
