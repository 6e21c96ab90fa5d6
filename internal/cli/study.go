package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wirecost/internal/bench"
	"wirecost/internal/report"
	"wirecost/internal/store"
	"wirecost/internal/study"
)

func (a *App) studyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "study",
		Short: "run a published study again, published beside measured",
		Long: `Published write-ups ask whether Protobuf beats JSON, and each gives a different
answer. wirecost study run measures on this machine what a study measured, prints
its figures beside those from here, and says of each of its claims whether it
holds. wirecost study list names the studies.`,
		Example: "  wirecost study list\n  wirecost study run go-redis",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{errors.New(args[0] + " is no command of wirecost study; there are list and run")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.studyListCommand(), a.studyRunCommand())
	return cmd
}

func (a *App) studyListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "the studies, and which runtimes they need",
		Example: "  wirecost study list",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, s := range study.All() {
				fmt.Fprintf(a.Stdout, "%-14s %s\n%14s %s\n%14s needs %s\n", s.Name, s.Title, "", s.Question, "", strings.Join(s.Runtimes(), ", "))
			}
			return nil
		},
	}
}

// studyFlags are those of wirecost study run.
type studyFlags struct {
	output  outputFlags
	format  choice
	file    string
	results string
	redis   string
	full    bool
}

func (a *App) studyRunCommand() *cobra.Command {
	f := &studyFlags{format: choice{"terminal", append(report.ArticleFormats(), "json")}}
	cmd := &cobra.Command{
		Use:   "run [flags] NAME... | all",
		Short: "measure what a study measured, and decide its claims",
		Long: `run measures on this machine what the named studies measured: the same documents,
libraries and programs, and what came since. Its page sets what was published
beside what was measured, decides the study's claims one by one, and shows what
explains the difference. What cannot be measured here is left out with the reason,
and leaves its claims undecided.`,
		Example: `  wirecost study run go-redis small-message
  wirecost study run all --format markdown -o studies.md
  wirecost study run all --results studies   # measures what is not there yet`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needArguments(cmd, args); err != nil {
				return err
			}
			return a.study(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.full, "full", false, "measure as much as the study did, which takes longer")
	flags.Var(&f.format, "format", "output")
	flags.StringVarP(&f.file, "output", "o", "", "file to write to (default: standard output)")
	flags.StringVar(&f.results, "results", "", "folder of the result files; what is complete there is not measured again (default: a new one in the cache)")
	flags.StringVar(&f.redis, "redis", "", "a Redis server, as redis://localhost:6379 (default: one of its own)")
	f.output.add(cmd)
	return cmd
}

// studying is wirecost study run under way.
type studying struct {
	app *App
	f   *studyFlags
	dir string // where result files are kept
}

func (a *App) study(ctx context.Context, f *studyFlags, names []string) error {
	chosen, err := study.Named(names)
	if err != nil {
		return &usageError{err}
	}
	s := studying{a, f, f.results}
	if s.dir == "" {
		s.dir = filepath.Join(a.Cache, "results", "study-"+a.Now().Format("20060102-150405.000"))
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	var pages []*study.Page
	for _, x := range chosen {
		results, err := s.measure(ctx, x)
		if err != nil {
			return err
		}
		pages = append(pages, study.NewPage(x, results))
	}
	if err := s.write(pages); err != nil {
		return err
	}
	return s.end(ctx, pages, names)
}

// measure makes a study's runs, or reads what is there of them.
func (s studying) measure(ctx context.Context, x *study.Study) (*study.Results, error) {
	documents := filepath.Join(s.app.Cache, "studies", x.Name)
	if err := x.Write(documents); err != nil {
		return nil, err
	}
	results := study.NewResults()
	for i, run := range x.Runs {
		path := filepath.Join(s.dir, x.Name+"-"+strings.ReplaceAll(run.Name, " ", "-")+".jsonl")
		file, err := finished(path)
		if err != nil && ctx.Err() == nil {
			if err = s.run(ctx, x, i, documents, path); err == nil {
				file, err = store.Read(path)
			}
		}
		if err != nil {
			why, _, _ := strings.Cut(err.Error(), "\n")
			if ctx.Err() != nil {
				why = "interrupted"
			}
			results.Missing(run.Name, why)
			continue
		}
		if err := results.Add(run.Name, file); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// finished reads a result file to which nothing is to be added.
func finished(path string) (*store.File, error) {
	file, err := store.Read(path)
	if err == nil && file.Status != "complete" && file.Status != "partial" {
		err = fmt.Errorf("%s: the run was %s", path, file.Status)
	}
	return file, err
}

// run makes one run of a study, as wirecost run would with the same flags.
func (s studying) run(ctx context.Context, x *study.Study, index int, documents, path string) error {
	run := x.Runs[index]
	args := []string{"--output=" + path}
	if s.f.redis != "" && slices.Contains(run.Over, bench.Redis) {
		args = append(args, "--redis="+s.f.redis)
	}
	cmd, f := s.app.newRunCommand()
	if err := cmd.ParseFlags(append(args, x.Args(run, documents, s.f.full)...)); err != nil {
		return err
	}
	f.output = s.f.output
	r, err := s.app.newRunning(f, cmd.Flags(), nil)
	if err != nil {
		return err
	}
	defer r.live.clear()
	r.live.about = fmt.Sprintf("%s, %d of %d (%s): ", x.Name, index+1, len(x.Runs), run.Name)
	if run.SizesOnly {
		return r.recordSizes(ctx, cmd.Flags().Args())
	}
	if err := r.choose(ctx); err != nil {
		return err
	}
	return r.record(ctx, cmd.Flags().Args())
}

// recordSizes takes sizes and times nothing.
func (r *running) recordSizes(ctx context.Context, files []string) error {
	if err := r.read(ctx, files); err != nil {
		return err
	}
	status, err := "complete", r.sizes(ctx)
	switch {
	case ctx.Err() != nil:
		status, err = "interrupted", nil
	case err != nil:
		status = "partial"
	}
	return errors.Join(err, r.file.close(status))
}

// write writes the pages where they are wanted.
func (s studying) write(pages []*study.Page) error {
	write := func(w io.Writer, opt report.Options) error {
		if s.f.format.value == "json" {
			return study.WriteJSON(w, pages)
		}
		return report.WriteDocument(w, study.Document(pages), s.f.format.value, opt)
	}
	if s.f.file == "" {
		return write(s.app.Stdout, report.Options{Color: color(s.app.Stdout, s.f.output.noColor), Width: min(width(s.app.Stdout), 100)})
	}
	return writeFile(s.f.file, func(w io.Writer) error { return write(w, report.Options{Width: 80}) })
}

// end says where the measurements are, and gives the exit code.
func (s studying) end(ctx context.Context, pages []*study.Page, names []string) error {
	voice := voice{s.app.Stderr, s.f.output.quiet}
	voice.say("raw measurements are in %s", s.dir)
	if ctx.Err() != nil {
		voice.say("interrupted; go on with: wirecost study run %s --results %s", strings.Join(names, " "), s.dir)
		return exitCode(exitInterrupted)
	}
	measured, partial := false, false
	for _, p := range pages {
		measured = measured || len(p.Results.Files()) > 0
		partial = partial || len(p.Results.Failed()) > 0 || slices.Contains(names, p.Name) && !p.Complete()
	}
	switch {
	case !measured:
		return errors.New("nothing could be measured; the reasons are above")
	case partial:
		return exitCode(exitPartial)
	}
	return nil
}
