package main

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"
)

// method is how a cell's trials are measured.
type method string

const (
	goTest  method = "go test + benchstat"
	engine  method = "wirecost"
	peeking method = "naive peeking"     // wirecost's engine, but an ordinary interval stops it
	inTurns method = "one after another" // wirecost's engine, but in each fork all of one codec before all of the other
)

// cell is a kind of trial.
type cell struct {
	name     string
	method   method
	arms     []string // the first is the baseline
	truth    float64  // ratio of the others to it
	apart    bool     // each arm in a process of its own
	limit    float64  // seconds that a trial may measure
	expected float64  // seconds that it takes, before any has been seen
	trials   int      // of the acceptance table
	control  bool     // only with -controls
}

// cells lists all kinds of trials. A trial of go test takes seconds.
func cells(seconds float64) []cell {
	pair := func(name string) []string { return strings.Split(name, " ") }
	twelve := []string{"100a", "100b", "100c", "100d", "100e", "100f", "100g", "100h", "100i", "100j", "100k", "100l", "100m"}
	list := []cell{
		{name: "gotest-same", method: goTest, arms: pair("100a 100b"), truth: 1, limit: seconds, trials: 80},
		{name: "gotest-1%", method: goTest, arms: pair("100a 101a"), truth: 1.01, limit: seconds, trials: 40},
		{name: "gotest-2%", method: goTest, arms: pair("100a 102a"), truth: 1.02, limit: seconds, trials: 40},

		{name: "one-same", method: engine, arms: pair("100a 100b"), truth: 1, limit: 30, expected: 2.5, trials: 160},
		{name: "one-1%", method: engine, arms: pair("100a 101a"), truth: 1.01, limit: 5, expected: 2.3, trials: 100},
		{name: "one-2%", method: engine, arms: pair("100a 102a"), truth: 1.02, limit: 5, expected: 2.2, trials: 40},
		{name: "one-1.5%", method: engine, arms: pair("200a 203a"), truth: 1.015, limit: 10, expected: 2.3, trials: 70},
		{name: "one-twelve", method: engine, arms: twelve, truth: 1, limit: 4, expected: 4, trials: 100},

		{name: "apart-same", method: engine, arms: pair("100a 100b"), truth: 1, apart: true, limit: 30, expected: 11, trials: 40},
		{name: "apart-1%", method: engine, arms: pair("100a 101a"), truth: 1.01, apart: true, limit: 20, expected: 11, trials: 30},
		{name: "apart-2%", method: engine, arms: pair("100a 102a"), truth: 1.02, apart: true, limit: 10, expected: 5.5, trials: 30},
		{name: "apart-1.5%", method: engine, arms: pair("200a 203a"), truth: 1.015, apart: true, limit: 10, expected: 7, trials: 30},

		{name: "control-peeking", method: peeking, arms: pair("100a 100b"), truth: 1, limit: 10, expected: 7, trials: 30, control: true},
		{name: "control-turns", method: inTurns, arms: pair("100a 101a"), truth: 1.01, limit: 5, expected: 5, trials: 20, control: true},
	}
	for i := range list {
		if list[i].method == goTest {
			list[i].expected = seconds
		}
	}
	return list
}

// selection says which trials are made.
type selection struct {
	patterns string // of cells, comma-separated; empty: all
	trials   int    // of each cell; 0: the table's
	controls bool
	quick    bool
	busy     string // both, with or without
	seed     uint64
}

// quickLimit is how many seconds a trial of a smoke run may measure.
const quickLimit = 1.2

// choose returns the cells of the selection.
func (s selection) choose(all []cell) ([]cell, error) {
	var chosen []cell
	used := map[string]bool{}
	for _, c := range all {
		if s.patterns == "" && c.control && !s.controls {
			continue
		}
		if s.patterns != "" && !matches(s.patterns, c.name, used) {
			continue
		}
		if s.trials > 0 {
			c.trials = s.trials
		}
		if s.quick {
			c.trials = 1
			c.limit = min(c.limit, quickLimit)
			c.expected = min(c.expected, quickLimit+0.5)
		}
		chosen = append(chosen, c)
	}
	for p := range strings.SplitSeq(s.patterns, ",") {
		if p != "" && !used[p] {
			return nil, fmt.Errorf("-cells %s fits none; there are %s", p, strings.Join(names(all), ", "))
		}
	}
	return chosen, nil
}

func matches(patterns, name string, used map[string]bool) bool {
	found := false
	for p := range strings.SplitSeq(patterns, ",") {
		if ok, err := path.Match(p, name); err == nil && ok {
			used[p], found = true, true
		}
	}
	return found
}

func names(cs []cell) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.name)
	}
	return out
}

// job is a trial to be made.
type job struct {
	cell
	index int
	busy  bool
	seed  uint64
}

func (j job) key() string { return fmt.Sprintf("%s/%d", j.name, j.index) }

// schedule spreads the trials of all cells evenly over the run, in random order,
// so that both tools meet the same machine, and one that is interrupted has
// something of each.
func (s selection) schedule(chosen []cell) []job {
	type placed struct {
		job
		at float64
	}
	var list []placed
	for k, c := range chosen {
		random := rand.New(rand.NewPCG(s.seed, uint64(k)))
		for i := range c.trials {
			busy := s.busy == "with" || s.busy == "both" && (i+k)%2 == 1
			j := job{cell: c, index: i, busy: busy, seed: random.Uint64()}
			list = append(list, placed{j, (float64(i) + random.Float64()) / float64(c.trials)})
		}
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	var jobs []job
	for _, p := range list {
		jobs = append(jobs, p.job)
	}
	return jobs
}

// planned is how long jobs take: as expected, and at most.
func planned(jobs []job) (expected, most time.Duration) {
	for _, j := range jobs {
		expected += seconds(j.expected)
		most += seconds(j.limit + 0.5)
	}
	return expected, most
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
