// Package nodetool measures the JavaScript codecs by mitata: a program beside the
// build, which loads the runner's codecs and libraries from there.
package nodetool

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
//go:embed loop.mjs
var source []byte

// Tool is mitata. It is a tool.Tool.
type Tool struct{ program, build string }

// Name implements tool.Tool.
func (*Tool) Name() string { return "mitata" }

// Build implements tool.Tool.
func (t *Tool) Build(_ context.Context, b *runner.Build, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	t.program, t.build = filepath.Join(dir, "loop.mjs"), b.Dir
	return os.WriteFile(t.program, source, 0o644)
}

// Start implements tool.Tool.
func (t *Tool) Start(ctx context.Context, _ runner.Process) (tool.Process, error) {
	return tool.Lines(exec.CommandContext(ctx, "node", "--expose-gc", t.program, t.build))
}
