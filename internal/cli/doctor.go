package cli

import (
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
	all, err := runner.Load(a.Runners)
	if err != nil {
		return err
	}
	for _, r := range all {
		statuses, err := r.Check(ctx)
		if err != nil {
			return err
		}
		verdict := "ready"
		for _, s := range statuses {
			if !s.OK() {
				verdict = "not ready"
			}
		}
		fmt.Fprintf(a.Stdout, "%s: %s\n", r.Runtime, verdict)
		for _, s := range statuses {
			fmt.Fprintf(a.Stdout, "  %s\n", found(s))
		}
		usual, others := codecLists(r)
		fmt.Fprintf(a.Stdout, "  measures %s\n", strings.Join(usual, ", "))
		if len(others) > 0 {
			fmt.Fprintf(a.Stdout, "  with --codec also %s\n", strings.Join(others, ", "))
		}
	}
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

// found says what there is of a program that a runner needs, and how to get it.
func found(s runner.NeedStatus) string {
	switch {
	case s.OK():
		return fmt.Sprintf("%s: %s", s.Program, s.Found)
	case s.Path == "":
		return fmt.Sprintf("%s is not installed; get it: %s", s.Program, s.Get)
	}
	return fmt.Sprintf("%s: %s; get it: %s", s.Program, s.Problem, s.Get)
}
