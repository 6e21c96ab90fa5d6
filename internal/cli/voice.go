package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/term"
)

// voice is how wirecost speaks beside its results: short lines on standard
// error.
type voice struct {
	w     io.Writer
	quiet bool
}

func (a *App) voice() voice { return voice{w: a.Stderr} }

// say prints a remark, unless the user wants none.
func (v voice) say(format string, args ...any) {
	if !v.quiet {
		fmt.Fprintf(v.w, "wirecost: "+format+"\n", args...)
	}
}

// located is an error that begins with its place, as editors expect it.
var located = regexp.MustCompile(`^[^\s:]+:\d+(:\d+)?: `)

// fail prints an error. One of several lines keeps them, so that an editor finds
// every position in it.
func (v voice) fail(err error) {
	for i, line := range strings.Split(strings.TrimRight(err.Error(), "\n"), "\n") {
		if i == 0 && !located.MatchString(line) {
			line = "wirecost: error: " + line
		}
		fmt.Fprintln(v.w, line)
	}
}

// width returns the terminal's width, or 80 where w is no terminal.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 80
}

// height returns the terminal's height, or 0 where w is no terminal.
func height(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if _, n, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// color reports whether colour is welcome on w.
func color(w io.Writer, never bool) bool {
	return !never && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}
