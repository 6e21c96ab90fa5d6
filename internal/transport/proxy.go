package transport

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// conn is a TCP connection.
type conn interface {
	net.Conn
	CloseWrite() error
	SetLinger(seconds int) error
}

// reset ends a connection so that the other side sees an error, not an end.
func reset(c conn) {
	_ = c.SetLinger(0)
	c.Close()
}

// proxy accepts connections and makes one to the target for each.
type proxy struct {
	listener net.Listener
	dial     func(context.Context) (net.Conn, error)
	join     func(ctx context.Context, client, server conn) // returns when both have ended
	ctx      context.Context
	cancel   context.CancelFunc
	running  sync.WaitGroup
}

func newProxy(l net.Listener, target string, join func(ctx context.Context, client, server conn)) *proxy {
	p := &proxy{listener: l, join: join}
	p.dial = func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", target)
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// start begins to accept.
func (p *proxy) start() { p.running.Go(p.accept) }

func (p *proxy) accept() {
	for {
		c, err := p.listener.Accept()
		switch {
		case err == nil:
			p.running.Go(func() { p.serve(c.(conn)) })
		case p.ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return
		default: // no descriptors left, or a client that has gone already
			pause(p.ctx, 10*time.Millisecond)
		}
	}
}

func (p *proxy) serve(client conn) {
	s, err := p.dial(p.ctx)
	if err != nil { // as the server's own machine would answer
		reset(client)
		return
	}
	server := s.(conn)
	unhook := context.AfterFunc(p.ctx, func() {
		client.Close()
		server.Close()
	})
	defer unhook()
	p.join(p.ctx, client, server)
	client.Close()
	server.Close()
}

// Address is where clients connect to: host and port.
func (p *proxy) Address() string { return p.listener.Addr().String() }

// Close ends all connections. It returns when nothing runs any more.
func (p *proxy) Close() error {
	p.cancel()
	err := p.listener.Close()
	p.running.Wait()
	if errors.Is(err, net.ErrClosed) { // a second Close
		return nil
	}
	return err
}

// pause waits; it reports false when the context ends before.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
