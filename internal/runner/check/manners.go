package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/size"
)

// serverManners checks what a server does that no honest client asks for, and
// what pages of other origins need.
func (c *checker) serverManners(t bench.Transport) part {
	return c.withServer(t, func(ctx context.Context, s *Session, w *wireClient, codec runner.CodecDescription, subjects []subject) error {
		x := subjects[0]
		for _, step := range []struct {
			expected string
			check    func() error
		}{
			{"connections stay open", func() error { return c.keepsAlive(ctx, w, codec, x) }},
			{"pages of other origins may ask, and read what they need", func() error { return c.preflights(ctx, w, codec, x) }},
			{"what does not exist, or cannot be decoded, is refused with a sentence", func() error { return c.refusals(ctx, w, codec, x) }},
			{"bodies that are too large when decompressed are refused, and it goes on", func() error { return c.bombs(ctx, w, codec, x) }},
			{"it says what CPU time its process took, or -1", func() error { return c.usage(ctx, s, w, codec, x) }},
			{"an address that is taken, and a transport that it has not, are refused", func() error { return c.badServes(ctx, s, w) }},
			{"its server ends with it", func() error { return c.endsServing(ctx, s, w) }},
		} {
			if err := c.step("serve", "", string(t)+": "+step.expected, step.check); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *checker) keepsAlive(ctx context.Context, w *wireClient, codec runner.CodecDescription, x subject) error {
	one, cancel := c.in(ctx)
	defer cancel()
	for i := range 3 {
		a, err := w.do(one, http.MethodGet, path(x.Sample, codec.Name, bench.Identity, "0"), nil, nil)
		if err != nil {
			return err
		}
		if i > 0 && !a.reused {
			return errors.New("a second request on a connection needs a new one; want keep-alive")
		}
	}
	return nil
}

func (c *checker) preflights(ctx context.Context, w *wireClient, codec runner.CodecDescription, x subject) error {
	one, cancel := c.in(ctx)
	defer cancel()
	asks := http.Header{"Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"content-encoding,content-type"}}
	a, err := w.do(one, http.MethodOptions, path(x.Sample, codec.Name), asks, nil)
	if err != nil {
		return err
	}
	if a.status != http.StatusNoContent {
		return fmt.Errorf("OPTIONS is answered with status %d; want 204", a.status)
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, POST",
		"Access-Control-Allow-Headers": "content-type, content-encoding", "Access-Control-Max-Age": "600",
	} {
		if got := a.header.Values(name); !sameWords(strings.Join(got, ","), want) {
			return fmt.Errorf("OPTIONS is answered with %s: %s; want %s", name, strings.Join(got, ", "), want)
		}
	}
	return nil
}

// refused is a request that a server must refuse.
type refused struct {
	what, method, path string
	coding             string // of the body
	body               []byte
	want               []int
}

func (c *checker) refusals(ctx context.Context, w *wireClient, codec runner.CodecDescription, x subject) error {
	identity := func(document string) string { return path(x.Sample, codec.Name, bench.Identity, document) }
	gone, never, bad := []int{http.StatusNotFound}, []int{http.StatusMethodNotAllowed}, []int{http.StatusBadRequest}
	document := x.documents[0]
	all := []refused{
		{"the root", "GET", "/", "", nil, gone},
		{"a sample that was not prepared", "GET", path("no-such-sample", codec.Name, bench.Identity, "0"), "", nil, gone},
		{"a codec that does not exist", "GET", path(x.Sample, "no-such-codec", bench.Identity, "0"), "", nil, gone},
		{"a coding that does not exist", "GET", path(x.Sample, codec.Name, "lzma", "0"), "", nil, gone},
		{"a document beyond the last", "GET", identity(strconv.Itoa(x.Documents)), "", nil, gone},
		{"a document before the first", "GET", identity("-1"), "", nil, gone},
		{"a document that is no number", "GET", identity("first"), "", nil, gone},
		{"a document of more digits than a number has", "GET", identity(strings.Repeat("9", 40)), "", nil, gone},
		{"a path that is too long", "GET", identity("0") + "/0", "", nil, gone},
		{"a codec that does not exist", "POST", path(x.Sample, "no-such-codec"), "", document, gone},
		{"a document", "PUT", identity("0"), "", document, never},
		{"a document", "DELETE", identity("0"), "", nil, never},
		{"a body that is nothing", "POST", path(x.Sample, codec.Name), "", []byte("\xff\xfe nothing"), bad},
		{"a body that is cut short", "POST", path(x.Sample, codec.Name), "", document[:len(document)-1], bad},
		{"a coding that does not exist", "POST", path(x.Sample, codec.Name), "lzma", document, []int{http.StatusBadRequest, http.StatusUnsupportedMediaType}},
	}
	codings, err := c.codingsOf(w.transport)
	if err != nil {
		return err
	}
	for _, how := range codings[1:] {
		all = append(all, refused{"a body that is not " + contentCoding(how), "POST", path(x.Sample, codec.Name), contentCoding(how), []byte("\x00\x01 plain text, not compressed"), bad})
	}
	for _, r := range all {
		if err := c.refusedBy(ctx, w, codec, r); err != nil {
			return err
		}
	}
	return nil
}

// refusedBy makes one request that must be refused.
func (c *checker) refusedBy(ctx context.Context, w *wireClient, codec runner.CodecDescription, r refused) error {
	one, cancel := c.in(ctx)
	defer cancel()
	var header http.Header
	if r.body != nil {
		header = http.Header{"Content-Type": {mediaType(codec.Format)}}
		if r.coding != "" {
			header.Set("Content-Encoding", r.coding)
		}
	}
	a, err := w.do(one, r.method, r.path, header, r.body)
	switch {
	case err != nil:
		return err
	case !slices.Contains(r.want, a.status):
		c.found("", "%s of %s is answered with status %d; want %v", r.method, r.what, a.status, r.want)
	case len(strings.TrimSpace(string(a.body))) == 0 || len(a.body) > 4<<10:
		c.found("", "%s of %s is refused with a body of %d bytes; want a sentence that says why", r.method, r.what, len(a.body))
	case a.header.Get("Access-Control-Allow-Origin") != "*":
		c.found("", "%s of %s is refused without Access-Control-Allow-Origin, so that a page cannot read why", r.method, r.what)
	}
	return nil
}

// bombs posts bodies of which too much comes out.
func (c *checker) bombs(ctx context.Context, w *wireClient, codec runner.CodecDescription, x subject) error {
	codings, err := c.codingsOf(w.transport)
	if err != nil {
		return err
	}
	plain := inflated(codec.Format, x)
	for _, how := range codings[1:] {
		body, err := fastest(how).Compress(nil, plain)
		if err != nil {
			return err
		}
		one, cancel := c.in(ctx)
		a, err := w.do(one, http.MethodPost, path(x.Sample, codec.Name), w.posting(codec, how), body)
		cancel()
		if err != nil {
			return err
		}
		if a.status != http.StatusBadRequest && a.status != http.StatusRequestEntityTooLarge {
			return fmt.Errorf("%d bytes of %s that become %d bytes are answered with status %d; want 413 or 400", len(body), contentCoding(how), len(plain), a.status)
		}
	}
	return c.keepsAlive(ctx, w, codec, x)
}

// fastest is the coding at its lowest level: bombs are large.
func fastest(how size.Coding) size.Coding {
	if all, err := size.Parse(contentCoding(how) + ":1"); err == nil {
		return all[0]
	}
	return how
}

func (c *checker) usage(ctx context.Context, s *Session, w *wireClient, codec runner.CodecDescription, x subject) error {
	one, cancel := c.in(ctx)
	defer cancel()
	before, err := s.Usage(one)
	if err != nil {
		return err
	}
	first := before.CPUNS
	identity, err := size.Parse(bench.Identity)
	if err != nil {
		return err
	}
	for range 20 {
		if _, err := c.fetch(ctx, w, codec, x, identity[0]); err != nil {
			return err
		}
	}
	after, err := s.Usage(one)
	switch {
	case err != nil:
		return err
	case first == -1 && after.CPUNS == -1:
		return nil
	case first < 0 || after.CPUNS <= first:
		return fmt.Errorf("cpu_ns is %d, and %d after %d requests; want it to grow, or -1", first, after.CPUNS, 20*x.Documents)
	}
	return nil
}

// badServes asks for servers that cannot be.
func (c *checker) badServes(ctx context.Context, s *Session, w *wireClient) error {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer taken.Close()
	for what, req := range map[string]runner.ServeRequest{
		"an address that is taken":    {Transport: w.transport, Address: taken.Addr().String()},
		"an address that is none":     {Transport: w.transport, Address: "nowhere"},
		"a transport that it has not": {Transport: "carrier-pigeon", Address: "127.0.0.1:0"},
	} {
		one, cancel := c.in(ctx)
		_, err := s.Serve(one, req)
		cancel()
		if err == nil {
			c.found("", "%s was served", what)
		} else if _, ok := refusal(err); !ok {
			return fmt.Errorf("asked to serve %s, %w", what, err)
		}
	}
	return c.alive(ctx, s)
}

// endsServing stops the runner and looks whether something still listens.
func (c *checker) endsServing(ctx context.Context, s *Session, w *wireClient) error {
	one, cancel := c.in(ctx)
	defer cancel()
	w.close() // servers may wait for connections to end
	if err := c.stop(one, s); err != nil {
		return err
	}
	s.Kill()
	connection, err := net.Dial("tcp", strings.TrimPrefix(w.address, "http://"))
	if err == nil {
		connection.Close()
		return errors.New("its server listens after it has ended")
	}
	return nil
}
