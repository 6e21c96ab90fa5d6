package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"wirecost/internal/bench"
)

// Relay is a TCP relay that behaves as a link of a given bandwidth and round trip.
// Each direction's bandwidth is shared by all connections; headers are charged. It
// knows streams and no packets: there is no slow start and no loss.
type Relay struct {
	*proxy
	link     bench.Link
	up, down lane
	delay    time.Duration // from leaving to being written
	chunk    int           // bytes that are delivered at once
	depth    int           // chunks of a stream that are under way
	precise  newAlarm
}

// lead is how long before a chunk leaves the link the next one is read. It covers
// times in which a busy machine does not let us run, and bounds the queue in which
// connections wait for each other.
const lead = 50 * time.Millisecond

// NewRelay listens on a free port of the loopback address and leads to target,
// host and port, over the link.
func NewRelay(target string, link bench.Link) (*Relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the relay for the link finds no port: %w", err)
	}
	r := newRelay(l, target, link, preciseAlarm, waking())
	r.start()
	return r, nil
}

func newRelay(l net.Listener, target string, link bench.Link, precise newAlarm, waking time.Duration) *Relay {
	r := &Relay{link: link, delay: oneWay(link.RoundTrip, waking), precise: precise}
	r.up.bits, r.down.bits = link.Bits, link.Bits
	// Half a millisecond of the link, in whole segments.
	r.chunk = min(max(1, int(link.Bits/8*0.5e-3/bench.SegmentPayload)), 11) * bench.SegmentPayload
	underWay := link.Bits / 8 * (r.delay + lead).Seconds()
	r.depth = int(min(64+2*underWay/float64(r.chunk), 4096))
	r.proxy = newProxy(l, target, r.carry)
	return r
}

// Prefix implements Path: any process finds the relay.
func (r *Relay) Prefix() []string { return nil }

// carry carries both directions of a connection until they have ended.
func (r *Relay) carry(ctx context.Context, client, server conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The client's kernel has connected to us without delay. Over the link
	// it would have waited for a round trip before it sent anything.
	connected := time.Now().Add(nanoseconds(r.link.RoundTrip))
	var running sync.WaitGroup
	for _, s := range []*stream{
		{relay: r, from: client, to: server, out: segments{lane: &r.up}, notBefore: connected},
		{relay: r, from: server, to: client, out: segments{lane: &r.down}},
	} {
		queue := make(chan parcel, r.depth)
		running.Go(func() { s.read(ctx, queue) })
		running.Go(func() {
			if !s.write(ctx, queue) {
				cancel()
			}
		})
	}
	running.Wait()
}

// stream is one direction of a connection.
type stream struct {
	relay     *Relay
	from, to  conn
	out       segments
	notBefore time.Time // nothing leaves before
}

// parcel is what arrives at one time: bytes, or the end of the stream.
type parcel struct {
	data []byte
	end  error
	due  time.Time
}

// read puts what comes on the link.
func (s *stream) read(ctx context.Context, queue chan<- parcel) {
	defer close(queue)
	alarm := plainAlarm(ctx)
	defer alarm.stop()
	buffer := make([]byte, s.relay.chunk)
	for {
		n, err := s.from.Read(buffer)
		if n > 0 {
			if !alarm.wait(s.notBefore) {
				return
			}
			left := s.out.send(time.Now(), n)
			p := parcel{data: bytes.Clone(buffer[:n]), due: left.Add(s.relay.delay)}
			if !put(ctx, queue, p) || !alarm.wait(left.Add(-lead)) {
				return
			}
		}
		if err != nil {
			put(ctx, queue, parcel{end: err, due: later(s.out.left, time.Now()).Add(s.relay.delay)})
			return
		}
	}
}

func put(ctx context.Context, queue chan<- parcel, p parcel) bool {
	select {
	case queue <- p:
		return true
	case <-ctx.Done():
		return false
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// write delivers what arrives. It reports whether the stream ended well; if not,
// both connections are reset.
func (s *stream) write(ctx context.Context, queue <-chan parcel) bool {
	alarm := s.relay.precise(ctx)
	defer alarm.stop()
	for p := range queue {
		if !alarm.wait(p.due) {
			return false
		}
		err := p.end
		switch err {
		case nil:
			_, err = s.to.Write(p.data)
		case io.EOF:
			err = s.to.CloseWrite()
		}
		if err != nil {
			reset(s.to)
			reset(s.from)
			return false
		}
	}
	return true
}
