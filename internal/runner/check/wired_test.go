package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/size"
)

// wired is a fake that serves and calls for real, rightly but for one fault.
type wired struct {
	runner.Process
	v        *Vectors
	fault    string
	codec    runner.CodecDescription // the last prepared
	subjects []subject
	asked    int64        // usage
	turn     atomic.Int64 // requests served
	servers  []*http.Server
	client   *http.Client
	redis    respClient
}

// wiredRuntime announces everything.
func wiredRuntime(v *Vectors) *runner.FakeRuntime {
	f := fake(v)
	f.Description.Serves = []bench.Transport{bench.HTTP, bench.HTTP2}
	f.Description.Calls = []bench.Transport{bench.HTTP, bench.HTTP2, bench.Redis}
	f.Description.Encodings = []string{"gzip:6", "zstd:3", "br:4"}
	return f
}

func startWired(t *testing.T, v *Vectors, f *runner.FakeRuntime, fault string) Start {
	return func(ctx context.Context) (*Session, error) {
		w := &wired{v: v, fault: fault}
		t.Cleanup(w.end)
		s, err := sessionOf(func(ctx context.Context) (runner.Process, error) {
			p, err := f.Start(ctx)
			w.Process = p
			return w, err
		}, nil, 0, false)(ctx)
		if err != nil {
			return nil, err
		}
		wait, kill := s.Wait, s.Kill
		s.Wait = func(ctx context.Context) (int, error) { // a process takes its servers with it
			code, err := wait(ctx)
			if fault != "its server outlives it" {
				w.end()
			}
			return code, err
		}
		s.Kill = func() {
			kill()
			if fault != "its server outlives it" {
				w.end()
			}
		}
		return s, nil
	}
}

func (w *wired) end() {
	for _, s := range w.servers {
		_ = s.Close()
	}
	w.redis.close()
}

// Prepare notes what is prepared, and passes it on under its own name.
func (w *wired) Prepare(ctx context.Context, samples []runner.SampleFiles, codecs []string) (*runner.PrepareReply, error) {
	w.subjects = nil
	own := make([]runner.SampleFiles, len(samples))
	for i, s := range samples {
		own[i] = s
		of := strings.TrimSuffix(filepath.Base(s.Files[runner.DocumentsJSON]), "."+runner.DocumentsJSON)
		if w.v.samples[of] == nil {
			continue // spoilt on purpose
		}
		own[i].Sample = of
		x := subject{SampleFiles: s, of: of}
		for _, c := range wiredRuntime(w.v).Description.Codecs {
			if c.Name == codecs[0] {
				w.codec = c
			}
		}
		var err error
		if x.documents, err = runner.ReadDocumentsFile(s.Files[w.codec.Documents], runner.DocumentLimits{Documents: 100, Bytes: 1 << 20}); err != nil {
			return nil, err
		}
		if x.leaf, _, err = w.v.Checksums(of, "utf8"); err != nil {
			return nil, err
		}
		w.subjects = append(w.subjects, x)
	}
	return w.Process.Prepare(ctx, own, codecs)
}

func codings() []size.Coding {
	all, err := size.Parse("identity,gzip:6,zstd:3,br:4")
	if err != nil {
		panic(err)
	}
	return all
}

// Serve implements runner.Process.
func (w *wired) Serve(_ context.Context, req runner.ServeRequest) (*runner.ServeReply, error) {
	if req.Transport != bench.HTTP && req.Transport != bench.HTTP2 {
		return nil, &runner.FailedError{Reason: "no such transport"}
	}
	listener, err := net.Listen("tcp", req.Address)
	if err != nil {
		if w.fault == "any address will do" {
			return &runner.ServeReply{Address: "127.0.0.1:1"}, nil
		}
		return nil, err
	}
	right := &server{codec: w.codec, peer: w.codec.Name, subjects: w.subjects, codings: codings(), find: w.v.Find}
	s := &http.Server{Handler: w.bent(right), Protocols: protocols(req.Transport)}
	s.SetKeepAlivesEnabled(w.fault != "closes connections")
	w.servers = append(w.servers, s)
	go func() { _ = s.Serve(listener) }()
	address := listener.Addr().String()
	if w.fault == "listens everywhere" {
		address = strings.Replace(address, "127.0.0.1", "0.0.0.0", 1)
	}
	return &runner.ServeReply{Address: address}, nil
}

// Usage implements runner.Process.
func (w *wired) Usage(context.Context) (*runner.UsageReply, error) {
	if w.fault != "its CPU stands still" {
		w.asked++
	}
	if w.fault == "does not know its CPU" {
		return &runner.UsageReply{CPUNS: -1}, nil
	}
	return &runner.UsageReply{CPUNS: w.asked}, nil
}

// Call implements runner.Process.
func (w *wired) Call(ctx context.Context, q runner.CallRequest) (*runner.CallReply, error) {
	x, how, err := w.callable(q)
	if err != nil {
		if w.fault == "calls what does not exist" {
			return makeUp(q), nil
		}
		return nil, err
	}
	if q.Transport == bench.Redis {
		return w.callRedis(q, x)
	}
	if w.fault == "calls nothing" {
		return nil, &runner.SkippedError{Reason: "another time"}
	}
	if w.fault == "cannot compress by br" && q.Operation == bench.Post && q.Encoding == "br:4" {
		return nil, &runner.SkippedError{Reason: "no br here"}
	}
	if w.client == nil {
		w.client = &http.Client{Transport: &http.Transport{Protocols: protocols(q.Transport), DisableCompression: true, DisableKeepAlives: w.fault == "always connects anew"}}
		if w.fault != "follows redirects" {
			w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		}
	}
	r := &runner.CallReply{CPUNS: -1, Allocated: -1}
	if w.fault == "two at a time" {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = w.exchange(q, x, how, q.Document)
		}()
		defer func() { <-done }()
	}
	for i := range q.Requests {
		document := q.Document + i%q.Window
		if w.fault == "begins with the first document" {
			document = i % q.Window
		}
		e, err := w.exchange(q, x, how, document)
		if err != nil {
			if w.fault == "makes up what it cannot have" {
				return makeUp(q), nil
			}
			return nil, &runner.FailedError{Reason: err.Error()}
		}
		e.add(r)
	}
	return r, nil
}

func makeUp(q runner.CallRequest) *runner.CallReply {
	ones := make([]int64, max(0, q.Requests))
	return &runner.CallReply{TotalNS: ones, EncodeNS: ones, CompressNS: ones, TransferNS: ones, DecompressNS: ones, DecodeNS: ones}
}

// callable refuses what is not there.
func (w *wired) callable(q runner.CallRequest) (*subject, size.Coding, error) {
	right := &server{codings: codings()}
	name, _, _ := strings.Cut(q.Encoding, ":")
	how := right.coding(name)
	operations := []bench.Operation{bench.Get, bench.Post}
	if q.Transport == bench.Redis {
		operations = []bench.Operation{bench.Get, bench.Set, bench.GetPipelined, bench.SetPipelined}
	}
	known := false
	for _, op := range operations {
		known = known || op == q.Operation
	}
	for i := range w.subjects {
		x := &w.subjects[i]
		if x.Sample != q.Sample {
			continue
		}
		if how == nil || !known || q.Codec != w.codec.Name || q.Requests < 1 || q.Window < 1 || q.Document < 0 || q.Document+q.Window > len(x.documents) ||
			q.Transport != bench.HTTP && q.Transport != bench.HTTP2 && q.Transport != bench.Redis {
			break
		}
		return x, how, nil
	}
	return nil, nil, &runner.FailedError{Reason: "there is no such thing"}
}

// spans are those of one request.
type spans struct {
	total, encode, compress, transfer, decompress, decode time.Duration
	wire                                                  int
	sum                                                   uint32
}

func (e spans) add(r *runner.CallReply) {
	r.TotalNS = append(r.TotalNS, int64(e.total))
	r.EncodeNS = append(r.EncodeNS, int64(e.encode))
	r.CompressNS = append(r.CompressNS, int64(e.compress))
	r.TransferNS = append(r.TransferNS, int64(e.transfer))
	r.DecompressNS = append(r.DecompressNS, int64(e.decompress))
	r.DecodeNS = append(r.DecodeNS, int64(e.decode))
	r.WireBytes += int64(e.wire)
	r.Checksum += e.sum
}

// exchange makes one request.
func (w *wired) exchange(q runner.CallRequest, x *subject, how size.Coding, document int) (e spans, err error) {
	start := time.Now()
	peer := q.Peer
	if w.fault == "takes its own codec for the server's" {
		peer = q.Codec
	}
	method, to, body := http.MethodGet, path(x.Sample, peer, contentCoding(how), strconv.Itoa(document)), []byte(nil)
	if w.fault == "takes paths as they are" {
		to = "/" + strings.Join([]string{x.Sample, peer, contentCoding(how), strconv.Itoa(document)}, "/")
	}
	if q.Operation == bench.Post {
		method, to = http.MethodPost, path(x.Sample, peer)
		body = bytes.Clone(x.documents[document])
		e.encode = time.Since(start)
		if how.Name() != bench.Identity && w.fault != "never compresses" {
			began := time.Now()
			if body, err = how.Compress(nil, body); err != nil {
				return e, err
			}
			e.compress = time.Since(began)
		}
		e.wire = len(body)
	}
	sent := time.Now()
	header, got, err := w.roundTrip(q, how, method, q.Address+to, body)
	e.transfer = time.Since(sent)
	if err != nil {
		return e, err
	}
	if q.Operation == bench.Post {
		err = w.posted(&e, how, header, got)
	} else {
		e.wire = len(got)
		err = w.got(&e, q, x, how, header, got)
	}
	e.total = time.Since(start)
	switch w.fault {
	case "forgets the transfer":
		e.transfer = 0
	case "counts the whole twice":
		e.total *= 2
	case "miscounts bytes":
		e.wire++
	case "miscounts leafs":
		e.sum++
	}
	return e, err
}

func (w *wired) posted(e *spans, how size.Coding, header http.Header, got []byte) error {
	leaf, err := strconv.ParseUint(string(got), 10, 32)
	if err != nil && w.fault != "takes soup for a number" {
		return fmt.Errorf("the server answered %q", got)
	}
	e.sum = uint32(leaf)
	return w.split(e, how, header, "decode", &e.decode, "decompress", &e.decompress)
}

func (w *wired) got(e *spans, q runner.CallRequest, x *subject, how size.Coding, header http.Header, got []byte) (err error) {
	limit := w.limit(x)
	if how.Name() != bench.Identity {
		began := time.Now()
		if got, err = how.Decompress(nil, got, limit); err != nil {
			return err
		}
		e.decompress = time.Since(began)
	}
	if w.fault == "waits between spans" {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	i, err := w.v.Find(w.codec, x.of, got)
	if err != nil && w.fault != "decodes anything" {
		return err
	}
	e.sum = x.leaf[i]
	e.decode = time.Since(began)
	return w.split(e, how, header, "encode", &e.encode, "compress", &e.compress)
}

func (w *wired) limit(x *subject) int {
	if w.fault == "reads without limit" {
		return 1 << 30
	}
	return limitTimes*len(x.documents[0]) + 1<<20
}

// split takes what the server says off the transfer.
func (w *wired) split(e *spans, how size.Coding, header http.Header, codec string, codecSpan *time.Duration, coding string, codingSpan *time.Duration) error {
	told := map[string]time.Duration{}
	for entry := range strings.SplitSeq(header.Get("Server-Timing"), ", ") {
		name, dur, _ := strings.Cut(entry, ";dur=")
		if ms, err := strconv.ParseFloat(dur, 64); err == nil {
			told[name] = time.Duration(ms*1e6 + 0.5)
		}
	}
	if _, ok := told[codec]; !ok && w.fault != "needs no Server-Timing" {
		return errors.New("the server does not say how long it took")
	}
	*codecSpan = told[codec]
	if how.Name() != bench.Identity {
		*codingSpan = told[coding]
	}
	if w.fault == "swaps the server's spans" {
		*codecSpan, *codingSpan = *codingSpan, *codecSpan
	}
	e.transfer -= told[codec] + told[coding]
	return nil
}

// roundTrip sends a request and reads the answer.
func (w *wired) roundTrip(q runner.CallRequest, how size.Coding, method, url string, body []byte) (http.Header, []byte, error) {
	r, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	media, coding := mediaType(w.codec.Format), contentCoding(how)
	if method == http.MethodPost {
		r.Header = (&wireClient{}).posting(w.codec, how)
		media, coding = "text/plain", bench.Identity
		if w.fault == "never compresses" {
			r.Header.Del("Content-Encoding")
		}
	}
	answer, err := w.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if w.fault == "takes what it gets" {
		err = nil
	}
	if err != nil {
		return nil, nil, err
	}
	given := answer.Header.Get("Content-Encoding")
	if given == "" {
		given = bench.Identity
	}
	switch {
	case answer.StatusCode != http.StatusOK && w.fault == "keeps errors to itself":
		return nil, nil, errors.New("the server said no")
	case answer.StatusCode != http.StatusOK:
		return nil, nil, fmt.Errorf("the server answered %d: %s", answer.StatusCode, got)
	case !isMedia(answer.Header.Get("Content-Type"), media) && w.fault != "believes any type":
		return nil, nil, fmt.Errorf("the Content-Type is %q", answer.Header.Get("Content-Type"))
	case given != coding && w.fault != "takes any coding":
		return nil, nil, fmt.Errorf("the Content-Encoding is %q", given)
	case given != coding:
		got, err = (&server{codings: codings()}).coding(given).Decompress(nil, got, 1<<20)
		if err == nil && coding != bench.Identity {
			got, err = how.Compress(nil, got)
		}
	case len(got) > 16<<20 && w.fault != "reads without limit":
		return nil, nil, errors.New("the answer is too long")
	}
	return answer.Header, got, err
}
