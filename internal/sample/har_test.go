package sample

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wirecost/internal/testenv"
)

// quoted gives a string as JSON.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func harOf(entries ...string) string {
	return `{"log":{"version":"1.2","pages":[],"entries":[` + "\n" + strings.Join(entries, ",\n") + "\n]}}"
}

// entryOf is an exchange whose response says it is JSON.
func entryOf(method, url, body string) string {
	return exchange(method, url, 200, "", contentOf("application/json", body))
}

func contentOf(mime, body string) string {
	return fmt.Sprintf(`"size":%d,"mimeType":%s,"text":%s`, len(body), quoted(mime), quoted(body))
}

// exchange puts an entry together; post and content are the members of
// postData and content.
func exchange(method, url string, status int, post, content string) string {
	if post != "" {
		post = `,"postData":{` + post + `}`
	}
	return fmt.Sprintf(`{"time":1,"request":{"method":%s,"url":%s,"bodySize":-1,"headers":[],"queryString":[]%s},`+
		`"response":{"status":%d,"bodySize":-1,"content":{%s}}}`, quoted(method), quoted(url), post, status, content)
}

// openHAR gives the samples by name, and all notes.
func openHAR(t *testing.T, text string, opt Options) (map[string][]string, string) {
	t.Helper()
	samples, err := openOne(t, "rec.har", text, opt)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	got := map[string][]string{}
	var notes []string
	for _, s := range samples {
		got[s.Name] = texts(s)
		notes = append(notes, s.Notes...)
	}
	return got, strings.Join(notes, "\n")
}

func TestHARGroups(t *testing.T) {
	got, notes := openHAR(t, harOf(
		entryOf("GET", "https://api.example.com/orders/17?expand=all", `{"id":17}`),
		entryOf("GET", "https://user:pw@API.example.com/orders/18#x", " [ {\"id\":18} ]\n"),
		exchange("post", "https://api.example.com/orders", 201, `"mimeType":"application/json;charset=utf-8","text":"{\"n\":1}"`,
			contentOf("application/problem+json", `{"id":19}`)),
		exchange("PUT", "https://api.example.com/orders/19", 204, `"mimeType":"text/json","text":"{\"n\":2}"`, `"size":0`),
		exchange("GET", "https://api.example.com/logo", 200, "", contentOf("image/png", "\x89PNG")),
		exchange("GET", "https://api.example.com/typed-wrong", 200, "", contentOf("text/plain", `{"plain":true}`)),
		exchange("GET", "https://api.example.com/typed-wrong", 200, "", contentOf("text/plain", `{not json`)),
		exchange("GET", "https://api.example.com/scalar", 200, "", contentOf("application/json", `true`)),
		exchange("GET", "https://api.example.com/text", 200, "", contentOf("text/plain", `true`)),
		exchange("GET", "https://api.example.com/packed", 200, "", `"size":7,"encoding":"base64","mimeType":"application/json","text":"`+
			base64.StdEncoding.EncodeToString([]byte(`{"b":1}`))+`"`),
	), Options{})
	want := map[string]string{
		"GET api.example.com/orders/{id} response": `{"id":17} | [ {"id":18} ]`,
		"POST api.example.com/orders request":      `{"n":1}`,
		"POST api.example.com/orders response":     `{"id":19}`,
		"PUT api.example.com/orders/{id} request":  `{"n":2}`,
		"GET api.example.com/typed-wrong response": `{"plain":true}`,
		"GET api.example.com/scalar response":      `true`,
		"GET api.example.com/packed response":      `{"b":1}`,
	}
	for name, docs := range want {
		if text := strings.Join(got[name], " | "); text != docs {
			t.Errorf("%s: %q, want %q", name, text, docs)
		}
	}
	if len(got) != len(want) {
		t.Errorf("samples %v", got)
	}
	if !strings.Contains(notes, "1 response is a 204 or 304") || !strings.Contains(notes, "endpoints are named without query") || !strings.Contains(notes, "3 bodies are of other types") {
		t.Errorf("notes:\n%s", notes)
	}
}

func TestHARIDs(t *testing.T) {
	samples, err := openOne(t, "rec.har", harOf(entryOf("GET", "https://api.example.com:8443/orders/17", "{}"),
		entryOf("GET", "https://api.example.com:8443/orders", "{}")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"GET_api.example.com_8443_orders_id_response", "GET_api.example.com_8443_orders_response"} {
		if samples[i].ID != want {
			t.Errorf("ID %s, want %s", samples[i].ID, want)
		}
	}
}

// What recorders write beside the standard (CASES D14).
func TestHAROddities(t *testing.T) {
	ok := entryOf("GET", "http://h/a", `{"a":1}`)
	for _, c := range []struct{ what, entry, note string }{
		{"no text", exchange("GET", "http://h/b", 200, "", `"size":500,"mimeType":"application/json"`), "1 body is missing or empty"},
		{"empty text", exchange("GET", "http://h/b", 200, "", contentOf("application/json", "")), "1 body is missing or empty"},
		{"byte order mark", exchange("GET", "http://h/b", 200, "", contentOf("text/plain", "\uFEFF")), "1 body is missing or empty"},
		{"byte order mark and white space", exchange("GET", "http://h/b", 200, "", contentOf("application/json", "\uFEFF\r\n")), "1 body is missing or empty"},
		{"white space", exchange("GET", "http://h/b", 200, "", contentOf("application/json", " \n")), "1 body is missing or empty"},
		{"304 with the cached body", exchange("GET", "http://h/b", 304, "", contentOf("application/json", "{}")), "1 response is a 204 or 304"},
		{"WebSocket by type", strings.Replace(entryOf("GET", "wss://h/b", "{}"), `{"time"`, `{"_resourceType":"websocket","time"`, 1), "1 entry is a WebSocket"},
		{"WebSocket by messages", strings.Replace(entryOf("GET", "wss://h/b", "{}"), `{"time"`, `{"_webSocketMessages":[{"data":"{}"}],"time"`, 1), "1 entry is a WebSocket"},
		{"WebSocket by status", exchange("GET", "wss://h/b", 101, "", contentOf("application/json", "{}")), "1 entry is a WebSocket"},
		{"not JSON", entryOf("GET", "http://h/b", "<html>"), "rec.har: 1 body is declared as JSON and is not; the first: "},
		{"cut off", entryOf("GET", "http://h/b", "{\n\"a\":"), "line 2, column 5 of the body: the document ends"},
		{"duplicate keys", entryOf("GET", "http://h/b", `{"a":1,"a":2}`), "column 8 of the body: duplicate key"},
		{"two values", entryOf("GET", "http://h/b", "{}\n{}"), "line 2, column 1 of the body: a second JSON value"},
		{"not base64", exchange("GET", "http://h/b", 200, "", `"mimeType":"application/json","encoding":"base64","text":"{}"`), "not in base64"},
		{"still compressed", exchange("GET", "http://h/b", 200, "", `"mimeType":"application/json","encoding":"base64","text":"`+
			base64.StdEncoding.EncodeToString([]byte(gzipped("{}")))+`"`), "still compressed"},
		{"entry is no object", `null`, ""},
		{"members of other types", `{"request":[1,{"url":3}],"response":{"status":"x","content":{"text":{"a":[]},"size":{}}}}`, "1 body is missing or empty"},
		{"numbers with fractions", strings.Replace(entryOf("GET", "http://h/b", `"<"`), "200", "2e2", 1), ""},
	} {
		got, notes := openHAR(t, harOf(c.entry, ok), Options{})
		if strings.Join(got["GET h/a response"], "") != `{"a":1}` {
			t.Errorf("%s: the entry after it is lost: %v", c.what, got)
		}
		if !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q lack %q", c.what, notes, c.note)
		}
	}
}

func TestHARClaims(t *testing.T) {
	size := func(n int) string {
		return exchange("GET", "http://h/a", 200, "", fmt.Sprintf(`"size":%d,"mimeType":"application/json","text":"{\"a\":\"ü\"}"`, n))
	}
	_, notes := openHAR(t, harOf(size(10), size(-1)), Options{})
	if notes != "" {
		t.Errorf("notes %q on sizes that are right or not given", notes)
	}
	got, notes := openHAR(t, harOf(size(10), size(4), size(0), size(11)), Options{})
	want := "HAR claims 4 bytes for the response of entry 2, the body has 10 (and 2 more such); sizes are those of the bodies"
	if !strings.Contains(notes, want) || len(got["GET h/a response"]) != 4 {
		t.Errorf("notes %q lack %q", notes, want)
	}
}

func TestHARPlaces(t *testing.T) {
	text := "\xEF\xBB\xBF" + harOf(entryOf("GET", "http://h/a", `{"a":1}`), entryOf("GET", "http://h/a", `{"a":}`), entryOf("GET", "http://h/a", `{"a":3}`))
	samples, err := openOne(t, "rec.har", text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	for i, line := range []int{2, 4} {
		d := samples[0].Documents[i]
		if d.Line != line || !strings.HasPrefix(lines[line-1][d.Column-1:], `{\"a\":`) {
			t.Errorf("document %d at %d:%d", i, d.Line, d.Column)
		}
	}
	if note := samples[0].Notes[0]; !strings.Contains(note, fmt.Sprintf("rec.har:3:%d: line 1, column 6 of the body", samples[0].Documents[1].Column)) {
		t.Errorf("note %q", note)
	}
}

func TestHARRepairs(t *testing.T) {
	entry := strings.Replace(entryOf("GET", "http://h/a", `{"b":"x","b":"\ud800"}`), `"time":1`, "\"comment\":\"\xFF\xFF\",\"time\":1,\"time\":2", 1)
	if _, err := openOne(t, "rec.har", harOf(entry), Options{}); err == nil {
		t.Error("read without being asked to repair")
	}
	samples, err := openOne(t, "rec.har", "\n"+harOf(entry), Options{Replace: true, LastWins: true})
	if err != nil {
		t.Fatal(err)
	}
	d := samples[0].Documents[0]
	column := strings.Index(entry, `{\"b\"`) + 1
	if string(d.Data) != `{"b":"\ufffd"}` || d.Line != 3 || d.Column != column {
		t.Errorf("%s at %d:%d, want 3:%d", d.Data, d.Line, d.Column, column)
	}
	if notes := strings.Join(samples[0].Notes, "\n"); !strings.Contains(notes, "in the HAR itself, --replace put U+FFFD in 2 places") ||
		!strings.Contains(notes, "in the HAR itself, --last-wins dropped 1 member") {
		t.Errorf("notes:\n%s", notes)
	}
}

func TestHARNothing(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{}`, `it has no "log" object`},
		{`[1]`, `it has no "log" object`},
		{`{"log":[]}`, `it has no "log" object`},
		{`{"log":{}}`, `its log has no "entries" array`},
		{`{"log":{"entries":{}}}`, `its log has no "entries" array`},
		{harOf(), "the HAR has no entries"},
		{harOf(exchange("GET", "http://h/", 200, "", `"size":9,"mimeType":"application/json"`)), "1 body is missing or empty; to have bodies in it, save the HAR \"with content\""},
		{harOf(exchange("GET", "http://h/", 200, "", contentOf("text/html", "<p>"))), "none of the HAR's 1 entry has a body that is JSON; 1 body is of another type"},
	} {
		_, err := openOne(t, "rec.har", c.text, Options{})
		var nothing *NothingError
		if !errors.As(err, &nothing) || !strings.Contains(nothing.Reason, c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// Secrets of a recording are in no name, ID, note or error.
func TestHARSecrets(t *testing.T) {
	const (
		secret = "S3cr3tV4lue"
		jwt    = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlX3NlY3JldA"
	)
	headers := fmt.Sprintf(`"headers":[{"name":"Authorization","value":"Bearer %s"},{"name":"%s","value":"x"}],"cookies":[{"name":"sid","value":"%s"}],"queryString":[{"name":"token","value":"%s"}]`, secret, secret, secret, secret)
	var entries []string
	for i, url := range []string{
		"https://user:" + secret + "@h.example/a?token=" + secret + "#" + secret,
		"https://h.example/download/" + jwt,
		"https://h.example/download/" + secret + "/file",
		"https://h.example/bot123456:" + secret + "/getMe",
		"https://h.example/a;jsessionid=" + secret + "/b",
		"https://h.example/hooks/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
		"https://h.example/reset/correcthorse",
		"https://h.example/%53%33cr3tV4lue",
		"https://h.example/a b?" + secret + "\x7f",
		"http://[" + secret + "/",
		"https://h.example:" + secret + "/",
		"data:application/json," + secret,
		"https://h.example/" + secret,
		secret,
	} {
		body := fmt.Sprintf(`{"i":%d}`, i)
		if i%2 == 1 {
			body = jwt // says JSON, is a token
		}
		entries = append(entries, strings.Replace(entryOf("GET", url, body), `"headers":[],"queryString":[]`, headers, 1),
			strings.Replace(entryOf(secret, url, `{"i":1}`), `"headers":[],"queryString":[]`, headers, 1),
			exchange("POST", url, 200, `"mimeType":"text/json","text":"{\"`+secret+`\":1,\"`+secret+`\":2}"`, contentOf(secret, secret)))
	}
	leaks := func(what, text string) {
		for _, s := range []string{secret, strings.ToLower(secret), jwt, "c2lnbmF0dXJl", "XXXXXXXX", "correcthorse", "jsessionid", "Bearer"} {
			if strings.Contains(text, s) {
				t.Errorf("%s holds %q: %s", what, s, text)
			}
		}
	}
	samples, err := openOne(t, "rec.har", harOf(entries...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		leaks("name", s.Name)
		leaks("ID", s.ID)
		leaks("notes", strings.Join(s.Notes, "\n"))
	}
	for _, broken := range []string{
		`{"log":{"` + secret + `":1,"` + secret + `":2}}`,
		`{"log":{"entries":[],"x":` + secret + `}}`,
		harOf(`{"request":{"headers":[` + headers[:40] + secret),
		harOf(exchange("GET", "https://h/"+secret, 200, "", contentOf("text/html", secret))),
	} {
		_, err := openOne(t, "rec.har", broken, Options{})
		if err == nil {
			t.Errorf("%s was read", broken)
			continue
		}
		leaks("error", err.Error())
	}
}

func TestHARCorpora(t *testing.T) {
	dir := testenv.Corpora(t, "har")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".har" {
			continue
		}
		read++
		samples, err := Open([]string{filepath.Join(dir, f.Name())}, Options{})
		checkSamples(t, samples, err)
		var nothing *NothingError
		want := "has a body that is JSON"
		if f.Name() == "single_entry.har" {
			want = `it has no "log" object`
		}
		if !errors.As(err, &nothing) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a NothingError with %q", f.Name(), err, want)
		}
	}
	if read < 6 {
		t.Errorf("only %d HAR files", read)
	}
}

// Behind words that announce a secret nothing is shown, though it looks like a word.
func TestEndpointNameHidesAnnouncedSecrets(t *testing.T) {
	const secret = "sekretpw"
	for _, word := range strings.Fields(`auth login code otp share pass signin verify invite key apikey secret download
		Auth LOGIN codes passes keys api-key api_keys apiKeys sign-in logIn 2fa magic-link reset-password verifyEmail
		access-token accessToken oauth2 password passwd pin session sessions hooks webhook unsubscribe credentials l%6Fgin`) {
		for _, path := range []string{"/" + secret, "/v1/" + secret, "/./" + secret, "//" + secret, ";a=b/" + secret, "/login/" + secret, "/users/" + secret,
			":" + secret} {
			got, dropped := endpointName("GET", "https://h/api/"+word+path)
			if strings.Contains(got, secret) || !dropped || !strings.HasPrefix(got, "GET h/api/") {
				t.Errorf("%s%s: %s", word, path, got)
			}
		}
	}
	for url, want := range map[string]string{
		"https://h/auth/v1/users/17":            "h/auth/v1/{id}/{id}",
		"https://h/auth/login/jane/" + secret:   "h/auth/login/{id}/{id}",
		"https://h/login/17/" + secret:          "h/login/{id}/{id}",
		"https://h/sessions/8a7f1c2e44/replies": "h/sessions/{id}/replies",
		"https://h/webhooks/17/" + secret:       "h/webhooks/{id}/{id}",
		"https://h/keys/17/usage":               "h/keys/{id}/usage",
		"https://h/authors/jane":                "h/authors/jane",
		"https://h/keyboards/all":               "h/keyboards/all",
		"https://h/passenger/lists":             "h/passenger/lists",
	} {
		if got, _ := endpointName("GET", url); got != "GET "+want {
			t.Errorf("%s: %s, want GET %s", url, got, want)
		}
	}
}

func TestEndpointName(t *testing.T) {
	for url, want := range map[string]string{
		"https://h/":                       "h/",
		"https://h":                        "h/",
		"https://h/orders/":                "h/orders",
		"https://h/a;s=1/b":                "h/a/b",
		"https://h//orders":                "h/orders",
		"https://h/orders/17":              "h/orders/{id}",
		"https://h/orders/-17.5":           "h/orders/{id}",
		"https://h/2024-05-01/report":      "h/{id}/report",
		"https://h/v1/users/me":            "h/v1/users/me",
		"https://h/v1.1/apis/v1beta1/pods": "h/v1.1/apis/v1beta1/pods",
		"https://h/u/123e4567-e89b-12d3-a456-426614174000/x":   "h/u/{id}/x",
		"https://h/c/da39a3ee5e6b4b0d3255bfef95601890afd80709": "h/c/{id}",
		"https://h/c/deadbeef":                                 "h/c/{id}",
		"https://h/users/alice@example.com":                    "h/users/{id}",
		"https://h/api/getAllCustomerOrders.json":              "h/api/getAllCustomerOrders.json",
		"https://h/user-profile/order_items":                   "h/user-profile/order_items",
		"https://h/orders:batchGet":                            "h/orders:batchGet",
		"https://h/graphql?query=x":                            "h/graphql",
		"https://h/oauth2/authorize":                           "h/oauth2/authorize",
		"https://h/k/AIzaSyDaGmWKa4JsXZHjGw7ISLn":              "h/k/{id}",
		"https://h/k/qWeRtYuIoPaSdFgH":                         "h/k/{id}",
		"https://h/caf%C3%A9":                                  "h/{id}",
		"https://h/a%2Fb":                                      "h/{id}",
		"https://h/tokens/abc":                                 "h/tokens/{id}",
		"https://192.168.0.1:8080/a":                           "192.168.0.1:8080/a",
		"https://[::1]:80/a":                                   "[::1]:80/a",
		"https://d3f1a2b3c4e5f6a7b8.cdn.example/a":             "{id}.cdn.example/a",
		"https://API.Example.COM/a":                            "api.example.com/a",
		"data:text/plain,x":                                    "data:",
		"":                                                     ":",
		"https://h/%zz":                                        "unreadable-url",
	} {
		got, dropped := endpointName("GET", url)
		if got != "GET "+want {
			t.Errorf("%s: %s, want GET %s", url, got, want)
		}
		if full := strings.TrimRight(strings.ToLower(url), "/"); !dropped && full != "https://"+strings.TrimRight(strings.ToLower(want), "/") && full != "https://h//orders" {
			t.Errorf("%s became %s, and nothing is said to be dropped", url, want)
		}
	}
	if got, _ := endpointName("x\ny", "https://h/"); got != "OTHER h/" {
		t.Errorf("method of two lines: %s", got)
	}
}
