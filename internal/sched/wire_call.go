package sched

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/transport"
)

// call makes requests of a case over a window of documents and checks what came
// of them.
func (f *wireFork) call(ctx context.Context, m *caller, c *caseState, op bench.Operation, w plan.Window, requests int) (*runner.CallReply, error) {
	req := runner.CallRequest{
		Transport: c.Transport, Address: f.address, Sample: c.Sample, Codec: c.Codec, Peer: peer(c.Case),
		Operation: op, Encoding: c.Encoding, Requests: requests, Document: w.First, Window: w.Count,
	}
	if piped(op) {
		req.Pipeline = f.s.pipeline(bench.Case{Sample: c.Sample, Operation: op})
	}
	if f.redis != nil {
		req.Prefix, req.TTLMS = f.keys(c.Sample), transport.RedisTTL.Milliseconds()
	}
	ctx, cancel := context.WithTimeout(ctx, f.s.callTime(c, w, requests*max(1, req.Pipeline)))
	defer cancel()
	reply, err := m.p.Call(ctx, req)
	if err != nil {
		return nil, f.veil(err)
	}
	f.s.time(reply.TotalNS)
	sums := c.sums
	if op != c.Operation {
		sums = f.l.party.proofs[trial{c.Codec, c.Sample}].sums[bench.Encode]
	}
	if want := checksum(sums, w, requests*max(1, req.Pipeline)); reply.Checksum != want {
		return nil, fmt.Errorf("requests of %s gave checksum %d instead of %d: what was read is not what was sent", c.Case, reply.Checksum, want)
	}
	return reply, nil
}

// veil takes the server's password out of what a client says.
func (f *wireFork) veil(err error) error {
	u, parsed := url.Parse(f.address)
	if parsed != nil || u.User == nil {
		return err
	}
	password, _ := u.User.Password()
	if password == "" || !strings.Contains(err.Error(), password) {
		return err
	}
	veiled := func(s string) string { return strings.ReplaceAll(s, password, "xxxxx") }
	var broken *runner.ProcessError
	var skipped *runner.SkippedError
	var failed *runner.FailedError
	switch {
	case errors.As(err, &broken):
		return &runner.ProcessError{What: veiled(broken.What), Stderr: veiled(broken.Stderr)}
	case errors.As(err, &skipped):
		return &runner.SkippedError{Reason: veiled(skipped.Reason)}
	case errors.As(err, &failed):
		return &runner.FailedError{Reason: veiled(failed.Reason)}
	}
	return errors.New(veiled(err.Error()))
}

// keys begins the keys of a sample's documents in Redis.
func (f *wireFork) keys(sample string) string { return f.redis.Prefix() + sample + ":" }

// checksum is what so many documents add up to that go round a window.
func checksum(sums []uint32, w plan.Window, documents int) uint32 {
	all := sums[w.First+w.Count] - sums[w.First]
	rest := sums[w.First+documents%w.Count] - sums[w.First]
	return all*uint32(documents/w.Count) + rest
}

// callTime is how long requests may take before the client is given up.
func (s *Scheduler) callTime(c *caseState, w plan.Window, documents int) time.Duration {
	if c.cost == nil { // nobody knows yet
		return runner.DefaultDeadline + s.Config.MaxTime
	}
	passes := float64(documents)/float64(w.Count) + 1
	return leastDeadline + timesExpected*time.Duration(passes*c.pass(w))
}
