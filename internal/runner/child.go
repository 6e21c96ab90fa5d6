package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// Command is a runner's program.
type Command struct {
	Words       []string
	Dir         string
	Environment map[string]string // added to this process's
}

// Child is a runner in a process of its own, at the head of a process group of
// its own. It is a Process.
type Child struct {
	*Conn
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout io.Closer
	stderr tail
	ended  chan struct{} // closed when the program has ended and been waited for
	stop   sync.Once
}

// Start starts the build's runner, with as much memory as it likes. The context
// serves to start it only. Nothing that it stands on is pruned from the cache
// meanwhile.
func (b *Build) Start(ctx context.Context) (Process, error) { return b.Within(Room{}).Start(ctx) }

// start starts the build's runner within a room, with words before its command.
func (b *Build) start(ctx context.Context, room Room, prefix []string) (*Child, error) {
	for _, dir := range []string{b.Dir, b.tools, b.home} {
		touch(dir)
	}
	c := b.command(room)
	c.Words = append(slices.Clone(prefix), c.Words...)
	child, err := StartCommand(ctx, c)
	if err != nil {
		return nil, err
	}
	child.exhaustion = b.Runner.Memory.exhaustion(room)
	if n := b.Runner.Memory.limit(room); n > 0 {
		if err := bound(child.cmd.Process, n); err != nil {
			return nil, errors.Join(fmt.Errorf("the runner's memory cannot be bounded: %w", err), child.Close())
		}
	}
	return child, nil
}

// Command is what starts the build's runner.
func (b *Build) Command() Command { return b.command(Room{}) }

func (b *Build) command(room Room) Command {
	var codecs []Codec
	for _, name := range b.Codecs {
		codecs = append(codecs, Codec{Name: name})
	}
	p := placeholders{home: b.home, tools: b.tools, program: b.program, codecs: codecs}
	return Command{p.words(b.Runner.Memory.words(b.Runner.Run, room)), b.Dir, p.environment(b.Runner.Environment)}
}

// StartCommand starts a program that should speak the protocol.
func StartCommand(ctx context.Context, c Command) (*Child, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if len(c.Words) == 0 {
		return nil, errors.New("no program is named for the runner")
	}
	// The pipes are ours, so that waiting for the program does not close them
	// under a reader.
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return nil, err
	}
	child := &Child{stdin: inW, stdout: outR, ended: make(chan struct{})}
	child.cmd = exec.Command(c.Words[0], c.Words[1:]...)
	child.cmd.Dir, child.cmd.Env = c.Dir, environ(c.Environment)
	child.cmd.Stdin, child.cmd.Stdout, child.cmd.Stderr = inR, outW, &child.stderr
	child.cmd.WaitDelay = time.Second // for children that keep standard error open
	ownGroup(child.cmd)
	err = child.cmd.Start()
	inR.Close()
	outW.Close()
	if err != nil {
		inW.Close()
		outR.Close()
		return nil, fmt.Errorf("the runner does not start: %w", err)
	}
	child.Conn = NewConn(Streams{Requests: inW, Replies: outR, Stop: child.kill, Explain: child.explain})
	go child.wait()
	return child, nil
}

// wait waits for the program's end and takes what is left of its group with it.
func (c *Child) wait() {
	_ = c.cmd.Wait() // ProcessState says how it ended
	_ = killGroup(c.cmd.Process)
	close(c.ended)
}

// kill ends the program: a request first, and force after a while.
func (c *Child) kill() {
	c.stop.Do(func() {
		_ = terminateGroup(c.cmd.Process)
		c.stdin.Close()
		go func() {
			if !c.endedWithin(killAfter) {
				_ = killGroup(c.cmd.Process)
				<-c.ended
			}
			c.stdout.Close()
		}()
	})
}

func (c *Child) endedWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.ended:
		return true
	case <-timer.C:
		return false
	}
}

// explain says how the program ended, if it has or does so soon. Without an
// error, Stop has been called.
func (c *Child) explain(err error) (what, stderr string) {
	wait := killAfter / 2
	if err == nil {
		wait = 2 * killAfter
	}
	if c.endedWithin(wait) {
		what = c.cmd.ProcessState.String()
	} else {
		what = fmt.Sprintf("the program went on, but %v", err)
	}
	return what, c.stderr.Lines(20)
}

// Wait waits until the program has ended by itself and returns its exit status
// (-1 where a signal ended it).
func (c *Child) Wait(ctx context.Context) (int, error) {
	select {
	case <-c.ended:
		return c.cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// CloseRequests ends the program's standard input.
func (c *Child) CloseRequests() error { return c.stdin.Close() }

// Close implements Process. It returns when the program and its children have
// ended.
func (c *Child) Close() error {
	err := c.Conn.stop()
	c.stdin.Close()
	told := c.broken != nil
	if !told && !c.endedWithin(killAfter) {
		err = &ProcessError{What: "did not end after stop and was killed", Stderr: c.stderr.Lines(20)}
		told = true
	}
	c.kill()
	<-c.ended
	if !told && err == nil && c.cmd.ProcessState.ExitCode() != 0 {
		err = &ProcessError{What: "ended with " + c.cmd.ProcessState.String() + " after stop", Stderr: c.stderr.Lines(20)}
	}
	return err
}
