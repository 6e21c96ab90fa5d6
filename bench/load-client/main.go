// Command load-client holds the HTTP client of the Go runner beside wrk: requests
// per second of both against the same server, in turns, as a ratio. Both get half
// of the cores, since the server has to have some. It exits with 1 where the client
// makes less than 80% of wrk's. Without wrk it says so and measures nothing.
//
//	go run ./bench/load-client [-rounds N] [-seconds N] [-clients N] [-threads N] [-kilobytes N]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"time"

	"wirecost/internal/stats"
)

// bound is the least that the client may reach of wrk's requests per second.
const bound = 0.80

var errMissed = errors.New("the client makes too few requests")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return
	case !errors.Is(err, errMissed):
		fmt.Fprintln(os.Stderr, "load-client:", err)
	}
	os.Exit(1)
}

type options struct {
	rounds, seconds, clients, threads, kilobytes int

	wrk string
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("load-client", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.rounds, "rounds", 10, "turns of each")
	flags.IntVar(&o.seconds, "seconds", 2, "how long a turn lasts")
	flags.IntVar(&o.clients, "clients", 32, "connections at the same time")
	flags.IntVar(&o.threads, "threads", max(1, runtime.NumCPU()/2), "threads of either (GOMAXPROCS of ours)")
	flags.IntVar(&o.kilobytes, "kilobytes", 10, "size of the JSON document that is asked for")
	flags.StringVar(&o.wrk, "wrk", "wrk", "the program of wrk")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 || min(o.rounds, o.seconds, o.threads, o.kilobytes) < 1 || o.clients < o.threads {
		return nil, errors.New("there are no arguments besides flags; all numbers are at least 1, and clients as many as threads")
	}
	return o, nil
}

// run measures and prints a table.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath(o.wrk); err != nil {
		fmt.Fprintln(stdout, "skipped: wrk is not installed (Debian: apt-get install -y wrk)")
		return nil
	}
	dir, err := os.MkdirTemp("", "wirecost-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t, err := newTarget(ctx, o, dir)
	if err != nil {
		return err
	}
	defer t.Close()
	loaders := []loader{&wrk{o, t.url}, &ours{o, t.url, t.program}}
	// Both once, unseen: the server's buffers fill.
	for _, l := range loaders {
		if _, err := l.load(ctx, 1); err != nil {
			return err
		}
	}
	ratios, err := o.rates(ctx, loaders, stdout)
	if err != nil {
		return err
	}
	return judge(stdout, ratios)
}

// loader makes as many requests as it can.
type loader interface {
	load(ctx context.Context, seconds int) (perSecond float64, err error)
}

// rates lets both load the server in turns; which is first changes.
func (o *options) rates(ctx context.Context, loaders []loader, out io.Writer) ([]float64, error) {
	fmt.Fprintf(out, "%d connections, threads %d, %d s each, a JSON document of about %d kB\n\n", o.clients, o.threads, o.seconds, o.kilobytes)
	fmt.Fprintf(out, "%5s %12s %12s %7s\n", "round", "wrk req/s", "ours req/s", "ratio")
	var ratios []float64
	for round := range o.rounds {
		var rate [2]float64
		for k := range rate {
			i := (k + round) % 2
			var err error
			if rate[i], err = loaders[i].load(ctx, o.seconds); err != nil {
				return nil, err
			}
		}
		ratios = append(ratios, rate[1]/rate[0])
		fmt.Fprintf(out, "%5d %12.0f %12.0f %7.3f\n", round+1, rate[0], rate[1], rate[1]/rate[0])
	}
	return ratios, nil
}

// judge prints the median ratio with its interval, and compares it with the bound.
func judge(out io.Writer, ratios []float64) error {
	median := stats.Median(ratios)
	interval, confidence := stats.MedianInterval(ratios, 0.95)
	fmt.Fprintf(out, "\nour client makes %.3f of wrk's requests per second (median of %d; %.0f%% interval %.3f to %.3f); the bound is %.2f\n",
		median, len(ratios), 100*confidence, interval.Low, interval.High, bound)
	if median < bound {
		return errMissed
	}
	return nil
}

// grace is how much longer than asked a turn may last.
const grace = 30 * time.Second
