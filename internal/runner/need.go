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

// What a need may be for, if not for everything.
const (
	forSetup = "setup"
	forRun   = "run"
)

// NeedStatus is what was found of a program that a runner needs.
type NeedStatus struct {
	Need
	Label   string // what to call it: the program, with its arguments where several needs have one program
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
		s := NeedStatus{Need: n, Label: r.label(n)}
		s.look(ctx, r.environment())
		all = append(all, s)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// label tells a need from others of the same program, as of "pkg-config".
func (r *Runner) label(n Need) string {
	for _, other := range r.Needs {
		if other.Program == n.Program && !slices.Equal(other.Version, n.Version) {
			return strings.Join(append([]string{n.Program}, n.Version...), " ")
		}
	}
	return n.Program
}

// environment is the manifest's, without what stands on folders of ours: needs
// are looked for before there are any.
func (r *Runner) environment() map[string]string {
	env := map[string]string{}
	for name, value := range r.Environment {
		if !strings.Contains(value, "{home}") && !strings.Contains(value, "{tools}") && !strings.Contains(value, programMark) {
			env[name] = value
		}
	}
	return placeholders{}.environment(env)
}

func (s *NeedStatus) look(ctx context.Context, env map[string]string) {
	n := s.Need
	var err error
	if s.Path, err = exec.LookPath(n.Program); err != nil {
		s.Problem = fmt.Sprintf("%s is not installed; get it: %s", n.Program, n.Get)
		return
	}
	if len(n.Version) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := command{
		words: slices.Concat([]string{s.Path}, n.Version),
		dir:   os.TempDir(), // not where the user stands: some programs' version depends on the folder
		env:   env,
	}.run(ctx)
	if err != nil {
		s.Problem = fmt.Sprintf("%s fails (%v%s); get it: %s", s.Label, err, because(out), n.Get)
		return
	}
	s.Output = strings.TrimSpace(out.stdout + out.stderr)
	s.Found, _, _ = strings.Cut(s.Output, "\n")
	if n.Minimum != "" && !atLeast(s.Found, n.Minimum) {
		s.Problem = fmt.Sprintf("%s is %q, older than %s; get it: %s", s.Path, s.Found, n.Minimum, n.Get)
	}
}

// because is the last thing that a failed command said: programs explain
// themselves at the end.
func because(out output) string {
	lines := strings.Split(strings.TrimSpace(out.stdout+"\n"+out.stderr), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return ": " + last
	}
	return ""
}

// lacking says which codecs cannot be built for want of a need of their own, and
// why.
func lacking(needs []NeedStatus) []Dropped {
	var drops []Dropped
	for _, n := range needs {
		for _, codec := range n.Codecs {
			if !n.OK() && !isDropped(drops, codec) {
				drops = append(drops, Dropped{codec, n.Problem})
			}
		}
	}
	return drops
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
