// Command versus-benchstat puts wirecost's measuring engine beside "go test
// -bench -count=10" with benchstat: comparisons of identical code and of code that takes
// exactly 1%, 1.5% and 2% longer, through both, in random order, with and without busy
// neighbours. It prints the figures for both and holds wirecost's against the acceptance
// table (docs/statistics.md). It exits with 1 where a bound is missed.
//
//	go run ./bench/versus-benchstat [-controls] [-trials N] [-resume FILE]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"wirecost/internal/env"
)

// roleVariable tells a copy of this program what it is: a runner, or a busy
// neighbour.
const roleVariable = "VERSUS_BENCHSTAT_ROLE"

// errMissed says that a bound was missed, which the table shows.
var errMissed = errors.New("a bound was missed")

func main() {
	if played, err := role(); played {
		if err != nil {
			fmt.Fprintln(os.Stderr, "versus-benchstat:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return
	case !errors.Is(err, errMissed):
		fmt.Fprintln(os.Stderr, "versus-benchstat:", err)
	}
	stop()
	os.Exit(exitCode(err))
}

// role plays the part that the environment asks for, if there is one.
func role() (played bool, err error) {
	switch os.Getenv(roleVariable) {
	case "runner":
		return true, serve()
	case "spin":
		spin()
	}
	return false, nil
}

type usageError struct{ error }

func exitCode(err error) int {
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return 2
	case errors.Is(err, context.Canceled):
		return 130
	}
	return 1
}

// options are the command line.
type options struct {
	selection
	seconds float64
	spin    int
	output  string
	resume  string
	dry     bool
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("versus-benchstat", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.trials, "trials", 0, "trials of each cell (0: as many as the acceptance table asks for)")
	flags.Float64Var(&o.seconds, "seconds", 2.5, "wall time of one comparison by go test, at which both tools are compared")
	flags.StringVar(&o.patterns, "cells", "", "only these cells, as 'gotest-*,one-2%' (default: all but the controls)")
	flags.StringVar(&o.busy, "busy", "both", "busy neighbours: with, without, or both (in half of the trials)")
	flags.IntVar(&o.spin, "neighbours", 1, "busy neighbours, when there are any: processes that spin")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of every random choice")
	flags.BoolVar(&o.controls, "controls", false, "also run engines with a fault, which must fail")
	flags.BoolVar(&o.quick, "quick", false, "one short trial of each cell, to see that all works; judges nothing")
	flags.BoolVar(&o.dry, "plan", false, "print what would be run and how long it takes, and end")
	flags.StringVar(&o.output, "o", "", "file for the trials' results (default: a new one in the temporary folder)")
	flags.StringVar(&o.resume, "resume", "", "go on with the run that this file holds; its seed, times and neighbours are kept")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, usageError{err}
	}
	switch {
	case flags.NArg() > 0:
		return nil, usageError{fmt.Errorf("there are no arguments besides flags: %q", flags.Arg(0))}
	case o.busy != "both" && o.busy != "with" && o.busy != "without":
		return nil, usageError{fmt.Errorf("-busy %s: it is both, with or without", o.busy)}
	case o.trials < 0 || o.spin < 1 || !(o.seconds >= 0.2 && o.seconds <= 600):
		return nil, usageError{errors.New("-trials cannot be negative, -neighbours must be at least 1, and -seconds 0.2 to 600")}
	case o.resume != "" && o.output != "":
		return nil, usageError{errors.New("-resume goes on in its own file; leave out -o")}
	}
	if o.quick {
		o.seconds = min(o.seconds, quickLimit)
	}
	return o, nil
}

// run makes the trials and prints the tables.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	var f *file
	if o.resume != "" {
		if f, err = reopen(o.resume); err != nil {
			return err
		}
		defer f.Close()
		o.keep(f.header)
	}
	chosen, err := o.choose(cells(o.seconds))
	if err != nil {
		return usageError{err}
	}
	jobs := o.schedule(chosen)
	p := &progress{w: stderr, jobs: jobs}
	p.plan(o)
	if o.dry {
		return nil
	}
	if f == nil {
		if f, err = o.create(); err != nil {
			return err
		}
		defer f.Close()
	}
	fmt.Fprintf(stderr, "results go to %s\n", f.Name())
	err = o.trialsOf(ctx, jobs, f, p)
	if err != nil && ctx.Err() == nil {
		return err
	}
	missed := printTables(stdout, f, chosen)
	if ctx.Err() != nil {
		fmt.Fprintf(stderr, "interrupted; go on with -resume %s\n", f.Name())
		return ctx.Err()
	}
	if missed && !f.header.Quick {
		return errMissed
	}
	return nil
}

// keep takes over what a run that goes on must keep to.
func (o *options) keep(h header) {
	o.seed, o.seconds, o.busy, o.spin, o.quick = h.Seed, h.Seconds, h.Busy, h.Spin, h.Quick
}

func (o *options) create() (*file, error) {
	path := o.output
	if path == "" {
		path = filepath.Join(os.TempDir(), "versus-benchstat-"+time.Now().Format("20060102-150405.000")+".jsonl")
	}
	m := env.Describe(context.Background())
	return create(path, header{
		Kind: "header", Time: time.Now(), Go: runtime.Version(), CPU: m.CPU, Cores: runtime.NumCPU(),
		Seed: o.seed, Seconds: o.seconds, Busy: o.busy, Spin: o.spin, Quick: o.quick,
	})
}

// trialsOf makes the trials that the file does not have.
func (o *options) trialsOf(ctx context.Context, jobs []job, f *file, p *progress) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "versus-benchstat-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l, err := newLab(executable, dir, o.spin)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if f.done(j) {
			p.skip(j)
			continue
		}
		if j.method == goTest && l.peer.binary == "" {
			if err := l.peer.compile(ctx, dir); err != nil {
				return err
			}
			if err := l.calibrate(ctx, o.seconds); err != nil {
				return err
			}
		}
		p.next(j)
		t, err := l.trial(ctx, j)
		if err != nil {
			return err
		}
		if j.method == goTest {
			l.peer.follow(t, o.seconds, 0.3)
		}
		p.made(t)
		if err := f.add(t); err != nil {
			return err
		}
	}
	return nil
}
