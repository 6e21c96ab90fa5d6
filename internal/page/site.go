package page

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"wirecost/internal/runner"
)

const (
	maxOut     = 4 << 30 // bytes that the page may write at once
	maxTrouble = 2 << 10
)

// site serves one page, to the browser that was started with its address. A token
// in that keeps others out, and so do the checks of Host and Origin.
type site struct {
	server  *http.Server
	host    string // "127.0.0.1:4711"
	token   string
	pages   chan *websocket.Conn // the page's connection
	trouble chan string          // the page's word that it cannot work
	files   files

	content fs.FS
	taken   atomic.Bool // a page has connected
}

func newSite(content fs.FS) (*site, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{
		host: listener.Addr().String(), token: rand.Text(), content: content,
		pages: make(chan *websocket.Conn, 1), trouble: make(chan string, 1),
	}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go s.server.Serve(listener) //nolint:errcheck // it ends with close
	return s, nil
}

func (s *site) origin() string { return "http://" + s.host }
func (s *site) url() string    { return s.origin() + "/" + s.token + "/" }

func (s *site) close() {
	_ = s.server.Close()
	select {
	case conn := <-s.pages: // it came too late
		_ = conn.CloseNow()
	default:
	}
}

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.headers(w.Header())
	name, ok := s.admit(r)
	switch {
	case !ok:
		http.Error(w, "wirecost shows one page here, to one browser that it has started", http.StatusForbidden)
	case name == "wire":
		s.connect(w, r)
	case name == "trouble":
		s.complain(w, r)
	case strings.HasPrefix(name, outPrefix):
		s.receive(w, r, name)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this can only be read", http.StatusMethodNotAllowed)
	case strings.HasPrefix(name, documentsPrefix):
		s.documents(w, name)
	default:
		s.static(w, name)
	}
}

// headers isolates the page, which gives it the finest clock that the browser
// has for pages, and keeps it to itself. It may make code while it runs, as
// libraries under test do, and reach servers under test.
func (s *site) headers(h http.Header) {
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'unsafe-eval'; worker-src 'self'; style-src 'self'; "+
		"img-src data:; connect-src 'self' ws://"+s.host+" http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the address has the token
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
}

// admit gives what a request asks for below the token's path, if it comes from the
// page or is the browser's first.
func (s *site) admit(r *http.Request) (name string, ok bool) {
	token, name, found := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	ok = found && subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1 &&
		r.Host == s.host && (origin == "" || origin == s.origin()) && (site == "" || site == "none" || site == "same-origin")
	return name, ok
}

// connect makes the page's one connection.
func (s *site) connect(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != s.origin() {
		http.Error(w, "only the page may connect", http.StatusForbidden)
		return
	}
	if !s.taken.CompareAndSwap(false, true) {
		http.Error(w, "a page is connected already", http.StatusConflict)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil { // it has answered
		s.taken.Store(false)
		return
	}
	conn.SetReadLimit(runner.MaxLine)
	s.pages <- conn
}

// complain takes the page's word that it cannot work.
func (s *site) complain(w http.ResponseWriter, r *http.Request) {
	what, err := io.ReadAll(io.LimitReader(r.Body, maxTrouble))
	if err != nil || r.Method != http.MethodPost {
		http.Error(w, "a few words are wanted here", http.StatusBadRequest)
		return
	}
	select {
	case s.trouble <- strings.Join(strings.Fields(strings.ToValidUTF8(string(what), "\uFFFD")), " "):
	default: // it has complained before
	}
	w.WriteHeader(http.StatusNoContent)
}

// receive writes a file for the page.
func (s *site) receive(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodPut {
		w.Header().Set("Allow", "PUT")
		http.Error(w, "this can only be written", http.StatusMethodNotAllowed)
		return
	}
	switch err := s.files.write(name, http.MaxBytesReader(w, r.Body, maxOut)); {
	case errors.Is(err, errNotExpected):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// documents sends a file that the page was told of.
func (s *site) documents(w http.ResponseWriter, name string) {
	file, size, err := s.files.open(name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	_, _ = io.CopyN(w, file, size) // the browser notices what is missing
}

var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
}

// static sends a file of the page itself.
func (s *site) static(w http.ResponseWriter, name string) {
	if name == "" {
		name = "index.html"
	}
	content, err := fs.ReadFile(s.content, name)
	if err != nil {
		http.Error(w, "the page has no such file", http.StatusNotFound)
		return
	}
	kind := types[path.Ext(name)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content)
}
