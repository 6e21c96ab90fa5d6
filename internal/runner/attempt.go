package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"wirecost/internal/bench"
)

// attempt is one try at building a selection of codecs and transports in a fresh
// folder.
type attempt struct {
	runner  *Runner
	request BuildRequest
	materials
	dir   string
	tools string
}

// commandError is a manifest's command that did not succeed.
type commandError struct {
	runtime string
	words   []string
	output  string // both streams
	err     error
}

func (e *commandError) Error() string {
	s := fmt.Sprintf("runner %s: %s: %v", e.runtime, strings.Join(e.words, " "), e.err)
	if first := firstLines(e.output, 5); first != "" {
		s += "\n" + first
	}
	return s
}

func (e *commandError) Unwrap() error { return e.err }

// run renders, generates and builds. The drops are those that a generator
// announced; where there are any, nothing was built.
func (a attempt) run(ctx context.Context) ([]Dropped, error) {
	if err := os.RemoveAll(a.dir); err != nil {
		return nil, err
	}
	if err := a.runner.Render(a.request.Model, a.codecs, a.transports, a.dir); err != nil {
		return nil, err
	}
	if err := writeSets(a.dir, a.request.Sets); err != nil {
		return nil, err
	}
	said, err := a.commands(ctx, a.runner.Generate)
	drops := announced(said, a.codecs)
	if err != nil || len(drops) > 0 {
		return drops, err
	}
	_, err = a.commands(ctx, a.runner.Manifest.Build)
	return nil, err
}

// commands runs the commands and gives what they wrote to standard output.
func (a attempt) commands(ctx context.Context, commands [][]string) (string, error) {
	p := placeholders{home: a.home, tools: a.tools, program: a.program, codecs: a.codecs}
	var said strings.Builder
	for _, words := range commands {
		c := command{words: p.words(words), dir: a.dir, env: p.environment(a.runner.Environment)}
		out, err := c.run(ctx)
		said.WriteString(out.stdout)
		if ctx.Err() != nil {
			return said.String(), context.Cause(ctx)
		}
		if err != nil {
			return said.String(), &commandError{a.runner.Runtime, c.words, out.stderr + "\n" + out.stdout, err}
		}
	}
	return said.String(), nil
}

const dropMark = "wirecost:drop "

// announced finds the lines with which a generator gives up a codec.
func announced(said string, codecs []Codec) []Dropped {
	var drops []Dropped
	for line := range strings.Lines(said) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), dropMark)
		if !ok {
			continue
		}
		name, reason, _ := strings.Cut(rest, " ")
		if selected(codecs, name) && !isDropped(drops, name) {
			drops = append(drops, Dropped{name, strings.TrimSpace(reason)})
		}
	}
	return drops
}

func isDropped(drops []Dropped, name string) bool {
	return slices.ContainsFunc(drops, func(d Dropped) bool { return d.Codec == name })
}

// firstLines gives the first lines that are not empty.
func firstLines(s string, n int) string {
	var out []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" && len(out) < n {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// drive repeats attempts, dropping the codecs and transports that are at fault.
type drive struct {
	attempt
	lost    []DroppedTransport
	guessed bool // something was dropped that no message named
}

// maxGuesses bounds the builds that are spent on a failure that names no codec.
const maxGuesses = 6

func (d *drive) run(ctx context.Context) error {
	d.request.Progress(fmt.Sprintf("building %s for %s", plural(len(d.codecs), "codec"), d.runner.Runtime))
	for {
		drops, err := d.attempt.run(ctx)
		if err == nil && len(drops) == 0 {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(drops) == 0 {
			drops = d.blame(err)
		}
		if len(drops) == 0 {
			lost := d.blameTransports(err)
			if len(lost) == 0 {
				return d.guess(ctx, err)
			}
			d.lose(lost)
		}
		if err := d.drop(drops); err != nil {
			return err
		}
	}
}

// lose takes transports out of the selection.
func (d *drive) lose(lost []DroppedTransport) {
	for _, x := range lost {
		var left []Transport
		for _, t := range d.transports {
			t.Transports = slices.DeleteFunc(slices.Clone(t.Transports), func(name bench.Transport) bool { return name == x.Transport })
			if len(t.Transports) > 0 {
				left = append(left, t)
			}
		}
		d.transports, d.lost = left, append(d.lost, x)
		d.request.Progress(fmt.Sprintf("building without the transport %s: %s", x.Transport, x.Reason))
	}
}

// drop takes codecs out of the selection. It fails if none is left.
func (d *drive) drop(drops []Dropped) error {
	for _, x := range drops {
		d.codecs = without(d.codecs, x.Codec)
		d.dropped = append(d.dropped, x)
		d.request.Progress(fmt.Sprintf("building without %s: %s", x.Codec, x.Reason))
	}
	if len(d.codecs) > 0 {
		return nil
	}
	return nothingBuilds(d.runner, d.dropped)
}

func nothingBuilds(r *Runner, dropped []Dropped) error {
	var reasons []string
	for _, x := range dropped {
		reasons = append(reasons, x.Codec+": "+x.Reason)
	}
	return fmt.Errorf("no codec for %s can be built: %s", r.Runtime, strings.Join(reasons, "; "))
}

func without(codecs []Codec, name string) []Codec {
	return slices.DeleteFunc(slices.Clone(codecs), func(c Codec) bool { return c.Name == name })
}

// guess leaves out something after a failure that names nothing: all
// transports, then one codec at a time. Of those it tries the ones whose library
// the failure mentions, then those that are not everyone's or that come with
// generated code.
func (d *drive) guess(ctx context.Context, failure error) error {
	var failed *commandError
	if !errors.As(failure, &failed) {
		return failure
	}
	if len(d.transports) > 0 {
		d.request.Progress("building without transports, to find what does not build")
		try := d.attempt
		try.transports = nil
		drops, err := try.run(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil && len(drops) == 0 {
			d.guessed = true
			d.lose(dropAll(transportNames(d.transports), firstLines(failed.output, 1)))
			return nil
		}
	}
	if len(d.codecs) < 2 {
		return failure
	}
	var mentioned, suspects []Codec
	for _, c := range d.codecs {
		switch {
		case strings.Contains(failed.output, c.Library):
			mentioned = append(mentioned, c)
		case !c.Default || len(c.Owns) > 0:
			suspects = append(suspects, c)
		}
	}
	suspects = append(mentioned, suspects...)
	for _, c := range suspects[:min(len(suspects), maxGuesses)] {
		d.request.Progress("building without " + c.Name + ", to find what does not build")
		try := d.attempt
		try.codecs = without(d.codecs, c.Name)
		drops, err := try.run(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil && len(drops) == 0 {
			d.codecs, d.guessed = try.codecs, true
			d.dropped = append(d.dropped, Dropped{c.Name, firstLines(failed.output, 1)})
			return nil
		}
	}
	return failure
}

// located is a compiler's message at the start of a line: "path:line" or
// "path(line", perhaps behind an arrow, with what follows.
var located = regexp.MustCompile(`^\s*(?:-->\s*)?((?:[A-Za-z]:)?[^\s:(][^:(]*)([:(]\d+)(.*)`)

var harmless = regexp.MustCompile(`^[^A-Za-z]*(?:warning|note)\b`)

// fault is a file of the build's folder that a failure names, with the line that
// does.
type fault struct{ file, line string }

// faults finds the files that a failure names.
func (d *drive) faults(err error) []fault {
	var failed *commandError
	var rendering *renderError
	var all []fault
	switch {
	case errors.As(err, &rendering):
		all = append(all, fault{strings.TrimSuffix(rendering.file, templateSuffix), firstLines(err.Error(), 1)})
	case errors.As(err, &failed):
		folders := folderSpellings(d.dir)
		for line := range strings.Lines(failed.output) {
			m := located.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
			if m == nil || harmless.MatchString(m[3]) {
				continue
			}
			file := within(m[1], folders)
			all = append(all, fault{file, file + m[2] + m[3]})
		}
	}
	return all
}

// blame finds the codecs whose files a failure names, each with the first line
// that does.
func (d *drive) blame(err error) []Dropped {
	var drops []Dropped
	for _, f := range d.faults(err) {
		if c, ok := ownerOf(d.codecs, f.file); ok && !isDropped(drops, c.Name) {
			drops = append(drops, Dropped{c.Name, f.line})
		}
	}
	return drops
}

// blameTransports finds the transports whose files a failure names.
func (d *drive) blameTransports(err error) []DroppedTransport {
	for _, f := range d.faults(err) {
		if owner, ok := transportOf(d.transports, f.file); ok {
			return dropAll(owner.Transports, f.line)
		}
	}
	return nil
}

func dropAll(names []bench.Transport, reason string) []DroppedTransport {
	var all []DroppedTransport
	for _, name := range names {
		all = append(all, DroppedTransport{name, reason})
	}
	return all
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
