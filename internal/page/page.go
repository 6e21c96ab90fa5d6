// Package page is the bridge between wirecost and a page in a real browser. It
// serves the page on loopback, starts the browser with its address, and carries
// lines of the runner protocol between standard streams and the page's
// WebSocket: to wirecost the browser is a runner like any other.
package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/coder/websocket"
)

// Options say what page to show in which browser.
type Options struct {
	Files   fs.FS    // the page: index.html and what it loads
	Profile string   // a folder that the browser's profile begins with; may be empty
	Browser []string // the program and its arguments; {url} is the page's address, {profile} the profile's folder
	// Requests and Replies are lines of the protocol. When Requests ends,
	// everything does.
	Requests io.Reader
	Replies  io.Writer
	Patience time.Duration // for the browser to open the page; 0: Patience
}

// Patience is how long a browser has to open the page. A first start on a busy
// machine takes ten seconds.
const Patience = 90 * time.Second

// errInputEnded says that nobody wants replies any more.
var errInputEnded = errors.New("the requests ended")

// Run shows the page and answers requests until one is "stop" or they end. On its
// return the browser has ended with all its processes, and its folder is gone.
// The error says what happened to the browser or the page, or is the context's.
func Run(ctx context.Context, o Options) error {
	if o.Patience == 0 {
		o.Patience = Patience
	}
	s, err := newSite(o.Files)
	if err != nil {
		return err
	}
	defer s.close()
	b, err := startBrowser(o.Browser, o.Profile, s.url())
	if err != nil {
		return err
	}
	defer b.end()
	// Whatever makes it pointless to go on ends the context, and is its cause.
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r := &run{site: s, browser: b, replies: o.Replies, fail: fail, messages: make(chan []byte), lines: make(chan []byte, 1)}
	go r.readRequests(ctx, o.Requests)
	go r.watch(ctx)
	if err := r.serve(ctx, o.Patience); !errors.Is(err, errInputEnded) {
		return err
	}
	return nil
}

// run is a page at work.
type run struct {
	site     *site
	browser  *browser
	replies  io.Writer
	conn     *websocket.Conn
	fail     context.CancelCauseFunc
	lines    chan []byte // of wirecost
	messages chan []byte // of the page
}

// watch waits for the browser's end, and for the page to say that it cannot work.
func (r *run) watch(ctx context.Context) {
	select {
	case <-r.browser.ended:
		r.fail(r.browser.how())
	case what := <-r.site.trouble:
		r.fail(fmt.Errorf("the page does not work in this browser: %s", what))
	case <-ctx.Done():
	}
}

// next gives what comes, or why nothing will.
func next[T any](ctx context.Context, from <-chan T) (T, error) {
	select {
	case x := <-from:
		return x, nil
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

func (r *run) serve(ctx context.Context, patience time.Duration) (err error) {
	late := time.AfterFunc(patience, func() {
		r.fail(fmt.Errorf("the browser did not open the page within %s; what it said: %s", patience, r.browser.said))
	})
	r.conn, err = next(ctx, r.site.pages)
	late.Stop()
	if err != nil {
		return err
	}
	defer func() { _ = r.conn.CloseNow() }()
	go r.listen(ctx)
	for {
		line, err := next(ctx, r.lines)
		if err != nil {
			return err
		}
		last, err := r.exchange(ctx, line)
		if last || err != nil {
			return err
		}
	}
}

// exchange carries one request to the page and its reply back. last says that
// nothing follows.
func (r *run) exchange(ctx context.Context, line []byte) (last bool, err error) {
	select {
	case m := <-r.messages:
		return false, fmt.Errorf("the page spoke without being asked: %.80q", m)
	default:
	}
	name, forPage := r.site.files.request(line)
	if err := r.conn.Write(ctx, websocket.MessageText, forPage); err != nil {
		return false, r.lost(ctx, err)
	}
	reply, err := next(ctx, r.messages)
	r.site.files.replied()
	if err != nil {
		return false, err
	}
	if err := checkReply(reply); err != nil {
		return false, err
	}
	if _, err := r.replies.Write(append(reply, '\n')); err != nil {
		return false, fmt.Errorf("the reply could not be handed on: %w", err)
	}
	return name == "stop", nil
}

// listen hands on what the page sends.
func (r *run) listen(ctx context.Context) {
	for {
		kind, data, err := r.conn.Read(ctx)
		if err == nil && kind != websocket.MessageText {
			err = errors.New("it sent bytes instead of text")
		}
		if err != nil {
			r.fail(r.lost(ctx, err))
			return
		}
		select {
		case r.messages <- data:
		case <-ctx.Done():
			return
		}
	}
}

// lost says why the page cannot be reached any more.
func (r *run) lost(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, websocket.ErrMessageTooBig):
		return errLongReply
	case r.browser.endsWithin(time.Second):
		return r.browser.how()
	}
	return fmt.Errorf("the page was closed, or has crashed (%w)", err)
}
