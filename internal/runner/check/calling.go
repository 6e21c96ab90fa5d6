package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/size"
)

// calls checks what one codec's client asks of a right server, and what it makes
// of the answers.
func (c *checker) calls(t bench.Transport) part {
	return c.withClient(t, func(ctx context.Context, s *Session, server *server, codec runner.CodecDescription, subjects []subject) error {
		if !c.canDecode(t) {
			return nil
		}
		operations := requestsOf(codec)
		for _, op := range operations {
			for _, how := range server.codings {
				for _, x := range subjects {
					if err := c.called(ctx, s, server, request(t, server, x, op, how), x, how); err != nil {
						return err
					}
				}
			}
		}
		return c.step("call", codec.Name, string(t)+": requests follow one another on one connection that stays open", func() error {
			connections, most := server.counts()
			if most > 1 {
				return fmt.Errorf("%d requests were under way at one time; want one after another", most)
			}
			if _, err := c.call(ctx, s, request(t, server, subjects[0], operations[0], server.codings[0])); err != nil {
				return err
			}
			if more, _ := server.counts(); more > connections {
				return fmt.Errorf("a call after others made %d new connections", more-connections)
			}
			return nil
		})
	})
}

// withClient is a part that has a server for the runner to call.
func (c *checker) withClient(t bench.Transport, check func(context.Context, *Session, *server, runner.CodecDescription, []subject) error) part {
	return func(ctx context.Context, s *Session, codec runner.CodecDescription) error {
		subjects, err := c.overTransports(ctx, s, codec, "call")
		if err != nil || len(subjects) == 0 {
			return err
		}
		server, err := c.newServer(t, codec, subjects)
		if err != nil {
			return err
		}
		defer server.close()
		return check(ctx, s, server, codec, subjects)
	}
}

// requestsOf are the operations over HTTP that a codec can be a client of.
func requestsOf(codec runner.CodecDescription) (all []bench.Operation) {
	if slices.Contains(codec.Operations, bench.Decode) {
		all = append(all, bench.Get)
	}
	if slices.Contains(codec.Operations, bench.Encode) {
		all = append(all, bench.Post)
	}
	return all
}

// canDecode tells whether there is something to check posts with.
func (c *checker) canDecode(t bench.Transport) bool {
	if c.opts.Find != nil && c.opts.Checksums != nil {
		return true
	}
	c.opts.Report(Line{Rule: "call", Expected: string(t) + ": its requests are right", Skipped: "there is no reference to decode them with"})
	return false
}

// request goes round a subject's documents more than once.
func request(t bench.Transport, server *server, x subject, op bench.Operation, how size.Coding) runner.CallRequest {
	return runner.CallRequest{
		Transport: t, Address: server.address, Sample: x.Sample, Codec: server.codec.Name, Peer: server.peer,
		Operation: op, Encoding: how.Name(), Requests: 2*x.Documents + 1, Window: x.Documents,
	}
}

// call makes a call with the deadline of a request.
func (c *checker) call(ctx context.Context, s *Session, q runner.CallRequest) (*runner.CallReply, error) {
	one, cancel := c.in(ctx)
	defer cancel()
	return s.Call(one, q)
}

// called checks two calls: over all documents, and over the last alone.
func (c *checker) called(ctx context.Context, s *Session, server *server, q runner.CallRequest, x subject, how size.Coding) error {
	expected := fmt.Sprintf("%s: %s of %s, %s: asks as it should, and splits the time of each request", q.Transport, q.Operation, x.of, how.Name())
	return c.step("call", q.Codec, expected, func() error {
		last := q
		last.Document, last.Window, last.Requests = x.Documents-1, 1, 2
		for _, q := range []runner.CallRequest{q, last} {
			server.take()
			r, err := c.call(ctx, s, q)
			if how.Name() != bench.Identity && c.cannot(err) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := c.compare(q, r, server.take(), x); err != nil {
				return err
			}
		}
		return nil
	})
}

// cannot notes that the runner has no way to make a call, if that is its word: a
// page, for one, cannot compress by every coding that it reads.
func (c *checker) cannot(err error) bool {
	var skipped *runner.SkippedError
	if !errors.As(err, &skipped) {
		return false
	}
	c.line.Skipped = skipped.Reason
	return true
}

// compare holds a reply against what the server saw.
func (c *checker) compare(q runner.CallRequest, r *runner.CallReply, seen []exchange, x subject) error {
	if len(seen) != q.Requests {
		return fmt.Errorf("the server answered %d requests; want %d", len(seen), q.Requests)
	}
	var bytes int64
	var sum uint32
	coded := q.Encoding != bench.Identity
	for i, e := range seen {
		if want := q.Document + i%q.Window; x.leaf[e.document] != x.leaf[want] || q.Operation == bench.Get && e.document != want {
			return fmt.Errorf("request %d carried document %d; want %d", i, e.document, want)
		}
		bytes += int64(e.bytes)
		sum += x.leaf[e.document]
		coding, codec := r.CompressNS[i], r.EncodeNS[i]
		if q.Operation == bench.Post {
			coding, codec = r.DecompressNS[i], r.DecodeNS[i]
		}
		if !near(codec, e.told+1) || coded && !near(coding, e.told) {
			return fmt.Errorf("request %d: the server said that its codec took %d ns, and its coding %d; the reply says %d and %d", i, e.told+1, e.told, codec, coding)
		}
	}
	if r.WireBytes != bytes {
		return fmt.Errorf("wire_bytes is %d; the bodies that crossed had %d", r.WireBytes, bytes)
	}
	if r.Checksum != sum {
		return fmt.Errorf("the checksum is %d; want %d, the sum of the leafs", r.Checksum, sum)
	}
	if coded {
		return c.checkSpans(r)
	}
	return c.checkSpans(r, r.CompressNS, r.DecompressNS)
}

// near allows for rounding.
func near(got, want int64) bool { return got >= want-1 && got <= want+1 }

// patience is how long a server that does not answer is waited for.
const patience = 500 * time.Millisecond

// hanging checks calls to servers that are gone, and that do not answer.
func (c *checker) hanging(t bench.Transport) part {
	return c.withClient(t, func(ctx context.Context, s *Session, server *server, _ runner.CodecDescription, subjects []subject) error {
		q := request(t, server, subjects[0], bench.Get, server.codings[0])
		server.close()
		err := c.step("call", "", string(t)+": a server that is gone is an error at once, and it goes on", func() error {
			_, err := c.mustRefuse(ctx, s, q, "a server that is gone", "")
			return err
		})
		if err != nil {
			return err
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0") // which nobody accepts from
		if err != nil {
			return err
		}
		defer listener.Close()
		q.Address = "http://" + listener.Addr().String()
		return c.step("call", "", string(t)+": a server that does not answer costs the request, which makes nothing up", func() error {
			short, cancel := context.WithTimeout(ctx, min(c.opts.Deadline, patience))
			defer cancel()
			if _, err := s.Call(short, q); err == nil {
				return fmt.Errorf("a server that does not answer was called well")
			}
			return nil
		})
	})
}

// mustRefuse makes a call that must be answered with an error, which says what
// says is, after which the runner goes on. It gives the error's words.
func (c *checker) mustRefuse(ctx context.Context, s *Session, q runner.CallRequest, what, says string) (why string, err error) {
	if _, err = c.call(ctx, s, q); err == nil {
		c.found("", "%s was called well", what)
		return "", nil
	}
	why, ok := refusal(err)
	if !ok {
		return "", fmt.Errorf("called %s, %w", what, err)
	}
	if !containsFold(why, says) {
		c.found("", "%s: the error does not say %q: %s", what, says, why)
	}
	return why, c.alive(ctx, s)
}
