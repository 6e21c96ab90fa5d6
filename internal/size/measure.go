package size

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// Form is the documents of a sample in one form.
type Form struct {
	Name      string // original, compact, protojson, binary or binary-json
	Format    bench.Format
	Documents [][]byte
}

// Request says what to measure.
type Request struct {
	Sample  string // its id
	Forms   []Form
	Codings []Coding
	// Times also measures compression and decompression time, per document the
	// shortest of three tries. Samples of more than 8 MB in one form are tried
	// once, on all cores.
	Times bool
	// Workers is how many cores to use at most; 0 means all.
	Workers int
	// Progress, if set, hears how many of the bytes to compress are done. It is
	// called from one goroutine at a time and should return soon.
	Progress func(done, total int64)
}

// quiet is how many bytes of a form are few enough to be timed several times,
// on one core while the others rest. More documents average the disturbance out.
const quiet = 8 << 20

// Measure gives one row per form, coding and unit, in this order. Everything
// that was compressed has been decompressed and compared. It fails when ctx
// ends, or when a library does not give back what it was given.
func Measure(ctx context.Context, r Request) ([]store.Size, error) {
	tasks := r.tasks()
	tally := tally{report: r.Progress}
	for _, t := range tasks {
		tally.total += t.weight
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.workers())
	for _, t := range tasks {
		group.Go(func() error {
			part, err := t.count(ctx)
			if err != nil {
				return err
			}
			tally.add(part, t.weight)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return r.rows(tally.account), nil
}

// tally collects what the tasks counted.
type tally struct {
	sync.Mutex
	account     Account
	done, total int64
	report      func(done, total int64)
}

func (t *tally) add(part Account, weight int64) {
	t.Lock()
	defer t.Unlock()
	t.account.Merge(part)
	t.done += weight
	if t.report != nil {
		t.report(t.done, t.total)
	}
}

// tasks cuts the work into pieces that differ little in size, the streams
// first, since they cannot be cut.
func (r Request) tasks() []task {
	var streams, chunks []task
	for _, form := range r.Forms {
		for _, coding := range r.Codings {
			t := task{form: form, coding: coding, tries: r.tries()}
			streams = append(streams, t.whole())
			chunks = append(chunks, t.split()...)
		}
	}
	return append(streams, chunks...)
}

// small tells whether every form has few enough bytes to be timed quietly.
func (r Request) small() bool {
	return !slices.ContainsFunc(r.Forms, func(f Form) bool { return total(f.Documents) > quiet })
}

// tries is how often each document is timed; 0: not at all.
func (r Request) tries() int {
	switch {
	case !r.Times:
		return 0
	case r.small():
		return 3
	}
	return 1
}

func (r Request) workers() int {
	switch {
	case r.Times && r.small():
		return 1
	case r.Workers > 0:
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

func (r Request) rows(account Account) []store.Size {
	var rows []store.Size
	for _, form := range r.Forms {
		for _, coding := range r.Codings {
			for _, unit := range []string{PerDocument, Concatenated} {
				t := account.Total(Key{form.Name, coding.Name(), unit})
				rows = append(rows, store.Size{
					Kind: "size", Sample: r.Sample,
					Format: form.Format, Form: form.Name,
					Encoding: coding.Name(), Unit: unit,
					Bytes: t.Bytes, CompressNS: t.CompressNS, DecompressNS: t.DecompressNS,
					Library: coding.Library(), Note: coding.Note(),
				})
			}
		}
	}
	return rows
}

func total(documents [][]byte) int64 {
	sum := int64(0)
	for _, d := range documents {
		sum += int64(len(d))
	}
	return sum
}
