package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/runner"
)

// Everything stands for all runtimes where names of runtimes are asked for.
const Everything = "all"

// Asked is a runtime that the user asked for.
type Asked struct {
	Runner *runner.Runner
	Named  bool // by its name: that it cannot be had is worth an exit code
}

// UnknownRuntimeError says that a name is no runtime's.
type UnknownRuntimeError struct {
	Name  string
	Known []string
}

func (e *UnknownRuntimeError) Error() string {
	return fmt.Sprintf("%s: there is no such runtime; there are %s, and %s", e.Name, strings.Join(e.Known, ", "), Everything)
}

// Runtimes finds the runners that names ask for, each once, in the order of all.
func Runtimes(all []*runner.Runner, names []string) ([]Asked, error) {
	var known []string
	for _, r := range all {
		known = append(known, r.Runtime)
	}
	for _, n := range names {
		if n != Everything && !slices.Contains(known, n) {
			return nil, &UnknownRuntimeError{n, known}
		}
	}
	if len(names) == 0 {
		return nil, errors.New("names no runtime; say which, or " + Everything)
	}
	var asked []Asked
	for _, r := range all {
		if named := slices.Contains(names, r.Runtime); named || slices.Contains(names, Everything) {
			asked = append(asked, Asked{r, named})
		}
	}
	return asked, nil
}

// Fits reports whether a pattern of --codec fits a codec of the runner.
func Fits(pattern string, r *runner.Runner) bool {
	return slices.ContainsFunc(r.Codecs, func(c runner.Codec) bool { return matches(pattern, r.Runtime, c.Name) })
}
