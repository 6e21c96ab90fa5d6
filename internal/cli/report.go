package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"wirecost/internal/report"
	"wirecost/internal/store"
)

func formats() string { return strings.Join(report.Formats(), ", ") }

func (a *App) reportCommand() *cobra.Command {
	var out outputFlags
	var format, file string
	cmd := &cobra.Command{
		Use:   "report RESULT...",
		Short: "print what result files hold, in any format",
		Long: `report derives everything again from the raw measurements in result files:
estimates, intervals, verdicts. Several files are merged: days of one machine are
read together, machines apart.`,
		Example: `  wirecost report result.jsonl
  wirecost report --format markdown -o result.md result.jsonl
  wirecost report --format benchfmt old.jsonl > old.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needArguments(cmd, args); err != nil {
				return err
			}
			exporter, ok := report.For(format)
			if !ok {
				return &usageError{fmt.Errorf("--format %s: there is no such format; there are %s", format, formats())}
			}
			var files []*store.File
			for _, path := range args {
				f, err := store.Read(path)
				if err != nil {
					return err
				}
				files = append(files, f)
			}
			rep, err := report.Build(files...)
			if err != nil {
				return err
			}
			if file == "" {
				opt := report.Options{Color: color(a.Stdout, out.noColor), Width: min(width(a.Stdout), 100)}
				return exporter.Write(a.Stdout, rep, opt)
			}
			return writeFile(file, func(w io.Writer) error { return exporter.Write(w, rep, report.Options{Width: 80}) })
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&format, "format", "terminal", "output: "+formats())
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write to (default: standard output)")
	out.add(cmd)
	return cmd
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".wirecost-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
