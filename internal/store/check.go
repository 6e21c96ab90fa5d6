package store

import (
	"errors"
	"fmt"
	"math"

	"wirecost/internal/bench"
)

// checker holds a result file to what its readers rely on, so that they need
// not ask again.
type checker struct {
	started bool
	ended   bool
	cases   map[int]bool
}

func newChecker() checker { return checker{cases: map[int]bool{}} }

// head checks that the header comes first, once, and in a known format.
func (c *checker) head(kind, format string) error {
	switch {
	case kind == "":
		return errors.New("the record has no kind: this is not a wirecost result file")
	case !c.started && kind != "header":
		return fmt.Errorf("the first record is of kind %q, not a header: this is not a wirecost result file", kind)
	case c.started && kind == "header":
		return errors.New("a second header; give the files one by one and they are merged")
	case kind == "header" && format != FormatV1:
		return fmt.Errorf("the file's format is %q and this version of wirecost reads %q; use the version that wrote it", format, FormatV1)
	case c.ended:
		return fmt.Errorf("a %s record after the footer", kind)
	}
	c.started = true
	c.ended = kind == "footer"
	return nil
}

func (c *checker) record(rec any) error {
	switch r := rec.(type) {
	case *Case:
		if c.cases[r.Number] {
			return fmt.Errorf("case %d is there twice", r.Number)
		}
		c.cases[r.Number] = true
		if r.Sample == "" || r.Runtime == "" || r.Codec == "" || r.Operation == "" {
			return fmt.Errorf("case %d lacks its sample, runtime, codec or operation", r.Number)
		}
		return nil
	case *Outcome:
		return errors.Join(c.known(r.Case), status(r.Status))
	case *Memory:
		return c.known(r.Case)
	case *Fork:
		return errors.Join(c.known(r.Case), r.check())
	case *Requests:
		return errors.Join(c.known(r.Case), r.check())
	case *OpenLoop:
		return errors.Join(c.known(r.Case), r.check())
	case *Storage:
		return errors.Join(c.known(r.Case), r.check())
	case *Size:
		if r.Bytes < 0 {
			return fmt.Errorf("a size of %d bytes", r.Bytes)
		}
	}
	return nil
}

func (c *checker) known(number int) error {
	if !c.cases[number] {
		return fmt.Errorf("case %d is not known here: its case record must come first", number)
	}
	return nil
}

func status(s bench.Status) error {
	switch s {
	case bench.Measured, bench.Skipped, bench.Failed:
		return nil
	}
	return fmt.Errorf("the status %q is none of measured, skipped and failed", s)
}

func (f *Fork) check() error {
	n := len(f.WallNS)
	for _, a := range []struct {
		name string
		len  int
	}{{"iterations", len(f.Iterations)}, {"document", len(f.Document)}, {"window", len(f.Window)}} {
		if a.len != n {
			return fmt.Errorf("a fork of case %d has %d entries of %s for %d of wall_ns", f.Case, a.len, a.name, n)
		}
	}
	for i := range n {
		if f.Iterations[i] < 1 || f.Window[i] < 1 || f.Document[i] < 0 || f.WallNS[i] < 0 {
			return fmt.Errorf("entry %d of a fork of case %d is out of range", i, f.Case)
		}
	}
	if f.Fork < 0 || f.CPUIterations < 0 || f.OverheadNS < 0 || math.IsInf(f.OverheadNS, 0) {
		return fmt.Errorf("a fork of case %d has a negative number or count", f.Case)
	}
	return nil
}
