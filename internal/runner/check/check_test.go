package check

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// runnerVariable makes the test binary a runner.
const runnerVariable = "WIRECOST_TEST_RUNNER"

func TestMain(m *testing.M) {
	if os.Getenv(runnerVariable) == "" {
		os.Exit(m.Run())
	}
	err := serveFake()
	if os.Getenv(runnerVariable) == "talkative" {
		fmt.Println("goodbye")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serveFake() error {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	v, err := NewVectors(context.Background(), dir)
	if err != nil {
		return err
	}
	if _, err := v.Options(); err != nil {
		return err
	}
	p, err := fake(v).Start(context.Background())
	if err != nil {
		return err
	}
	return runner.Serve(context.Background(), visitless{p}, os.Stdin, os.Stdout)
}

// fake is a right runner with a codec that cannot visit.
func fake(v *Vectors) *runner.FakeRuntime {
	f := v.Fake()
	f.Description.Codecs[1].Operations = f.Description.Codecs[1].Operations[:2]
	return f
}

// bent is a runner that is wrong in a way of its own; what is nil is right.
type bent struct {
	runner.Process
	prepare func() (*runner.PrepareReply, error)
	written func(sample string, document []byte) ([]byte, error)
	measure func(runner.MeasureRequest, error) (*runner.MeasureReply, error)
}

func (b bent) Prepare(ctx context.Context, samples []runner.SampleFiles, codecs []string) (*runner.PrepareReply, error) {
	r, err := b.Process.Prepare(ctx, samples, codecs)
	if err != nil && b.prepare != nil {
		return b.prepare()
	}
	return r, err
}

func (b bent) Verify(ctx context.Context, req runner.VerifyRequest) (*runner.VerifyReply, error) {
	r, err := b.Process.Verify(ctx, req)
	if err != nil || b.written == nil {
		return r, err
	}
	all, err := runner.ReadDocumentsFile(req.Out, runner.DocumentLimits{Documents: 100, Bytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i], err = b.written(req.Sample, all[i]); err != nil {
			return nil, err
		}
	}
	return r, runner.WriteDocumentsFile(req.Out, all)
}

func (b bent) Measure(ctx context.Context, req runner.MeasureRequest) (*runner.MeasureReply, error) {
	r, err := b.Process.Measure(ctx, req)
	if b.measure != nil && (err != nil || req.Turn[0].Codec == "a") {
		return b.measure(req, err)
	}
	return r, err
}

// session serves a fake in this process; alter changes its replies.
func session(f *runner.FakeRuntime, alter func(request string, reply []byte) []byte, code int, stay bool) Start {
	return sessionOf(f.Start, alter, code, stay)
}

// crooked serves a fake that is bent.
func crooked(f *runner.FakeRuntime, b bent) Start {
	return sessionOf(func(ctx context.Context) (runner.Process, error) {
		p, err := f.Start(ctx)
		b.Process = p
		return b, err
	}, nil, 0, false)
}

func sessionOf(start func(context.Context) (runner.Process, error), alter func(request string, reply []byte) []byte, code int, stay bool) Start {
	return func(ctx context.Context) (*Session, error) {
		p, err := start(ctx)
		if err != nil {
			return nil, err
		}
		inR, inW := io.Pipe()
		midR, midW := io.Pipe()
		outR, outW := io.Pipe()
		ended := make(chan struct{})
		requests := make(chan string, 16)
		go func() { // requests, noted on their way
			in := bufio.NewReaderSize(inR, 1<<16)
			for {
				line, err := in.ReadBytes('\n')
				if err != nil {
					midW.CloseWithError(io.EOF)
					return
				}
				_, request, _ := strings.Cut(string(line[:min(len(line), 60)]), `"request":"`)
				request, _, _ = strings.Cut(request, `"`)
				requests <- request
				midW.Write(line)
			}
		}()
		replies := &altering{to: outW, requests: requests, alter: alter}
		go func() {
			_ = runner.Serve(ctx, visitless{p}, midR, replies)
			midR.Close()
			go outW.Close()
			if !stay {
				close(ended)
			}
		}()
		stop := func() { inW.Close(); outR.Close(); outW.Close(); midR.Close() }
		return &Session{
			Conn:          runner.NewConn(runner.Streams{Requests: inW, Replies: outR, Stop: stop}),
			CloseRequests: inW.Close,
			Kill:          stop,
			Wait: func(ctx context.Context) (int, error) {
				select {
				case <-ended:
					return code, nil
				case <-ctx.Done():
					return 0, ctx.Err()
				}
			},
		}, nil
	}
}

// altering passes replies on, changed.
type altering struct {
	to       io.Writer
	requests chan string
	alter    func(request string, reply []byte) []byte
}

func (a *altering) Write(b []byte) (int, error) {
	request := <-a.requests
	out := b
	if a.alter != nil {
		out = a.alter(request, bytes.Clone(b))
	}
	_, err := a.to.Write(out)
	return len(b), err
}

// visitless leaves out visit for the codec that has none.
type visitless struct{ runner.Process }

func (v visitless) Verify(ctx context.Context, req runner.VerifyRequest) (*runner.VerifyReply, error) {
	r, err := v.Process.Verify(ctx, req)
	if err == nil && req.Codec == "b" {
		r.Visit = nil
	}
	return r, err
}

// vectors are the built-in documents, with the options to check with them.
func vectors(t *testing.T) (*Vectors, Options) {
	t.Helper()
	v, err := NewVectors(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o, err := v.Options()
	if err != nil {
		t.Fatal(err)
	}
	o.Deadline = 20 * time.Second
	return v, o
}

func TestGoodRunnerPasses(t *testing.T) {
	v, o := vectors(t)
	checks := map[string]int{}
	o.Report = func(l Line) {
		checks[l.Rule+" "+l.Codec]++
		if l.Expected == "" || len(l.Came) > 0 || l.Skipped != "" {
			t.Errorf("%+v", l)
		}
	}
	findings, err := Run(context.Background(), session(fake(v), nil, 0, false), o)
	if err != nil || findings != nil {
		t.Fatalf("found %v, %v", findings, err)
	}
	want := map[string]int{"describe ": 2, "id ": 1, "unknown ": 1, "stop ": 1, "empty ": 1, "end ": 1, "line ": 2, "frame ": 5, "range ": 1}
	for _, codec := range []string{"a", "b"} {
		for _, rule := range []string{"prepare", "verify", "measure", "memory", "unknown", "cold", "text", "document"} {
			want[rule+" "+codec] = 1
		}
		want["value "+codec] = 1 + len(hard)
	}
	if d := cmp.Diff(want, checks); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
}

func TestProgram(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := func(mode string) Start {
		return Command(runner.Command{Words: []string{exe}, Environment: map[string]string{runnerVariable: mode}})
	}
	_, o := vectors(t)
	o.Codecs = []string{"a"}
	if findings, err := Run(context.Background(), program("good"), o); err != nil || findings != nil {
		t.Errorf("found %v, %v", findings, err)
	}
	findings, err := Run(context.Background(), program("talkative"), Options{})
	if err != nil || len(findings) == 0 || findings[0].String() != `stop: after the last reply it wrote "goodbye"` {
		t.Errorf("found %v, %v", findings, err)
	}
}

// TestRefusals are what a runner may say instead of doing.
func TestRefusals(t *testing.T) {
	v, o := vectors(t)
	o.Codecs = []string{"a"}
	refuses := func(samples ...string) Start {
		return crooked(fake(v), bent{written: func(sample string, d []byte) ([]byte, error) {
			if slices.Contains(samples, sample) {
				return nil, &runner.FailedError{Reason: "too hard"}
			}
			return d, nil
		}})
	}
	var skipped []string
	o.Report = func(l Line) {
		if l.Skipped != "" {
			skipped = append(skipped, l.Rule+": "+l.Expected+": "+l.Skipped)
		}
	}
	findings, err := Run(context.Background(), refuses("integers", "notfinite"), o)
	want := []string{"value: integers beyond 2⁵³: come back exactly, or are refused: refused: too hard", "value: NaN and infinity: come back exactly, or are refused: refused: too hard"}
	if err != nil || findings != nil || !slices.Equal(skipped, want) {
		t.Errorf("found %v, %v; skipped %q", findings, err, skipped)
	}
	findings, err = Run(context.Background(), refuses("deep", "strings"), o)
	if err != nil || len(findings) != 2 || findings[0].String() != "value: a: 90 levels of nesting: failed: too hard" {
		t.Errorf("found %v, %v", findings, err)
	}

	f := fake(v)
	f.Faults = map[string]runner.Fault{"a": {Kind: runner.FaultSkip}}
	skipped = nil
	if findings, err := Run(context.Background(), session(f, nil, 0, false), o); err != nil || findings != nil || !strings.Contains(strings.Join(skipped, "\n"), "verify: every document comes back: planted skip of a") {
		t.Errorf("found %v, %v; skipped %q", findings, err, skipped)
	}

	skipped = nil
	o.Foreign = true
	for i := range o.Samples {
		o.Samples[i].Sample = "another" // which the fake does not know
	}
	if findings, err := Run(context.Background(), session(fake(v), nil, 0, false), o); err != nil || findings != nil || len(skipped) != 1 || !strings.Contains(skipped[0], "it seems to be built for another schema") {
		t.Errorf("found %v, %v; skipped %q", findings, err, skipped)
	}
}

// replace changes a text in the replies to one request.
func replace(request, old, new string) func(string, []byte) []byte {
	return func(r string, b []byte) []byte {
		if r != request {
			return b
		}
		return []byte(strings.Replace(string(b), old, new, 1))
	}
}

// TestBrokenRunnersAreFound is what the checks are for: each of these runners
// has one fault, and must be found out.
func TestBrokenRunnersAreFound(t *testing.T) {
	v, _ := vectors(t)
	fake := func() *runner.FakeRuntime { return fake(v) }
	fault := func(kind runner.FaultKind, after int) *runner.FakeRuntime {
		f := fake()
		f.Faults = map[string]runner.Fault{"a": {Kind: kind, After: after}}
		return f
	}
	described := func(change func(*runner.Description)) *runner.FakeRuntime {
		f := fake()
		change(&f.Description)
		return f
	}
	careless := func(traits ...string) *runner.FakeRuntime { // decodes anything
		f := described(func(d *runner.Description) { d.Codecs[0].Traits = append(d.Codecs[0].Traits, traits...) })
		right := f.Checksums
		f.Checksums = func(s runner.SampleFiles, form string, d []byte) (leaf, visit uint32, err error) {
			if leaf, visit, err = right(s, form, d); err != nil {
				return 1, 1, nil
			}
			return leaf, visit, nil
		}
		return f
	}
	// writes has the codec write one thing of a sample's documents as another.
	writes := func(sample, old, new string) Start {
		return crooked(fake(), bent{written: func(s string, d []byte) ([]byte, error) {
			if s != sample {
				return d, nil
			}
			return bytes.Replace(d, []byte(old), []byte(new), 1), nil
		}})
	}
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for _, x := range []struct {
		name  string
		start Start
		want  string // the start of some finding
	}{
		{"banner", session(fake(), func(_ string, b []byte) []byte { return append([]byte("Welcome!\n"), b...) }, 0, false), "describe: the runner answered describe with"},
		{"chatter before measure", session(fake(), func(r string, b []byte) []byte {
			if r == "measure" {
				return append([]byte("warming up\n"), b...)
			}
			return b
		}, 0, false), "measure: a: the runner answered measure with"},
		{"old protocol", session(fake(), replace("describe", "protocol/1", "protocol/0"), 0, false), "describe: the runner speaks"},
		{"no runtime", session(described(func(d *runner.Description) { d.Runtime = "" }), nil, 0, false), "describe: runtime"},
		{"no version", session(described(func(d *runner.Description) { d.Version = "" }), nil, 0, false), "describe: version"},
		{"no clock", session(fake(), replace("describe", `"clock_step_ns":1`, `"clock_step_ns":0`), 0, false), "describe: clock_step_ns"},
		{"odd unit", session(described(func(d *runner.Description) { d.StringUnit = "words" }), nil, 0, false), "describe: string_unit"},
		{"no codecs", session(described(func(d *runner.Description) { d.Codecs = nil }), nil, 0, false), "describe: there are no codecs"},
		{"twins", session(described(func(d *runner.Description) { d.Codecs[1].Name = "a" }), nil, 0, false), "describe: a: is described twice"},
		{"no library", session(described(func(d *runner.Description) { d.Codecs[0].Library = "" }), nil, 0, false), "describe: a: library"},
		{"odd operation", session(described(func(d *runner.Description) { d.Codecs[0].Operations = []bench.Operation{"guess"} }), nil, 0, false), "describe: a: an operation"},
		{"changes its mind", session(fake(), counting("describe", 2, `"name":"a"`, `"name":"z"`), 0, false), "describe: asked twice"},
		{"counts by itself", session(fake(), replace("describe", `"id":123456789`, `"id":3`), 0, false), "id: the request 123456789"},
		{"knows everything", session(fake(), func(r string, b []byte) []byte {
			if r == "make-coffee" {
				return []byte("{\"id\":4711}\n")
			}
			return b
		}, 0, false), "unknown: a request that it cannot know"},
		{"exit status", session(fake(), nil, 3, false), "stop: it ended with status 3"},
		{"never ends", session(fake(), nil, 0, true), "stop: it did not end"},
		{"last words", session(fake(), func(r string, b []byte) []byte {
			if r == "stop" {
				return append(b, "bye\n"...)
			}
			return b
		}, 0, false), "stop: after the last reply it wrote \"bye\""},
		{"answers rubbish", session(fake(), func(r string, b []byte) []byte {
			if strings.Contains(string(b), "unexpected end of JSON") {
				return []byte("{\"id\":1}\n")
			}
			return b
		}, 0, false), `line: a line that is no JSON was answered with "{\"id\":1}"`},
		{"skips another's", session(fake(), replace("prepare", `}`, `,"skips":[{"sample":"q","codec":"a","reason":"r"}]}`), 0, false), "prepare: a: the runner skips"},
		{"wrong output", session(fault(runner.FaultOutput, 0), nil, 0, false), "verify: a: what it wrote differs"},
		{"wrong leaf", session(fault(runner.FaultLeaf, 0), nil, 0, false), "verify: a: the checksums"},
		{"no visit", session(fake(), replace("verify", `"visit"`, `"vist"`), 0, false), "verify: a: visit among the operations"},
		{"too many leaves", session(fake(), replace("verify", `"leaf":[`, `"leaf":[1,`), 0, false), "verify: a: the runner answered verify with 4 leaf"},
		{"wrong checksum", session(fault(runner.FaultChecksum, 1), nil, 0, false), "measure: a: encode, 1 iterations"},
		{"arrays that do not match", session(fake(), replace("measure", `"checksum":[`, `"checksum":[1,`), 0, false), "measure: a: the runner answered measure with 8 times and 9"},
		{"a mean", session(fake(), replace("measure", `100000]`, `100]`), 0, false), "measure: a: encode once took"},
		{"crash", session(fault(runner.FaultCrash, 1), nil, 0, false), "measure: a: the runner ended"},
		{"fails", session(fault(runner.FaultFail, 0), nil, 0, false), "verify: a: failed: planted"},
		{"odd memory", session(fake(), replace("memory", `"allocations":10`, `"allocations":-10`), 0, false), "memory: a: the runner answered memory"},
		{"no empty time", session(fake(), replace("empty", `"wall_ns"`, `"wall"`), 0, false), "empty: the runner answered empty"},
		{"short cold", session(fake(), replace("cold", `"ns":[`, `"ns":[],"x":[`), 0, false), "cold: a: the runner answered cold with 0"},
		{"rounds integers", writes("integers", "9007199254740993", "9007199254740992"), "value: a: integers beyond 2⁵³: what it wrote differs"},
		{"wraps integers", writes("integers", "18446744073709551615", "-1"), "value: a: integers beyond 2⁵³: what it wrote differs"},
		{"rounds doubles", writes("doubles", "0.30000000000000004", "0.3"), "value: a: doubles that need all their digits: what it wrote differs"},
		{"NaN is 0", writes("notfinite", `"NaN"`, `0`), "value: a: NaN and infinity: what it wrote differs"},
		{"absent is the default", writes("absent", `{}`, `{"number":0}`), "value: a: absent values beside default ones: what it wrote differs"},
		{"the default is absent", writes("absent", `"number":0,`, ``), "value: a: absent values beside default ones: what it wrote differs"},
		{"no empty object", writes("absent", `,"inner":{}`, ``), "value: a: absent values beside default ones: what it wrote differs"},
		{"empty is something", writes("empty", `{}`, `{"list":["x"]}`), "value: a: a document without a member: what it wrote differs"},
		{"cuts strings at zero", writes("strings", `\u0000`, ``), "value: a: strings with everything in them: what it wrote differs"},
		{"gives up nesting", crooked(fake(), bent{written: func(s string, d []byte) ([]byte, error) {
			if s == "deep" {
				return nil, &runner.ProcessError{What: "overflowed its stack"}
			}
			return d, nil
		}}), "value: a: 90 levels of nesting: the runner ended when it was asked for verify"},
		{"validates nothing", session(careless("validates UTF-8"), nil, 0, false), "text: a: it says that it validates UTF-8, but it accepts invalid UTF-8"},
		{"spoils text", crooked(careless(), bent{written: func(s string, d []byte) ([]byte, error) {
			return bytes.ReplaceAll(d, []byte{0xff}, []byte("?")), nil
		}}), "text: a: it wrote \"{\\\"text\\\":\\\"<text ?ark>"},
		{"accepts half a document", session(careless(), nil, 0, false), "document: a: it decoded a document that is cut short"},
		{"believes every frame", crooked(fake(), bent{prepare: func() (*runner.PrepareReply, error) { return &runner.PrepareReply{}, nil }}), "frame: a frame that announces 4 GiB was read without a word"},
		{"dies of a frame", crooked(fake(), bent{prepare: func() (*runner.PrepareReply, error) { return nil, &runner.ProcessError{What: "ran out of memory"} }}), "frame: the runner ended when it was asked for prepare"},
		{"leaves its documents", crooked(fake(), bent{measure: func(q runner.MeasureRequest, err error) (*runner.MeasureReply, error) {
			if err == nil {
				return nil, &runner.FailedError{Reason: "other rules are broken as well"}
			}
			return &runner.MeasureReply{WallNS: make([]int64, len(q.Turn)), Checksum: make([]uint32, len(q.Turn))}, nil
		}}), "range: a window beyond the documents was timed"},
		{"hangs in the middle", crooked(fake(), bent{measure: func(runner.MeasureRequest, error) (*runner.MeasureReply, error) {
			<-hang
			return nil, &runner.ProcessError{What: "woke up"}
		}}), "measure: a: the runner did not answer measure in time"},
		{"both replies", session(fake(), replace("memory", `{`, `{"skipped":"x","error":"y",`), 0, false), "memory: a: the runner answered memory with skipped and error"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			_, o := vectors(t)
			o.Deadline = 500 * time.Millisecond
			findings, err := Run(context.Background(), x.start, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				if strings.HasPrefix(f.String(), x.want) {
					return
				}
			}
			t.Errorf("found %v; want %q", findings, x.want)
		})
	}
}

// counting changes only the nth reply to a request.
func counting(request string, n int, old, new string) func(string, []byte) []byte {
	seen, change := 0, replace(request, old, new)
	return func(r string, b []byte) []byte {
		if r == request {
			if seen++; seen == n {
				return change(r, b)
			}
		}
		return b
	}
}

func TestUnusableOptions(t *testing.T) {
	v, o := vectors(t)
	good := session(fake(v), nil, 0, false)
	if findings, err := Run(context.Background(), good, Options{}); err != nil || findings != nil {
		t.Errorf("without samples: found %v, %v", findings, err)
	}
	if _, err := Run(context.Background(), Command(runner.Command{Words: []string{"./no-such-program"}}), o); err == nil {
		t.Error("no program: no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, good, o); err == nil {
		t.Error("cancelled: no error")
	}
	o.Codecs = []string{"zzz"}
	findings, err := Run(context.Background(), good, o)
	if err != nil || len(findings) == 0 || findings[0].String() != "describe: zzz: is not described" {
		t.Errorf("found %v, %v", findings, err)
	}
}
