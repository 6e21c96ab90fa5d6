package runners_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
	"wirecost/internal/size"
)

// answer is what came of a request, as it crossed.
type answer struct {
	*http.Response
	body []byte
}

// fetch makes one request.
func fetch(ctx context.Context, method, url string, body []byte, header ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Accept-Encoding", "identity")
	r.Header.Set("Origin", "http://elsewhere") // as a page
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	return answer{response, b}, err
}

// ask makes one request.
func ask(ctx context.Context, method, url string, body []byte, header ...string) (*http.Response, []byte, error) {
	a, err := fetch(ctx, method, url, body, header...)
	return a.Response, a.body, err
}

// server checks what any client of any server stands on.
func (w *goWire) server(t *testing.T) {
	address := w.serving(t, bench.HTTP)
	s := w.samples[0]
	json, proto := []byte(s.documents[0]), w.written[s.name]["protobuf"][0]
	leaf := strconv.Itoa(int(w.leaves[s.name][0]))
	path := "/" + s.name + "/encoding-json"
	for _, x := range []struct {
		method, path string
		body         []byte
		header       []string
		status       int
		want         string // the body holds it
	}{
		{"GET", path + "/identity/0", nil, nil, 200, "{"},
		{"GET", "/%73calars/encoding%2Djson/identity/0", nil, nil, 200, "{"},
		{"GET", path + "/identity/0", nil, []string{"Origin", ""}, 200, "{"},
		{"GET", path + "/gzip/0", nil, nil, 200, "\x1f\x8b"},
		{"POST", path, json, nil, 200, leaf},
		{"POST", path, json, []string{"Content-Type", "application/json; charset=utf-8"}, 200, leaf},
		{"POST", "/" + s.name + "/protobuf", proto, []string{"Content-Type", "application/x-protobuf"}, 200, leaf},
		{"GET", "/", nil, nil, 404, "there is nothing"},
		{"GET", "/favicon.ico", nil, nil, 404, "there is nothing"},
		{"GET", path, nil, nil, 405, "use POST"},
		{"GET", "/a/b/c", nil, nil, 404, "there is nothing"},
		{"POST", "/", nil, nil, 404, "there is nothing"},
		{"GET", "/none/encoding-json/identity/0", nil, nil, 404, "not prepared"},
		{"GET", "/" + s.name + "/none/identity/0", nil, nil, 404, "not prepared"},
		{"GET", "/" + s.name + "/hyperpb/identity/0", nil, nil, 404, "no operation encode"},
		{"GET", path + "/deflate/0", nil, nil, 404, "no content coding"},
		{"GET", path + "/identity/-1", nil, nil, 404, "no document"},
		{"GET", path + "/identity/" + strconv.Itoa(len(s.documents)), nil, nil, 404, "no document"},
		{"GET", path + "/identity/x", nil, nil, 404, "no document"},
		{"POST", "/none/encoding-json", json, nil, 404, "not prepared"},
		{"HEAD", path + "/identity/0", nil, nil, 405, ""},
		{"PUT", path + "/identity/0", json, nil, 405, "use GET"},
		{"DELETE", path, nil, nil, 405, "use POST"},
		{"PATCH", "/", nil, nil, 405, "there is nothing"},
		{"OPTIONS", path, nil, []string{"Access-Control-Request-Method", "POST"}, 204, ""},
		{"POST", path, json[:len(json)-1], nil, 400, "cannot decode"},
		{"POST", path, []byte("rubbish"), []string{"Content-Encoding", "gzip"}, 400, "cannot be decompressed"},
		{"POST", path, nil, []string{"Content-Encoding", "zstd"}, 400, "cannot be decompressed"},
		{"POST", path, bytes.Repeat([]byte(" "), 1500<<10), nil, 400, "larger"},
		{"POST", path, json, []string{"Content-Encoding", "deflate"}, 415, "no content coding"},
		{"POST", path, proto, []string{"Content-Type", "application/x-protobuf"}, 415, "reads application/json"},
		{"POST", path, json, nil, 200, leaf},
	} {
		a, err := fetch(t.Context(), x.method, address+x.path, x.body, x.header...)
		if err != nil {
			t.Errorf("%s %s: %v", x.method, x.path, err)
			continue
		}
		if a.StatusCode != x.status || !bytes.Contains(a.body, []byte(x.want)) {
			t.Errorf("%s %s: %d %q; want %d and %q", x.method, x.path, a.StatusCode, a.body, x.status, x.want)
		}
		wantOpen(t, x.method+" "+x.path, a.Response)
	}
	w.headers(t, address+path)
	w.bombs(t, address+path)
}

// wantOpen checks that pages of other origins may read an answer, and that others
// than pages get none of it.
func wantOpen(t *testing.T, what string, a *http.Response) {
	t.Helper()
	want := map[string]string{
		"Access-Control-Allow-Origin": "*", "Timing-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin",
		"Access-Control-Expose-Headers": "Server-Timing, Content-Encoding",
	}
	if a.StatusCode == http.StatusNoContent {
		want["Access-Control-Allow-Methods"], want["Access-Control-Max-Age"] = "GET, POST", "600"
		want["Access-Control-Allow-Headers"] = "content-type, content-encoding"
	}
	for name, value := range want {
		if a.Request.Header.Get("Origin") == "" {
			value = ""
		}
		if got := a.Header.Get(name); got != value {
			t.Errorf("%s: %s is %q; want %q", what, name, got, value)
		}
	}
}

// headers checks those of good answers.
func (w *goWire) headers(t *testing.T, url string) {
	duration := `;dur=\d+\.\d{6}`
	for coding, timing := range map[string]string{"identity": "encode" + duration, "br": "encode" + duration + ", compress" + duration} {
		a, err := fetch(t.Context(), http.MethodGet, url+"/"+coding+"/1", nil)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"Content-Type": "application/json", "Content-Length": strconv.Itoa(len(a.body)), "Cache-Control": "no-store"}
		if coding != "identity" {
			want["Content-Encoding"] = coding
		}
		for _, name := range []string{"Content-Type", "Content-Length", "Cache-Control", "Content-Encoding"} {
			if got := a.Header.Get(name); got != want[name] {
				t.Errorf("%s: %s is %q; want %q", coding, name, got, want[name])
			}
		}
		if got := a.Header.Get("Server-Timing"); !regexp.MustCompile("^" + timing + "$").MatchString(got) {
			t.Errorf("%s: Server-Timing is %q; want %q", coding, got, timing)
		}
	}
}

// bombs are bodies that decompress to far too much.
func (w *goWire) bombs(t *testing.T, url string) {
	for coding, bomb := range bombs(t) {
		a, err := fetch(t.Context(), http.MethodPost, url, bomb, "Content-Encoding", coding)
		if err != nil {
			t.Fatal(err)
		}
		if a.StatusCode != http.StatusBadRequest || !bytes.Contains(a.body, []byte("larger")) {
			t.Errorf("%s of %d bytes: %d %q", coding, len(bomb), a.StatusCode, a.body)
		}
	}
}

func bombs(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	codings, err := size.Parse("gzip,zstd,br")
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 64<<20)
	for _, c := range codings {
		name, _, _ := strings.Cut(c.Name(), ":")
		if out[name], err = c.Compress(nil, zeros); err != nil {
			t.Fatal(err)
		}
	}
	var stream bytes.Buffer // a frame that does not tell its size
	z := codings[1].Writer(&stream)
	if _, err := z.Write(zeros); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	out["zstd "] = stream.Bytes() // white space around a header's value does not count
	return out
}

// client checks what a client makes of servers that are not as they should be.
func (w *goWire) client(t *testing.T) {
	s := w.samples[0]
	document := w.written[s.name]["protobuf"][0]
	type reply struct {
		status int
		header map[string]string
		body   []byte
	}
	good := func(change ...string) map[string]string {
		h := map[string]string{"Content-Type": "application/x-protobuf", "Server-Timing": "encode;dur=0.000001, compress;dur=0.000001, decode;dur=0.000001"}
		for i := 0; i < len(change); i += 2 {
			h[change[i]] = change[i+1]
		}
		return h
	}
	var now reply
	fake := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for name, value := range now.header {
			rw.Header().Set(name, value)
		}
		rw.WriteHeader(now.status)
		_, _ = rw.Write(now.body)
	}))
	defer fake.Close()
	p := w.process(t)
	get := w.request(bench.HTTP, fake.URL, s, "protobuf", bench.Get)
	get.Requests, get.Window = 1, 1
	gzip, post := get, get
	gzip.Encoding, post.Operation = "gzip:6", bench.Post
	for _, x := range []struct {
		what  string
		q     runner.CallRequest
		reply reply
		want  string // part of the error; empty: none
	}{
		{"good", get, reply{200, good(), document}, ""},
		{"no content type", get, reply{200, good("Content-Type", ""), document}, "Content-Type"},
		{"another content type", get, reply{200, good("Content-Type", "text/html"), document}, `Content-Type "text/html"; want application/x-protobuf`},
		{"parameters", get, reply{200, good("Content-Type", "Application/X-Protobuf; messageType=x"), document}, ""},
		{"compressed unasked", get, reply{200, good("Content-Encoding", "gzip"), bombs(t)["gzip"]}, "Content-Encoding gzip; want identity"},
		{"not compressed", gzip, reply{200, good(), document}, "Content-Encoding identity; want gzip"},
		{"rubbish compressed", gzip, reply{200, good("Content-Encoding", "gzip"), document}, "cannot be decompressed"},
		{"bomb", gzip, reply{200, good("Content-Encoding", "gzip"), bombs(t)["gzip"]}, "larger"},
		{"endless", get, reply{200, good(), make([]byte, 8<<20)}, "larger"},
		{"rubbish", get, reply{200, good(), []byte("\x0a\xff")}, "cannot be decoded"},
		{"an error", get, reply{503, good(), []byte("the cellar is flooded\n")}, "503 Service Unavailable: the cellar is flooded"},
		{"a silent error", get, reply{500, nil, nil}, "500 Internal Server Error"},
		{"a redirect", get, reply{302, good("Location", "/elsewhere"), nil}, "302"},
		{"no timing", get, reply{200, good("Server-Timing", ""), document}, "how long encode took"},
		{"negative timing", get, reply{200, good("Server-Timing", "encode;dur=-1"), document}, "how long encode took"},
		{"not a number", get, reply{200, good("Server-Timing", "encode;dur=NaN"), document}, "how long encode took"},
		{"endless timing", get, reply{200, good("Server-Timing", "encode;dur=1e300"), document}, "how long encode took"},
		{"too long", get, reply{200, good("Server-Timing", "encode;dur=100000"), document}, "longer than the whole exchange"},
		{"more timing", get, reply{200, good("Server-Timing", `cache;desc="hit, 1", encode;desc=x;dur=0.001`), document}, ""},
		{"a leaf", post, reply{200, good("Content-Type", "text/plain"), []byte("7\n")}, ""},
		{"no leaf", post, reply{200, good("Content-Type", "text/plain"), []byte("seven")}, `answered "seven"`},
		{"a long leaf", post, reply{200, good("Content-Type", "text/plain"), bytes.Repeat([]byte("7"), 99)}, "larger"},
		{"a refusal", post, reply{400, nil, []byte("no such field")}, "no such field"},
	} {
		now = x.reply
		_, err := p.Call(t.Context(), x.q)
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v; want %q", x.what, err, x.want)
		}
	}
	w.gone(t, p, get)
}

// gone checks that a server that goes away is an error at once, on a connection
// that was good as well as without one.
func (w *goWire) gone(t *testing.T, p runner.Process, q runner.CallRequest) {
	server, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.prepare(t, server)
	q.Address = w.serve(t, server, bench.HTTP)
	if _, err := p.Call(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := p.Call(t.Context(), q); err == nil || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("the server is gone: %v", err)
		}
	}
}

// hooks asks for documents with several codecs at once: what is inside a union
// must be written by the codec that was asked.
func (w *goWire) hooks(t *testing.T) {
	address := w.serving(t, bench.HTTP)
	i := slices.IndexFunc(w.samples, func(s goSample) bool { return s.name == "hostile" })
	s := w.samples[i]
	var group sync.WaitGroup
	for _, c := range w.codecs {
		if !w.able(s.name, c.Name, bench.Encode) || c.Documents != "json" {
			continue
		}
		url, want, leaf := fmt.Sprintf("%s/%s/%s", address, s.name, c.Name), w.written[s.name][c.Name][0], strconv.Itoa(int(w.leaves[s.name][0]))
		group.Go(func() {
			for range 100 {
				got, err := fetch(t.Context(), http.MethodGet, url+"/identity/0", nil)
				if err != nil || !bytes.Equal(got.body, want) {
					t.Errorf("%s: %v %q; want %q", c.Name, err, got.body, want)
					return
				}
				posted, err := fetch(t.Context(), http.MethodPost, url, want)
				if err != nil || string(posted.body) != leaf {
					t.Errorf("%s: %v %q; want %s", c.Name, err, posted.body, leaf)
					return
				}
			}
		})
	}
	group.Wait()
}

// maps checks that codecs that sort maps always write the same bytes, that others do
// not, so that their bytes are no key, and that the meaning is always the same.
func (w *goWire) maps(t *testing.T) {
	address := w.serving(t, bench.HTTP)
	i := slices.IndexFunc(w.samples, func(s goSample) bool { return s.name == "many" })
	s := w.samples[i]
	ref, message := w.refs[s.name], w.messages[s.name][1]
	for _, c := range w.codecs {
		if !w.able(s.name, c.Name, bench.Encode) {
			continue
		}
		match := map[string]func(protoreflect.Message, []byte) (*schema.Difference, error){
			"json": ref.MatchJSON, "protobuf": ref.MatchBinary, "protojson": ref.MatchProtoJSON,
		}[c.Documents]
		seen := map[string]bool{}
		for range 100 {
			a, err := fetch(t.Context(), http.MethodGet, fmt.Sprintf("%s/%s/%s/identity/1", address, s.name, c.Name), nil)
			if err != nil {
				t.Fatal(err)
			}
			seen[string(a.body)] = true
		}
		for body := range seen {
			if d, err := match(message, []byte(body)); d != nil || err != nil {
				t.Errorf("%s: %v %v in %q", c.Name, d, err, body)
			}
		}
		if slices.Contains(c.Traits, "sorts map keys") != (len(seen) == 1) {
			t.Errorf("%s wrote a document with maps in %d ways; its traits are %q", c.Name, len(seen), c.Traits)
		}
	}
}
