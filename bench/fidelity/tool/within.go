package tool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wirecost/internal/runner"
)

// Within asks the runner's own process for the tool's measurements. It must answer
// the line "benchmark" and, separated by tabs, sample, codec, operation, warm-up
// iterations and iterations, with the nanoseconds of all iterations, or with
// "error" and what went wrong.
func Within(p runner.Process) (Process, error) {
	x, ok := p.(exchanger)
	if !ok {
		return nil, errors.New("the runner takes no lines besides the protocol's")
	}
	return within{x}, nil
}

type exchanger interface {
	Exchange(ctx context.Context, line []byte) ([]byte, error)
}

type within struct{ exchanger }

// Measure implements Process.
func (p within) Measure(ctx context.Context, r Request) (time.Duration, error) {
	line, err := p.Exchange(ctx, fmt.Appendf(nil, "benchmark\t%s\t%s\t%s\t%d\t%d", r.Sample, r.Codec, r.Operation, r.Warm, r.Iterations))
	if err != nil {
		return 0, err
	}
	return took(r, string(line))
}

// Close implements Process: the process is the runner's.
func (within) Close() error { return nil }
