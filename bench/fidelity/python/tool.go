// Package pythontool measures the Python codecs by timeit: a program beside the
// build, which loads the runner's codecs from there and runs in the same virtual
// environment.
package pythontool

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"

	"wirecost/bench/fidelity/tool"
	"wirecost/internal/runner"
)

// source is the program.
//
//go:embed loop.py
var source []byte

// Tool is timeit. It is a tool.Tool.
type Tool struct {
	words       []string
	environment []string
}

// Name implements tool.Tool.
func (*Tool) Name() string { return "timeit" }

// Build implements tool.Tool.
func (t *Tool) Build(_ context.Context, b *runner.Build, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	program := filepath.Join(dir, "loop.py")
	run := b.Command() // the interpreter with its flags, then the runner's own program
	t.words = append(run.Words[:len(run.Words)-1:len(run.Words)-1], program, b.Dir)
	t.environment = os.Environ()
	for k, v := range run.Environment {
		t.environment = append(t.environment, k+"="+v)
	}
	return os.WriteFile(program, source, 0o644)
}

// Start implements tool.Tool.
func (t *Tool) Start(ctx context.Context) (tool.Process, error) {
	c := exec.CommandContext(ctx, t.words[0], t.words[1:]...)
	c.Env = t.environment
	return tool.Lines(c)
}
