package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// live shows what is going on: on a terminal a few lines that are drawn anew,
// elsewhere a line now and then.
type live struct {
	w     io.Writer
	mode  string // auto (a terminal), plain or none
	drawn int    // lines on the terminal that the next drawing replaces
	last  string
	next  time.Time // plain: no measuring line before
	every time.Duration
	now   func() time.Time
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
	return &live{w: w, mode: mode, every: 5 * time.Second, now: a.Now}
}

// phase says what begins now.
func (l *live) phase(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text == l.last {
		return
	}
	l.last = text
	switch l.mode {
	case "auto":
		l.draw(text + " …\n")
	case "plain":
		fmt.Fprintf(l.w, "wirecost: %s\n", text)
	}
}

// measuring shows how far the measuring is. table is asked for only when it is
// shown.
func (l *live) measuring(status string, table func() string) {
	now := l.now()
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
	l.clear()
	fmt.Fprint(l.w, text)
	l.drawn = strings.Count(text, "\n")
}

// clear removes what is drawn, so that other output starts on a clean line.
func (l *live) clear() {
	if l.drawn > 0 {
		fmt.Fprintf(l.w, "\x1b[%dA\x1b[J", l.drawn)
		l.drawn = 0
	}
}
