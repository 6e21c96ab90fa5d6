package check

import (
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/size"
)

// server is a right server (docs/protocol.md, "Servers") that knows documents
// and no codec, and remembers what it was asked.
type server struct {
	codec    runner.CodecDescription
	peer     string // what it calls that codec
	subjects []subject
	codings  []size.Coding
	find     func(codec runner.CodecDescription, sample string, body []byte) (int, error)

	address string
	http    http.Server

	mu          sync.Mutex
	hostile     http.HandlerFunc // answers instead; nil: none
	exchanges   []exchange       // since they were taken
	connections int              // so far
	inside      int              // requests that are being answered
	most        int              // of those at one time
}

// exchange is a request that was answered well.
type exchange struct {
	sample   string
	document int   // asked for, or sent
	bytes    int   // of the body, as it crossed
	told     int64 // ns: of compress or decompress, one more of encode or decode
}

// newServer starts a server of a transport on a free port.
func (c *checker) newServer(t bench.Transport, codec runner.CodecDescription, subjects []subject) (*server, error) {
	codings, err := c.codingsOf(t)
	if err != nil {
		return nil, err
	}
	s := &server{codec: codec, peer: "peer-of-" + codec.Name, subjects: subjects, codings: codings, find: c.opts.Find}
	return s, s.start(t)
}

func (s *server) start(t bench.Transport) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.address = "http://" + listener.Addr().String()
	s.http = http.Server{Handler: s, Protocols: protocols(t), ConnState: s.state, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = s.http.Serve(listener) }()
	return nil
}

func protocols(t bench.Transport) *http.Protocols {
	var p http.Protocols
	p.SetHTTP1(t == bench.HTTP)
	p.SetUnencryptedHTTP2(t == bench.HTTP2)
	return &p
}

func (s *server) state(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.mu.Lock()
		s.connections++
		s.mu.Unlock()
	}
}

func (s *server) close() { _ = s.http.Close() }

// take gives the exchanges since the last time.
func (s *server) take() []exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.exchanges
	s.exchanges = nil
	return all
}

func (s *server) counts() (connections, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections, s.most
}

func (s *server) set(hostile http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hostile = hostile
}

// enter counts a request in, and gives its number.
func (s *server) enter() (n int, hostile http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inside++
	s.most = max(s.most, s.inside)
	return len(s.exchanges), s.hostile
}

func (s *server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inside--
}

func (s *server) note(x exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exchanges = append(s.exchanges, x)
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	crossOrigin(w.Header())
	if r.Method == http.MethodOptions {
		preflight(w)
		return
	}
	n, hostile := s.enter()
	defer s.leave()
	if hostile != nil {
		hostile(w, r)
		return
	}
	s.answer(w, r, 2000+2*int64(n))
}

func crossOrigin(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Timing-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Server-Timing, Content-Encoding")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

func preflight(w http.ResponseWriter) {
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST")
	w.Header().Set("Access-Control-Allow-Headers", "content-type, content-encoding")
	w.Header().Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

// answer answers well; told is what it says that its work took.
func (s *server) answer(w http.ResponseWriter, r *http.Request, told int64) {
	segments := segmentsOf(r)
	get, post := r.Method == http.MethodGet && len(segments) == 4, r.Method == http.MethodPost && len(segments) == 2
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		http.Error(w, "there are GET and POST", http.StatusMethodNotAllowed)
		return
	case !get && !post:
		http.Error(w, "there is nothing at "+r.URL.Path, http.StatusNotFound)
		return
	}
	for i := range s.subjects {
		x := &s.subjects[i]
		if x.Sample != segments[0] || s.peer != segments[1] {
			continue
		}
		if get {
			s.get(w, x, segments[2], segments[3], told)
		} else {
			s.post(w, r, x, told)
		}
		return
	}
	http.Error(w, fmt.Sprintf("the sample %q with the codec %q was not prepared", segments[0], segments[1]), http.StatusNotFound)
}

func segmentsOf(r *http.Request) []string {
	var all []string
	for s := range strings.SplitSeq(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/") {
		s, err := url.PathUnescape(s)
		if err != nil {
			return nil
		}
		all = append(all, s)
	}
	return all
}

func (s *server) coding(name string) size.Coding {
	for _, x := range s.codings {
		if contentCoding(x) == name {
			return x
		}
	}
	return nil
}

func (s *server) get(w http.ResponseWriter, x *subject, coding, document string, told int64) {
	how := s.coding(coding)
	i, err := strconv.Atoi(document)
	if how == nil || err != nil || i < 0 || i >= len(x.documents) {
		http.Error(w, fmt.Sprintf("there is no document %q, or no coding %q", document, coding), http.StatusNotFound)
		return
	}
	body, err := how.Compress(nil, x.documents[i])
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.note(exchange{x.Sample, i, len(body), told})
	s.write(w, how, body, told)
}

// write answers a get with a body.
func (s *server) write(w http.ResponseWriter, how size.Coding, body []byte, told int64) {
	h := w.Header()
	h.Set("Content-Type", mediaType(s.codec.Format))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("Server-Timing", timing("encode", told+1))
	if how.Name() != bench.Identity {
		h.Set("Content-Encoding", contentCoding(how))
		h.Set("Server-Timing", timing("encode", told+1)+", "+timing("compress", told))
	}
	_, _ = w.Write(body) // whoever asked may be gone
}

func isMedia(given, want string) bool {
	media, _, err := mime.ParseMediaType(given)
	return err == nil && media == want
}

func timing(name string, ns int64) string { return fmt.Sprintf("%s;dur=%.6f", name, float64(ns)/1e6) }

func (s *server) post(w http.ResponseWriter, r *http.Request, x *subject, told int64) {
	name := r.Header.Get("Content-Encoding")
	if name == "" {
		name = bench.Identity
	}
	how := s.coding(name)
	if how == nil {
		http.Error(w, fmt.Sprintf("there is no content coding %q", name), http.StatusUnsupportedMediaType)
		return
	}
	limit := s.limit(x)
	sent, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limit)))
	var body []byte
	if err == nil {
		body, err = how.Decompress(nil, sent, limit)
	}
	var i int
	if err == nil {
		i, err = s.find(s.codec, x.of, body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if given := r.Header.Get("Content-Type"); !isMedia(given, mediaType(s.codec.Format)) {
		http.Error(w, fmt.Sprintf("the Content-Type is %q; want %s", given, mediaType(s.codec.Format)), http.StatusUnsupportedMediaType)
		return
	}
	s.note(exchange{x.Sample, i, len(sent), told})
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Server-Timing", timing("decode", told+1))
	if name != bench.Identity {
		w.Header().Set("Server-Timing", timing("decompress", told)+", "+timing("decode", told+1))
	}
	fmt.Fprint(w, x.leaf[i])
}

func (s *server) limit(x *subject) int {
	largest := 0
	for _, d := range x.documents {
		largest = max(largest, len(d))
	}
	return limitTimes*largest + limitBytes
}
