package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"wirecost/internal/plan"
	"wirecost/internal/runner"
)

// setupFlags are those of wirecost setup.
type setupFlags struct {
	output outputFlags
	again  bool
}

func (a *App) setupCommand() *cobra.Command {
	f := &setupFlags{}
	cmd := &cobra.Command{
		Use:   "setup [flags] RUNTIME...",
		Short: "install a runtime's pinned libraries into the cache (no root)",
		Long: `setup brings the libraries that a runtime's codecs need, in the versions that
wirecost pins, into its own cache. It needs no root and changes nothing else on
the machine; afterwards runs work offline. What is there and whole is left as it
is; what was interrupted or has been damaged is made again. all means every
runtime. Programs that the system's package manager brings are not installed:
the command for them is printed.`,
		Example: `  wirecost setup all
  wirecost setup --again python`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needArguments(cmd, args); err != nil {
				return err
			}
			return a.setup(cmd.Context(), f, args)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&f.again, "again", false, "also where it is there and whole")
	f.output.add(cmd)
	return cmd
}

func (a *App) setup(ctx context.Context, f *setupFlags, names []string) error {
	all, err := a.allRunners()
	if err != nil {
		return err
	}
	asked, err := plan.Runtimes(all, names)
	if err != nil {
		return &usageError{err}
	}
	s := &settingUp{app: a, f: f, live: a.newLive(&f.output), builder: a.newBuilder()}
	defer s.live.clear()
	for _, x := range asked {
		if err := s.one(ctx, x); err != nil {
			return err
		}
	}
	switch {
	case s.failed == 0:
		return nil
	case s.ready == 0:
		return exitCode(exitError)
	}
	return exitCode(exitPartial)
}

// settingUp is a set-up of several runtimes under way.
type settingUp struct {
	app     *App
	f       *setupFlags
	live    *live
	builder *runner.Builder

	ready, failed int
}

// one sets up one runtime and says what came of it. The error is one that ends
// all.
func (s *settingUp) one(ctx context.Context, x plan.Asked) error {
	name := x.Runner.Runtime
	s.live.phase("looking at %s", name)
	status, err := s.builder.Look(ctx, x.Runner)
	if err != nil {
		return err
	}
	if lacks := status.Missing(); len(lacks) > 0 {
		s.say("%s: not set up, because programs are missing; get them and run this again", name)
		for _, n := range lacks {
			s.say("  %s", n.Problem)
		}
		if x.Named {
			s.failed++
		}
		return nil
	}
	home, cached, err := s.builder.Setup(ctx, x.Runner, runner.SetupRequest{
		Again: s.f.again, Progress: func(line string) { s.live.phase("%s", line) },
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		s.live.clear()
		s.app.voice().fail(err)
		s.failed++
		return nil
	}
	s.ready++
	switch {
	case home.Dir == "":
		s.say("%s: ready; it needs no set-up", name)
	case cached:
		s.say("%s: ready; it was set up already%s", name, told(home))
	default:
		s.say("%s: set up%s", name, told(home))
	}
	for _, d := range status.Lacking() {
		s.say("  without %s: %s", d.Codec, d.Reason)
	}
	return nil
}

// say prints a line of the result, where no progress is in its way.
func (s *settingUp) say(format string, args ...any) {
	s.live.clear()
	fmt.Fprintf(s.app.Stdout, format+"\n", args...)
}

func told(h runner.Home) string {
	if h.Versions == "" {
		return ""
	}
	return ": " + h.Versions
}
