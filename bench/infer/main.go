// Command infer measures schema inference on a file of NDJSON: megabytes per
// second with one worker and with all cores, and peak memory. It prints a table
// and exits 1 where a bound is missed.
//
//	go run ./bench/infer [-runs N] FILE
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"wirecost/internal/schema"
)

// The bounds.
const (
	oneCore  = 200.0 // MB/s
	twoCores = 1.7   // times one core
	peakMB   = 300.0
)

func main() {
	runs := flag.Int("runs", 3, "times to measure each; the fastest counts")
	track := flag.String("track", schema.TrackLiteral, "literal or typed")
	child := flag.Int("workers", 0, "measure once with so many workers, and print the bare figures")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/infer [-runs N] [-track literal|typed] FILE")
		os.Exit(2)
	}
	file := flag.Arg(0)
	if *child > 0 {
		if err := measure(file, *track, *child); err != nil {
			fail(err)
		}
		return
	}
	if err := table(file, *track, *runs); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// measure infers once in this process.
func measure(file, track string, workers int) error {
	runtime.GOMAXPROCS(workers)
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	opt := schema.InferOptions{Track: track}
	var size int64
	start := time.Now()
	p, err := schema.InferStream(context.Background(), f, opt, workers, func(n int64) { size = n })
	if err != nil {
		return fmt.Errorf("%s:%w", file, err)
	}
	if _, err = schema.Infer([]schema.NamedPartial{{Sample: "documents", Partial: p}}, opt); err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	cpu, peak, err := usage()
	if err != nil {
		return err
	}
	fmt.Println(float64(size)/1e6/seconds, float64(size)/1e6/cpu, peak, p.Documents(), size)
	return nil
}

// result is one row of the table.
type result struct{ speed, cpuSpeed, peak, documents, bytes float64 }

// run measures in a fresh process, whose peak memory is then its own.
func run(file, track string, workers int) (result, error) {
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	cmd := exec.Command(self, "-workers", strconv.Itoa(workers), "-track", track, file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return result{}, fmt.Errorf("with %d workers: %w", workers, err)
	}
	var r result
	_, err = fmt.Fscan(strings.NewReader(string(out)), &r.speed, &r.cpuSpeed, &r.peak, &r.documents, &r.bytes)
	return r, err
}

// table measures one worker and all cores in turn, and holds the fastest of each
// against the bounds: a slower run tells of other load on the machine.
func table(file, track string, runs int) error {
	cores := runtime.NumCPU()
	var one, all result
	for range runs {
		for _, c := range []struct {
			workers int
			best    *result
		}{{1, &one}, {cores, &all}} {
			r, err := run(file, track, c.workers)
			if err != nil {
				return err
			}
			peak := max(r.peak, c.best.peak)
			if r.speed > c.best.speed {
				*c.best = r
			}
			c.best.peak = peak
		}
	}
	ratio := all.speed / one.speed
	fmt.Printf("%s: %.0f documents, %.0f MB, %s track\n\n", file, one.documents, one.bytes/1e6, track)
	fmt.Printf("%-28s %12s %12s\n", "", "measured", "bound")
	fmt.Printf("%-28s %12.2f\n", "one core, MB per CPU second", one.cpuSpeed)
	ok := row("one core, MB/s", one.speed, oneCore, true)
	if cores >= 2 {
		ok = row(fmt.Sprintf("%d cores, MB/s", cores), all.speed, oneCore*twoCores, true) && ok
		ok = row(fmt.Sprintf("%d cores against one", cores), ratio, twoCores, true) && ok
	}
	ok = row("peak memory, MB", max(one.peak, all.peak), peakMB, false) && ok
	if !ok {
		return fmt.Errorf("a bound is missed")
	}
	return nil
}

func row(name string, got, bound float64, atLeast bool) bool {
	ok, sign := got <= bound, "≤"
	if atLeast {
		ok, sign = got >= bound, "≥"
	}
	mark := ""
	if !ok {
		mark = "  missed"
	}
	fmt.Printf("%-28s %12.2f %12s%s\n", name, got, fmt.Sprintf("%s %.4g", sign, bound), mark)
	return ok
}
