package runners_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
)

// javaWire is a build that crosses HTTP, and a process of it that serves all that
// it has.
type javaWire struct {
	*javaBuild
	server      runner.Process
	description *runner.Description
	prepared    preparation
	address     string // "http://127.0.0.1:4711"
}

func javaOverHTTP(t *testing.T, s goSchema) *javaWire {
	t.Helper()
	r, builder := javaRunner(t)
	w := &javaWire{javaBuild: &javaBuild{goBuild: buildGo(t, builder, r, s, codecNames(r), bench.HTTP)}}
	var lengths []int
	for _, sample := range s.samples {
		for _, d := range sample.documents {
			lengths = append(lengths, len(d))
		}
	}
	w.room = runner.WireRoomFor(lengths)
	w.server, w.prepared = w.ready(t)
	var err error
	if w.description, err = w.server.Describe(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.address = serve(t, w.server)
	return w
}

// ready starts a process that is ready for everything.
func (w *javaWire) ready(t *testing.T) (runner.Process, preparation) {
	t.Helper()
	p := start(t, w.Within(w.room))
	return p, w.prepare(t, p)
}

// serve has a process serve over HTTP, and gives the address.
func serve(t *testing.T, p runner.Process) string {
	t.Helper()
	reply, err := p.Serve(t.Context(), runner.ServeRequest{Transport: bench.HTTP, Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + reply.Address
}

// leaves gives the checksums of a sample's documents, as Java has them.
func (b *goBuild) leaves(t *testing.T, sample, unit string) []uint32 {
	t.Helper()
	var leaves []uint32
	for _, m := range b.messages[sample] {
		leaf, _, err := b.refs[sample].Checksums(m, unit)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leaf)
	}
	return leaves
}

func sum(x []uint32) (n uint32) {
	for _, v := range x {
		n += v
	}
	return n
}

// TestJavaOverHTTP lets every document cross with every codec and coding, both
// ways: with the client, whose checksums are held against the reference, and with
// one that is not ours, which looks at what crosses.
func TestJavaOverHTTP(t *testing.T) {
	t.Parallel()
	s := goSchemas[0]
	w := javaOverHTTP(t, s)
	if !slices.Equal(w.description.Serves, []bench.Transport{bench.HTTP}) || !slices.Equal(w.description.Calls, []bench.Transport{bench.HTTP}) ||
		!slices.Equal(w.description.Encodings, []string{"gzip:6"}) || !strings.Contains(w.description.Version, "Spring Boot 4.") {
		t.Errorf("serves %v, calls %v, encodings %v, version %s", w.description.Serves, w.description.Calls, w.description.Encodings, w.description.Version)
	}
	client, _ := w.ready(t)
	for _, sample := range s.samples {
		for _, c := range w.description.Codecs {
			t.Run(sample.name+"/"+c.Name, func(t *testing.T) { w.crosses(t, client, sample.name, c) })
		}
	}
	w.usage(t, client)
}

func (w *javaWire) crosses(t *testing.T, client runner.Process, sample string, c runner.CodecDescription) {
	if reason := w.prepared.skipped(sample, c.Name); reason != "" {
		w.refused(t, client, sample, c.Name, reason)
		return
	}
	for _, op := range []bench.Operation{bench.Get, bench.Post} {
		for _, encoding := range []string{"identity", "gzip:6"} {
			w.call(t, client, sample, c.Name, op, encoding)
		}
	}
	w.serves(t, sample, c)
}

// request asks for two rounds over the documents of a sample.
func (w *javaWire) request(sample, codec string, op bench.Operation, encoding string) runner.CallRequest {
	n := len(w.messages[sample])
	return runner.CallRequest{
		Transport: bench.HTTP, Address: w.address, Sample: sample, Codec: codec, Peer: codec, Operation: op,
		Encoding: encoding, Requests: 2 * n, Window: n,
	}
}

func (w *javaWire) call(t *testing.T, client runner.Process, sample, codec string, op bench.Operation, encoding string) {
	t.Helper()
	w.wantCall(t, client, w.request(sample, codec, op, encoding), "utf16")
}

// wantCall makes two rounds of requests over a sample, and checks what they
// decoded, with lengths of strings in the given unit.
func (w *javaWire) wantCall(t *testing.T, client runner.Process, q runner.CallRequest, unit string) {
	t.Helper()
	what := fmt.Sprintf("%s of %s, %s with %s, %s", q.Operation, q.Sample, q.Codec, q.Peer, q.Encoding)
	r, err := client.Call(t.Context(), q)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if want := 2 * sum(w.leaves(t, q.Sample, unit)); r.Checksum != want {
		t.Errorf("%s: checksum %d; want %d", what, r.Checksum, want)
	}
	if q.Encoding != bench.Identity && r.WireBytes <= 0 {
		t.Errorf("%s: %d bytes on the wire", what, r.WireBytes)
	}
	wantSpans(t, what, q, r)
}

// refused wants a codec that cannot handle a sample to be told so on both sides.
func (w *javaWire) refused(t *testing.T, client runner.Process, sample, codec, reason string) {
	t.Helper()
	reason = strings.Join(strings.Fields(reason), " ")
	if _, err := client.Call(t.Context(), w.request(sample, codec, bench.Get, "identity")); err == nil || !strings.Contains(strings.Join(strings.Fields(err.Error()), " "), reason) {
		t.Errorf("call: %v; want %s", err, reason)
	}
	if a := w.ask(t, http.MethodGet, w.path(sample, codec, "identity", "0"), nil); a.status != http.StatusNotFound || !strings.Contains(strings.Join(strings.Fields(a.body), " "), reason) {
		t.Errorf("the server answers %d %s; want 404 and %s", a.status, a.body, reason)
	}
}

func (w *javaWire) usage(t *testing.T, client runner.Process) {
	t.Helper()
	for name, p := range map[string]runner.Process{"client": client, "server": w.server} {
		before, err := p.Usage(t.Context())
		if err != nil || before.CPUNS <= 1e8 { // starting a JVM takes more
			t.Errorf("%s: usage %+v %v", name, before, err)
			continue
		}
		if after, err := p.Usage(t.Context()); err != nil || after.CPUNS < before.CPUNS {
			t.Errorf("%s: usage %+v after %+v: %v", name, after, before, err)
		}
	}
}

// path joins segments into the URL of what the server has.
func (w *javaWire) path(segments ...string) string {
	u := w.address
	for _, s := range segments {
		u += "/" + url.PathEscape(s)
	}
	return u
}

// heard is an answer as it crossed.
type heard struct {
	status int
	header http.Header
	body   string
}

// ask makes a request of our own. Pages of other origins may read any answer.
func (w *javaWire) ask(t *testing.T, method, to string, body []byte, headers ...string) heard {
	t.Helper()
	answer, b, err := ask(t.Context(), method, to, body, headers...) //nolint:bodyclose // ask does it
	if err != nil {
		t.Fatal(err)
	}
	wantOpen(t, method+" "+to, answer)
	return heard{answer.StatusCode, answer.Header, string(b)}
}

func gunzip(t *testing.T, s string) []byte {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

var (
	encodeTiming   = regexp.MustCompile(`^encode;dur=\d+\.\d{6}$`)
	compressTiming = regexp.MustCompile(`^encode;dur=\d+\.\d{6}, compress;dur=\d+\.\d{6}$`)
	decodeTiming   = regexp.MustCompile(`^decode;dur=\d+\.\d{6}$`)
	expandTiming   = regexp.MustCompile(`^decompress;dur=\d+\.\d{6}, decode;dur=\d+\.\d{6}$`)
)

var mediaTypes = map[bench.Format]string{bench.JSON: "application/json", bench.Protobuf: "application/x-protobuf"}

// serves holds what the server gives to any client against the reference, and sends
// it back.
func (w *javaWire) serves(t *testing.T, sample string, c runner.CodecDescription) {
	ref, leaves := w.refs[sample], w.leaves(t, sample, "utf16")
	match := map[string]func(protoreflect.Message, []byte) (*schema.Difference, error){
		"json": ref.MatchJSON, "protobuf": ref.MatchBinary, "protojson": ref.MatchProtoJSON,
	}[c.Documents]
	for i, m := range w.messages[sample] {
		for coding, timing := range map[string]*regexp.Regexp{"identity": encodeTiming, "gzip": compressTiming} {
			a := w.ask(t, http.MethodGet, w.path(sample, c.Name, coding, strconv.Itoa(i)), nil, "Accept", mediaTypes[c.Format])
			body := []byte(a.body)
			if coding == "gzip" && a.status == http.StatusOK {
				body = gunzip(t, a.body)
			}
			if d, err := match(m, body); a.status != http.StatusOK || d != nil || err != nil {
				t.Errorf("document %d, %s: %d %v %v in %.300q", i, coding, a.status, d, err, body)
			}
			wantHeaders(t, a, c.Format, coding, timing)
			w.posts(t, sample, c, body, coding, leaves[i])
		}
	}
}

func wantHeaders(t *testing.T, a heard, format bench.Format, coding string, timing *regexp.Regexp) {
	t.Helper()
	want := map[string]string{
		"Content-Type": mediaTypes[format], "Content-Encoding": "gzip", "Cache-Control": "no-store", "Content-Length": strconv.Itoa(len(a.body)),
	}
	if coding == "identity" {
		want["Content-Encoding"] = ""
	}
	for name, value := range want {
		if got := a.header.Get(name); got != value {
			t.Errorf("%s: %s is %q; want %q", coding, name, got, value)
		}
	}
	if got := a.header.Get("Server-Timing"); !timing.MatchString(got) {
		t.Errorf("%s: Server-Timing is %q", coding, got)
	}
}

// posts sends a document, and wants its checksum.
func (w *javaWire) posts(t *testing.T, sample string, c runner.CodecDescription, body []byte, coding string, leaf uint32) {
	t.Helper()
	headers, timing := []string{"Content-Type", mediaTypes[c.Format]}, decodeTiming
	if coding == "gzip" {
		body, headers, timing = gzipped(body), append(headers, "Content-Encoding", "gzip"), expandTiming
	}
	a := w.ask(t, http.MethodPost, w.path(sample, c.Name), body, headers...)
	if a.status != http.StatusOK || a.body != fmt.Sprint(leaf) || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") || !timing.MatchString(a.header.Get("Server-Timing")) {
		t.Errorf("post, %s: %d %.200q, Server-Timing %q; want %d", coding, a.status, a.body, a.header.Get("Server-Timing"), leaf)
	}
}

const smallProto = `syntax = "proto3";
message Order { int64 id = 1; string name = 2; repeated Order children = 3; }
`

// small is two samples of one schema, one with a name that has to be escaped.
func small() goSchema {
	documents := []string{`{"id":1,"name":"a"}`, `{"id":2,"name":"grün 🚂","children":[{"id":3}]}`}
	return goSchema{name: "small", proto: smallProto, samples: []goSample{
		{"orders", "Order", documents},
		{`GET shop.example/api/a b?x=%2F\1+2`, "Order", documents},
	}}
}

// TestJavaServerRefuses asks for what is not there, and sends what is no document.
func TestJavaServerRefuses(t *testing.T) {
	t.Parallel()
	w := javaOverHTTP(t, small())
	deep := []byte(strings.Repeat(`{"children":[`, 50_000))
	for _, x := range []struct {
		what, method, path, body string
		status                   int
		says                     string
		headers                  []string
	}{
		{"another sample", "GET", "/invoices/jackson2/identity/0", "", 404, `no sample "invoices"`, nil},
		{"another codec", "GET", "/orders/bson/identity/0", "", 404, `"bson" was not prepared`, nil},
		{"another coding", "GET", "/orders/jackson2/br/0", "", 404, "identity and gzip", nil},
		{"a document too many", "GET", "/orders/jackson2/identity/2", "", 404, "the sample has 2", nil},
		{"a document below 0", "GET", "/orders/jackson2/identity/-1", "", 404, "the sample has 2", nil},
		{"no number", "GET", "/orders/jackson2/identity/x", "", 404, "the sample has 2", nil},
		{"a number without end", "GET", "/orders/jackson2/identity/" + strings.Repeat("9", 30), "", 404, "the sample has 2", nil},
		{"another path", "GET", "/", "", 404, "nothing is served", nil},
		{"a longer path", "GET", "/orders/jackson2/identity/0/1", "", 404, "nothing is served", nil},
		{"another type", "GET", "/orders/jackson2/identity/0", "", 406, "application/json", []string{"Accept", "application/x-protobuf"}},
		{"a post to a document", "POST", "/orders/jackson2/identity/0", "{}", 405, "use GET", nil},
		{"a get of a codec", "GET", "/orders/jackson2", "", 405, "use POST", nil},
		{"only the head", "HEAD", "/orders/jackson2/identity/0", "", 405, "", nil},
		{"a put", "PUT", "/orders/jackson2", "{}", 405, "use POST", nil},
		{"a put elsewhere", "PUT", "/x", "{}", 405, "not for this path", nil},
		{"no JSON", "POST", "/orders/jackson2", `{"id":`, 400, "cannot be decoded", nil},
		{"nothing", "POST", "/orders/jackson3", "", 400, "", nil},
		{"null", "POST", "/orders/gson", "null", 400, "no document", nil},
		{"no document of the type", "POST", "/orders/jackson3", `{"id":"x"}`, 400, "cannot be decoded", nil},
		{"no Protobuf", "POST", "/orders/protobuf", "\x0f", 400, "cannot be decoded", nil},
		{"no ProtoJSON", "POST", "/orders/jsonformat", "[]", 400, "cannot be decoded", nil},
		{"no end of nesting", "POST", "/orders/gson", string(deep), 400, "cannot be decoded", nil},
		{"no gzip", "POST", "/orders/jackson2", "{}", 400, "cannot be decompressed", []string{"Content-Encoding", "gzip"}},
		{"cut gzip", "POST", "/orders/jackson2", string(gzipped([]byte("{}"))[:15]), 400, "cannot be decompressed", []string{"Content-Encoding", "gzip"}},
		{"a bomb", "POST", "/orders/jackson2", string(gzipped(make([]byte, 50<<20))), 400, "cannot be decompressed", []string{"Content-Encoding", "gzip"}},
		{"another coding", "POST", "/orders/jackson2", "{}", 415, "identity and gzip", []string{"Content-Encoding", "br"}},
		{"another type", "POST", "/orders/jackson2", "{}", 415, "want application/json", []string{"Content-Type", "application/x-protobuf"}},
		{"a wrong type", "POST", "/orders/jackson2", "{}", 415, "want application/json", []string{"Content-Type", "/;;"}},
		{"what is allowed", "OPTIONS", "/orders/jackson2", "", 204, "", nil},
		{"a long body", "POST", "/orders/jackson2", strings.Repeat(" ", 2<<20), 413, "longer than", nil},
	} {
		a := w.ask(t, x.method, w.address+x.path, []byte(x.body), x.headers...)
		if a.status != x.status || !strings.Contains(a.body, x.says) || (a.body == "") != (x.status == 204 || x.method == "HEAD") {
			t.Errorf("%s: %s %.60s: %d %q %v; want %d with %q", x.what, x.method, x.path, a.status, a.body, a.header, x.status, x.says)
		}
	}
	w.serves(t, "orders", w.description.Codecs[0]) // all is well after that
}

// TestJavaServerKeepsConnections makes more requests over one connection than
// Tomcat allows by itself.
func TestJavaServerKeepsConnections(t *testing.T) {
	t.Parallel()
	w := javaOverHTTP(t, small())
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	for i := range 300 {
		r, err := client.Get(w.path("orders", "gson", "identity", "0"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		r.Body.Close()
		if r.Close {
			t.Fatalf("the server closes the connection after %d requests", i+1)
		}
	}
}

// TestJavaWithoutTransports looks at a build that crosses nothing.
func TestJavaWithoutTransports(t *testing.T) {
	t.Parallel()
	b := buildJava(t, small())
	p := start(t, b.Build)
	d, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Serves) > 0 || len(d.Calls) > 0 || len(d.Encodings) > 0 || strings.Contains(d.Version, "Spring") {
		t.Errorf("serves %v, calls %v, encodings %v, version %s", d.Serves, d.Calls, d.Encodings, d.Version)
	}
	b.prepare(t, p)
	_, err = p.Serve(t.Context(), runner.ServeRequest{Transport: bench.HTTP, Address: "127.0.0.1:0"})
	if err == nil || !strings.Contains(err.Error(), `was not built for the transport "http"`) {
		t.Errorf("serve: %v", err)
	}
	for _, name := range []string{"classpath.options", "sources.txt"} {
		text, err := os.ReadFile(filepath.Join(b.Dir, name))
		if err != nil || strings.Contains(string(text), "spring") || strings.Contains(string(text), "http") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if compiled, _ := filepath.Glob(filepath.Join(b.Dir, "classes", "transports", "*")); len(compiled) != 2 {
		t.Errorf("compiled %v; want the interface and the empty list", compiled)
	}
}
