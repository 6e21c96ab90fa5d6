package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

func TestGoodWiredRunnerPasses(t *testing.T) {
	v, o := vectors(t)
	checks := map[string]int{}
	o.Report = func(l Line) {
		if l.Rule == "serve" || l.Rule == "call" {
			checks[l.Rule+" "+l.Codec]++
		}
		if l.Expected == "" || len(l.Came) > 0 || l.Skipped != "" {
			t.Errorf("%+v", l)
		}
	}
	findings, err := Run(t.Context(), startWired(t, v, wiredRuntime(v), ""), o)
	if err != nil || findings != nil {
		t.Fatalf("found %v, %v", findings, err)
	}
	const transports, codings, operations, subjects = 2, 4, 2, 1
	want := map[string]int{
		"serve a": transports*(2+codings*operations*subjects+1) + transports*2, // codec; manners' beginning
		"serve b": transports * (2 + codings*operations*2 + 1),                 // with a document of no bytes
		"serve ":  transports * 7,
		"call a":  transports*(1+codings*operations*subjects+1) + transports*2 + (1 + 4*subjects) + 1,
		"call b":  transports*(1+codings*operations*2+1) + (1 + 4*2),
		"call ":   transports*(codings*operations+1) + transports*2 + 2,
	}
	if d := cmp.Diff(want, checks); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
}

// isFound checks a runner that has one fault, in one role on one transport: some
// finding must begin as wanted.
func isFound(t *testing.T, fault, want string, only func(*runner.Description)) {
	t.Run(fault, func(t *testing.T) {
		t.Parallel()
		v, o := vectors(t)
		o.Codecs, o.Values, o.Text = []string{"a"}, nil, nil
		f := wiredRuntime(v)
		only(&f.Description)
		findings, err := Run(t.Context(), startWired(t, v, f, fault), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if strings.HasPrefix(f.String(), want) {
				return
			}
		}
		t.Errorf("found %v; want %q", findings, want)
	})
}

// TestBrokenServersAreFound and those that follow are what the checks are for.
func TestBrokenServersAreFound(t *testing.T) {
	for fault, want := range map[string]string{
		"any address will do":                     "serve: an address that is taken was served",
		"listens everywhere":                      `serve: a: it says that it listens on "0.0.0.0:`,
		"closes connections":                      "serve: a second request on a connection needs a new one",
		"its CPU stands still":                    "serve: cpu_ns is 0, and 0 after",
		"its server outlives it":                  "serve: its server listens after it has ended",
		"shares one buffer":                       "serve: a: document ",
		"does not bound bodies":                   "serve: ",
		"says nothing of time":                    `serve: a: document 0: Server-Timing is ""`,
		"rounds times":                            `serve: a: document 0: Server-Timing is "encode;dur=0.002"`,
		"tells of compression that there is not":  `serve: a: document 0: Server-Timing tells of ["encode" "compress"]`,
		"is for its own pages only":               "serve: a: document 0: Access-Control-Allow-Origin is",
		"keeps times from pages":                  "serve: a: document 0: Timing-Allow-Origin is",
		"exposes nothing":                         "serve: a: document 0: Access-Control-Expose-Headers is",
		"is not for isolated pages":               "serve: a: document 0: Cross-Origin-Resource-Policy is",
		"calls everything text":                   "serve: a: document 0: the Content-Type is \"text/plain\"; want application/json",
		"answers as JSON":                         "serve: a: document 0: the Content-Type is \"application/json\"; want text/plain",
		"lets answers be cached":                  "serve: a: document 0: the Cache-Control is",
		"does not say that it compressed":         `serve: a: document 0: the Content-Encoding is ""; want "gzip"`,
		"says that it compressed what it did not": `serve: a: document 0: the Content-Encoding is "gzip"; want ""`,
		"does not know how much it sends":         "serve: a: document 0: the Content-Length is -1",
		"miscounts leafs when it serves":          "serve: a: document 0: the answer is",
		"answers whatever it is asked":            "serve: GET of the root is answered with status 200; want [404]",
		"answers any method":                      "serve: PUT of a document is answered with status 200; want [405]",
		"takes the blame for bodies":              "serve: POST of a body that is nothing is answered with status 500; want [400]",
		"refuses without a word":                  "serve: GET of the root is refused with a body of 0 bytes",
		"refuses pages without a word":            "serve: GET of the root is refused without Access-Control-Allow-Origin",
		"knows no OPTIONS":                        "serve: OPTIONS is answered with status 405; want 204",
		"forbids Content-Encoding to pages":       "serve: OPTIONS is answered with Access-Control-Allow-Headers: content-type; want",
	} {
		isFound(t, fault, want, func(d *runner.Description) { d.Serves, d.Calls = d.Serves[:1], nil })
	}
}

func TestBrokenClientsAreFound(t *testing.T) {
	for fault, want := range map[string]string{
		"calls nothing":                        "call: a: skipped: another time",
		"takes its own codec for the server's": "call: a: failed: the server answered 404",
		"takes paths as they are":              "call: a: failed:",
		"always connects anew":                 "call: a: a call after others made",
		"two at a time":                        "call: a: ",
		"begins with the first document":       "call: a: request 0 carried document 0; want 2",
		"makes up what it cannot have":         "call: a server that fails with a sentence was called well",
		"calls what does not exist":            "call: a window beyond the documents was called well",
		"forgets the transfer":                 "call: a: the spans of",
		"counts the whole twice":               "call: a: the spans of",
		"waits between spans":                  "call: a: the spans of",
		"swaps the server's spans":             "call: a: request 0: the server said that its codec took",
		"miscounts bytes":                      "call: a: wire_bytes is",
		"miscounts leafs":                      "call: a: the checksum is",
		"never compresses":                     "call: a: ",
		"follows redirects":                    "call: a server that sends elsewhere was called well",
		"believes any type":                    "call: a server that says that the answer is a page was called well",
		"takes any coding":                     "call: a server that compresses without being asked was called well",
		"needs no Server-Timing":               "call: a server that does not say how long it took was called well",
		"takes soup for a number":              "call: a server that answers with what is no number was called well",
		"takes what it gets":                   "call: a server that announces more than it sends was called well",
		"decodes anything":                     "call: a server that sends what cannot be decoded was called well",
		"reads without limit":                  "call: a server that sends far more than the document was called well",
		"keeps errors to itself":               `call: a server that fails with a sentence: the error does not say "the kettle is empty"`,
	} {
		isFound(t, fault, want, func(d *runner.Description) {
			d.Serves, d.Calls, d.Encodings = nil, d.Calls[:1], d.Encodings[:1]
		})
	}
}

func TestBrokenClientsOfRedisAreFound(t *testing.T) {
	for fault, want := range map[string]string{
		"takes no password":             "call: failed: give the password",
		"tells the password":            "call: a Redis that has another password: the error holds the password",
		"gives no advice":               `call: a Redis that has lost a key: the error does not say "gone"`,
		"has a prefix of its own":       "call: a: the key wirecost:check:a:0",
		"keeps keys for ever":           "call: a: the key wirecost:check:a:0 expires in 0s",
		"leaves a key behind":           "call: a: the keys are",
		"takes nothing for a document":  "call: a Redis that has lost a key was called well",
		"miscounts bytes of Redis":      "call: a: wire_bytes is",
		"tells of compression of Redis": "call: a: a span is not 0",
	} {
		isFound(t, fault, want, func(d *runner.Description) { d.Serves, d.Calls = nil, []bench.Transport{bench.Redis} })
	}
}

func TestAClientThatDoesNotKnowItsCPU(t *testing.T) {
	v, o := vectors(t)
	o.Codecs, o.Values, o.Text = []string{"a"}, nil, nil
	if findings, err := Run(t.Context(), startWired(t, v, wiredRuntime(v), "does not know its CPU"), o); err != nil || findings != nil {
		t.Errorf("found %v, %v", findings, err)
	}
}

// TestAnEncodingMayBeSkipped: browsers decompress by codings that they do not
// compress by.
func TestAnEncodingMayBeSkipped(t *testing.T) {
	v, o := vectors(t)
	o.Codecs, o.Values, o.Text = []string{"a"}, nil, nil
	var skipped []string
	o.Report = func(l Line) {
		if l.Skipped != "" {
			skipped = append(skipped, l.Expected+": "+l.Skipped)
		}
	}
	f := wiredRuntime(v)
	f.Description.Serves, f.Description.Calls = nil, []bench.Transport{bench.HTTP}
	findings, err := Run(t.Context(), startWired(t, v, f, "cannot compress by br"), o)
	want := []string{
		"http: post of order, br:4: asks as it should, and splits the time of each request: no br here",
		"http: post, br:4: a server that is wrong is an error, and it goes on: no br here",
	}
	if d := cmp.Diff(want, skipped); err != nil || findings != nil || d != "" {
		t.Errorf("found %v, %v; skipped (-want +got):\n%s", findings, err, d)
	}
}

// TestCodecsWithOneOperation, and visit, are asked for nothing else, and manners are checked
// with another.
func TestCodecsWithOneOperation(t *testing.T) {
	for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
		v, o := vectors(t)
		o.Values, o.Text = nil, nil
		f := wiredRuntime(v)
		f.Description.Codecs[0].Operations = []bench.Operation{op, bench.Visit}
		manners := 0
		o.Report = func(l Line) {
			if l.Codec == "" && (l.Rule == "serve" || l.Rule == "call") {
				manners++
			}
			other := map[bench.Operation][]string{bench.Encode: {"POST to", ": get of"}, bench.Decode: {"GET of", ": post of", "set of", "set-pipelined of"}}[op]
			for _, x := range other {
				if l.Codec == "a" && strings.Contains(l.Expected, x) {
					t.Errorf("%s alone: %s", op, l.Expected)
				}
			}
		}
		findings, err := Run(t.Context(), startWired(t, v, f, ""), o)
		if err != nil || findings != nil || manners == 0 {
			t.Errorf("%s alone: found %v, %v; %d checks of manners", op, findings, err, manners)
		}
	}
}

func TestWrongDescriptionsOfTransports(t *testing.T) {
	v, o := vectors(t)
	f := fake(v)
	f.Description.Serves = []bench.Transport{bench.Redis}
	f.Description.Calls = []bench.Transport{"carrier-pigeon"}
	f.Description.Encodings = []string{"gzip:6", "gzip", "lzma:9"}
	findings, err := Run(t.Context(), session(f, nil, 0, false), Options{Deadline: o.Deadline})
	var got []string
	for _, x := range findings {
		got = append(got, x.String())
	}
	want := []string{
		`describe: serves has "redis"; there are http and http2`,
		`describe: calls has "carrier-pigeon"; there are http, http2 and redis`,
		`describe: encodings has "gzip"; want gzip, zstd or br with a level, as in gzip:6`,
		`describe: encodings has "lzma:9"; want gzip, zstd or br with a level, as in gzip:6`,
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func TestSpansMustAddUp(t *testing.T) {
	c := &checker{description: &runner.Description{ClockStepNS: 1}}
	reply := func(total ...int64) *runner.CallReply {
		r := &runner.CallReply{TotalNS: total, CPUNS: -1, Allocated: -1}
		for range total {
			for _, span := range []*[]int64{&r.EncodeNS, &r.CompressNS, &r.TransferNS, &r.DecompressNS, &r.DecodeNS} {
				*span = append(*span, 200_000)
			}
		}
		return r
	}
	for _, x := range []struct {
		totals []int64
		ok     bool
	}{
		{[]int64{1_000_000, 1_000_000}, true},
		{[]int64{1_029_000, 979_000}, true},   // 3%, and 20 µs
		{[]int64{1_000_000, 5_000_000}, true}, // one was interrupted
		{[]int64{1_040_000, 1_040_000, 1}, false},
		{[]int64{900_000}, false},
	} {
		if err := c.checkSpans(reply(x.totals...)); (err == nil) != x.ok {
			t.Errorf("%v: %v", x.totals, err)
		}
	}
	c.description.ClockStepNS = 20_000 // as in a browser
	if err := c.checkSpans(reply(1_100_000)); err != nil {
		t.Error(err)
	}
	r := reply(1_000_000)
	if err := c.checkSpans(r, r.CompressNS); err == nil {
		t.Error("a span that there is not was taken")
	}
}
