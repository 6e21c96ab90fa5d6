package sched

import (
	"errors"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// blamed is an error that one case brought about.
type blamed struct {
	c   *caseState
	err error
}

func (e *blamed) Error() string { return e.err.Error() }
func (e *blamed) Unwrap() error { return e.err }

// lost is codecs whose own process could not be had.
type lost struct {
	codecs []string
	err    error
}

func (e *lost) Error() string { return e.err.Error() }
func (e *lost) Unwrap() error { return e.err }

// abortedForks is how often a lane's processes may die without a case to blame,
// and how often those of one codec may not be had.
const abortedForks = 3

// blame ends the case that made a fork fail. Where several were in the turn, the
// next fork asks one at a time.
func (s *Scheduler) blame(l *lane, err error) error {
	var sum *checksumError
	var b *blamed
	switch {
	case errors.As(err, &sum):
		l.aborted = 0
		for _, c := range l.running() {
			if c.Case == sum.c {
				return s.end(c, bench.Failed, err.Error())
			}
		}
	case errors.As(err, &b):
		l.aborted = 0
		status, reason := explain(b.err)
		return s.end(b.c, status, reason)
	}
	var missing *lost
	if errors.As(err, &missing) {
		return s.without(l, missing)
	}
	l.suspect = true
	l.aborted++
	if l.aborted < abortedForks {
		return nil
	}
	return s.giveUp(l.running(), err)
}

// without goes on without the codecs whose process cannot be had, if that has
// happened often enough.
func (s *Scheduler) without(l *lane, e *lost) error {
	var cases []*caseState
	for _, codec := range e.codecs {
		if l.lost[codec]++; l.lost[codec] < abortedForks {
			continue
		}
		for _, c := range l.running() {
			if c.Codec == codec {
				cases = append(cases, c)
			}
		}
	}
	return s.giveUp(cases, e.err)
}

// giveUp ends cases that cannot go on: what was measured of them counts, if it is
// more than the pilot.
func (s *Scheduler) giveUp(cases []*caseState, why error) error {
	status, reason := explain(why)
	for _, c := range cases {
		if !c.counts {
			if err := s.end(c, status, reason); err != nil {
				return err
			}
			continue
		}
		c.ended = true
		if err := s.Sink.Append(&store.Outcome{Kind: "outcome", Case: c.number, Status: bench.Measured, Reason: "stopped early: " + reason}); err != nil {
			return err
		}
	}
	return nil
}
