package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Where and how long the server below answers nobody.
const (
	stallBegin = 500 * time.Millisecond
	stall      = 200 * time.Millisecond
	service    = 100 * time.Microsecond
)

// stalling serves in memory: at once, except during the stall, after which
// all that came meanwhile is answered.
func stalling(t *testing.T) (dial func(context.Context, string, string) (net.Conn, error), stop func()) {
	l := newMemListener()
	start := time.Now()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if since := time.Since(start); since >= stallBegin && since < stallBegin+stall {
			time.Sleep(stallBegin + stall - since)
		}
		time.Sleep(service)
		io.WriteString(w, "answer")
	})}
	done := make(chan error)
	go func() { done <- server.Serve(l) }()
	dial = func(context.Context, string, string) (net.Conn, error) {
		a, b := net.Pipe()
		l.conns <- b
		return a, nil
	}
	return dial, func() {
		server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}
}

// above counts the latencies above a limit.
func above(ns []int64, limit time.Duration) (n int) {
	for _, x := range ns {
		if x > limit.Nanoseconds() {
			n++
		}
	}
	return n
}

// TestOpenLoopShowsAStall: at a rate of r, a stall of s must be seen by r·s
// requests; r·(s−x) of them wait longer than x, however few the workers are.
func TestOpenLoopShowsAStall(t *testing.T) {
	const rate = 1000
	for _, workers := range []int{0, 4} {
		synctest.Test(t, func(t *testing.T) {
			dial, stop := stalling(t)
			defer stop()
			got, err := OpenLoop{URL: "http://stalling/", Rate: rate, Duration: time.Second, Workers: workers, dial: dial}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got.Errors != 0 || got.Requests != rate || len(got.NS) != rate {
				t.Fatalf("%d requests, %d answered, %d errors: %s", got.Requests, len(got.NS), got.Errors, got.Error)
			}
			for _, limit := range []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 150 * time.Millisecond, 190 * time.Millisecond} {
				want := int(rate * (stall - limit).Seconds())
				// Few workers take turns of 0.1 ms to answer what has piled up.
				if n := above(got.NS, limit); n < want || n > want+want/5+2 {
					t.Errorf("%d workers: %d requests took longer than %s, want %d", workers, n, limit, want)
				}
			}
			if n := above(got.NS, stall+10*time.Millisecond); n > 0 {
				t.Errorf("%d requests took longer than the stall", n)
			}
		})
	}
}

// TestClosedLoopHidesAStall: what asks again only after an answer meets it once.
func TestClosedLoopHidesAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial, stop := stalling(t)
		defer stop()
		transport := &http.Transport{DialContext: dial}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport}
		var ns []int64
		for start := time.Now(); time.Since(start) < time.Second; {
			began := time.Now()
			response, err := client.Get("http://stalling/")
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			ns = append(ns, time.Since(began).Nanoseconds())
		}
		if n := above(ns, 10*time.Millisecond); n != 1 || len(ns) < 1000 {
			t.Errorf("%d of %d requests were slow, want 1 of thousands", n, len(ns))
		}
	})
}

func TestOpenLoopBeyondWhatTheServerCan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial, stop := stalling(t)
		defer stop()
		// One worker manages 10,000 a second less the stall.
		got, err := OpenLoop{URL: "http://stalling/", Rate: 100_000, Duration: 100 * time.Millisecond, Workers: 1, dial: dial}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got.Requests != 10_000 || len(got.NS)+got.Errors != got.Requests || got.Errors < 6_900 || !strings.Contains(got.Error, "not sent") {
			t.Errorf("%d requests, %d answered, %d errors: %s", got.Requests, len(got.NS), got.Errors, got.Error)
		}
	})
}

func TestOpenLoopErrors(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Accept-Encoding") != "gzip" {
			http.Error(w, "no such coding", http.StatusNotAcceptable)
		}
	}))
	defer server.Close()
	o := OpenLoop{URL: server.URL, Rate: 500, Duration: 100 * time.Millisecond, Header: http.Header{"Accept-Encoding": {"gzip"}}}
	if got, err := o.Run(t.Context()); err != nil || got.Errors != 0 || len(got.NS) != 50 || asked.Load() != 50 {
		t.Errorf("with the header: %+v, %v", got, err)
	}
	o.Header = nil
	if got, err := o.Run(t.Context()); err != nil || got.Errors != 50 || len(got.NS) != 0 || !strings.Contains(got.Error, "406") {
		t.Errorf("without: %+v, %v", got, err)
	}
	server.Close()
	if got, err := o.Run(t.Context()); err != nil || got.Errors != 50 || !strings.Contains(got.Error, "refused") {
		t.Errorf("with the server gone: %+v, %v", got, err)
	}
	noGoroutinesOf(t, "vegeta")
}

func TestOpenLoopOverHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			http.Error(w, r.Proto, http.StatusHTTPVersionNotSupported)
		}
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	for http2, errors := range map[bool]int{true: 0, false: 20} {
		got, err := OpenLoop{URL: server.URL, Rate: 200, Duration: 100 * time.Millisecond, HTTP2: http2}.Run(t.Context())
		if err != nil || got.Errors != errors {
			t.Errorf("HTTP/2 %t: %+v, %v", http2, got, err)
		}
	}
}

func TestOpenLoopStops(t *testing.T) {
	hang := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer server.Close()
	defer close(hang)
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(fmt.Errorf("enough")) })
	got, err := OpenLoop{URL: server.URL, Rate: 100, Duration: time.Hour}.Run(ctx)
	if err == nil || err.Error() != "enough" {
		t.Errorf("%+v, %v", got, err)
	}
	noGoroutinesOf(t, "vegeta")
}

func TestOpenLoopRefuses(t *testing.T) {
	for _, o := range []OpenLoop{{Rate: 0, Duration: time.Second}, {Rate: -1, Duration: time.Second}, {Rate: 1e9, Duration: time.Minute}, {Rate: 5, Duration: 0}} {
		if got, err := o.Run(t.Context()); err == nil {
			t.Errorf("%+v gives %+v", o, got)
		}
	}
}
