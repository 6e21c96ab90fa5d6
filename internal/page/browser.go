package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// browser is a browser at work: a process group, and a temporary folder that
// holds all that it keeps.
type browser struct {
	cmd   *exec.Cmd
	dir   string
	said  *tail         // what it wrote to its standard streams
	ended chan struct{} // closed when its first process has ended
}

// startBrowser starts a browser on a page, in a fresh profile that begins with the
// files of a folder.
func startBrowser(words []string, profile, url string) (*browser, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("no browser is named")
	}
	dir, err := os.MkdirTemp("", "wirecost-browser-")
	if err != nil {
		return nil, err
	}
	b := &browser{dir: dir, said: &tail{}, ended: make(chan struct{})}
	if err := b.prepare(words, profile, url); err != nil {
		b.remove()
		return nil, err
	}
	started := make(chan error)
	go b.run(started)
	if err := <-started; err != nil {
		b.remove()
		return nil, fmt.Errorf("the browser does not start: %w", err)
	}
	return b, nil
}

func (b *browser) prepare(words []string, profile, url string) error {
	own, temporary := filepath.Join(b.dir, "profile"), filepath.Join(b.dir, "tmp")
	for _, dir := range []string{own, temporary} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	if profile != "" {
		if err := os.CopyFS(own, os.DirFS(profile)); err != nil {
			return fmt.Errorf("the profile cannot be copied: %w", err)
		}
	}
	replacer := strings.NewReplacer("{url}", url, "{profile}", own)
	arguments := make([]string, len(words))
	for i, w := range words {
		arguments[i] = replacer.Replace(w)
	}
	b.cmd = exec.Command(arguments[0], arguments[1:]...)
	b.cmd.Env = append(os.Environ(), "HOME="+b.dir, "TMPDIR="+temporary,
		"XDG_CONFIG_HOME="+filepath.Join(b.dir, "config"), "XDG_CACHE_HOME="+filepath.Join(b.dir, "cache"))
	b.cmd.Stdout, b.cmd.Stderr = b.said, b.said
	b.cmd.WaitDelay = 200 * time.Millisecond // for children that keep the streams open
	ownGroup(b.cmd)
	return nil
}

// run starts the program and waits for its end. It keeps its thread, because the
// end of that would end the program as well, on systems where our end does.
func (b *browser) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := b.cmd.Start()
	started <- err
	if err == nil {
		_ = b.cmd.Wait() // ProcessState says how it ended
		close(b.ended)
	}
}

// how says how the browser ended by itself.
func (b *browser) how() error {
	return fmt.Errorf("the browser ended (%s); what it said: %s", b.cmd.ProcessState, b.said)
}

func (b *browser) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-b.ended:
		return true
	case <-timer.C:
		return false
	}
}

// end ends the browser with all its processes and removes its folder. Nothing
// in that is worth a gentle end.
func (b *browser) end() {
	_ = killGroup(b.cmd.Process)
	<-b.ended
	b.sweep()
	b.remove()
}

// remove removes the folder. Processes that are dying may still write to it.
func (b *browser) remove() {
	for range 50 {
		if os.RemoveAll(b.dir) == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// tail keeps the last part of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const tailSize = 2 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b[max(0, len(b)-tailSize):]...)
	t.b = append(t.b[:0], t.b[max(0, len(t.b)-tailSize):]...)
	return len(b), nil
}

// String gives the last lines in one.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.b), "\uFFFD")), "\n")
	if said := strings.Join(lines[max(0, len(lines)-5):], " | "); said != "" {
		return said
	}
	return "nothing"
}
