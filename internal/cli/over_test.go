package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// wiredRunners are the fake runtime with a client and a server, one that only
// calls, and one that knows no transport.
func wiredRunners() fstest.MapFS {
	all := fakeRunners()
	delete(all, "fake/codecs/forgetful.x.tmpl")
	header := func(s string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("// wirecost:transport " + s + "\n")}
	}
	all["fake/transports/http.x.tmpl"] = header(`{"transports":["http","http2"],"roles":["serve","call"],"encodings":["gzip:6","br:4"],"library":"example.com/web"}`)
	all["fake/transports/redis.x.tmpl"] = header(`{"transport":"redis","roles":["call"],"library":"example.com/redis"}`)
	runner := func(name string) {
		all[name+"/runner.json"] = &fstest.MapFile{Data: []byte(`{"format":"wirecost.runner/v1","runtime":"` + name + `","isolation":"codec","needs":[],"build":[],"run":["none"]}`)}
		all[name+"/codecs/parse.x.tmpl"] = fakeCodec(`{"name":"parse","format":"json","default":true,"role":"default","library":"example.com/parse","operations":["encode","decode"],"traits":["dom"]}`)
	}
	runner("page")
	all["page/transports/fetch.x.tmpl"] = header(`{"transport":"http","roles":["call"],"encodings":["gzip:6"],"library":"fetch"}`)
	runner("alone")
	return all
}

// newWired gives an app with those runtimes on one clock and one network.
func newWired(t *testing.T) (*App, map[string]*runner.FakeRuntime) {
	t.Helper()
	app, fake := newFake(t)
	app.Runners = wiredRunners()
	loaded, err := runner.Load(app.Runners)
	if err != nil {
		t.Fatal(err)
	}
	fake.Network, fake.Faults = &runner.FakeNetwork{}, nil
	fake.Checksums = checksums(t, orders)
	cost := fake.Cost
	fake.Cost = func(o runner.FakeOperation) float64 {
		switch o.Span {
		case runner.SpanTransfer:
			return 50e3
		case runner.SpanCompress, runner.SpanDecompress:
			return 8e3
		}
		return cost(o)
	}
	runtimes := map[string]*runner.FakeRuntime{}
	for _, r := range loaded {
		rt := *fake
		d := &rt.Description
		d.Runtime, d.Codecs = r.Runtime, nil
		for _, c := range r.Codecs {
			d.Codecs = append(d.Codecs, runner.CodecDescription{
				Name: c.Name, Format: c.Format, Documents: string(c.Format), Operations: c.Operations, Traits: c.Traits, Library: c.Library, Version: "v1.0.0",
			})
		}
		for _, x := range []bench.Transport{bench.HTTP, bench.HTTP2, bench.Redis} {
			if r.Serves(x) {
				d.Serves = append(d.Serves, x)
			}
			if r.Calls(x) {
				d.Calls = append(d.Calls, x)
			}
		}
		d.Encodings = []string{"gzip:6", "br:4"}
		runtimes[r.Runtime] = &rt
	}
	app.Start = func(r *runner.Runner) runner.Starter { return runtimes[r.Runtime] }
	return app, runtimes
}

// records reads a result file.
func records(t *testing.T, path string) (cases []store.Case, forks, requests int, outcomes map[bench.Status]int) {
	t.Helper()
	f, err := store.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	outcomes = map[bench.Status]int{}
	if err := f.Scan(func(rec any) error {
		switch r := rec.(type) {
		case *store.Case:
			cases = append(cases, *r)
		case *store.Fork:
			forks++
		case *store.Requests:
			requests++
		case *store.Outcome:
			outcomes[r.Status]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return cases, forks, requests, outcomes
}

func lanesOf(cases []store.Case) string {
	var lanes []string
	for _, c := range cases {
		if !slices.Contains(lanes, c.Lane()) {
			lanes = append(lanes, c.Lane())
		}
	}
	return strings.Join(lanes, ", ")
}

func TestRunOver(t *testing.T) {
	for _, test := range []struct {
		args      string
		lanes     string
		encodings []string
		cases     int
		said      string
	}{
		{"--runtime fake --over http", "fake over http", []string{"identity", "gzip:6"}, 3 * 2 * 2, ""},
		{"--runtime fake --over memory,http --encoding identity,br", "fake, fake over http", []string{"identity", "br:4"}, 3*2 + 3*2*2, ""},
		{"--runtime fake --over http,http2 --encoding identity --op encode", "fake over http, fake over http2", []string{"identity"}, 3 * 2, ""},
		{"--runtime fake,page --over http --encoding identity", "fake over http, page over http to fake", []string{"identity"}, 3*2 + 2, ""},
		{"--runtime page --over http --encoding identity", "page over http to fake", []string{"identity"}, 2, "fake is the server over http, since none of the runtimes asked for serves it"},
		{"--runtime page --over http --server fake --encoding identity", "page over http to fake", []string{"identity"}, 2, ""},
		{"--runtime page --over memory,http --encoding gzip:9,identity", "page, page over http to fake", []string{"identity"}, 2 + 2, "gzip:9 is not measured over http: fake compresses with gzip:6"},
		{"--runtime fake,alone --over memory,redis", "alone, fake, fake over redis", []string{"identity"}, 2 + 3*2 + 3*4, "alone makes no requests over redis"},
	} {
		t.Run(test.args, func(t *testing.T) {
			app, _ := newWired(t)
			inOrders(t)
			args := append([]string{"run", "--max-forks", "4", "--precision", "0", "-o", "result.jsonl"}, strings.Fields(test.args)...)
			code, stdout, stderr := app.test(t, t.Context(), append(args, "orders.ndjson")...)
			if code != exitOK {
				t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
			}
			cases, forks, requests, outcomes := records(t, "result.jsonl")
			if got := lanesOf(cases); got != test.lanes || len(cases) != test.cases || outcomes[bench.Measured] != test.cases {
				t.Errorf("%d cases of %s, %v; want %d of %s", len(cases), got, outcomes, test.cases, test.lanes)
			}
			crossing := 0
			for _, c := range cases {
				if c.Crosses() {
					crossing++
				}
				if !slices.Contains(test.encodings, c.Encoding) {
					t.Errorf("%s", c.Case)
				}
				if c.Crosses() && (c.Client == "" || c.Peer != "" && c.Server != "example.com/web") {
					t.Errorf("%s: client %q, server %q", c.Case, c.Client, c.Server)
				}
			}
			if requests != 4*crossing || forks != 4*(len(cases)-crossing) {
				t.Errorf("%d records of requests, %d forks", requests, forks)
			}
			if !strings.Contains(stderr, test.said) {
				t.Errorf("it does not say %q:\n%s", test.said, stderr)
			}
		})
	}
}

func TestRunOverRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"--over carrier-pigeon":                     "want memory, http, http2 or redis",
		"--runtime alone --over http":               "--over http: alone makes no requests over http; add one that does with --runtime (fake, page)",
		"--runtime alone,page --over memory,redis":  "alone, page make no requests over redis; add one that does with --runtime (fake)",
		"--runtime page --over http --server alone": "--server alone: it serves nothing over http; there are fake",
		"--server fake":                             "--server is for --over http",
		"--redis redis://localhost":                 "--redis is for --over redis",
		"--over redis --redis localhost:6379":       "want a URL such as redis://localhost:6379/0",
		"--over redis --redis redis://:xxxxx@h":     "the password of the Redis server is not kept",
		"--over http --encoding gzip:9":             "--over http: nothing is left to measure: gzip:9 is not measured over http: fake compresses with gzip:6",
		"--over redis --op visit":                   "--over redis: nothing is left to measure: encode stands for what is sent",
		"--over http --link 10mbit --link-mode wet": "want relay or tun",
	} {
		t.Run(args, func(t *testing.T) {
			app, _ := newWired(t)
			inOrders(t)
			words := append([]string{"run"}, strings.Fields(args)...)
			if !strings.Contains(args, "--runtime") {
				words = append(words, "--runtime", "fake")
			}
			code, stdout, stderr := app.test(t, t.Context(), append(words, "orders.ndjson")...)
			if code != exitUsage || !strings.Contains(stderr, want) || stdout != "" {
				t.Errorf("exit code %d, want %d; it should say %q:\n%s", code, exitUsage, want, stderr)
			}
		})
	}
}

// A server's codec that is wrong, or a client's, costs its own cases.
func TestRunOverHTTPVerifies(t *testing.T) {
	app, runtimes := newWired(t)
	inOrders(t)
	runtimes["fake"].Faults = map[string]runner.Fault{"messages": {Kind: runner.FaultOutput}}
	code, stdout, stderr := app.test(t, t.Context(), "run", "--runtime", "fake", "--over", "http", "--encoding", "identity", "--max-forks", "4", "--precision", "0", "-o", "result.jsonl", "orders.ndjson")
	_, _, requests, outcomes := records(t, "result.jsonl")
	if code != exitPartial || outcomes[bench.Failed] != 2 || outcomes[bench.Measured] != 4 || requests != 4*4 {
		t.Errorf("exit code %d, outcomes %v, %d records of requests\n%s%s", code, outcomes, requests, stdout, stderr)
	}
}

func TestAnInterruptedRunOverHTTPGoesOn(t *testing.T) {
	app, runtimes := newWired(t)
	inOrders(t)
	ctx, cancel := context.WithCancel(t.Context())
	starts := 0
	app.Start = func(r *runner.Runner) runner.Starter {
		return startFunc(func(c context.Context) (runner.Process, error) {
			if starts++; starts == 14 { // after verifying, in the middle of the forks
				cancel()
			}
			return runtimes[r.Runtime].Start(c)
		})
	}
	args := []string{"run", "--runtime", "fake", "--over", "memory,http", "--encoding", "identity", "--max-forks", "6", "--precision", "0", "-o", "result.jsonl", "orders.ndjson"}
	code, _, stderr := app.test(t, ctx, args...)
	if code != exitInterrupted {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	_, forks, requests, _ := records(t, "result.jsonl")
	if forks == 0 || requests == 0 || requests >= 6*6 {
		t.Fatalf("%d forks and %d records of requests before", forks, requests)
	}
	code, stdout, stderr := app.test(t, t.Context(), "run", "--resume", "result.jsonl")
	if code != exitOK {
		t.Fatalf("resumed: exit code %d\n%s%s", code, stdout, stderr)
	}
	if _, forks, requests, _ = records(t, "result.jsonl"); forks != 6*6 || requests != 6*6 {
		t.Errorf("%d forks and %d records of requests after", forks, requests)
	}
}

func TestThePasswordOfRedisIsNotKept(t *testing.T) {
	app, _ := newWired(t)
	inOrders(t)
	args := []string{"run", "--runtime", "fake", "--over", "memory,redis", "--redis", "redis://:open-sesame@127.0.0.1:1/0", "--max-forks", "4", "--precision", "0", "-o", "result.jsonl", "orders.ndjson"}
	code, stdout, stderr := app.test(t, t.Context(), args...)
	b, err := os.ReadFile("result.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if all := stdout + stderr + string(b); code != exitPartial || strings.Contains(all, "open-sesame") || !strings.Contains(all, "no Redis server can be reached at 127.0.0.1:1") {
		t.Errorf("exit code %d\n%s", code, all)
	}
	code, _, stderr = app.test(t, t.Context(), "run", "--resume", "result.jsonl")
	if code != exitUsage || !strings.Contains(stderr, "give --redis again") {
		t.Errorf("resumed without it: exit code %d\n%s", code, stderr)
	}
	code, _, stderr = app.test(t, t.Context(), "run", "--resume", "result.jsonl", "--redis", "redis://:open-sesame@127.0.0.1:1/0")
	if code != exitPartial {
		t.Errorf("resumed with it: exit code %d\n%s", code, stderr)
	}
}

func TestOverFlag(t *testing.T) {
	var f transports
	for s, want := range map[string]string{"http": "http", "redis, memory,redis": "redis,memory", "memory,http,http2,redis": "memory,http,http2,redis"} {
		if err := f.Set(s); err != nil || f.String() != want {
			t.Errorf("%q: %q, %v", s, f.String(), err)
		}
	}
	var r redisURL
	for s, want := range map[string]string{
		"redis://localhost:6379/0":    "redis://localhost:6379/0 false",
		"rediss://me:secret@host:1/2": "rediss://me:xxxxx@host:1/2 false",
		"redis://:xxxxx@host":         "redis://:xxxxx@host true",
	} {
		if err := r.Set(s); err != nil || fmt.Sprint(r.String(), " ", r.hidden()) != want {
			t.Errorf("%s: %s %v, %v", s, r.String(), r.hidden(), err)
		}
	}
	for _, s := range []string{"", "localhost", "http://localhost", "redis://", "redis://a b:1"} {
		if err := r.Set(s); err == nil || s != "" && strings.Contains(err.Error(), s) && strings.Contains(s, "@") {
			t.Errorf("%q: %v", s, err)
		}
	}
}
