package check

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"wirecost/internal/bench"
)

// bent serves what a right server does, but for the fault.
func (w *wired) bent(right *server) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		k := &kept{header: http.Header{}, status: http.StatusOK}
		switch {
		case w.fault == "does not bound bodies" && r.Method == http.MethodPost:
			w.unbounded(right, k, r)
		case w.fault == "shares one buffer":
			right.ServeHTTP(k, w.shared(r))
		default:
			right.ServeHTTP(k, r)
		}
		w.spoil(k, r)
		for name, values := range k.header {
			out.Header()[name] = values
		}
		out.WriteHeader(k.status)
		_, _ = out.Write(k.body.Bytes())
	})
}

// shared gives every other request the document of the one before.
func (w *wired) shared(r *http.Request) *http.Request {
	if n := w.turn.Add(1); r.Method == http.MethodGet && n > 100 && n%2 == 0 {
		r.URL.Path = strings.TrimRight(r.URL.Path, "0123456789") + "0"
		r.URL.RawPath = strings.TrimRight(r.URL.RawPath, "0123456789") + "0"
	}
	return r
}

// unbounded decompresses whatever comes.
func (w *wired) unbounded(right *server, k *kept, r *http.Request) {
	name := r.Header.Get("Content-Encoding")
	if how := right.coding(name); how != nil && name != bench.Identity {
		sent, _ := io.ReadAll(r.Body)
		if body, err := how.Decompress(nil, sent, 1<<30); err == nil {
			if i, err := w.v.Find(w.codec, right.subjects[0].of, body); err == nil {
				crossOrigin(k.header)
				k.header.Set("Content-Type", "text/plain")
				k.header.Set("Server-Timing", timing("decompress", 1)+", "+timing("decode", 1))
				k.body.WriteString(strconv.FormatUint(uint64(right.subjects[0].leaf[i]), 10))
				return
			}
		}
		r.Body = io.NopCloser(strings.NewReader(string(sent)))
	}
	right.ServeHTTP(k, r)
}

var decimals = regexp.MustCompile(`(\.[0-9]{3})[0-9]{3}`)

// spoil changes an answer as the fault has it.
func (w *wired) spoil(k *kept, r *http.Request) {
	good, h := k.status == http.StatusOK, k.header
	switch w.fault {
	case "says nothing of time":
		h.Del("Server-Timing")
	case "rounds times":
		h.Set("Server-Timing", decimals.ReplaceAllString(h.Get("Server-Timing"), "$1"))
	case "tells of compression that there is not":
		h.Set("Server-Timing", h.Get("Server-Timing")+", compress;dur=0.001000")
	case "is for its own pages only":
		h.Del("Access-Control-Allow-Origin")
	case "keeps times from pages":
		h.Del("Timing-Allow-Origin")
	case "exposes nothing":
		h.Set("Access-Control-Expose-Headers", "Server-Timing")
	case "is not for isolated pages":
		h.Del("Cross-Origin-Resource-Policy")
	case "calls everything text":
		h.Set("Content-Type", "text/plain")
	case "answers as JSON":
		if r.Method == http.MethodPost && good {
			h.Set("Content-Type", "application/json")
		}
	case "lets answers be cached":
		h.Set("Cache-Control", "max-age=60")
	case "does not say that it compressed":
		h.Del("Content-Encoding")
	case "says that it compressed what it did not":
		if r.Method == http.MethodGet && good {
			h.Set("Content-Encoding", "gzip")
		}
	case "does not know how much it sends":
		if r.Method == http.MethodGet {
			h.Del("Content-Length")
			k.body.Write(make([]byte, 1<<20)) // too much for one buffer
		}
	case "miscounts leafs when it serves":
		if r.Method == http.MethodPost && good {
			k.body.WriteString("0")
		}
	case "answers whatever it is asked":
		if k.status == http.StatusNotFound {
			k.status = http.StatusOK
		}
	case "answers any method":
		if k.status == http.StatusMethodNotAllowed {
			k.status = http.StatusOK
		}
	case "takes the blame for bodies":
		if k.status == http.StatusBadRequest {
			k.status = http.StatusInternalServerError
		}
	case "refuses without a word":
		if !good && r.Method != http.MethodOptions {
			k.body.Reset()
		}
	case "refuses pages without a word":
		if !good && r.Method != http.MethodOptions {
			h.Del("Access-Control-Allow-Origin")
		}
	case "knows no OPTIONS":
		if r.Method == http.MethodOptions {
			k.status = http.StatusMethodNotAllowed
		}
	case "forbids Content-Encoding to pages":
		h.Set("Access-Control-Allow-Headers", "content-type")
	}
}
