// Package pythontool measures the Python codecs by timeit, in the runner's own
// process and with its interpreter.
package pythontool

import (
	"context"
	_ "embed"

	"wirecost/bench/fidelity/tool"
	"wirecost/internal/runner"
)

// source takes the place of the runner's main program and uses it.
//
//go:embed loop.py
var source []byte

// Tool is timeit. It is a tool.Tool.
type Tool struct{}

// Name implements tool.Tool.
func (*Tool) Name() string { return "timeit" }

// Build implements tool.Tool. The runner's side gets the program that holds both.
func (*Tool) Build(_ context.Context, b *runner.Build, dir string) error {
	return tool.Replace(b, dir, source)
}

// Start implements tool.Tool.
func (*Tool) Start(_ context.Context, ours runner.Process) (tool.Process, error) {
	return tool.Within(ours)
}
