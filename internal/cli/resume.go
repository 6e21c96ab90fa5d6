package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// resumption is what an earlier run left behind.
type resumption struct {
	path    string
	numbers map[bench.Case]int
	forks   int           // the first number that is free
	used    time.Duration // of the measuring phase
	header  store.Header
	digests map[string]string // of the samples
	sized   map[string]bool   // samples whose sizes are known
}

// resumeRun goes on with a run: its own command line again, changed by the flags
// given now.
func (a *App) resumeRun(cmd *cobra.Command, f *runFlags, args []string) error {
	if len(args) > 0 {
		return &usageError{errors.New("--resume takes its files from the run before; name no others")}
	}
	res, err := readResumption(f.resume)
	if err != nil {
		return err
	}
	again, g := a.newRunCommand()
	if err := again.ParseFlags(res.header.Command[1:]); err != nil {
		return fmt.Errorf("%s: its command line cannot be read: %w", f.resume, err)
	}
	var failed error
	timed := false
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		timed = timed || fl.Name == "max-time"
		if fl.Name != "resume" {
			failed = errors.Join(failed, again.Flags().Set(fl.Name, fl.Value.String()))
		}
	})
	if failed != nil {
		return &usageError{failed}
	}
	if !timed {
		g.maxTime = max(g.maxTime-res.used, 5*time.Second)
	}
	files := again.Flags().Args()
	if slices.Contains(files, "-") {
		return fmt.Errorf("%s: its documents came from standard input, which is gone; run again on a file", f.resume)
	}
	return a.run(cmd.Context(), g, again.Flags(), files, res)
}

func readResumption(path string) (*resumption, error) {
	file, err := store.Read(path)
	if err != nil {
		return nil, err
	}
	res := &resumption{path: path, header: file.Header, numbers: map[bench.Case]int{}, digests: map[string]string{}, sized: map[string]bool{}}
	if len(file.Header.Command) == 0 || file.Header.Command[0] != "run" {
		return nil, fmt.Errorf("%s: it holds no run that could go on", path)
	}
	var last time.Duration // a run's progress adds up from 0
	err = file.Scan(func(rec any) error {
		switch r := rec.(type) {
		case *store.Sample:
			res.digests[r.Sample] = r.Digest
		case *store.Size:
			res.sized[r.Sample] = true
		case *store.Case:
			res.numbers[r.Case] = r.Number
		case *store.Fork:
			res.forks = max(res.forks, r.Fork+1)
		case *store.Progress:
			now := time.Duration(r.MeasureNS)
			if now < last {
				res.used += last
			}
			last = now
		}
		return nil
	})
	res.used += last
	return res, err
}

// goOn opens the file of the run before, if its documents and schema are the same.
func (r *running) goOn() error {
	res := r.resumed
	if got := r.in.schema.Digest(); got != res.header.Schema.Digest {
		return fmt.Errorf("%s: the schema has changed since that run; start a new one", res.path)
	}
	for _, d := range r.data {
		if res.digests[d.ID] != d.Digest {
			return fmt.Errorf("%s: the documents of %s have changed since that run; start a new one", res.path, d.Name)
		}
	}
	w, err := store.Resume(res.path)
	if err != nil {
		return err
	}
	r.file = &resultFile{w, res.path, r.analysis}
	before, err := store.Read(res.path)
	if err != nil {
		return err
	}
	return before.Scan(func(rec any) error {
		r.analysis.Add(rec)
		return nil
	})
}
