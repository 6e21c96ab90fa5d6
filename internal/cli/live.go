package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// live shows what is going on: on a terminal a few lines that are drawn anew,
// elsewhere a line now and then.
type live struct {
	w     io.Writer
	mode  string        // auto (a terminal), plain or none
	every time.Duration // plain: between two lines about the same thing
	now   func() time.Time
	about string // what comes before everything shown: the part of the work that it is about

	mu    sync.Mutex // of what follows: a phase that takes long is shown by a goroutine
	drawn int        // lines on the terminal that the next drawing replaces
	last  string     // the phase
	next  time.Time  // plain: no measuring line before
	stop  func()     // ends the goroutine of the phase
}

func (a *App) newLive(f *outputFlags) *live {
	w := a.Stderr
	mode := f.progress.value
	switch {
	case f.quiet:
		mode = "none"
	case mode == "auto" && !isTerminal(w):
		mode = "plain"
	}
	return &live{w: w, mode: mode, every: 5 * time.Second, now: a.Now, stop: func() {}}
}

// phase says what begins now, and goes on saying so while it takes long.
func (l *live) phase(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.about + fmt.Sprintf(format, args...)
	if text == l.last {
		return
	}
	l.stop()
	l.last = text
	switch l.mode {
	case "auto":
		l.draw(text + " …\n")
		l.stop = l.wait(text, time.Second)
	case "plain":
		fmt.Fprintf(l.w, "wirecost: %s\n", text)
		l.stop = l.wait(text, 2*l.every)
	}
}

// wait shows every so often how long a phase has taken. These are real seconds,
// for somebody who waits.
func (l *live) wait(text string, every time.Duration) (stop func()) {
	done := make(chan struct{})
	begun := time.Now()
	ticker := time.NewTicker(every)
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			l.mu.Lock()
			select {
			case <-done: // while waiting for the lock
			default:
				took := int(time.Since(begun).Seconds())
				if l.mode == "auto" {
					l.draw(fmt.Sprintf("%s … %d s\n", text, took))
				} else {
					fmt.Fprintf(l.w, "wirecost: %s: %d s so far\n", text, took)
				}
			}
			l.mu.Unlock()
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

// measuring shows how far the measuring is. table is asked for only when it is
// shown.
func (l *live) measuring(status string, table func() string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop()
	now, status := l.now(), l.about+status
	switch {
	case l.mode == "auto":
		l.draw(table() + status + " …\n")
	case l.mode == "plain" && !now.Before(l.next):
		l.next = now.Add(l.every)
		fmt.Fprintf(l.w, "wirecost: %s\n", status)
	}
}

// draw replaces what was drawn before.
func (l *live) draw(text string) {
	l.erase()
	for _, line := range shorten(slices.Collect(strings.Lines(text)), height(l.w)) {
		fmt.Fprint(l.w, fit(line, width(l.w)))
		l.drawn++
	}
}

// shorten leaves out lines that would scroll off the screen: they could not be
// erased. The last one stays. No height: nothing is left out.
func shorten(lines []string, height int) []string {
	most := max(height-1, 3)
	if height == 0 || len(lines) <= most {
		return lines
	}
	left := len(lines) - most + 1
	return append(append(slices.Clone(lines[:most-2]), fmt.Sprintf("… %d more\n", left)), lines[len(lines)-1])
}

// fit shortens a line that the terminal would wrap: it could not be erased then.
func fit(line string, columns int) string {
	runes := []rune(line)
	if len(runes) <= columns {
		return line
	}
	return string(runes[:columns-2]) + "…\n"
}

func (l *live) erase() {
	if l.drawn > 0 {
		fmt.Fprintf(l.w, "\x1b[%dA\x1b[J", l.drawn)
		l.drawn = 0
	}
}

// clear removes what is drawn, so that other output starts on a clean line.
func (l *live) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop()
	l.erase()
}
