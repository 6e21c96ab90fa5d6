package tool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Lines starts a program that gets a request per line, fields separated by tabs
// (codec, operation, root, file, warm-up iterations, iterations), and answers with
// the nanoseconds of all iterations, or with "error" and what went wrong.
func Lines(c *exec.Cmd) (Process, error) {
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &lines{c, in, bufio.NewReader(out)}, c.Start()
}

type lines struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Measure implements Process. The context has ended the program when it ends.
func (p *lines) Measure(_ context.Context, r Request) (time.Duration, error) {
	_, err := fmt.Fprintf(p.in, "%s\t%s\t%d\t%s\t%d\t%d\n", r.Codec, r.Operation, r.Root, r.File, r.Warm, r.Iterations)
	if err != nil {
		return 0, fmt.Errorf("the benchmark has ended: %w", err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("the benchmark of %s %s ended: %w", r.Codec, r.Operation, err)
	}
	return took(r, line)
}

// took reads an answer.
func took(r Request, line string) (time.Duration, error) {
	if problem, failed := strings.CutPrefix(line, "error\t"); failed {
		return 0, errors.New(strings.TrimSpace(problem))
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the benchmark of %s %s answered %q", r.Codec, r.Operation, line)
	}
	return time.Duration(ns), nil
}

// Close implements Process.
func (p *lines) Close() error {
	return errors.Join(p.in.Close(), p.command.Wait())
}
