package runners_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// calling is a Java client, and the build that it is of.
type calling struct {
	*javaWire
	client runner.Process
}

func javaClient(t *testing.T) *calling {
	t.Helper()
	r, builder := javaRunner(t)
	w := &javaWire{javaBuild: &javaBuild{goBuild: buildGo(t, builder, r, small(), codecNames(r), bench.HTTP)}}
	client, _ := w.ready(t)
	return &calling{w, client}
}

// TestJavaClientRefuses lets the client talk to servers that are not as they
// should be. Each is an error of its own request, told at once.
func TestJavaClientRefuses(t *testing.T) {
	t.Parallel()
	c := javaClient(t)
	good := map[string]string{"Content-Type": "application/json", "Server-Timing": "encode;dur=0.001"}
	with := func(name, value string) map[string]string {
		h := map[string]string{}
		for k, v := range good {
			h[k] = v
		}
		h[name] = value
		return h
	}
	document := `{"id":1,"name":"a"}`
	for _, x := range []struct {
		what   string
		status int
		header map[string]string
		body   string
		op     bench.Operation
		coding string
		says   string
	}{
		{"a status", 503, nil, "the queue is full", bench.Get, "identity", "answered 503: the queue is full"},
		{"a redirection", 302, map[string]string{"Location": "/"}, "", bench.Get, "identity", "answered 302"},
		{"another type", 200, with("Content-Type", "text/html"), document, bench.Get, "identity", "the content type text/html; want application/json"},
		{"compressed unasked", 200, with("Content-Encoding", "gzip"), string(gzipped([]byte(document))), bench.Get, "identity", "the content encoding gzip; want identity"},
		{"not compressed", 200, good, document, bench.Get, "gzip:6", "the content encoding identity; want gzip"},
		{"no gzip", 200, with("Content-Encoding", "gzip"), document, bench.Get, "gzip:6", "cannot be decompressed"},
		{"a bomb", 200, with("Content-Encoding", "gzip"), string(gzipped(make([]byte, 50<<20))), bench.Get, "gzip:6", "cannot be decompressed"},
		{"no document", 200, good, `{"id":`, bench.Get, "identity", "jackson2 cannot decode the answer"},
		{"no timing", 200, with("Server-Timing", ""), document, bench.Get, "identity", "does not tell how long it took to encode"},
		{"timing of nothing", 200, with("Server-Timing", "encode;dur=x"), document, bench.Get, "identity", "does not tell how long it took to encode"},
		{"negative timing", 200, with("Server-Timing", "encode;dur=-1"), document, bench.Get, "identity", "does not tell how long it took to encode"},
		{"timing without end", 200, with("Server-Timing", "encode;dur=1e300"), document, bench.Get, "identity", "does not tell how long it took to encode"},
		{"timing too long", 200, with("Server-Timing", "encode;dur=100000"), document, bench.Get, "identity", "longer than the whole exchange"},
		{"no checksum", 200, map[string]string{"Content-Type": "text/plain", "Server-Timing": "decode;dur=0.001"}, "thanks", bench.Post, "identity", `answered "thanks"; want a checksum`},
		{"a long body", 200, good, strings.Repeat(" ", 2<<20), bench.Get, "identity", "with a body of 2097152 bytes"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for k, v := range x.header {
				w.Header().Set(k, v)
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(x.body)))
			w.WriteHeader(x.status)
			_, _ = w.Write([]byte(x.body))
		}))
		c.wantError(t, x.what, server.URL, x.op, x.coding, x.says)
		server.Close()
	}
}

func (c *calling) wantError(t *testing.T, what, address string, op bench.Operation, coding, says string) {
	t.Helper()
	q := c.request("orders", "jackson2", op, coding)
	q.Address = address
	if r, err := c.client.Call(t.Context(), q); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %+v, %v; want an error with %q", what, r, err, says)
	}
}

// TestJavaClientLosesItsServer is a server that is not there, one that leaves in
// the middle of an answer, and requests that name nothing.
func TestJavaClientLosesItsServer(t *testing.T) {
	t.Parallel()
	c := javaClient(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := "http://" + l.Addr().String()
	l.Close()
	c.wantError(t, "nobody listens", gone, bench.Get, "identity", "ConnectException")
	leaves := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"id":1`))
	}))
	defer leaves.Close()
	c.wantError(t, "it leaves", leaves.URL, bench.Get, "identity", "IOException")
	c.wantError(t, "no address", "nowhere", bench.Get, "identity", "not one of HTTP")
	c.wantError(t, "another encoding", gone, bench.Get, "br:4", "there are identity and gzip:6")
	c.wantError(t, "another operation", gone, bench.Set, "identity", "there are get and post")
	q := c.request("orders", "jackson2", bench.Get, "identity")
	q.Document = 7
	if _, err := c.client.Call(t.Context(), q); err == nil || !strings.Contains(err.Error(), "document is 7") {
		t.Errorf("a document too many: %v", err)
	}
	q.Transport = bench.Redis
	if _, err := c.client.Call(t.Context(), q); err == nil || !strings.Contains(err.Error(), `was not built for the transport "redis"`) {
		t.Errorf("another transport: %v", err)
	}
}

// TestJavaServerLeavesNothing asks for addresses that cannot be had, and for one
// that can, and looks for folders that Tomcat made.
func TestJavaServerLeavesNothing(t *testing.T) {
	c := javaClient(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	scratch := t.TempDir()
	t.Setenv("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir="+scratch)
	p, _ := c.ready(t)
	for _, address := range []string{":0", "0.0.0.0:0", "nowhere", l.Addr().String()} {
		if r, err := p.Serve(t.Context(), runner.ServeRequest{Transport: bench.HTTP, Address: address}); err == nil {
			t.Errorf("serves at %s: %+v", address, r)
		}
		wantEmpty(t, "after no server at "+address, scratch)
	}
	serve(t, p)
	wantEmpty(t, "beside a server", scratch)
}

// wantEmpty looks for what a JVM has left in its folder for temporary files.
func wantEmpty(t *testing.T, when, folder string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(folder, "*tomcat*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%s: %v, %v", when, left, err)
	}
}

// TestJavaClientTellsTheServersTime is a server whose spans are known.
func TestJavaClientTellsTheServersTime(t *testing.T) {
	c := javaClient(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(5 * time.Millisecond) // no less, whatever else there is to do
		if r.Method == http.MethodPost {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("Server-Timing", "decompress;dur=0.25, decode;desc=\"x\";dur=1.5")
			_, _ = w.Write([]byte("4294967295"))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Server-Timing", "cache, encode;dur=1.500001 , compress;dur=2")
		_, _ = w.Write(gzipped([]byte(`{"id":1,"name":"a"}`)))
	}))
	defer server.Close()
	q := c.request("orders", "jackson2", bench.Get, "gzip:6")
	q.Address, q.Requests = server.URL, 3
	r, err := c.client.Call(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.TotalNS {
		if r.EncodeNS[i] != 1_500_001 || r.CompressNS[i] != 2_000_000 || r.TransferNS[i] < 1_499_999 || r.TotalNS[i] < 5_000_000 {
			t.Errorf("get: encode %d, compress %d, transfer %d, total %d ns", r.EncodeNS[i], r.CompressNS[i], r.TransferNS[i], r.TotalNS[i])
		}
	}
	q.Operation = bench.Post
	if r, err = c.client.Call(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	for i := range r.TotalNS {
		if r.DecompressNS[i] != 250_000 || r.DecodeNS[i] != 1_500_000 || r.TransferNS[i] < 3_250_000 || r.TotalNS[i] < 5_000_000 {
			t.Errorf("post: decompress %d, decode %d, transfer %d, total %d ns", r.DecompressNS[i], r.DecodeNS[i], r.TransferNS[i], r.TotalNS[i])
		}
	}
	if r.Checksum != 1<<32-3 {
		t.Errorf("checksum %d; want three times 2^32-1", r.Checksum)
	}
}

// TestJavaOverHTTPHoldsALargeDocument is a document that does not fit the usual
// heap, in the room that a server and a client get for it.
func TestJavaOverHTTPHoldsALargeDocument(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"people":[`)
	for i := range 50_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"first":"First%d","last":"Last%d","email":"first.%d@example.com","phones":["+49 30 %07d","+49 89 %07d"],"joined":%d,"active":%t}`,
			i, i%977, i%1009, i, i, 2*i, 1_500_000_000+i*977, i%3 == 0)
	}
	b.WriteString(`]}`)
	w := javaOverHTTP(t, goSchema{name: "people", proto: `syntax = "proto3";
message People { repeated Person people = 1; }
message Person { int64 id = 1; string first = 2; string last = 3; string email = 4; repeated string phones = 5; int64 joined = 6; bool active = 7; }
`, samples: []goSample{{"people", "People", []string{b.String()}}}})
	client, _ := w.ready(t)
	for _, codec := range []string{"jackson2", "protobuf", "jsonformat"} {
		w.call(t, client, "people", codec, bench.Get, "gzip:6")
		w.call(t, client, "people", codec, bench.Post, "identity")
	}
	w.room.Bytes = 220e6 // the server's answer tells the client's process
	tight, _ := w.ready(t)
	var short *runner.MemoryError
	_, err := client.Call(t.Context(), runner.CallRequest{
		Transport: bench.HTTP, Address: serve(t, tight), Sample: "people", Codec: "jsonformat", Peer: "jsonformat", Operation: bench.Get, Encoding: "identity", Requests: 1, Window: 1,
	})
	if !errors.As(err, &short) {
		t.Errorf("a server with too small a heap: %v; want that memory is short", err)
	}
}

// TestJavaAndGo lets each call the other's server. Strings have other lengths in
// Java than in Go: who decodes tells the checksum.
func TestJavaAndGo(t *testing.T) {
	t.Parallel()
	java := javaOverHTTP(t, small())
	javaClient, _ := java.ready(t)
	r := goRunner(t)
	builder := &runner.Builder{Cache: t.TempDir(), Version: "test"}
	b := buildGo(t, builder, r, small(), []string{"encoding-json", "protobuf", "protojson"}, bench.HTTP)
	goServer, goClient := start(t, b.Build), start(t, b.Build)
	b.prepare(t, goServer)
	b.prepare(t, goClient)
	address := serve(t, goServer)
	for _, sample := range small().samples {
		for java_, go_ := range map[string]string{"jackson2": "encoding-json", "gson": "encoding-json", "protobuf": "protobuf", "jsonformat": "protojson"} {
			for _, op := range []bench.Operation{bench.Get, bench.Post} {
				for _, encoding := range []string{"identity", "gzip:6"} {
					q := java.request(sample.name, java_, op, encoding)
					q.Address, q.Peer = address, go_
					java.wantCall(t, javaClient, q, map[bench.Operation]string{bench.Get: "utf16", bench.Post: "utf8"}[op])
					q.Address, q.Codec, q.Peer = java.address, go_, java_
					java.wantCall(t, goClient, q, map[bench.Operation]string{bench.Get: "utf8", bench.Post: "utf16"}[op])
				}
			}
		}
	}
}

// TestJavaClientKeepsItsConnection counts connections, holds the spans against the
// total, and then takes the server away.
func TestJavaClientKeepsItsConnection(t *testing.T) {
	t.Parallel()
	w := javaOverHTTP(t, small())
	client, _ := w.ready(t)
	g := newGate(t, strings.TrimPrefix(w.address, "http://"), nil)
	for _, codec := range []string{"jackson3", "protobuf"} {
		for _, op := range []bench.Operation{bench.Get, bench.Post} {
			for _, encoding := range []string{"identity", "gzip:6"} {
				q := w.request("orders", codec, op, encoding)
				q.Address, q.Requests = "http://"+g.Addr().String(), 200
				wantWhole(t, client, q)
			}
		}
	}
	if n := g.connections.Load(); n != 1 {
		t.Errorf("%d connections; want one for all requests", n)
	}
	server, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.prepare(t, server)
	q := w.request("orders", "gson", bench.Get, "identity")
	q.Address = serve(t, server)
	if _, err := client.Call(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := client.Call(t.Context(), q); err == nil || !strings.Contains(err.Error(), "Exception") {
			t.Errorf("the server is gone: %v", err)
		}
	}
}
