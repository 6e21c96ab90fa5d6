// Package check tells whether a runner speaks the protocol of docs/protocol.md
// as it should: it asks what an honest run asks and what it never does, and
// compares the answers with each other and with a reference.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wirecost/internal/runner"
)

// Session is a runner that was started.
type Session struct {
	*runner.Conn
	CloseRequests func() error                           // ends its input
	Wait          func(ctx context.Context) (int, error) // for its end; gives the exit status
	Kill          func()                                 // returns when it is gone
}

// Start starts a fresh process of the runner under test.
type Start func(ctx context.Context) (*Session, error)

// Command starts a program.
func Command(c runner.Command) Start {
	return func(ctx context.Context) (*Session, error) {
		child, err := runner.StartCommand(ctx, c)
		if err != nil {
			return nil, err
		}
		return &Session{child.Conn, child.CloseRequests, child.Wait, func() { _ = child.Close() }}, nil
	}
}

// Options say what to check with.
type Options struct {
	Samples []runner.SampleFiles // of a schema that the runner was built for; none: codecs are not tried
	Codecs  []string             // those to check; nil: all that the runner describes
	Dir     string               // a folder for what "verify" writes
	// Deadline is that of each request and of each ending; 0: ten seconds.
	Deadline time.Duration
	// Checksums gives a sample's leaf and visit checksums, one per document. Nil:
	// they are only compared with each other.
	Checksums func(sample, stringUnit string) (leaf, visit []uint32, err error)
	// Output compares what a codec wrote with the documents. Nil: only the count
	// is checked.
	Output func(codec runner.CodecDescription, sample string, written [][]byte) error
}

// Finding is one rule that the runner breaks.
type Finding struct {
	Rule  string // describe, id, unknown, stop, prepare, verify, measure, memory, cold, empty, end or line
	Codec string // where it is one codec's
	What  string
}

func (f Finding) String() string {
	if f.Codec != "" {
		return fmt.Sprintf("%s: %s: %s", f.Rule, f.Codec, f.What)
	}
	return f.Rule + ": " + f.What
}

// Run checks a runner. It returns what it found, nil if all is well. The error
// is that of a cancelled context, or of a program that does not start.
func Run(ctx context.Context, start Start, opts Options) ([]Finding, error) {
	if opts.Deadline == 0 {
		opts.Deadline = 10 * time.Second
	}
	c := &checker{start: start, opts: opts}
	err := c.run(ctx)
	return c.findings, err
}

type checker struct {
	start       Start
	opts        Options
	description *runner.Description
	findings    []Finding
}

func (c *checker) run(ctx context.Context) error {
	if err := c.session(ctx, "describe", "", c.talk); err != nil || c.description == nil {
		return err
	}
	for _, x := range []struct {
		rule  string
		check func(context.Context, *Session) error
	}{{"empty", c.empty}, {"line", c.longLine}, {"line", c.rubbish}} {
		if err := c.session(ctx, x.rule, "", x.check); err != nil {
			return err
		}
	}
	if len(c.opts.Samples) == 0 {
		return nil
	}
	return c.runCodecs(ctx)
}

func (c *checker) runCodecs(ctx context.Context) error {
	for _, codec := range c.codecs() {
		err := c.session(ctx, "prepare", codec.Name, func(ctx context.Context, s *Session) error { return c.work(ctx, s, codec) })
		if err != nil {
			return err
		}
		for _, op := range codec.Operations {
			err := c.session(ctx, "cold", codec.Name, func(ctx context.Context, s *Session) error { return c.cold(ctx, s, codec, op) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// codecs are those to check, in the runner's order.
func (c *checker) codecs() []runner.CodecDescription {
	if c.opts.Codecs == nil {
		return c.description.Codecs
	}
	var out []runner.CodecDescription
	for _, name := range c.opts.Codecs {
		i := slices.IndexFunc(c.description.Codecs, func(d runner.CodecDescription) bool { return d.Name == name })
		if i < 0 {
			c.found("describe", name, "is not described")
			continue
		}
		out = append(out, c.description.Codecs[i])
	}
	return out
}

// session puts one fresh process through f. An error of f is a finding.
func (c *checker) session(ctx context.Context, rule, codec string, f func(context.Context, *Session) error) error {
	s, err := c.start(ctx)
	if err != nil {
		return err
	}
	defer s.Kill()
	err = f(ctx, s)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var at *ruleError
	if errors.As(err, &at) {
		rule, err = at.rule, at.err
	}
	if err != nil {
		c.found(rule, codec, err.Error())
	}
	return nil
}

// ruleError is an error that breaks another rule than the session's first.
type ruleError struct {
	rule string
	err  error
}

func (e *ruleError) Error() string { return e.err.Error() }

func under(rule string, err error) error {
	if err == nil {
		return nil
	}
	return &ruleError{rule, err}
}

func (c *checker) found(rule, codec, format string, args ...any) {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	c.findings = append(c.findings, Finding{rule, codec, format})
}

// in gives the context of one request.
func (c *checker) in(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.opts.Deadline)
}
