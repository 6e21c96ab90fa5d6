package check

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/size"
)

// misdeed is a way in which a server is wrong.
type misdeed struct {
	what   string
	says   string // part of the error that a client makes of it
	answer http.HandlerFunc
}

// hostile calls servers that are wrong: each must become an error of its request.
func (c *checker) hostile(t bench.Transport) part {
	return c.withClient(t, func(ctx context.Context, s *Session, server *server, _ runner.CodecDescription, subjects []subject) error {
		if !c.canDecode(t) {
			return nil
		}
		x := subjects[0]
		for _, op := range []bench.Operation{bench.Get, bench.Post} {
			for _, how := range server.codings {
				q := request(t, server, x, op, how)
				err := c.step("call", "", string(t)+": "+string(op)+", "+how.Name()+": a server that is wrong is an error, and it goes on", func() error {
					if _, err := c.call(ctx, s, q); how.Name() != bench.Identity && c.cannot(err) {
						return nil
					}
					for _, m := range server.misdeeds(op, how, x) {
						server.set(m.answer)
						if _, err := c.mustRefuse(ctx, s, q, "a server that "+m.what, m.says); err != nil {
							return err
						}
					}
					server.set(nil)
					_, err := c.call(ctx, s, q)
					return err
				})
				if err != nil {
					return err
				}
			}
		}
		return c.step("call", "", string(t)+": requests outside the documents, or for what does not exist, are refused, and it goes on", func() error {
			return c.badCalls(ctx, s, request(t, server, x, bench.Get, server.codings[0]))
		})
	})
}

// badCalls makes calls that cannot be.
func (c *checker) badCalls(ctx context.Context, s *Session, good runner.CallRequest) error {
	for what, change := range map[string]func(*runner.CallRequest){
		"a window beyond the documents":     func(q *runner.CallRequest) { q.Window++ },
		"a first document beyond the last":  func(q *runner.CallRequest) { q.Document = q.Window },
		"a first document before the first": func(q *runner.CallRequest) { q.Document = -1 },
		"an empty window":                   func(q *runner.CallRequest) { q.Window = 0 },
		"no requests":                       func(q *runner.CallRequest) { q.Requests = 0 },
		"an operation that does not exist":  func(q *runner.CallRequest) { q.Operation = "guess" },
		"an encoding that does not exist":   func(q *runner.CallRequest) { q.Encoding = "lzma:9" },
		"a transport that it has not":       func(q *runner.CallRequest) { q.Transport = "carrier-pigeon" },
		"a sample that was not prepared":    func(q *runner.CallRequest) { q.Sample += "-not" },
		"a codec that was not prepared":     func(q *runner.CallRequest) { q.Codec += "-not" },
		"an address that is none":           func(q *runner.CallRequest) { q.Address = "http://[nowhere" },
	} {
		q := good
		change(&q)
		if _, err := c.mustRefuse(ctx, s, q, what, ""); err != nil {
			return err
		}
	}
	return nil
}

// misdeeds are those that one operation under one coding can meet.
func (s *server) misdeeds(op bench.Operation, how size.Coding, x subject) []misdeed {
	refuses := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "the kettle is empty", status) }
	}
	all := []misdeed{
		{"fails with a sentence", "the kettle is empty", refuses(http.StatusInternalServerError)},
		{"knows nothing", "the kettle is empty", refuses(http.StatusNotFound)},
		{"closes the connection", "", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"sends elsewhere", "", s.elsewhere},
		{"says that the answer is a page", "text/html", s.changed("Content-Type", "text/html")},
		{"does not say how long it took", "", s.changed("Server-Timing", "")},
		{"announces more than it sends", "", s.short},
	}
	if op == bench.Post {
		return append(all, misdeed{"answers with what is no number", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Server-Timing", "decode;dur=0.001000, decompress;dur=0.001000")
			_, _ = w.Write([]byte("soup"))
		}})
	}
	sends := func(as size.Coding, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { s.write(w, as, body, 1000) }
	}
	huge := inflated(s.codec.Format, x)
	if how.Name() != bench.Identity {
		bomb, err := fastest(how).Compress(nil, huge)
		if err != nil {
			panic(err) // it goes into memory
		}
		return append(all,
			misdeed{"sends rubbish that says it is " + contentCoding(how), "", sends(how, []byte("\x00\x01 plain text, not compressed"))},
			misdeed{"does not compress", "", sends(s.codings[0], x.documents[0])},
			misdeed{"sends a few bytes of which a great many come out", "", sends(how, bomb)},
		)
	}
	all = append(all,
		misdeed{"sends what cannot be decoded", "", sends(how, []byte("\xff\xfe nothing"))},
		misdeed{"sends a document that is cut short", "", sends(how, x.documents[0][:len(x.documents[0])-1])},
		misdeed{"sends far more than the document", "", sends(how, huge)},
	)
	if len(s.codings) > 1 {
		other := s.codings[1]
		packed, err := other.Compress(nil, x.documents[0])
		if err != nil {
			panic(err)
		}
		all = append(all, misdeed{"compresses without being asked", "", sends(other, packed)})
	}
	return all
}

// kept is an answer that is not sent.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.header }
func (k *kept) Write(b []byte) (int, error) { return k.body.Write(b) }
func (k *kept) WriteHeader(status int)      { k.status = status }

// good answers well, but does not send it.
func (s *server) good(r *http.Request) *kept {
	k := &kept{header: http.Header{}, status: http.StatusOK}
	s.answer(k, r, 2000)
	return k
}

// changed answers well, but for one header.
func (s *server) changed(name, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		good := s.good(r)
		for k, v := range good.header {
			w.Header()[k] = v
		}
		w.Header().Set(name, value)
		if value == "" {
			w.Header().Del(name)
		}
		_, _ = w.Write(good.body.Bytes())
	}
}

// short announces more bytes than it sends.
func (s *server) short(w http.ResponseWriter, r *http.Request) {
	good := s.good(r)
	for k, v := range good.header {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Length", strconv.Itoa(good.body.Len()+10))
	_, _ = w.Write(good.body.Bytes())
}

// elsewhere redirects to where a good answer would be, once more.
func (s *server) elsewhere(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == "" {
		http.Redirect(w, r, r.URL.EscapedPath()+"?again", http.StatusTemporaryRedirect)
		return
	}
	s.answer(w, r, 2000)
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
