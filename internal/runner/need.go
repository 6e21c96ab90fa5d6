package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NeedStatus is what was found of a program that a runner needs.
type NeedStatus struct {
	Need
	Path    string // where it is; empty: not in PATH
	Found   string // the version: the first line of what it printed
	Output  string // what it printed; part of a build's cache key
	Problem string // why it does not do; empty: it does
}

// OK says whether the need is met.
func (s NeedStatus) OK() bool { return s.Problem == "" }

// Check looks for the programs that the runner needs, in the order of its
// manifest. The error is that of a cancelled context; a missing program is not
// an error but a Problem.
func (r *Runner) Check(ctx context.Context) ([]NeedStatus, error) {
	var all []NeedStatus
	for _, n := range r.Needs {
		all = append(all, r.checkNeed(ctx, n))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (r *Runner) checkNeed(ctx context.Context, n Need) NeedStatus {
	s := NeedStatus{Need: n}
	var err error
	if s.Path, err = exec.LookPath(n.Program); err != nil {
		s.Problem = fmt.Sprintf("%s is not installed; %s", n.Program, n.Get)
		return s
	}
	if len(n.Version) == 0 {
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := command{
		words: slices.Concat([]string{s.Path}, n.Version),
		dir:   os.TempDir(), // not where the user stands: some programs' version depends on the folder
		env:   placeholders{}.environment(r.Environment),
	}.run(ctx)
	if err != nil {
		s.Problem = fmt.Sprintf("%s does not run: %v; %s", s.Path, err, n.Get)
		return s
	}
	s.Output = strings.TrimSpace(out.stdout + out.stderr)
	s.Found, _, _ = strings.Cut(s.Output, "\n")
	if n.Minimum != "" && !atLeast(s.Found, n.Minimum) {
		s.Problem = fmt.Sprintf("%s is %q, older than %s; %s", s.Path, s.Found, n.Minimum, n.Get)
	}
	return s
}

var versionNumber = regexp.MustCompile(`\d+(\.\d+)+|\d+`)

// parseVersion finds the first version number in a text such as
// "go version go1.26.8 linux/amd64".
func parseVersion(s string) ([]int, bool) {
	found := versionNumber.FindString(s)
	if found == "" {
		return nil, false
	}
	var v []int
	for part := range strings.SplitSeq(found, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, false // more digits than an int holds
		}
		v = append(v, n)
	}
	return v, true
}

// atLeast compares the version numbers in two texts; a part that is missing is 0.
func atLeast(have, want string) bool {
	h, ok := parseVersion(have)
	w, ok2 := parseVersion(want)
	if !ok || !ok2 {
		return false
	}
	for len(h) < len(w) {
		h = append(h, 0)
	}
	return slices.Compare(h, w) >= 0
}
