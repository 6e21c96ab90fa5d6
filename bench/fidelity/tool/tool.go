// Package tool is what the fidelity check asks of an ecosystem's own benchmark
// tool. Each runtime that can be checked has a folder with one.
package tool

import (
	"context"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// Tool makes programs of an ecosystem's own benchmark tool.
type Tool interface {
	// Name is what the tool is called in the table.
	Name() string
	// Build makes a program around the code that the runner was built of. The folder is for it alone.
	Build(ctx context.Context, b *runner.Build, dir string) error
	// Start starts the program in a fresh process; a tool that Build has put into
	// the runner's program uses the runner's process.
	Start(ctx context.Context, ours runner.Process) (Process, error)
}

// Process is a program that runs.
type Process interface {
	// Measure returns the time of all iterations together, collection included,
	// as the tool measures it.
	Measure(ctx context.Context, r Request) (time.Duration, error)
	Close() error
}

// Request says what to measure: operation i uses document i mod their number.
type Request struct {
	Sample     string
	Codec      string
	Operation  bench.Operation
	Root       int    // of the documents, in the order of the model's roots
	File       string // of documents, as runners get them
	Warm       int    // iterations before
	Iterations int
}

// SettlesFirst reports whether a tool brings the heap to rest before it warms up,
// and not between that and the batch. Such a tool has a method of this name.
func SettlesFirst(t Tool) bool {
	x, ok := t.(interface{ SettlesFirst() bool })
	return ok && x.SettlesFirst()
}
