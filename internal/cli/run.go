package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/report"
	"wirecost/internal/runner"
	"wirecost/internal/sched"
	"wirecost/internal/store"
)

// runFlags are those of wirecost run.
type runFlags struct {
	input     inputFlags
	output    outputFlags
	over      overFlags
	runtimes  []string
	codecs    []string
	ops       operations
	baseline  string
	precision percent
	maxTime   time.Duration
	maxForks  int
	maxMemory byteSize
	seed      uint64
	rate      float64
	link      string
	file      string
	resume    string
}

func (a *App) runCommand() *cobra.Command {
	cmd, _ := a.newRunCommand()
	return cmd
}

func (a *App) newRunCommand() (*cobra.Command, *runFlags) {
	f := &runFlags{precision: 0.01}
	cmd := &cobra.Command{
		Use:   "run [flags] FILE...",
		Short: "measure codecs on your documents, print a verdict",
		Long: `run reads your documents, infers a Protobuf schema for them (or takes yours),
builds typed code, checks that every codec gives the documents back, and
measures the codecs against each other: bytes, time, allocations.

A FILE is .json (a top-level array is a list of documents), .ndjson, .har, or
.pb and .txtpb with --schema; each also as .gz or .zst; - is standard input; a
folder means the files in it. Times are ratios to the baseline with an interval
that holds however often one looks; ~ means that it is undecided.

--over says what documents cross. Over http and http2 a client fetches them from a
server and sends them there, over redis it stores and reads them: time is split
into codec, compression and transfer. Clients and servers are those of the
runtimes; one without a server, as a browser, calls the others' servers.`,
		Example: `  wirecost run orders.ndjson
  wirecost run --schema order.proto -I protos --message shop.Order orders.ndjson
  wirecost run --codec 'encoding-json,sonic*,protobuf' --op decode orders.ndjson
  wirecost run --rate 5000 --link 100mbit/20ms orders.ndjson
  wirecost run --over http,redis --encoding identity,gzip,zstd orders.ndjson
  wirecost run --sweep 1,10,100 orders.ndjson`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.resume != "" {
				return a.resumeRun(cmd, f, args)
			}
			if err := needArguments(cmd, args); err != nil {
				return err
			}
			return a.run(cmd.Context(), f, cmd.Flags(), args, nil)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&f.codecs, "codec", nil, "codecs to measure, as goccy or 'go/*json*' (default: the usual ones)")
	flags.Var(&f.ops, "op", "operations: encode,decode,visit (default: encode and decode; visit joins lazy codecs); over a wire encode stands for post and set, decode for get")
	flags.StringVar(&f.baseline, "baseline", "", "codec that ratios are taken to (default: the runtime's usual JSON codec)")
	flags.StringSliceVar(&f.runtimes, "runtime", []string{"go"}, "runtimes to measure; all: those that are ready")
	f.over.add(cmd)
	addCodings(flags, "content codings for sizes, with levels, and for HTTP (default there: identity,gzip)")
	flags.Var(&f.precision, "precision", "stop when every ratio is known this well")
	f.input.addSweep(flags)
	flags.DurationVar(&f.maxTime, "max-time", 25*time.Second, "measure each runtime, over each wire, no longer than this")
	flags.IntVar(&f.maxForks, "max-forks", 0, "measure each runtime, over each wire, in no more than this many processes (0: no limit)")
	flags.Var(&f.maxMemory, "max-memory", "memory that a runner's process may take (default 200MB and twice the bytes of the documents, over a wire 80 times)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of every random choice")
	flags.Float64Var(&f.rate, "rate", 0, "requests per second, for the verdict; HTTP servers are tried at it as well")
	flags.StringVar(&f.link, "link", "", "network, for the verdict, as 100mbit/20ms; HTTP goes through it")
	flags.StringVarP(&f.file, "output", "o", "", "result file (default: kept in the cache)")
	flags.StringVar(&f.resume, "resume", "", "go on with the run that this result file holds")
	f.input.add(cmd)
	f.output.add(cmd)
	return cmd, f
}

// run is one measurement, from files to the report. resumed is nil unless an
// earlier run goes on.
func (a *App) run(ctx context.Context, f *runFlags, flags *pflag.FlagSet, files []string, resumed *resumption) error {
	r, err := a.newRunning(f, flags, resumed)
	if err != nil {
		return err
	}
	defer r.live.clear()
	if err := r.choose(ctx); err != nil {
		return err
	}
	if err := r.record(ctx, files); err != nil {
		return err
	}
	return r.report(ctx)
}

// newRunning checks the flags of a run.
func (a *App) newRunning(f *runFlags, flags *pflag.FlagSet, resumed *resumption) (*running, error) {
	if f.link != "" {
		if _, err := bench.ParseLink(f.link); err != nil {
			return nil, &usageError{err}
		}
	}
	if err := f.over.check(f.link); err != nil {
		return nil, err
	}
	if f.maxTime <= 0 || f.rate < 0 || f.maxForks < 0 {
		return nil, &usageError{errors.New("--max-time, --rate and --max-forks cannot be negative, and --max-time not 0")}
	}
	codings, err := parseCodings(flags)
	if err != nil {
		return nil, err
	}
	return &running{app: a, f: f, flags: flags, versions: map[string]string{}, live: a.newLive(&f.output), codings: codings, resumed: resumed, builder: a.newBuilder()}, nil
}

// running is a run under way.
type running struct {
	app     *App
	f       *runFlags
	flags   *pflag.FlagSet
	live    *live
	codings codings
	resumed *resumption
	builder *runner.Builder

	selection plan.Selection
	choices   []plan.Choice
	absent    []absent // runtimes asked for that are not ready
	unmet     []string // codecs asked for that only they have
	unbuilt   error    // of runtimes that are ready but do not build
	wires     []plan.Wire
	programs  []*program        // that have to be built
	versions  map[string]string // runtime → version
	in        *input
	data      []*data
	file      *resultFile
	lanes     int // that take turns
	analysis  *analyse.Analysis
}

// choose finds the runners and codecs that take part.
func (r *running) choose(ctx context.Context) error {
	all, err := r.app.allRunners()
	if err != nil {
		return err
	}
	asked, err := plan.Runtimes(all, r.f.runtimes)
	if err != nil {
		return &usageError{fmt.Errorf("--runtime %w", err)}
	}
	ready, err := r.present(ctx, asked)
	if err != nil {
		return err
	}
	if len(ready) == 0 {
		return fmt.Errorf("nothing can be measured: %s", join(r.absent))
	}
	r.selection = plan.Selection{Codecs: r.f.codecs, Operations: r.f.ops, Baseline: r.f.baseline}
	if err := r.leaveOut(&r.selection, ready); err != nil {
		return err
	}
	for _, x := range r.absent {
		if x.named || len(r.unmet) > 0 {
			voice{r.app.Stderr, r.f.output.quiet}.say("going on without %s", x)
		}
	}
	r.choices, err = r.selection.Choose(ready)
	var unknown *plan.UnknownCodecError
	if errors.As(err, &unknown) {
		return &usageError{elsewhere(unknown, all, r.f.runtimes)}
	}
	if err != nil {
		return err
	}
	if err := r.crossWires(ctx, all); err != nil {
		return err
	}
	return r.gather()
}

// record measures what was chosen into the result file.
func (r *running) record(ctx context.Context, files []string) error {
	// Compiling the libraries needs no schema: it runs while documents are read,
	// and stops where these are of no use.
	warming, stop := context.WithCancel(ctx)
	defer stop()
	warm := r.warm(warming)
	if err := r.read(ctx, files); err != nil {
		stop()
		warm.end() // what is wrong with the documents explains it
		return err
	}
	status, err := r.measure(ctx, warm)
	if err := errors.Join(err, r.file.close(status)); err != nil {
		return err
	}
	r.live.clear()
	return nil
}

// read reads the documents, brings them into every form, and opens the result file.
func (r *running) read(ctx context.Context, files []string) error {
	r.live.phase("reading documents")
	in, err := r.app.load(ctx, &r.f.input, files)
	if err != nil {
		return err
	}
	if n := in.schema.Model.FieldCount(); n > maxFields {
		return fmt.Errorf("the schema has %d fields, and typed code is built of %d at most, since compilers take too long for more; wirecost size gives its sizes, and infer --map makes maps of objects with many keys", n, maxFields)
	}
	r.in = in
	for _, s := range in.samples {
		d, err := in.convert(s, r.f.seed)
		if err != nil {
			return err
		}
		r.data = append(r.data, d)
	}
	return r.begin(files)
}

// maxFields is how many fields a schema may have, all messages together, for
// code to be built of it.
const maxFields = 5_000

// measure builds, measures sizes and times; the status is the file's footer.
func (r *running) measure(ctx context.Context, warm warming) (status string, err error) {
	lanes, err := r.build(ctx, warm)
	if err != nil {
		if ctx.Err() != nil {
			return "interrupted", nil
		}
		return "partial", err
	}
	if err := r.sizes(ctx); err != nil {
		if ctx.Err() != nil {
			return "interrupted", nil
		}
		return "partial", err
	}
	summary, err := r.schedule(ctx, lanes)
	switch {
	case summary.Interrupted:
		return "interrupted", err
	case err != nil || r.partial():
		return "partial", err
	}
	return "complete", nil
}

// partial reports whether something failed, or was skipped though named.
func (r *running) partial() bool {
	named := map[string]bool{}
	for _, c := range r.choices {
		for codec := range c.Named {
			named[c.Runner.Runtime+"/"+codec] = true
		}
	}
	if len(r.unmet) > 0 || r.unbuilt != nil || slices.ContainsFunc(r.absent, func(x absent) bool { return x.named }) {
		return true
	}
	for _, c := range r.analysis.Cases() {
		switch {
		case c.Outcome.Status == bench.Failed:
			return true
		case c.Outcome.Status == bench.Skipped && named[c.CodecID()]:
			return true
		}
	}
	return false
}

func (r *running) schedule(ctx context.Context, lanes []sched.Lane) (sched.Summary, error) {
	dir, remove, err := scratch()
	if err != nil {
		return sched.Summary{}, err
	}
	defer remove()
	samples := map[string]*sched.Sample{}
	for _, d := range r.data {
		if samples[d.ID], err = r.in.hand(d, dir); err != nil {
			return sched.Summary{}, err
		}
	}
	if err := r.listen(ctx); err != nil {
		return sched.Summary{}, err
	}
	s := &sched.Scheduler{
		Config: sched.Config{
			Seed: r.f.seed, Precision: float64(r.f.precision), MaxTime: r.f.maxTime, MaxForks: r.f.maxForks, Rate: r.f.rate,
			Scratch: dir, Now: r.app.Now,
		},
		Samples: samples, Sink: r.file, Judge: r.analysis, Observe: r.observe,
	}
	if r.resumed != nil {
		s.Config.Before, s.Config.Numbers = r.resumed.before, r.resumed.numbers
	}
	if r.lanes = len(lanes); r.lanes > 1 {
		r.live.phase("measuring will take about %s, or less where every ratio is known before: up to %s for each of %d %s (--max-time); those that compile while they run may need more", r.f.maxTime*time.Duration(r.lanes), r.f.maxTime, r.lanes, r.turns())
	}
	return s.Run(ctx, lanes)
}

// listen records how noisy the machine is just before measuring.
func (r *running) listen(ctx context.Context) error {
	r.live.phase("looking at the machine")
	n := r.app.noise(ctx)
	return r.file.Append(&store.Noise{Others: n.Others, Steal: n.Steal, Load: n.Load, Quota: n.Quota, OnBattery: n.OnBattery})
}

// turns is what takes turns in the measuring.
func (r *running) turns() string {
	switch {
	case len(r.wires) == 0:
		return "runtimes"
	case len(r.wires) == r.lanes:
		return "wires"
	}
	return "runtimes and wires"
}

// progress says how far a lane is. Forks that are run whatever the time may take
// longer than the user allowed.
func progress(e sched.Event, maxTime time.Duration) string {
	at, elapsed, limit := fmt.Sprintf("measuring %s: fork %d", e.Lane, e.Fork+1), int(e.Elapsed.Seconds()), int(e.Limit.Seconds())
	switch {
	case e.Limit == 0:
		return fmt.Sprintf("%s of at least %d, %d s", at, e.Least, elapsed)
	case e.Limit > maxTime:
		return fmt.Sprintf("%s of at least %d, %d s of about %d s", at, e.Least, elapsed, limit)
	}
	return fmt.Sprintf("%s, %d s of at most %d s", at, elapsed, limit)
}

func (r *running) observe(e sched.Event) {
	switch e.Phase {
	case "verify":
		r.live.phase("verifying %s/%s", e.Runtime, e.Codec)
	case "calibrate":
		r.live.phase("calibrating %s", e.Lane)
	case "rate":
		r.live.phase("trying %s at %g requests per second", e.Codec, r.f.rate)
	default:
		status := progress(e, r.f.maxTime)
		if r.lanes > 1 {
			status += fmt.Sprintf("; %d %s, %d s of about %d s", r.lanes, r.turns(), int(e.Total.Seconds()), int(e.Sum.Seconds()))
		}
		if o := report.Outlook(r.analysis, float64(r.f.precision)); o != "" {
			status += "; " + o
		}
		r.live.measuring(status, func() string { return report.LiveTable(r.analysis, e.Lane, width(r.app.Stderr)) })
	}
}

// report prints what the file holds.
func (r *running) report(ctx context.Context) error {
	f, err := store.Read(r.file.path)
	if err != nil {
		return err
	}
	rep, err := report.Build(f)
	if err != nil {
		return err
	}
	exporter, _ := report.For("terminal")
	opt := report.Options{Color: color(r.app.Stdout, r.f.output.noColor), Width: min(width(r.app.Stdout), 100)}
	if err := exporter.Write(r.app.Stdout, rep, opt); err != nil {
		return err
	}
	voice := voice{r.app.Stderr, r.f.output.quiet}
	for _, x := range r.absent {
		voice.say("skipped %s", x)
	}
	if r.unbuilt != nil {
		voice.fail(r.unbuilt)
	}
	voice.say("raw measurements are in %s", r.file.path)
	switch {
	case ctx.Err() != nil:
		voice.say("interrupted; go on with: wirecost run --resume %s", r.file.path)
		return exitCode(exitInterrupted)
	case !measuredAny(r.analysis):
		return errors.New("nothing could be measured; the reasons are above")
	case r.partial():
		return exitCode(exitPartial)
	}
	return nil
}

func measuredAny(a *analyse.Analysis) bool {
	for _, c := range a.Cases() {
		if c.Outcome.Status == bench.Measured {
			return true
		}
	}
	return false
}

// resultPath is where a run's file goes unless the user says otherwise.
func (a *App) resultPath(name string) (string, error) {
	dir := filepath.Join(a.Cache, "results")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%s.jsonl", name, a.Now().Format("20060102-150405.000"))), nil
}
