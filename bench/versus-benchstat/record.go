package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"wirecost/internal/bench"
)

// header is the first line of a file of results: what a run that goes on must
// keep to.
type header struct {
	Kind    string    `json:"kind"` // "header"
	Time    time.Time `json:"time"`
	Go      string    `json:"go"`
	CPU     string    `json:"cpu"`
	Cores   int       `json:"cores"`
	Seed    uint64    `json:"seed"`
	Seconds float64   `json:"seconds"` // of a trial of go test
	Busy    string    `json:"busy"`
	Spin    int       `json:"spin"` // busy neighbours
	Quick   bool      `json:"quick,omitempty"`
}

// trial is the result of one trial.
type trial struct {
	Kind    string  `json:"kind"` // "trial"
	Cell    string  `json:"cell"`
	Index   int     `json:"index"`
	Busy    bool    `json:"busy"`
	Seconds float64 `json:"seconds"` // from the first process's start to the end
	Looks   []look  `json:"looks"`
	// CPUVerdict is what came of the cpu metric of the first comparison.
	CPUVerdict bench.Verdict `json:"cpu_verdict,omitempty"`
	Inside     float64       `json:"inside,omitempty"` // share of the measuring phase inside batches
}

// look is what was known at some time of one comparison.
type look struct {
	At      float64       `json:"at"`              // seconds since the trial began
	Codec   string        `json:"codec,omitempty"` // where several are compared
	Forks   int           `json:"forks,omitempty"`
	Ratio   float64       `json:"ratio"`
	Low     float64       `json:"low,omitempty"`
	High    float64       `json:"high,omitempty"` // 0: not bounded
	Verdict bench.Verdict `json:"verdict"`
	P       float64       `json:"p,omitempty"` // of benchstat's test
}

// holds reports whether the look's interval holds a ratio.
func (l look) holds(ratio float64) bool {
	return l.Low <= ratio && (l.High == 0 || ratio <= l.High)
}

// differs reports whether the look calls the arms different.
func (l look) differs() bool { return l.Verdict == bench.Faster || l.Verdict == bench.Slower }

// file is a file of results that grows.
type file struct {
	*os.File
	header header
	trials []trial
}

// create begins a file. There must be none of that name.
func create(path string, h header) (*file, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	out := &file{File: f, header: h}
	return out, out.append(h)
}

// reopen reads a file, to go on with it. A last line that was cut short is cut off.
func reopen(path string) (*file, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	whole := b[:bytes.LastIndexByte(b, '\n')+1]
	out := &file{}
	lines := bufio.NewScanner(bytes.NewReader(whole))
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if err := out.read(lines.Bytes()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if out.header.Kind == "" {
		return nil, fmt.Errorf("%s: it has no header; give a file that this command made", path)
	}
	if out.File, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
		return nil, err
	}
	if err := out.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	_, err = out.Seek(0, 2)
	return out, err
}

func (f *file) read(line []byte) error {
	var kind struct{ Kind string }
	if err := json.Unmarshal(line, &kind); err != nil {
		return err
	}
	switch kind.Kind {
	case "header":
		return json.Unmarshal(line, &f.header)
	case "trial":
		var t trial
		err := json.Unmarshal(line, &t)
		f.trials = append(f.trials, t)
		return err
	}
	return fmt.Errorf("unknown kind %q", kind.Kind)
}

func (f *file) append(record any) error {
	b, err := json.Marshal(record)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return err
}

// add keeps a trial.
func (f *file) add(t trial) error {
	f.trials = append(f.trials, t)
	return f.append(t)
}

// done tells which jobs have their trial.
func (f *file) done(j job) bool {
	for _, t := range f.trials {
		if t.Cell == j.name && t.Index == j.index {
			return true
		}
	}
	return false
}
