// Package nodetool measures the JavaScript codecs by tinybench, in the runner's own
// process.
package nodetool

import (
	"context"
	_ "embed"

	"wirecost/bench/fidelity/tool"
	"wirecost/internal/runner"
)

// source takes the place of the runner's main program and uses what that uses.
//
//go:embed loop.mjs
var source []byte

// Tool is tinybench. It is a tool.Tool.
type Tool struct{}

// Name implements tool.Tool.
func (*Tool) Name() string { return "tinybench" }

// Build implements tool.Tool. The runner's side gets the program that holds both.
func (*Tool) Build(_ context.Context, b *runner.Build, dir string) error {
	return tool.Replace(b, dir, source)
}

// Start implements tool.Tool.
func (*Tool) Start(_ context.Context, ours runner.Process) (tool.Process, error) {
	return tool.Within(ours)
}

// SettlesFirst says that the tool collects before it warms up: V8 makes the young
// generation small in a forced collection, and lets it grow again as the program works.
func (*Tool) SettlesFirst() bool { return true }
