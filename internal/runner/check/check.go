// Package check tells whether a runner speaks the protocol of docs/protocol.md
// as it should: it asks what an honest run asks and what it never does, hands
// over documents that are hard to get right and documents that are broken, and
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
	Values  []Value              // further samples of that schema, each of documents that are hard to get right
	Text    *Text                // a document with text that is broken on purpose; nil: not tried
	Codecs  []string             // those to check; nil: all that the runner describes
	Dir     string               // a folder for what is written meanwhile
	// Deadline is that of each request and of each ending; 0: ten seconds.
	Deadline time.Duration
	// Checksums gives a sample's leaf and visit checksums, one per document. Nil:
	// they are only compared with each other.
	Checksums func(sample, stringUnit string) (leaf, visit []uint32, err error)
	// Output compares what a codec wrote with the documents. Nil: only the count
	// is checked.
	Output func(codec runner.CodecDescription, sample string, written [][]byte) error
	// Find tells which of a sample's documents some bytes of a codec mean. Nil:
	// calls over HTTP are not checked.
	Find func(codec runner.CodecDescription, sample string, b []byte) (document int, err error)
	// Foreign allows that the runner was built for another schema than that of
	// Samples: if it refuses them all, its codecs are not checked.
	Foreign bool
	// Report is told of each check when it is done; may be nil.
	Report func(Line)
}

// Line is one check and its outcome.
type Line struct {
	Rule     string   // see Finding
	Codec    string   // where it is one codec's
	Expected string   // what a right runner does
	Came     []string // what came instead; none: as expected
	Skipped  string   // why it was not tried, or what the runner refused as it may
}

// Finding is one rule that the runner breaks.
type Finding struct {
	Rule  string // describe, id, unknown, stop, empty, end, line, prepare, verify, measure, memory, cold, value, text, document, frame, range, serve or call
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
	if opts.Report == nil {
		opts.Report = func(Line) {}
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
	line        Line // being checked
	mannered    bool // what is not a codec's doing was checked of transports
}

func (c *checker) run(ctx context.Context) error {
	for _, talk := range []func(context.Context, *Session) error{c.talk, c.empty, c.longLine, c.rubbish} {
		if err := c.session(ctx, talk); err != nil {
			return err
		}
		if c.description == nil { // it does not even describe itself
			return nil
		}
	}
	if len(c.opts.Samples) == 0 {
		return nil
	}
	if refused, err := c.foreign(ctx); refused || err != nil {
		return err
	}
	for i, codec := range c.codecs() {
		if err := c.codec(ctx, codec, i == 0); err != nil {
			return err
		}
	}
	return nil
}

// codec checks one codec: its first operations in a fresh process, what it has to
// bear in another, and each transport in one of its own.
func (c *checker) codec(ctx context.Context, codec runner.CodecDescription, first bool) error {
	parts := []part{c.work}
	if len(c.opts.Values) > 0 {
		parts = append(parts, c.values)
	}
	if c.opts.Text != nil {
		parts = append(parts, c.text)
	}
	parts = append(parts, c.brokenDocument)
	if first { // what follows is not the codec's doing
		parts = append(parts, c.frames, c.ranges)
	}
	all := [][]part{{c.cold}, parts}
	for _, one := range c.transports(codec) {
		all = append(all, []part{one})
	}
	for _, parts := range all {
		if err := c.together(ctx, codec, parts); err != nil {
			return err
		}
	}
	return nil
}

// together puts one process through parts. After one that went wrong the others
// have a fresh process.
func (c *checker) together(ctx context.Context, codec runner.CodecDescription, parts []part) error {
	for len(parts) > 0 {
		err := c.session(ctx, func(ctx context.Context, s *Session) error {
			for len(parts) > 0 {
				next := parts[0]
				parts = parts[1:]
				if err := next(ctx, s, codec); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
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
			_ = c.step("describe", name, "it is described", func() error { return errors.New("is not described") })
			continue
		}
		out = append(out, c.description.Codecs[i])
	}
	return out
}

// errOver ends a session after a check that went wrong: the conversation may be
// out of step.
var errOver = errors.New("the session is over")

// session puts one fresh process through f, which may end with errOver.
func (c *checker) session(ctx context.Context, f func(context.Context, *Session) error) error {
	s, err := c.start(ctx)
	if err != nil {
		return err
	}
	defer s.Kill()
	err = f(ctx, s)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && !errors.Is(err, errOver) {
		return err
	}
	return nil
}

// step makes one check. An error of f is a finding, and ends the session.
func (c *checker) step(rule, codec, expected string, f func() error) error {
	c.line = Line{Rule: rule, Codec: codec, Expected: expected}
	err := f()
	if err != nil {
		c.found("", err.Error())
	}
	c.opts.Report(c.line)
	if err != nil {
		return errOver
	}
	return nil
}

// found notes what is wrong with the check being made. codec is empty, or says
// that it is one codec's fault where the check is not about one.
func (c *checker) found(codec, format string, args ...any) {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	f := Finding{c.line.Rule, c.line.Codec, format}
	c.line.Came = append(c.line.Came, format)
	if codec != "" {
		f.Codec = codec
		c.line.Came[len(c.line.Came)-1] = codec + ": " + format
	}
	c.findings = append(c.findings, f)
}

// in gives the context of one request.
func (c *checker) in(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.opts.Deadline)
}

// refusal tells whether an error is the runner's own word that it will not, or
// could not, after which it goes on.
func refusal(err error) (why string, ok bool) {
	var skipped *runner.SkippedError
	var failed *runner.FailedError
	switch {
	case errors.As(err, &skipped):
		return skipped.Reason, true
	case errors.As(err, &failed):
		return failed.Reason, true
	}
	return "", false
}
