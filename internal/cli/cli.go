// Package cli is the command line: one file per subcommand, and the voice in
// which wirecost speaks.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"wirecost/internal/env"
	"wirecost/internal/store"
	"wirecost/runners"
)

// Exit codes.
const (
	exitOK          = 0
	exitError       = 1 // nothing usable
	exitUsage       = 2
	exitRegression  = 3 // compare: something got worse
	exitPartial     = 4 // something failed, or was skipped though named
	exitInterrupted = 130
)

// App is the program with what it takes from the outside.
type App struct {
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Runners fs.FS    // a folder per runtime
	Folders []string // the user's own, each like Runners
	Now     func() time.Time
	// Start replaces how a built runner's process is started; tests use it.
	Start starter
	Cache string // where builds and results are kept
	// Machine describes where the run takes place; nil: by looking.
	Machine func() store.Machine
	// Noise tells what disturbs the machine; nil: by looking.
	Noise func(context.Context) env.NoiseReport
}

// Main runs the program and returns its exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { // a second interrupt ends the program at once
		<-ctx.Done()
		stop()
	}()
	cache, err := cacheDir()
	if err != nil {
		voice{w: stderr}.fail(err)
		return exitError
	}
	app := &App{
		Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now, Cache: cache,
		Runners: runners.FS, Folders: filepath.SplitList(os.Getenv(runnersVariable)),
	}
	return app.Main(ctx, args)
}

// Main runs one command line.
func (a *App) Main(ctx context.Context, args []string) int {
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exitCode
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil:
		a.voice().say("interrupted")
		return exitInterrupted
	case errors.As(err, &usage):
		a.voice().fail(err)
		return exitUsage
	}
	a.voice().fail(err)
	return exitError
}

// exitCode ends the program with a code after everything has been said.
type exitCode int

func (exitCode) Error() string { return "" }

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func (a *App) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "wirecost",
		Short: "what a data format costs you, measured on your own documents",
		Long: `wirecost measures JSON and Protobuf on your own documents: bytes, raw and
compressed, and the time to encode and decode them with the libraries people
use. It verifies every library's output before it times it, and prints ratios
with intervals.

Start with:  wirecost run orders.ndjson`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       env.Version(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{errors.New(args[0] + " is no command of wirecost; wirecost --help lists them")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{errors.New(err.Error() + "; " + cmd.CommandPath() + " --help lists the flags")}
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	root.AddCommand(a.runCommand(), a.inferCommand(), a.sizeCommand(), a.reportCommand(), a.compareCommand(), a.studyCommand(), a.doctorCommand(), a.setupCommand(), a.runnerCommand(), a.pageCommand(), a.bundleCommand())
	return root
}

// needArguments refuses a command line that names nothing to work on, explaining
// the command in a screen.
func needArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s\n\nUsage:\n  %s\n\nExamples:\n%s\n\n%s --help lists the flags.\n", cmd.Long, cmd.UseLine(), cmd.Example, cmd.CommandPath())
	return exitCode(exitUsage)
}
