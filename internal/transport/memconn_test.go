package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// half is one direction of a connection in memory. It holds at most limit bytes.
type half struct {
	mu      sync.Mutex
	changed *sync.Cond
	data    []byte
	limit   int
	end     error // for the reader
	broken  error // for the writer
}

func newHalf(limit int) *half {
	h := &half{limit: limit}
	h.changed = sync.NewCond(&h.mu)
	return h
}

func (h *half) read(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.data) == 0 && h.end == nil {
		h.changed.Wait()
	}
	if len(h.data) == 0 {
		return 0, h.end
	}
	n := copy(b, h.data)
	h.data = h.data[n:]
	h.changed.Broadcast()
	return n, nil
}

func (h *half) write(b []byte) (n int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n < len(b) {
		for len(h.data) >= h.limit && h.broken == nil {
			h.changed.Wait()
		}
		if h.broken != nil {
			return n, h.broken
		}
		more := min(len(b)-n, h.limit-len(h.data))
		h.data = append(h.data, b[n:n+more]...)
		n += more
		h.changed.Broadcast()
	}
	return n, nil
}

// finish ends the stream; what was written before a reset is lost.
func (h *half) finish(end, broken error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.end == nil {
		h.end = end
	}
	if h.end == syscall.ECONNRESET {
		h.data = nil
	}
	if h.broken == nil {
		h.broken = broken
	}
	h.changed.Broadcast()
}

// memConn is one end of a TCP connection in memory.
type memConn struct {
	net.Conn // for the methods that nobody calls
	in, out  *half
	abort    atomic.Bool
}

func memPair(limit int) (a, b *memConn) {
	x, y := newHalf(limit), newHalf(limit)
	return &memConn{in: x, out: y}, &memConn{in: y, out: x}
}

func (c *memConn) Read(b []byte) (int, error)  { return c.in.read(b) }
func (c *memConn) Write(b []byte) (int, error) { return c.out.write(b) }
func (c *memConn) SetLinger(s int) error       { c.abort.Store(s == 0); return nil }

func (c *memConn) CloseWrite() error {
	c.out.finish(io.EOF, net.ErrClosed)
	return nil
}

func (c *memConn) Close() error {
	end := io.EOF
	if c.abort.Load() {
		end = syscall.ECONNRESET
	}
	c.out.finish(end, net.ErrClosed)
	c.in.finish(net.ErrClosed, syscall.EPIPE)
	return nil
}

// memListener gives connections in memory.
type memListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newMemListener() *memListener {
	return &memListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *memListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memListener) Addr() net.Addr { return &net.TCPAddr{} }

// memRelay is a relay between connections in memory, to be used in a bubble of
// testing/synctest: what takes no time on a link takes none at all.
type memRelay struct {
	*Relay
	listener *memListener
	servers  chan *memConn
	limit    int
}

var errNobody = errors.New("nobody listens")

func newMemRelay(text string) *memRelay {
	m := &memRelay{listener: newMemListener(), servers: make(chan *memConn, 1000), limit: 1 << 30}
	m.Relay = newRelay(m.listener, "", linkOf(text), plainAlarm, 0)
	m.dial = func(context.Context) (net.Conn, error) {
		if m.servers == nil {
			return nil, errNobody
		}
		a, b := memPair(m.limit)
		m.servers <- b
		return a, nil
	}
	m.start()
	return m
}

func (m *memRelay) client() *memConn {
	a, b := memPair(m.limit)
	m.listener.conns <- b
	return a
}

// connect gives both ends of a new connection.
func (m *memRelay) connect() (client, server *memConn) {
	client = m.client()
	return client, <-m.servers
}
