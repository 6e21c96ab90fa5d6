package runner

import (
	"context"
	"fmt"
	"time"
)

// Process is a runner that runs: a child process, a page in a browser, or a
// fake. Requests go one at a time; it is not for several goroutines.
//
// A request may fail in three ways: with a *SkippedError (it could not be
// tried), with a *FailedError (it was tried and went wrong), after both of which
// the process goes on; or with a *ProcessError, after which it is of no use
// and every further request gets the same error. The context's deadline is the
// request's: a process that does not answer in time is killed.
type Process interface {
	Describe(ctx context.Context) (*Description, error)
	Prepare(ctx context.Context, samples []SampleFiles, codecs []string) (*PrepareReply, error)
	Verify(ctx context.Context, req VerifyRequest) (*VerifyReply, error)
	Cold(ctx context.Context, req ColdRequest) (*ColdReply, error)
	// Measure's reply is valid until the next Measure.
	Measure(ctx context.Context, req MeasureRequest) (*MeasureReply, error)
	Memory(ctx context.Context, req MemoryRequest) (*MemoryReply, error)
	Empty(ctx context.Context, req EmptyRequest) (*EmptyReply, error)
	// Serve starts a server that goes on until Close; the process answers other
	// requests meanwhile.
	Serve(ctx context.Context, req ServeRequest) (*ServeReply, error)
	Usage(ctx context.Context) (*UsageReply, error)
	// Call's reply is valid until the next Call.
	Call(ctx context.Context, req CallRequest) (*CallReply, error)
	// Close asks the process to stop and makes sure that it does. The error says
	// what was wrong with how it ended.
	Close() error
}

// Starter starts fresh processes of one runner: forks. A Build does, and so does
// a FakeRuntime.
type Starter interface {
	Start(ctx context.Context) (Process, error)
}

// DefaultDeadline is that of a request whose context has none.
const DefaultDeadline = 60 * time.Second

// SkippedError says that a runner could not try what it was asked for.
type SkippedError struct{ Reason string }

func (e *SkippedError) Error() string { return "skipped: " + e.Reason }

// FailedError says that what a runner was asked for went wrong.
type FailedError struct{ Reason string }

func (e *FailedError) Error() string { return "failed: " + e.Reason }

// ProcessError says that a runner broke the protocol, hung or ended.
type ProcessError struct {
	What   string
	Stderr string // the last lines that it wrote to standard error
	Cause  error  // may be nil
}

func (e *ProcessError) Unwrap() error { return e.Cause }

func (e *ProcessError) Error() string {
	if e.Stderr == "" {
		return "the runner " + e.What
	}
	return fmt.Sprintf("the runner %s; its standard error ends with:\n%s", e.What, e.Stderr)
}
