package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"wirecost/internal/bench"
)

// wire is how long a link is busy with a message, headers of whole segments
// included.
func wire(l bench.Link, bytes int) time.Duration {
	segments := (bytes + bench.SegmentPayload - 1) / bench.SegmentPayload
	return time.Duration(float64(bytes+segments*bench.SegmentHeaders) * 8 / l.Bits * 1e9)
}

// near allows for rounding to nanoseconds, once a chunk.
func near(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if d := got - want; d < -20*time.Microsecond || d > 20*time.Microsecond {
		t.Errorf("%s: after %s, want %s", what, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

var testLinks = []string{"1mbit/150ms", "10mbit/20ms", "50mbit/40ms", "100mbit/5ms", "100mbit"}

func TestRelayTakesTheLinksTime(t *testing.T) {
	for _, text := range testLinks {
		for _, size := range []int{1, 1000, 1460, 1461, 10_000, 1_000_000} {
			t.Run(fmt.Sprintf("%s %d bytes", text, size), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					link, m := linkOf(text), newMemRelay(text)
					defer m.Close()
					client, server := m.connect()
					trip, delay := nanoseconds(link.RoundTrip), nanoseconds(link.RoundTrip/2)
					time.Sleep(2 * trip) // the connection is warm
					for range 3 {
						start := time.Now()
						must(t, send(client, size))
						must(t, receive(server, size))
						near(t, "up", time.Since(start), wire(link, size)+delay)
						must(t, send(server, size))
						must(t, receive(client, size))
						near(t, "up and down", time.Since(start), 2*wire(link, size)+trip)
					}
				})
			})
		}
	}
}

func send(c io.Writer, size int) error {
	_, err := c.Write(make([]byte, size))
	return err
}

func receive(c io.Reader, size int) error {
	_, err := io.CopyN(io.Discard, c, int64(size))
	return err
}

// TestModel holds the verdict's model of a link against the relay: a request of no
// bytes and an answer of many.
func TestModel(t *testing.T) {
	for _, text := range testLinks[:4] { // those with a round trip
		for _, size := range []int{1000, 10_000, 100_000, 1_000_000, 10_000_000} {
			synctest.Test(t, func(t *testing.T) {
				link, m := linkOf(text), newMemRelay(text)
				defer m.Close()
				client, server := m.connect()
				time.Sleep(2 * nanoseconds(link.RoundTrip))
				start := time.Now()
				must(t, send(client, 1))
				must(t, receive(server, 1))
				must(t, send(server, size))
				must(t, receive(client, size))
				got, want := float64(time.Since(start)), link.Time(float64(size))
				if off := got/want - 1; math.Abs(off) > 0.05 {
					t.Errorf("%s, %d bytes: %s, the model says %s", text, size, time.Duration(got), time.Duration(want))
				}
			})
		}
	}
}

func TestRelayCountsHeadersBySegments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link, m := linkOf("1mbit/20ms"), newMemRelay("1mbit/20ms")
		defer m.Close()
		client, server := m.connect()
		time.Sleep(time.Second)
		start := time.Now()
		for range 100 { // what waits fills segments
			must(t, send(client, 146))
		}
		must(t, receive(server, 14600))
		near(t, "a hundred small writes", time.Since(start), wire(link, 14600)+10*time.Millisecond)
		for range 5 { // what does not wait has headers of its own
			must(t, send(client, 100))
			time.Sleep(20 * time.Millisecond)
		}
		must(t, receive(server, 400))
		start = time.Now()
		must(t, send(client, 100))
		must(t, receive(server, 200))
		near(t, "one small write", time.Since(start), wire(link, 100)+10*time.Millisecond)
	})
}

func TestRelayFreshConnectionWaitsForItsHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link, m := linkOf("10mbit/40ms"), newMemRelay("10mbit/40ms")
		defer m.Close()
		start := time.Now()
		client, server := m.connect()
		must(t, send(client, 5000))
		must(t, receive(server, 5000))
		near(t, "first bytes", time.Since(start), 40*time.Millisecond+wire(link, 5000)+20*time.Millisecond)
	})
}

func TestRelaySharesBandwidthPerDirection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size, connections = 292_000, 4
		link, m := linkOf("10mbit/20ms"), newMemRelay("10mbit/20ms")
		defer m.Close()
		var pairs [connections][2]*memConn
		for i := range pairs {
			pairs[i][0], pairs[i][1] = m.connect()
		}
		time.Sleep(time.Second)
		start := time.Now()
		var ups, downs sync.WaitGroup
		for _, p := range pairs {
			go send(p[0], size)
			go send(p[1], size)
			ups.Go(func() { must(t, receive(p[1], size)) })
			downs.Go(func() { must(t, receive(p[0], size)) })
		}
		ups.Wait()
		near(t, "all up", time.Since(start), connections*wire(link, size)+10*time.Millisecond)
		downs.Wait()
		near(t, "all down", time.Since(start), connections*wire(link, size)+10*time.Millisecond)
	})
}

func TestRelaySlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemRelay("10mbit/20ms")
		defer m.Close()
		m.limit = 64 << 10
		link := linkOf("10mbit/20ms")
		slow, _ := m.connect() // whose server reads nothing
		client, server := m.connect()
		accepted := 0
		done := make(chan bool)
		go func() {
			defer close(done)
			for {
				n, err := slow.Write(make([]byte, 1000))
				accepted += n
				if err != nil {
					return
				}
			}
		}()
		time.Sleep(time.Minute)
		most := (m.depth+1)*m.chunk + 2*m.limit + 2*m.chunk
		synctest.Wait()
		if accepted > most {
			t.Errorf("the relay holds %d bytes for a receiver that reads nothing, more than %d", accepted, most)
		}
		start := time.Now()
		must(t, send(client, 50_000))
		must(t, receive(server, 50_000))
		near(t, "another connection", time.Since(start), wire(link, 50_000)+10*time.Millisecond)
		slow.Close()
		<-done
	})
}

func TestRelayHalfClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemRelay("10mbit/20ms")
		defer m.Close()
		client, server := m.connect()
		time.Sleep(time.Second)
		start := time.Now()
		must(t, send(client, 1))
		must(t, client.CloseWrite())
		if data, err := io.ReadAll(server); err != nil || len(data) != 1 {
			t.Errorf("the server reads %d bytes, error %v", len(data), err)
		}
		near(t, "the end", time.Since(start), wire(m.link, 1)+10*time.Millisecond)
		must(t, send(server, 3000)) // the other direction goes on
		server.Close()
		if data, err := io.ReadAll(client); err != nil || len(data) != 3000 {
			t.Errorf("the client reads %d bytes, error %v", len(data), err)
		}
	})
}

func TestRelayReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemRelay("10mbit/20ms")
		defer m.Close()
		for _, serverFails := range []bool{false, true} {
			failing, other := m.connect()
			if serverFails {
				failing, other = other, failing
			}
			time.Sleep(time.Second)
			reset(failing)
			if _, err := other.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("after a reset by the server (%t) the other side reads %v", serverFails, err)
			}
			other.Close()
		}
		client, server := m.connect()
		server.Close() // and what the client still sends is answered by a reset
		if _, err := client.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the client reads %v", err)
		}
		must(t, send(client, 10))
		time.Sleep(time.Second)
		if _, err := client.Write(make([]byte, 10)); err == nil {
			t.Error("the client goes on writing to a server that is gone")
		}
	})
}

func TestRelayServerGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemRelay("10mbit/20ms")
		m.servers = nil
		defer m.Close()
		if _, err := m.client().Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("without a server the client reads %v", err)
		}
	})
}

// A bubble does not end while a goroutine of the relay is left.
func TestRelayCloseAtAnyTime(t *testing.T) {
	for _, after := range []time.Duration{0, time.Millisecond, 15 * time.Millisecond, 45 * time.Millisecond, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			m := newMemRelay("1mbit/30ms")
			m.limit = 64 << 10
			var running sync.WaitGroup
			for i := range 5 {
				client, server := m.connect()
				running.Go(func() { send(client, 1<<20) })
				running.Go(func() { send(server, 1<<20) })
				if i%2 == 0 {
					running.Go(func() { io.Copy(io.Discard, server) })
				}
			}
			time.Sleep(after)
			must(t, m.Close())
			must(t, m.Close())
			running.Wait()
		})
	}
}

func TestSegmentsDoNotDependOnPieces(t *testing.T) {
	now := time.Now()
	whole := segments{lane: &lane{bits: 1e6}}
	want := whole.send(now, 100_000)
	pieces := segments{lane: &lane{bits: 1e6}}
	var got time.Time
	for sent, n := 0, 1; sent < 100_000; n = n*7%2903 + 1 {
		n = min(n, 100_000-sent)
		got = pieces.send(now, n)
		sent += n
	}
	near(t, "in pieces", got.Sub(now), want.Sub(now))
}

func TestLaneDropsWhatWaitsTooLong(t *testing.T) {
	now := time.Now()
	l := &lane{bits: 8e6} // a byte takes a microsecond
	taken := 0
	for range 100 {
		if _, ok := l.offer(now, 1000, 10_000); ok {
			taken++
		}
	}
	if taken != 11 { // one leaves, ten wait
		t.Errorf("%d packets are taken, want 11", taken)
	}
	if left, ok := l.offer(now.Add(time.Millisecond), 1000, 10_000); !ok || left.Sub(now) != 12*time.Millisecond {
		t.Errorf("after one has left: %s %t", left.Sub(now), ok)
	}
}

func TestNewRelayWithRealConnections(t *testing.T) {
	echo := echoServer(t)
	r, err := NewRelay(echo, linkOf("1gbit/1ms"))
	if err != nil {
		t.Fatal(err)
	}
	var clients sync.WaitGroup
	for i := range 60 {
		clients.Go(func() {
			message := bytes.Repeat([]byte{byte(i)}, 20_000+i)
			got, err := exchange(r.Address(), message)
			if err != nil || !bytes.Equal(got, message) {
				t.Errorf("connection %d gets %d bytes back, error %v", i, len(got), err)
			}
		})
	}
	clients.Wait()
	must(t, r.Close())
	if _, err := exchange(r.Address(), nil); err == nil {
		t.Error("a closed relay accepts connections")
	}
	noGoroutinesOf(t, "transport.(*Relay)", "transport.(*stream)", "transport.(*proxy)")
}

func TestRelayWithRealConnectionsServerGone(t *testing.T) {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRelay(fmt.Sprintf("127.0.0.1:%d", port), linkOf("100mbit/2ms"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := exchange(r.Address(), []byte("hello")); err == nil {
		t.Errorf("without a server the client gets %q and no error", got)
	}
}

func TestRelayClosedDuringTransfers(t *testing.T) {
	echo := echoServer(t)
	for range 5 {
		r, err := NewRelay(echo, linkOf("10mbit/20ms"))
		if err != nil {
			t.Fatal(err)
		}
		var clients sync.WaitGroup
		for range 10 {
			clients.Go(func() { exchange(r.Address(), make([]byte, 1<<20)) })
		}
		time.Sleep(5 * time.Millisecond)
		must(t, r.Close())
		clients.Wait()
	}
	noGoroutinesOf(t, "transport.(*Relay)", "transport.(*stream)", "transport.(*proxy)")
}
