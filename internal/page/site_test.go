package page

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

func newTestSite(t *testing.T) *site {
	t.Helper()
	s, err := newSite(content)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// answer is what was answered.
type answer struct {
	StatusCode int
	Header     http.Header
}

// fetch makes a request, with headers as pairs.
func (s *site) fetch(t *testing.T, method, path string, body io.Reader, headers ...string) (answer, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.origin()+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header}, string(b)
}

func TestSiteServesThePageAlone(t *testing.T) {
	s := newTestSite(t)
	own := "/" + s.token + "/"
	for _, x := range []struct {
		method, path string
		headers      []string
		status       int
	}{
		{"GET", own, nil, 200},
		{"GET", own + "main.js", []string{"Origin", s.origin(), "Sec-Fetch-Site", "same-origin"}, 200},
		{"GET", own, []string{"Sec-Fetch-Site", "none"}, 200},
		{"HEAD", own + "a.css", nil, 200},
		{"GET", own + "none.js", nil, 404},
		{"GET", own + "dir", nil, 404},
		{"GET", own + "../" + s.token + "/main.js", nil, 404},
		{"GET", own + "..%2f..%2fetc/passwd", nil, 404},
		{"GET", own + "dir/../main.js", nil, 404},
		{"GET", own + "documents/1/x", nil, 404},
		{"GET", own + "documents/", nil, 404},
		{"PUT", own + "out/1", nil, 404},
		{"GET", own + "out/1", nil, 405},
		{"POST", own + "main.js", nil, 405},
		{"GET", own + "trouble", nil, 400},
		{"GET", "/", nil, 403},
		{"GET", "/main.js", nil, 403},
		{"GET", "/" + strings.ToLower(s.token) + "x/main.js", nil, 403},
		{"GET", "/" + s.token, nil, 403},
		{"GET", own, []string{"Host", "localhost:" + strings.Split(s.host, ":")[1]}, 403},
		{"GET", own, []string{"Host", "evil.example"}, 403},
		{"GET", own, []string{"Origin", "http://evil.example"}, 403},
		{"GET", own, []string{"Origin", "null"}, 403},
		{"GET", own, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"GET", own + "wire", nil, 403},
		{"GET", own + "wire", []string{"Origin", "http://evil.example", "Connection", "Upgrade", "Upgrade", "websocket"}, 403},
	} {
		response, body := s.fetch(t, x.method, x.path, nil, x.headers...)
		if response.StatusCode != x.status {
			t.Errorf("%s %s %q: status %d, want %d: %s", x.method, x.path, x.headers, response.StatusCode, x.status, body)
		}
		for header, want := range map[string]string{
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Resource-Policy": "same-origin",
			"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		} {
			if got := response.Header.Get(header); got != want {
				t.Errorf("%s %s: %s is %q; want %q", x.method, x.path, header, got, want)
			}
		}
		if policy := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self' 'unsafe-eval';") {
			t.Errorf("%s %s: policy %q", x.method, x.path, policy)
		}
		if strings.Contains(body, s.token) && x.status != 200 {
			t.Errorf("%s %s: tells the token: %s", x.method, x.path, body)
		}
	}
}

// TestOnePage checks that a second page gets no connection, and a failed attempt
// takes none away.
func TestOnePage(t *testing.T) {
	s := newTestSite(t)
	if response, _ := s.fetch(t, "GET", "/"+s.token+"/wire", nil, "Origin", s.origin()); response.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("without an upgrade: status %d", response.StatusCode)
	}
	options := &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {s.origin()}}}
	first, _, err := websocket.Dial(t.Context(), s.url()+"wire", options) //nolint:bodyclose // Dial does it
	if err != nil {
		t.Fatal(err)
	}
	defer first.CloseNow()
	conn := <-s.pages
	defer conn.CloseNow()
	if _, response, err := websocket.Dial(t.Context(), s.url()+"wire", options); err == nil || response.StatusCode != http.StatusConflict { //nolint:bodyclose // Dial does it
		t.Errorf("a second page: %v", err)
	}
}

func TestTrouble(t *testing.T) {
	s := newTestSite(t)
	for _, what := range []string{"a\nb \xff", strings.Repeat("x", 1<<20)} {
		if response, body := s.fetch(t, "POST", "/"+s.token+"/trouble", strings.NewReader(what)); response.StatusCode != http.StatusNoContent {
			t.Errorf("status %d: %s", response.StatusCode, body)
		}
	}
	if got := <-s.trouble; got != "a b \uFFFD" {
		t.Errorf("trouble is %q", got)
	}
}

// TestAddressesEnd checks that only what the last requests named can be reached.
func TestAddressesEnd(t *testing.T) {
	s := newTestSite(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "d")
	if err := os.WriteFile(path, []byte("documents"), 0o600); err != nil {
		t.Fatal(err)
	}
	prepare := []byte(`{"id":1,"request":"prepare","samples":[{"files":{"json":"` + filepath.ToSlash(path) + `"}},3,{"files":4},{"files":{"protobuf":5}}],"codecs":["<&>"]}`)
	var addresses []string
	for range 2 {
		_, line := s.files.request(prepare)
		var request struct {
			Samples []json.RawMessage
			Codecs  []string
		}
		if err := json.Unmarshal(line, &request); err != nil || len(request.Samples) != 4 || request.Codecs[0] != "<&>" {
			t.Fatalf("%s: %v", line, err)
		}
		var sample struct{ Files map[string]string }
		if err := json.Unmarshal(request.Samples[0], &sample); err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, "/"+s.token+"/"+sample.Files["json"])
	}
	if response, body := s.fetch(t, "GET", addresses[0], nil); response.StatusCode != 404 {
		t.Errorf("of the first prepare: status %d: %s", response.StatusCode, body)
	}
	if response, body := s.fetch(t, "GET", addresses[1], nil); response.StatusCode != 200 || body != "documents" {
		t.Errorf("of the second prepare: status %d: %s", response.StatusCode, body)
	}
	out := filepath.Join(dir, "out")
	_, line := s.files.request([]byte(`{"request":"verify","out":"` + filepath.ToSlash(out) + `"}`))
	var request struct{ Out string }
	if err := json.Unmarshal(line, &request); err != nil {
		t.Fatal(err)
	}
	s.files.replied()
	if response, _ := s.fetch(t, "PUT", "/"+s.token+"/"+request.Out, strings.NewReader("late")); response.StatusCode != 404 {
		t.Errorf("after the reply: status %d", response.StatusCode)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("it was written: %v", err)
	}
}

func FuzzRequest(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"request":"describe"}`, `{"id":1,"request":"prepare","samples":[{"files":{"json":"/x"}}]}`, `{"request":"verify","out":"/x"}`,
		`{"request":"verify","out":3}`, `{"request":"prepare","samples":{}}`, `{"request":"prepare"} x`, `[]`, `{`, `{"request":["verify"]}`, `{"Request":"prepare","samples":[null]}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var s files
		before := bytes.Clone(line)
		_, forPage := s.request(line)
		if json.Valid(before) != json.Valid(forPage) {
			t.Errorf("%q became %q", before, forPage)
		}
		if s.out != "" && !bytes.Contains(forPage, []byte(s.out)) {
			t.Errorf("%q became %q, without the address %s", before, forPage, s.out)
		}
		for address := range s.offered {
			if !strings.HasPrefix(address, documentsPrefix) {
				t.Errorf("offered %q", address)
			}
		}
	})
}
