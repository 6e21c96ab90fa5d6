package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wirecost/internal/runner"
)

// Replace copies a build to dir, with program in the place of its main program,
// which is kept beside it under the name protocol_main, and makes the build start
// that.
func Replace(b *runner.Build, dir string, program []byte) error {
	if err := os.CopyFS(dir, os.DirFS(b.Dir)); err != nil {
		return err
	}
	words := b.Command().Words
	main := filepath.Join(dir, words[len(words)-1])
	if err := os.Rename(main, filepath.Join(dir, "protocol_main"+filepath.Ext(main))); err != nil {
		return err
	}
	b.Dir = dir
	return os.WriteFile(main, program, 0o644)
}

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
