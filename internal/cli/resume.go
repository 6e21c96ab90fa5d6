package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wirecost/internal/bench"
	"wirecost/internal/sched"
	"wirecost/internal/store"
)

// resumption is what an earlier run left behind.
type resumption struct {
	path    string
	numbers map[bench.Case]int
	before  map[string]sched.Before // by lane
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
	if f.over.redis.text != "" {
		g.over.redis = f.over.redis // with its password
	}
	for lane, b := range res.before {
		b.Used = min(b.Used, max(0, g.maxTime-5*time.Second)) // to go on for at least that
		if timed {
			b.Used = 0
		}
		res.before[lane] = b
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
	res := &resumption{path: path, header: file.Header, numbers: map[bench.Case]int{}, before: map[string]sched.Before{}, digests: map[string]string{}, sized: map[string]bool{}}
	if len(file.Header.Command) == 0 || file.Header.Command[0] != "run" {
		return nil, fmt.Errorf("%s: it holds no run that could go on", path)
	}
	lanes := map[int]string{} // by case
	var last store.Progress   // a run's progress adds up from 0
	err = file.Scan(func(rec any) error {
		switch r := rec.(type) {
		case *store.Sample:
			res.digests[r.Sample] = r.Digest
		case *store.Size:
			res.sized[r.Sample] = true
		case *store.Case:
			res.numbers[r.Case], lanes[r.Number] = r.Number, r.Lane()
			res.add(r.Lane(), sched.Before{})
		case *store.Fork:
			res.add(lanes[r.Case], sched.Before{Forks: r.Fork + 1})
		case *store.Requests:
			res.add(lanes[r.Case], sched.Before{Forks: r.Fork + 1})
		case *store.Progress:
			if r.MeasureNS < last.MeasureNS {
				res.spend(last)
			}
			last = *r
		}
		return nil
	})
	res.spend(last)
	return res, err
}

func (res *resumption) add(lane string, b sched.Before) {
	old := res.before[lane]
	res.before[lane] = sched.Before{Forks: max(old.Forks, b.Forks), Used: old.Used + b.Used}
}

// spend takes a run's time into account.
func (res *resumption) spend(p store.Progress) {
	for lane := range res.before {
		ns, ok := p.RuntimeNS[lane]
		if !ok && len(p.RuntimeNS) == 0 {
			ns = p.MeasureNS // of an older file
		}
		res.add(lane, sched.Before{Used: time.Duration(ns)})
	}
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
