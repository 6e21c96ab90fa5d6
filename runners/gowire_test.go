package runners_test

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/size"
)

// wireSamples are those that cross: few, with unions, odd keys, maps and doubles.
var wireSamples = []string{"scalars", "unions", "hostile", "many", "mixed", "floats"}

// wireTransports are all that the runner has.
var wireTransports = []bench.Transport{bench.HTTP, bench.HTTP2, bench.Redis}

// goWire is a build with transports, and what its codecs should say.
type goWire struct {
	*goBuild
	samples []goSample
	codecs  []runner.CodecDescription
	leaves  map[string][]uint32            // sample → leaf of each document
	lengths map[string]map[string][]int    // sample, codec → bytes of each document
	written map[string]map[string][][]byte // sample, codec → what verify wrote
}

// TestGoWire builds the runner with its transports, and lets documents cross them.
func TestGoWire(t *testing.T) {
	w := newGoWire(t)
	t.Run("describe", w.describes)
	t.Run("http", w.http)
	t.Run("connection", w.connection)
	t.Run("server", w.server)
	t.Run("client", w.client)
	t.Run("hooks", w.hooks)
	t.Run("maps", w.maps)
	t.Run("refusals", w.refusals)
	t.Run("redis", w.redis)
	t.Run("redis errors", w.redisErrors)
	t.Run("redis split", w.redisSplit)
}

func newGoWire(t *testing.T) *goWire {
	t.Helper()
	r := goRunner(t)
	s := goSchemas[0]
	s.samples = append(slices.Clone(s.samples), goSample{"floats", "kitchen.Many", []string{floats(500)}})
	w := &goWire{leaves: map[string][]uint32{}, lengths: map[string]map[string][]int{}, written: map[string]map[string][][]byte{}}
	w.goBuild = buildGo(t, &runner.Builder{Cache: t.TempDir(), Version: "test"}, r, s, codecNames(r), wireTransports...)
	if w.DroppedTransports != nil {
		t.Fatalf("dropped: %v", w.DroppedTransports)
	}
	for _, x := range s.samples {
		if slices.Contains(wireSamples, x.name) {
			w.samples = append(w.samples, x)
		}
	}
	if len(w.samples) != len(wireSamples) {
		t.Fatalf("%d of the samples %v", len(w.samples), wireSamples)
	}
	w.verifyAll(t)
	return w
}

// floats is a document with many doubles.
func floats(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",%d.%d", i, 1+i*7919%99991)
	}
	return `{"reals":[` + b.String()[1:] + `],"texts":[],"empty":{}}`
}

// verifyAll has every codec prove itself, and keeps what should come of it.
func (w *goWire) verifyAll(t *testing.T) {
	t.Helper()
	p := start(t, w.Build)
	description := describe(t, p, w.Build)
	prepared := w.prepare(t, p)
	w.codecs = description.Codecs
	for _, s := range w.samples {
		w.lengths[s.name], w.written[s.name] = map[string][]int{}, map[string][][]byte{}
		for _, m := range w.messages[s.name] {
			leaf, _, err := w.refs[s.name].Checksums(m, "utf8")
			if err != nil {
				t.Fatal(err)
			}
			w.leaves[s.name] = append(w.leaves[s.name], leaf)
		}
		for _, c := range w.codecs {
			if prepared.skipped(s.name, c.Name) != "" {
				continue
			}
			w.verify(t, p, s, c)
			written, err := runner.ReadDocumentsFile(w.dir+"/out", runner.DocumentLimits{Documents: len(s.documents), Bytes: 64 << 20})
			if err != nil {
				t.Fatal(err)
			}
			w.written[s.name][c.Name] = written
			for _, d := range written {
				w.lengths[s.name][c.Name] = append(w.lengths[s.name][c.Name], len(d))
			}
		}
	}
}

// process starts a process that is ready for all samples.
func (w *goWire) process(t *testing.T) runner.Process {
	t.Helper()
	p := start(t, w.Build)
	w.prepare(t, p)
	return p
}

// serving starts a process that serves, and gives its URL.
func (w *goWire) serving(t *testing.T, transport bench.Transport) string {
	t.Helper()
	return w.serve(t, w.process(t), transport)
}

func (w *goWire) serve(t *testing.T, p runner.Process, transport bench.Transport) string {
	t.Helper()
	reply, err := p.Serve(t.Context(), runner.ServeRequest{Transport: transport, Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + reply.Address
}

// able tells whether a codec handles a sample, and has an operation.
func (w *goWire) able(sample, codec string, op bench.Operation) bool {
	if w.lengths[sample][codec] == nil {
		return false
	}
	i := slices.IndexFunc(w.codecs, func(c runner.CodecDescription) bool { return c.Name == codec })
	return slices.Contains(w.codecs[i].Operations, op)
}

func (w *goWire) describes(t *testing.T) {
	d := describe(t, start(t, w.Build), w.Build)
	served := []bench.Transport{bench.HTTP, bench.HTTP2}
	if !slices.Equal(d.Serves, served) || !slices.Equal(d.Calls, wireTransports) || strings.Join(d.Encodings, " ") != "gzip:6 zstd:3 br:4" {
		t.Errorf("serves %v, calls %v, encodings %v", d.Serves, d.Calls, d.Encodings)
	}
}

// request is a call for all documents of a sample, in order.
func (w *goWire) request(transport bench.Transport, address string, s goSample, codec string, op bench.Operation) runner.CallRequest {
	return runner.CallRequest{
		Transport: transport, Address: address, Sample: s.name, Codec: codec, Peer: codec, Operation: op,
		Encoding: bench.Identity, Requests: len(s.documents), Window: len(s.documents),
	}
}

// http lets every document cross with every codec and encoding, both ways, and
// with a peer of the same documents.
func (w *goWire) http(t *testing.T) {
	for _, transport := range []bench.Transport{bench.HTTP, bench.HTTP2} {
		address, p := w.serving(t, transport), w.process(t)
		for _, s := range w.samples {
			for _, c := range w.codecs {
				for _, encoding := range []string{bench.Identity, "gzip:6", "zstd:3", "br:4"} {
					for _, op := range []bench.Operation{bench.Get, bench.Post} {
						if !w.able(s.name, c.Name, bench.Encode) {
							continue
						}
						q := w.request(transport, address, s, c.Name, op)
						q.Encoding, q.Requests = encoding, len(s.documents)+1
						w.crosses(t, p, s, q)
					}
				}
			}
		}
		// The client's codec may be another than the server's.
		q := w.request(transport, address, w.samples[0], "goccy", bench.Post)
		q.Peer, q.Document, q.Window, q.Requests = "encoding-json", 1, len(w.samples[0].documents)-1, 3
		w.crosses(t, p, w.samples[0], q)
		// One that only decodes has others encode.
		for _, op := range []bench.Operation{bench.Get, bench.Post} {
			q := w.request(transport, address, w.samples[0], "hyperpb", op)
			q.Peer = "protobuf"
			if op == bench.Post {
				q.Codec, q.Peer = q.Peer, q.Codec
			}
			w.crosses(t, p, w.samples[0], q)
		}
	}
}

// crosses makes a call, and holds its reply against what is known.
func (w *goWire) crosses(t *testing.T, p runner.Process, s goSample, q runner.CallRequest) {
	t.Helper()
	what := fmt.Sprintf("%s %s of %s with %s, %s", q.Transport, q.Operation, s.name, q.Codec, q.Encoding)
	reply, err := p.Call(t.Context(), q)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	var checksum uint32
	var bytes int64
	for i := range q.Requests {
		d := q.Document + i%q.Window
		checksum += w.leaves[s.name][d]
		encoder := q.Codec
		if q.Operation == bench.Get {
			encoder = q.Peer
		}
		bytes += int64(w.packed(t, s.name, encoder, d, q.Encoding))
	}
	// Where maps or fields have any order, compressed bytes differ.
	ordered := (s.name == "scalars" || s.name == "floats") && q.Codec != "dynamicpb"
	if reply.Checksum != checksum || reply.WireBytes != bytes && (q.Encoding == bench.Identity || ordered) {
		t.Errorf("%s: checksum %d, %d bytes; want %d, %d", what, reply.Checksum, reply.WireBytes, checksum, bytes)
	}
	wantSpans(t, what, q, reply)
}

// packed is how many bytes a document has on the wire, by the codings that sizes
// are counted with.
func (w *goWire) packed(t *testing.T, sample, codec string, document int, encoding string) int {
	t.Helper()
	if encoding == bench.Identity {
		return w.lengths[sample][codec][document]
	}
	codings, err := size.Parse(encoding)
	if err != nil {
		t.Fatal(err)
	}
	b, err := codings[0].Compress(nil, w.written[sample][codec][document])
	if err != nil {
		t.Fatal(err)
	}
	return len(b)
}

// wantSpans checks that a request's spans are those of its operation, and lie
// within its total.
func wantSpans(t *testing.T, what string, q runner.CallRequest, r *runner.CallReply) {
	t.Helper()
	coded := q.Encoding != bench.Identity
	for i := range r.TotalNS {
		sum := r.EncodeNS[i] + r.CompressNS[i] + r.TransferNS[i] + r.DecompressNS[i] + r.DecodeNS[i]
		if sum > r.TotalNS[i] || r.EncodeNS[i] <= 0 || r.TransferNS[i] <= 0 || r.DecodeNS[i] <= 0 ||
			(r.CompressNS[i] > 0) != coded || (r.DecompressNS[i] > 0) != coded {
			t.Errorf("%s, request %d: encode %d, compress %d, transfer %d, decompress %d, decode %d of %d ns", what, i,
				r.EncodeNS[i], r.CompressNS[i], r.TransferNS[i], r.DecompressNS[i], r.DecodeNS[i], r.TotalNS[i])
			return
		}
	}
	if r.CPUNS <= 0 || r.Allocated <= 0 {
		t.Errorf("%s: CPU %d ns, %d bytes allocated", what, r.CPUNS, r.Allocated)
	}
}

// wantWhole checks that a call's spans add up to its total within 3%. A program
// that the system stops between two spans is tried again.
func wantWhole(t *testing.T, p runner.Process, q runner.CallRequest) {
	t.Helper()
	var share float64
	for range 20 {
		r, err := p.Call(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var spans, total int64
		for i := range r.TotalNS {
			spans += r.EncodeNS[i] + r.CompressNS[i] + r.TransferNS[i] + r.DecompressNS[i] + r.DecodeNS[i]
			total += r.TotalNS[i]
		}
		if share = float64(spans) / float64(total); share >= 0.97 {
			return
		}
	}
	t.Errorf("%s %s, %s: the spans are %.1f%% of the total", q.Transport, q.Operation, q.Encoding, 100*share)
}

// gate is a proxy of TCP that counts connections.
type gate struct {
	net.Listener
	connections atomic.Int32
	between     func() // runs before each piece that goes to the server
}

func newGate(t *testing.T, target string, between func()) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{Listener: l, between: between}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			g.connections.Add(1)
			go g.pass(c, target)
		}
	}()
	return g
}

func (g *gate) pass(c net.Conn, target string) {
	defer c.Close()
	s, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer s.Close()
	go func() {
		_, _ = io.Copy(c, s)
		c.Close()
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := c.Read(b)
		if n > 0 {
			if g.between != nil {
				g.between()
			}
			if _, err := s.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// connection checks that a client connects at its first request and never again,
// and that the time is whole.
func (w *goWire) connection(t *testing.T) {
	for _, transport := range []bench.Transport{bench.HTTP, bench.HTTP2} {
		address, p := w.serving(t, transport), w.process(t)
		g := newGate(t, strings.TrimPrefix(address, "http://"), nil)
		if n := g.connections.Load(); n != 0 {
			t.Errorf("%s: %d connections before the first request", transport, n)
		}
		for _, op := range []bench.Operation{bench.Get, bench.Post} {
			for _, encoding := range []string{bench.Identity, "zstd:3"} {
				q := w.request(transport, "http://"+g.Addr().String(), w.samples[0], "protobuf", op)
				q.Encoding, q.Requests = encoding, 1
				for range 2 {
					if _, err := p.Call(t.Context(), q); err != nil {
						t.Fatal(err)
					}
				}
				q.Requests = 200
				wantWhole(t, p, q)
			}
		}
		if n := g.connections.Load(); n != 1 {
			t.Errorf("%s: %d connections; want one for all requests", transport, n)
		}
	}
}

// refusals are requests that are wrong, after which the process goes on.
func (w *goWire) refusals(t *testing.T) {
	address := w.serving(t, bench.HTTP)
	p := w.process(t)
	s := w.samples[0]
	good := w.request(bench.HTTP, address, s, "protobuf", bench.Get)
	for what, change := range map[string]func(*runner.CallRequest){
		"sample":             func(q *runner.CallRequest) { q.Sample = "none" },
		"codec":              func(q *runner.CallRequest) { q.Codec = "none" },
		`codec "none"`:       func(q *runner.CallRequest) { q.Peer = "none" },
		"operation":          func(q *runner.CallRequest) { q.Operation = bench.Set },
		"encoding":           func(q *runner.CallRequest) { q.Encoding = "gzip:9" },
		"requests":           func(q *runner.CallRequest) { q.Requests = 0 },
		"documents":          func(q *runner.CallRequest) { q.Document = len(s.documents) },
		"does not call":      func(q *runner.CallRequest) { q.Transport = "carrier-pigeon" },
		"hyperpb has no":     func(q *runner.CallRequest) { q.Codec, q.Operation = "hyperpb", bench.Post },
		"does not answer":    func(q *runner.CallRequest) { q.Address = "http://127.0.0.1:1" },
		"first path segment": func(q *runner.CallRequest) { q.Address = "127.0.0.1:1" },
		"Content-Type":       func(q *runner.CallRequest) { q.Peer = "encoding-json" },
	} {
		q := good
		change(&q)
		if _, err := p.Call(t.Context(), q); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, q := range map[string]runner.ServeRequest{
		"does not serve": {Transport: bench.Redis, Address: "127.0.0.1:0"},
		"every network":  {Transport: bench.HTTP, Address: ":0"},
		"in use":         {Transport: bench.HTTP, Address: strings.TrimPrefix(address, "http://")},
	} {
		if _, err := p.Serve(t.Context(), q); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("serve on %s over %s: %v; want %q", q.Address, q.Transport, err, what)
		}
	}
	w.crosses(t, p, s, good)
	if u, err := p.Usage(t.Context()); err != nil || u.CPUNS <= 0 {
		t.Errorf("usage: %+v %v", u, err)
	}
	if _, err := start(t, w.Build).Serve(t.Context(), runner.ServeRequest{Transport: bench.HTTP, Address: "127.0.0.1:0"}); err == nil {
		t.Error("a process that has prepared nothing serves")
	}
}
