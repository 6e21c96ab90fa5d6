package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wirecost/internal/env"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
)

// runnersVariable is the environment variable with folders of further runners,
// separated as in PATH.
const runnersVariable = "WIRECOST_RUNNERS"

// allRunners are the runners that come with wirecost and the user's own, ordered
// by runtime. One of the user's takes the place of another of the same runtime.
func (a *App) allRunners() ([]*runner.Runner, error) {
	all, err := runner.Load(a.Runners)
	if err != nil {
		return nil, err
	}
	for _, folder := range a.Folders {
		own, err := ownRunners(folder)
		if err != nil {
			return nil, err
		}
		for _, r := range own {
			all = append(slices.DeleteFunc(all, func(x *runner.Runner) bool { return x.Runtime == r.Runtime }), r)
		}
	}
	slices.SortFunc(all, func(a, b *runner.Runner) int { return strings.Compare(a.Runtime, b.Runtime) })
	return all, nil
}

// ownRunners reads a folder that holds runners' folders.
func ownRunners(folder string) ([]*runner.Runner, error) {
	if _, err := os.ReadDir(folder); err != nil {
		return nil, fmt.Errorf("%s: %w; it should name folders that hold runners", runnersVariable, err)
	}
	own, err := runner.Load(os.DirFS(folder))
	if err != nil {
		return nil, fmt.Errorf("%s%c%w", folder, filepath.Separator, err)
	}
	if len(own) == 0 {
		return nil, fmt.Errorf("%s: no folder in %s has a runner.json; name the folder above the runner's own", runnersVariable, folder)
	}
	return own, nil
}

// newBuilder gives what looks for runtimes, sets them up and builds them.
func (a *App) newBuilder() *runner.Builder {
	return &runner.Builder{Cache: a.Cache, Version: env.Version()}
}

// absent is a runtime that was asked for and is not ready.
type absent struct {
	*runner.Runner
	reason string
	named  bool // asked for by its name, not by "all"
}

func (x absent) String() string { return x.Runtime + ": " + x.reason }

func join(all []absent) string {
	var reasons []string
	for _, x := range all {
		reasons = append(reasons, x.String())
	}
	return strings.Join(reasons, "; ")
}

// present divides the runtimes asked for into those that are ready and the
// others, and notes the versions of the former.
func (r *running) present(ctx context.Context, asked []plan.Asked) (ready []*runner.Runner, err error) {
	for _, x := range asked {
		status, err := r.builder.Look(ctx, x.Runner)
		if err != nil {
			return nil, err
		}
		if why := status.Problem(); why != "" {
			r.absent = append(r.absent, absent{x.Runner, why, x.Named})
			continue
		}
		r.versions[x.Runner.Runtime] = versions(status)
		ready = append(ready, x.Runner)
	}
	return ready, nil
}

// versions lists what was found of a runtime that is ready.
func versions(s runner.Status) string {
	var found []string
	for _, n := range s.Needs {
		if n.OK() && n.Found != "" {
			found = append(found, n.Found)
		}
	}
	if s.Home.Versions != "" {
		found = append(found, s.Home.Versions)
	}
	return strings.Join(found, ", ")
}

// leaveOut takes patterns that only a runtime that is not ready could fit out of
// the selection: its codecs are skipped with it.
func (r *running) leaveOut(s *plan.Selection, ready []*runner.Runner) error {
	fits := func(pattern string, runners []*runner.Runner) bool {
		return slices.ContainsFunc(runners, func(x *runner.Runner) bool { return plan.Fits(pattern, x) })
	}
	var away []*runner.Runner
	for _, x := range r.absent {
		away = append(away, x.Runner)
	}
	if s.Baseline != "" && !fits(s.Baseline, ready) && fits(s.Baseline, away) {
		return fmt.Errorf("--baseline %s cannot be measured here; %s", s.Baseline, join(r.absent))
	}
	var left []string
	for _, p := range s.Codecs {
		if fits(p, ready) || !fits(p, away) {
			left = append(left, p)
			continue
		}
		r.unmet = append(r.unmet, p)
	}
	if len(s.Codecs) > 0 && len(left) == 0 {
		return fmt.Errorf("nothing can be measured: %s", join(r.absent))
	}
	s.Codecs = left
	return nil
}

// elsewhere adds to the complaint about an unknown codec which runtime has it.
func elsewhere(unknown *plan.UnknownCodecError, all []*runner.Runner, asked []string) error {
	for _, x := range all {
		if plan.Fits(unknown.Pattern, x) {
			return fmt.Errorf("--codec %s is a codec of %s, which was not asked for; add --runtime %s", unknown.Pattern, x.Runtime, strings.Join(append(slices.Clone(asked), x.Runtime), ","))
		}
	}
	return unknown
}
