package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wirecost/internal/compare"
	"wirecost/internal/report"
	"wirecost/internal/store"
)

func (a *App) compareCommand() *cobra.Command {
	threshold := percent(0.05)
	format := choice{"terminal", report.ChangeFormats()}
	var file string
	var noColor bool
	cmd := &cobra.Command{
		Use:   "compare [flags] OLD NEW",
		Short: "two result files: what changed; exit 3 on regression",
		Long: `compare tells what changed from OLD to NEW. Sizes and allocations are compared
exactly. Times are compared as ratios to the baseline that each run measured
beside them, with an interval that allows for what differs between runs, and
only on one machine.

OLD and NEW are result files as "run -o" writes them. Each may be several: a
comma-separated list, a pattern such as 'main-*.jsonl', or a folder of .jsonl
files. Several runs per side show how far runs differ, and so find smaller
changes.

The exit code is 3 if something got worse by more than --threshold for sure, 4
if not, but a codec that was measured before fails now, 1 if nothing can be
compared, and else 0.`,
		Example: `  wirecost compare main.jsonl branch.jsonl
  wirecost compare --format markdown -o comment.md 'main-*.jsonl' 'branch-*.jsonl'
  wirecost compare --threshold 10% main-1.jsonl,main-2.jsonl branch/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needArguments(cmd, args); err != nil {
				return err
			}
			if len(args) != 2 {
				return &usageError{fmt.Errorf("compare takes OLD and NEW, and was given %d; name several files of one side as a,b or 'pattern*.jsonl'", len(args))}
			}
			old, err := resultFiles(args[0])
			if err != nil {
				return err
			}
			new, err := resultFiles(args[1])
			if err != nil {
				return err
			}
			r, err := compare.Files(old, new, float64(threshold))
			if err != nil {
				return err
			}
			if err := a.writeChanges(r, format.value, file, noColor); err != nil {
				return err
			}
			if r.Count(compare.Regression) > 0 {
				return exitCode(exitRegression)
			}
			if r.Broken > 0 {
				return exitCode(exitPartial)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&threshold, "threshold", "changes up to this do not count")
	flags.Var(&format, "format", "output")
	flags.StringVarP(&file, "output", "o", "", "file to write to (default: standard output)")
	flags.BoolVar(&noColor, "no-color", false, "no colour (NO_COLOR is honoured too)")
	return cmd
}

func (a *App) writeChanges(r *compare.Result, format, file string, noColor bool) error {
	if file == "" {
		return report.WriteChanges(a.Stdout, r, format, report.Options{Color: color(a.Stdout, noColor), Width: min(width(a.Stdout), 100)})
	}
	return writeFile(file, func(w io.Writer) error {
		return report.WriteChanges(w, r, format, report.Options{Width: 80})
	})
}

// resultFiles reads the result files that an argument names.
func resultFiles(arg string) ([]*store.File, error) {
	var files []*store.File
	for _, part := range strings.Split(arg, ",") {
		paths, err := resultPaths(part)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			f, err := store.Read(path)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	return files, nil
}

// resultPaths resolves a file, a folder or a pattern.
func resultPaths(name string) ([]string, error) {
	info, err := os.Stat(name)
	pattern := name
	switch {
	case err == nil && !info.IsDir():
		return []string{name}, nil
	case err == nil:
		pattern = filepath.Join(name, "*.jsonl")
	case !strings.ContainsAny(name, "*?["):
		return nil, err
	}
	paths, globErr := filepath.Glob(pattern)
	if globErr != nil {
		return nil, &usageError{fmt.Errorf("%s: %w", name, globErr)}
	}
	if len(paths) == 0 {
		return nil, errors.New(name + ": there are no result files there")
	}
	slices.Sort(paths)
	return paths, nil
}
