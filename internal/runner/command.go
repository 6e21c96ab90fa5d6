package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// command is a program to run to its end.
type command struct {
	words []string
	dir   string
	env   map[string]string // added to this process's environment
}

// output is what a command wrote, the first megabyte of each stream.
type output struct{ stdout, stderr string }

// killAfter is how long a program has to heed a request to end.
const killAfter = 2 * time.Second

// run runs the command to its end and gives what it wrote.
func (c command) run(ctx context.Context) (output, error) {
	var stdout, stderr head
	err := c.runTo(ctx, &stdout, &stderr)
	return output{stdout.String(), stderr.String()}, err
}

// runTo runs the command to its end. When ctx ends, its whole process group does.
// An error that is not ctx's means that the program did not run or did not
// succeed.
func (c command) runTo(ctx context.Context, stdout, stderr io.Writer) error {
	cmd := exec.CommandContext(ctx, c.words[0], c.words[1:]...)
	cmd.Dir, cmd.Env = c.dir, environ(c.env)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ownGroup(cmd)
	cmd.Cancel = func() error {
		time.AfterFunc(killAfter, func() { _ = killGroup(cmd.Process) })
		return terminateGroup(cmd.Process)
	}
	cmd.WaitDelay = killAfter + time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			_ = killGroup(cmd.Process)
		}
		err = context.Cause(ctx)
	}
	return err
}

func environ(extra map[string]string) []string {
	env := os.Environ()
	for k, v := range extra {
		env = append(env, k+"="+v)
	}
	return env
}

// placeholders are what a manifest's commands may stand on.
type placeholders struct {
	home    string
	tools   string
	program string // wirecost itself
	codecs  []Codec
}

func (p placeholders) replacer() *strings.Replacer {
	return strings.NewReplacer("{home}", p.home, "{tools}", p.tools, programMark, p.program, "{codecs}", strings.Join(names(p.codecs), ","), "{exe}", exeSuffix)
}

func (p placeholders) words(words []string) []string {
	r, out := p.replacer(), make([]string, len(words))
	for i, w := range words {
		out[i] = r.Replace(w)
	}
	return out
}

func (p placeholders) commands(commands [][]string) [][]string {
	out := make([][]string, len(commands))
	for i, words := range commands {
		out[i] = p.words(words)
	}
	return out
}

func (p placeholders) environment(env map[string]string) map[string]string {
	r, out := p.replacer(), make(map[string]string, len(env))
	for k, v := range env {
		out[k] = r.Replace(v)
	}
	return out
}

func names(codecs []Codec) []string {
	out := make([]string, len(codecs))
	for i, c := range codecs {
		out[i] = c.Name
	}
	return out
}

// head keeps the first megabyte of what is written to it.
type head struct {
	b    bytes.Buffer // not embedded: its ReadFrom would go round Write
	lost int
}

func (h *head) Write(b []byte) (int, error) {
	n := min(len(b), 1<<20-h.b.Len())
	h.b.Write(b[:n])
	h.lost += len(b) - n
	return len(b), nil
}

func (h *head) String() string {
	if h.lost == 0 {
		return h.b.String()
	}
	return fmt.Sprintf("%s\n(%d more bytes)", h.b.String(), h.lost)
}

// tail keeps the last few kilobytes of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const tailSize = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b[max(0, len(b)-tailSize):]...)
	if cut := len(t.b) - tailSize; cut > 0 {
		t.b = append(t.b[:0], t.b[cut:]...)
	}
	return len(b), nil
}

// Lines gives the last lines, at most n of them.
func (t *tail) Lines(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.b), "\uFFFD")), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
