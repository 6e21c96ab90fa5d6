package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wirecost/internal/env"
	"wirecost/internal/runner"
)

func (a *App) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "what is installed, what is missing and how to get it, how quiet the machine is",
		Long: `doctor looks at each runtime that wirecost can measure: what it needs, what was
found, and what it would add. Then it looks at the machine: what may disturb a
measurement, and what to do about it.`,
		Example: "  wirecost doctor",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context()) },
	}
}

func (a *App) doctor(ctx context.Context) error {
	all, err := a.allRunners()
	if err != nil {
		return err
	}
	builder := a.newBuilder()
	for _, r := range all {
		status, err := builder.Examine(ctx, r)
		if err != nil {
			return err
		}
		a.diagnose(r, status)
	}
	a.diagnoseWires(ctx)
	fmt.Fprintf(a.Stdout, "cache: %s\n", a.Cache)
	m := env.Describe(ctx)
	fmt.Fprintf(a.Stdout, "machine: %s, %d cores, %s/%s, clock step %.0f ns\n", m.CPU, m.Cores, m.OS, m.Arch, m.ClockStepNS)
	noise := env.Noise(ctx, 500*time.Millisecond)
	if len(noise.Advice) == 0 {
		fmt.Fprintln(a.Stdout, "  quiet: nothing was seen that would disturb a measurement")
	}
	for _, line := range noise.Advice {
		fmt.Fprintf(a.Stdout, "  %s\n", line)
	}
	return nil
}

// diagnose says what there is of a runtime, what is missing and how to get it,
// and what it adds.
func (a *App) diagnose(r *runner.Runner, s runner.Status) {
	say := func(format string, args ...any) { fmt.Fprintf(a.Stdout, format+"\n", args...) }
	verdict, measures := "ready", "measures"
	if s.Problem() != "" {
		verdict, measures = "not ready", "would measure"
	}
	say("%s: %s", r.Runtime, verdict)
	for _, n := range s.Needs {
		switch {
		case n.OK():
			say("  %s: %s", n.Label, cmp.Or(n.Found, "found"))
		case len(n.Codecs) > 0:
			say("  without %s: %s", strings.Join(n.Codecs, ", "), n.Problem)
		default:
			say("  %s", n.Problem)
		}
	}
	switch {
	case s.Home.Dir == "":
	case s.Home.Problem == "":
		say("  set up%s", told(s.Home))
	case len(s.Missing()) > 0:
		say("  then: wirecost setup %s", r.Runtime)
	default:
		say("  %s", s.Home.Problem)
	}
	usual, others := codecLists(r)
	say("  %s %s", measures, strings.Join(usual, ", "))
	if len(others) > 0 {
		say("  with --codec also %s", strings.Join(others, ", "))
	}
	if wires := wiresOf(r); wires != "" {
		say("  with --over %s", wires)
	}
}

func codecLists(r *runner.Runner) (usual, others []string) {
	for _, c := range r.Codecs {
		if c.Default {
			usual = append(usual, c.Name)
		} else {
			others = append(others, c.Name)
		}
	}
	return usual, others
}
