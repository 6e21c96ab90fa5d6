package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/runner/check"
	"wirecost/internal/strictjson"
)

func (a *App) runnerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runner",
		Short: "for those who write runners: does one speak the protocol correctly?",
		Long: `A runner is a program that holds the codecs of one language runtime and times
them (docs/adding-a-runner.md). wirecost runner check says whether one speaks the
protocol correctly.`,
		Example: "  wirecost runner check --help",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{errors.New(args[0] + " is no command of wirecost runner; there is check")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.checkCommand())
	return cmd
}

// checkFlags are those of wirecost runner check.
type checkFlags struct {
	input    inputFlags
	quiet    bool
	codecs   []string
	deadline time.Duration
}

func (a *App) checkCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check [flags] [FILE...] -- CMD... | RUNTIME...",
		Short: "does a runner speak the protocol correctly?",
		Long: `check starts a runner many times, asks what an honest run asks and what it never
does, hands over documents that are hard to get right and documents that are
broken, and compares what comes back with a reference. It prints a line for each
check, and what came instead where it is wrong; exit code 1 means that something
is.

After -- comes the command that starts the runner. Its codecs are checked with
built-in documents if it can read any schema, or with the documents of FILE, of
the schema that it was built for. A RUNTIME in place of all that is one of
wirecost's runners, or of your own in a folder that WIRECOST_RUNNERS names: it is
built for the built-in documents and then checked.`,
		Example: `  wirecost runner check -- my-runner
  wirecost runner check go`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needArguments(cmd, args); err != nil {
				return err
			}
			dash := cmd.ArgsLenAtDash()
			if dash < 0 {
				return a.checkRuntimes(cmd.Context(), f, args)
			}
			if dash == len(args) {
				return &usageError{errors.New("nothing follows --; name the command that starts the runner")}
			}
			return a.checkProgram(cmd.Context(), f, args[:dash], args[dash:])
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.quiet, "quiet", false, "print only what is wrong")
	flags.StringSliceVar(&f.codecs, "codec", nil, "codecs to check, by name (default: all)")
	flags.DurationVar(&f.deadline, "deadline", 30*time.Second, "longest that a request may take")
	f.input.add(cmd)
	return cmd
}

// checkProgram checks a program as it is.
func (a *App) checkProgram(ctx context.Context, f *checkFlags, files, words []string) error {
	dir, remove, err := scratch()
	if err != nil {
		return err
	}
	defer remove()
	var opts check.Options
	if len(files) > 0 {
		opts, err = a.checkFiles(ctx, f, files, dir)
	} else {
		opts, err = builtIn(ctx, dir)
		opts.Foreign = true
	}
	if err != nil {
		return err
	}
	t := tally{app: a, f: f}
	if err := t.run(ctx, runner.Command{Words: words}, opts); err != nil {
		return err
	}
	return t.end()
}

// builtIn are the options to check with the built-in documents.
func builtIn(ctx context.Context, dir string) (check.Options, error) {
	v, err := check.NewVectors(ctx, dir)
	if err != nil {
		return check.Options{}, err
	}
	return v.Options()
}

// checkFiles are the options to check with the user's documents.
func (a *App) checkFiles(ctx context.Context, f *checkFlags, files []string, dir string) (check.Options, error) {
	in, err := a.load(ctx, &f.input, files)
	if err != nil {
		return check.Options{}, err
	}
	truth := check.NewTruth(in.schema, dir)
	opts := check.Options{Dir: dir, Checksums: truth.Checksums, Output: truth.Output, Find: truth.Find}
	for _, s := range in.samples {
		docs := documents(s)
		for i, d := range docs {
			docs[i] = strictjson.Compact(nil, d)
		}
		sample, err := truth.Add(s.ID, docs)
		if err != nil {
			return check.Options{}, err
		}
		opts.Samples = append(opts.Samples, sample)
	}
	return opts, nil
}

// checkRuntimes builds runners for the built-in documents and checks them.
func (a *App) checkRuntimes(ctx context.Context, f *checkFlags, names []string) error {
	all, err := a.allRunners()
	if err != nil {
		return err
	}
	asked, err := plan.Runtimes(all, names)
	if err != nil {
		return &usageError{fmt.Errorf("%w; the command of a runner comes after --", err)}
	}
	t := tally{app: a, f: f}
	for _, x := range asked {
		if len(asked) > 1 {
			fmt.Fprintf(a.Stdout, "%s\n", x.Runner.Runtime)
		}
		if err := t.build(ctx, x.Runner); err != nil {
			return err
		}
	}
	return t.end()
}

// build builds one runner and checks it.
func (t *tally) build(ctx context.Context, r *runner.Runner) error {
	dir, remove, err := scratch()
	if err != nil {
		return err
	}
	defer remove()
	v, err := check.NewVectors(ctx, dir)
	if err != nil {
		return err
	}
	opts, err := v.Options()
	if err != nil {
		return err
	}
	sets, err := runner.Sets(v.Schema)
	if err != nil {
		return err
	}
	codecs := t.f.codecs
	if codecs == nil {
		for _, c := range r.Codecs {
			codecs = append(codecs, c.Name)
		}
	}
	live := t.app.newLive(&outputFlags{quiet: t.f.quiet, progress: choice{value: "auto"}})
	defer live.clear()
	build, err := t.app.newBuilder().Build(ctx, r, runner.BuildRequest{
		Model: v.Schema.Model, Sets: sets, Codecs: codecs, Transports: r.TransportNames(),
		Progress: func(line string) { live.phase("%s", line) },
	})
	live.clear()
	if err != nil {
		return err
	}
	for _, d := range build.Dropped {
		t.add(check.Line{Rule: "build", Codec: d.Codec, Expected: "it is built in", Skipped: d.Reason})
	}
	for _, d := range build.DroppedTransports {
		t.add(check.Line{Rule: "build", Expected: "the transport " + string(d.Transport) + " is built in", Skipped: d.Reason})
	}
	opts.Codecs = build.Codecs
	return t.run(ctx, build.Command(), opts)
}

// tally counts checks and prints them.
type tally struct {
	app *App
	f   *checkFlags

	good, wrong, skipped int
}

func (t *tally) run(ctx context.Context, c runner.Command, opts check.Options) error {
	opts.Deadline, opts.Report = t.f.deadline, t.add
	if opts.Codecs == nil {
		opts.Codecs = t.f.codecs
	}
	_, err := check.Run(ctx, check.Command(c), opts)
	return err
}

func (t *tally) add(l check.Line) {
	what := l.Rule + ": "
	if l.Codec != "" {
		what += l.Codec + ": "
	}
	what += l.Expected
	switch {
	case len(l.Came) > 0:
		t.wrong++
		t.line("WRONG", what)
		for _, came := range l.Came {
			t.line("", "came: "+came)
		}
	case l.Skipped != "":
		t.skipped++
		if !t.f.quiet {
			t.line("skipped", what)
			t.line("", "said: "+l.Skipped)
		}
	default:
		t.good++
		if !t.f.quiet {
			t.line("ok", what)
		}
	}
}

// line prints a line behind its mark, and further ones below.
func (t *tally) line(mark, text string) {
	fmt.Fprintf(t.app.Stdout, "%-7s  %s\n", mark, strings.ReplaceAll(text, "\n", "\n         "))
}

// end sums up; what is wrong is worth an exit code.
func (t *tally) end() error {
	fmt.Fprintf(t.app.Stdout, "%d checks: %d as expected, %d wrong, %d skipped\n", t.good+t.wrong+t.skipped, t.good, t.wrong, t.skipped)
	if t.wrong > 0 {
		return exitCode(exitError)
	}
	return nil
}
