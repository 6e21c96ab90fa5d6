package sample

import (
	"errors"
	"strings"
	"testing"
)

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		in, want string
		count    int
	}{
		{"\"a\xFFb\"", "\"a\uFFFDb\"", 1},
		{"{\"\xC0\xAF\":1}", "{\"\uFFFD\uFFFD\":1}", 2},                   // overlong
		{"\"\xED\xA0\x80\"", "\"\uFFFD\uFFFD\uFFFD\"", 3},                 // a surrogate as UTF-8
		{"\"\xE2\x82\"", "\"\uFFFD\uFFFD\"", 2},                           // cut off
		{`"\udca0"`, `"\ufffd"`, 1},                                       // low alone
		{`"\ud800x"`, `"\ufffdx"`, 1},                                     // high alone
		{`"\uD800\uD83D\uDE00"`, `"\ufffd\uD83D\uDE00"`, 1},               // high alone, then a pair
		{`"\ud800\\udc00"`, `"\ufffd\\udc00"`, 1},                         // the low one is text
		{`"\\ud800 \ud800"`, `"\\ud800 \ufffd"`, 1},                       // the high one is text
		{`"\ud83d\ude00\ud83d"`, `"\ud83d\ude00\ufffd"`, 1},               // a pair, then half of one
		{"{\"\\ud800\":\"\xFF\"}", "{\"\\ufffd\":\"\uFFFD\"}", 2},         // both kinds, in key and value
		{"\"\uFFFD \U0001F600 \xFF\"", "\"\uFFFD \U0001F600 \uFFFD\"", 1}, // what was right stays
	} {
		samples, err := openOne(t, "a.json", c.in, Options{Replace: true})
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		s := samples[0]
		if got := string(s.Documents[0].Data); got != c.want || s.Documents[0].Replaced != c.count || len(s.Notes) != 1 {
			t.Errorf("%q: %q, %d replaced, notes %q; want %q, %d", c.in, got, s.Documents[0].Replaced, s.Notes, c.want, c.count)
		}
	}
}

func TestLastWins(t *testing.T) {
	for _, c := range []struct {
		in, want string
		count    int
	}{
		{`{"a":1,"a":2}`, `{"a":2}`, 1},
		{`{ "a" : 1 , "b":0, "\u0061" : [2] }`, `{ "b":0, "\u0061" : [2] }`, 1},
		{`{"a":1,"a":2,"a":3}`, `{"a":3}`, 2},
		{`{"a":1,"b":2,"a":3,"b":4}`, `{"a":3,"b":4}`, 2},
		{`[{"x":{"a":1,"a":2},"y":0}]`, `{"x":{"a":2},"y":0}`, 1},
		{`{"a":{"b":1,"b":2},"a":{"b":3,"b":4}}`, `{"a":{"b":4}}`, 2}, // what is dropped whole counts once
		{`{"a":"}","a":",\""}`, `{"a":",\""}`, 1},
	} {
		samples, err := openOne(t, "a.json", c.in, Options{LastWins: true})
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		s := samples[0]
		if got := string(s.Documents[0].Data); got != c.want || s.Documents[0].Dropped != c.count || len(s.Notes) != 1 {
			t.Errorf("%s: %s, %d dropped, notes %q; want %s, %d", c.in, got, s.Documents[0].Dropped, s.Notes, c.want, c.count)
		}
	}
}

// After repairs, places are still those of the file.
func TestPlacesAfterRepairs(t *testing.T) {
	both := Options{Replace: true, LastWins: true}
	for _, c := range []struct {
		in   string
		opt  Options
		want string
	}{
		{"{\"a\":\"\xFF\xFF\", x}", both, "a.json:1:12: "},
		{"{\"\xFF\":\"\\ud800\",\"a\":\"\xC0\"\n,\"a\":1,\n  \"a\" 2}", both, "a.json:3:7: "},
		{"{\"\xFF\":1,\"\xFE\":2,\"b\":3}", Options{Replace: true}, "a.json:1:8: duplicate key"}, // equal only once replaced
		{"{\"a\":1,\"a\":2,\"b\":\"\xFF\"}", Options{LastWins: true}, "a.json:1:19: invalid UTF-8"},
		{`{"a":1,"a":2,"b":"\ud800"}`, Options{LastWins: true}, "a.json:1:19: the escape"},
	} {
		_, err := openOne(t, "a.json", c.in, c.opt)
		matches(t, c.in, err, c.want)
	}
	samples, err := openOne(t, "a.ndjson", "\"\xFF\"\n  {\"a\":1,\"a\":2}\n3", both)
	if err != nil {
		t.Fatal(err)
	}
	s := samples[0]
	if d := s.Documents[1]; d.Line != 2 || d.Column != 3 || string(d.Data) != `{"a":2}` {
		t.Errorf("%d:%d %s", d.Line, d.Column, d.Data)
	}
	if notes := strings.Join(s.Notes, "\n"); notes != "--replace put U+FFFD in 1 place of ill-formed text\n--last-wins dropped 1 member whose key comes again later" {
		t.Errorf("notes %q", notes)
	}
}

func TestLimits(t *testing.T) {
	keys := `{"a":1,"b":2,"c":3}`
	for _, c := range []struct {
		name, content string
		lim           Limits
		want          string // "" means it is read
	}{
		{"a.json", `[1,"123456"]`, Limits{Document: 8}, ""},
		{"a.json", `[1,"1234567"]`, Limits{Document: 8}, "a.json:1:4: the document that begins here is larger than the limit of 8B; …--max-document"},
		{"a.json", `123456789`, Limits{Document: 8}, "a.json:1:1: the document…--max-document"},
		{"a.ndjson", "12345678\n12345678", Limits{Line: 8}, ""},
		{"a.ndjson", "1\n123456789\n", Limits{Line: 8}, "a.ndjson:2:1: the line is larger than the limit of 8B; …--max-line"},
		{"a.ndjson", "1\n123456789", Limits{Line: 8}, "a.ndjson:2:1: …--max-line"},
		{"a.json", "[[[1]]]", Limits{Depth: 2}, ""}, // the array of documents is no level
		{"a.json", "[[[[1]]]]", Limits{Depth: 2}, "a.json:1:4: nesting deeper than the limit of 2 levels; …--max-depth"},
		{"a.json", keys, Limits{Keys: 3}, ""},
		{"a.json", keys, Limits{Keys: 2}, "a.json:1:14: an object has more keys than the limit of 2; …--max-keys"},
		{"a.json", "[1,2,3]", Limits{Documents: 3}, ""},
		{"a.json", "[1,2,\n3]", Limits{Documents: 2}, "a.json:2:1: there are more documents than the limit of 2; …--max-documents"},
		{"a.json", "[12,34,\n5]", Limits{Decoded: 4}, "a.json:2:1: what has been read up to here…4B…--max-decoded"},
		{"a.har", harOf(entryOf("GET", "http://h/a", `{"a":1234567}`)), Limits{Document: 8}, "a.har:…the body that begins here…--max-document"},
		{"a.har", harOf(entryOf("GET", "http://h/a", `{"a":1234567}`)), Limits{Decoded: 30}, "a.har: the file is larger than the limit of 30B; …--max-decoded"},
	} {
		_, err := openOne(t, c.name, c.content, Options{Limits: c.lim})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.content, err)
			}
			continue
		}
		matches(t, c.content, err, c.want)
		if strings.Contains(c.want, "larger") && !errors.Is(err, ErrLimit) {
			t.Errorf("%v is no ErrLimit", err)
		}
	}
}

func TestSizeIsSpelled(t *testing.T) {
	for n, want := range map[int64]string{64 << 20: "64MiB", 64e6: "64MB", 1 << 30: "1GiB", 2e9: "2GB", 3 << 10: "3KiB", 5000: "5kB", 1: "1B", 1025: "1025B"} {
		if got := size(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
