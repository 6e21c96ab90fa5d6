package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/size"
)

// wireClient asks a server under test.
type wireClient struct {
	transport bench.Transport
	address   string
	http      *http.Client
}

func newWireClient(address string, t bench.Transport) *wireClient {
	return &wireClient{t, address, &http.Client{
		Transport:     &http.Transport{Protocols: protocols(t), DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (w *wireClient) close() { w.http.CloseIdleConnections() }

// path puts segments into a URL's path.
func path(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString("/" + strings.ReplaceAll(url.QueryEscape(s), "+", "%20"))
	}
	return b.String()
}

// answer is what a server answered.
type answer struct {
	status int
	header http.Header
	length int64 // as announced; -1: it was not
	body   []byte
	reused bool // the connection
}

// answerLimit bounds what is read of an answer.
const answerLimit = 1 << 30

// do makes a request as a page of another origin does.
func (w *wireClient) do(ctx context.Context, method, path string, header http.Header, body []byte) (*answer, error) {
	a := &answer{}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { a.reused = i.Reused }})
	r, err := http.NewRequestWithContext(ctx, method, w.address+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Origin", "http://127.0.0.1:1")
	got, err := w.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, errors.Unwrap(err))
	}
	defer got.Body.Close()
	a.status, a.header, a.length = got.StatusCode, got.Header, got.ContentLength
	if a.body, err = io.ReadAll(io.LimitReader(got.Body, answerLimit)); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return a, nil
}

// posting are the headers of a post.
func (w *wireClient) posting(codec runner.CodecDescription, how size.Coding) http.Header {
	h := http.Header{"Content-Type": {mediaType(codec.Format)}}
	if how.Name() != bench.Identity {
		h.Set("Content-Encoding", contentCoding(how))
	}
	return h
}

// isDocument checks the headers of an answer to GET.
func (a *answer) isDocument(codec runner.CodecDescription, how size.Coding) error {
	want := ""
	if how.Name() != bench.Identity {
		want = contentCoding(how)
	}
	switch got := a.header.Get("Content-Encoding"); {
	case a.status != http.StatusOK:
		return fmt.Errorf("the status is %d (%.80q); want 200", a.status, a.body)
	case !isMedia(a.header.Get("Content-Type"), mediaType(codec.Format)):
		return fmt.Errorf("the Content-Type is %q; want %s", a.header.Get("Content-Type"), mediaType(codec.Format))
	case got != want:
		return fmt.Errorf("the Content-Encoding is %q; want %q", got, want)
	case a.length != int64(len(a.body)):
		return fmt.Errorf("the Content-Length is %d (-1: there is none) for %d bytes", a.length, len(a.body))
	case a.header.Get("Cache-Control") != "no-store":
		return fmt.Errorf("the Cache-Control is %q; want no-store", a.header.Get("Cache-Control"))
	}
	if err := a.isOpen(); err != nil {
		return err
	}
	return a.isTimed(how, "encode", "compress")
}

// isLeaf checks the headers of an answer to POST.
func (a *answer) isLeaf(how size.Coding) error {
	switch {
	case a.status != http.StatusOK:
		return fmt.Errorf("the status is %d (%.80q); want 200", a.status, a.body)
	case !isMedia(a.header.Get("Content-Type"), "text/plain"):
		return fmt.Errorf("the Content-Type is %q; want text/plain", a.header.Get("Content-Type"))
	case a.header.Get("Content-Encoding") != "":
		return errors.New("the answer is compressed; want it plain")
	}
	if _, err := strconv.ParseUint(string(a.body), 10, 32); err != nil {
		return fmt.Errorf("the answer is %.40q; want a checksum in decimal", a.body)
	}
	if err := a.isOpen(); err != nil {
		return err
	}
	return a.isTimed(how, "decode", "decompress")
}

// isOpen checks that pages of other origins may read the answer.
func (a *answer) isOpen() error {
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Timing-Allow-Origin": "*",
		"Access-Control-Expose-Headers": "Server-Timing, Content-Encoding", "Cross-Origin-Resource-Policy": "cross-origin",
	} {
		if got := strings.Join(a.header.Values(name), ","); !sameWords(got, want) {
			return fmt.Errorf("%s is %q; want %s", name, got, want)
		}
	}
	return nil
}

// sameWords compares comma-separated lists; neither order nor case matters.
func sameWords(a, b string) bool {
	words := func(s string) []string {
		all := strings.Split(strings.ReplaceAll(strings.ToLower(s), " ", ""), ",")
		slices.Sort(all)
		return all
	}
	return slices.Equal(words(a), words(b))
}

var timed = regexp.MustCompile(`^([a-z]+);dur=[0-9]+\.[0-9]{6}$`)

// isTimed checks Server-Timing: always the codec's span, and the coding's where
// there is one.
func (a *answer) isTimed(how size.Coding, codec, coding string) error {
	want := []string{codec}
	if how.Name() != bench.Identity {
		want = append(want, coding)
	}
	var got []string
	told := strings.Join(a.header.Values("Server-Timing"), ",")
	for entry := range strings.SplitSeq(told, ",") {
		m := timed.FindStringSubmatch(strings.TrimSpace(entry))
		if m == nil {
			return fmt.Errorf("Server-Timing is %q; want milliseconds with 6 decimals, as in encode;dur=0.012345", told)
		}
		got = append(got, m[1])
	}
	if !sameWords(strings.Join(got, ","), strings.Join(want, ",")) {
		return fmt.Errorf("Server-Timing tells of %q; want %q", got, want)
	}
	return nil
}
