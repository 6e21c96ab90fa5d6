// Command fidelity checks that a runner times what a programmer of its runtime
// would: for every codec and operation it measures long batches, collection included, by the
// runner and by the ecosystem's own benchmark tool, for the same code in one build, in turns and
// in fresh processes. It prints a table of ratios, and what the runner's loop adds to a batch; it
// exits with 1 where a ratio is not within 3% of 1 (Go) or 5% (the others), or the loop adds more
// than a microsecond.
//
//	go run ./bench/fidelity -runtime go|…|all [-pairs N] [-codec PATTERNS] [-file FILE]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	cpptool "wirecost/bench/fidelity/cpp"
	gotool "wirecost/bench/fidelity/go"
	javatool "wirecost/bench/fidelity/java"
	nodetool "wirecost/bench/fidelity/node"
	pythontool "wirecost/bench/fidelity/python"
	rusttool "wirecost/bench/fidelity/rust"
	"wirecost/bench/fidelity/tool"
)

// tools are the ecosystems' own benchmark tools, by runtime.
var tools = map[string]tool.Tool{"cpp": &cpptool.Tool{}, "go": &gotool.Tool{}, "java": &javatool.Tool{}, "node": &nodetool.Tool{}, "python": &pythontool.Tool{}, "rust": &rusttool.Tool{}}

// errMissed says that a bound was missed, which the table shows.
var errMissed = errors.New("a bound was missed")

type usageError struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	if !errors.Is(err, errMissed) {
		fmt.Fprintln(os.Stderr, "fidelity:", err)
	}
	stop()
	code := 1
	var usage usageError
	switch {
	case errors.As(err, &usage):
		code = 2
	case errors.Is(err, context.Canceled):
		code = 130
	}
	os.Exit(code)
}

// options are the command line.
type options struct {
	runtime string
	names   string
	file    string
	pairs   int
	rounds  int
	batch   time.Duration
	seed    uint64
	stderr  io.Writer
}

func (o *options) say(line string) { fmt.Fprintln(o.stderr, line) }

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{stderr: stderr}
	flags := flag.NewFlagSet("fidelity", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.runtime, "runtime", "go", "the runtime whose codecs are checked, or all")
	flags.StringVar(&o.names, "codec", "", "codecs, as 'goccy,*proto*' (default: the usual ones)")
	flags.StringVar(&o.file, "file", "examples/orders.ndjson", "documents; small messages are measured besides")
	flags.IntVar(&o.pairs, "pairs", 20, "pairs of fresh processes")
	flags.IntVar(&o.rounds, "rounds", 8, "batches of each case and side in a pair, in turns; the fastest counts")
	flags.DurationVar(&o.batch, "batch", 50*time.Millisecond, "how long a batch lasts; three times as long in Node, whose heap grows first")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the order")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, usageError{err}
	}
	known := slices.Sorted(maps.Keys(tools))
	switch {
	case flags.NArg() > 0:
		return nil, usageError{fmt.Errorf("there are no arguments besides flags: %q", flags.Arg(0))}
	case tools[o.runtime] == nil && o.runtime != everything:
		return nil, usageError{fmt.Errorf("-runtime %s cannot be checked; there are %s", o.runtime, strings.Join(known, ", "))}
	case o.pairs < 1 || o.rounds < 1 || o.batch <= 0:
		return nil, usageError{errors.New("-pairs and -rounds must be at least 1, and -batch longer than 0")}
	}
	return o, nil
}

// regrowth is how many times as long batches last where a heap is settled before the
// warm-up only.
const regrowth = 3

// everything stands for all runtimes that can be checked.
const everything = "all"

// run measures and prints the tables.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	// Both sides collect garbage by the defaults.
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS"} {
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	if o.runtime != everything {
		return o.check(ctx, stdout)
	}
	var missed error
	for _, o.runtime = range slices.Sorted(maps.Keys(tools)) {
		fmt.Fprintf(stdout, "%s\n", o.runtime)
		if err := o.check(ctx, stdout); errors.Is(err, errMissed) {
			missed = err
		} else if err != nil {
			return fmt.Errorf("%s: %w", o.runtime, err)
		}
		fmt.Fprintln(stdout)
	}
	return missed
}

// check measures one runtime and prints its table.
func (o *options) check(ctx context.Context, stdout io.Writer) error {
	dir, err := os.MkdirTemp("", "fidelity-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newSetup(ctx, o, dir)
	if err != nil {
		return err
	}
	for _, d := range s.build.Dropped {
		o.say("left out: " + d.Codec + ": " + d.Reason)
	}
	t := tools[o.runtime]
	o.say("building the benchmark of " + t.Name())
	if err := t.Build(ctx, s.build, dir+"/tool"); err != nil {
		return err
	}
	own := *o
	if tool.SettlesFirst(t) {
		own.batch *= regrowth
	}
	m := &meter{setup: s, options: &own, tool: t, compiles: s.build.Runner.Compiles}
	m.list()
	if err := m.measure(ctx); err != nil {
		return err
	}
	loop, err := m.loop(ctx)
	if err != nil {
		return err
	}
	missed := m.print(stdout)
	if printLoop(stdout, loop) || missed {
		return errMissed
	}
	return nil
}
