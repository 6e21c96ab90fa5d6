package check

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// runnerVariable makes the test binary a runner.
const runnerVariable = "WIRECOST_TEST_RUNNER"

func TestMain(m *testing.M) {
	if os.Getenv(runnerVariable) == "" {
		os.Exit(m.Run())
	}
	p, err := fake().Start(context.Background())
	if err == nil {
		err = runner.Serve(context.Background(), visitless{p}, os.Stdin, os.Stdout)
	}
	if os.Getenv(runnerVariable) == "talkative" {
		fmt.Println("goodbye")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func fake() *runner.FakeRuntime {
	operations := []bench.Operation{bench.Encode, bench.Decode, bench.Visit}
	return &runner.FakeRuntime{
		Clock: &runner.VirtualClock{},
		Description: runner.Description{Runtime: "fake", Version: "1", Codecs: []runner.CodecDescription{
			{Name: "a", Format: bench.JSON, Documents: "json", Operations: operations, Traits: []string{"typed"}, Library: "l", Version: "1"},
			{Name: "b", Format: bench.Protobuf, Documents: "protobuf", Operations: operations[:2], Traits: []string{"typed"}, Library: "l", Version: "1"},
		}},
		Cost: func(runner.FakeOperation) float64 { return 100 },
		Checksums: func(_ runner.SampleFiles, _ string, d []byte) (uint32, uint32, error) {
			return uint32(d[0]), uint32(d[0]) + 1, nil
		},
	}
}

// session serves a fake in this process; alter changes its replies.
func session(f *runner.FakeRuntime, alter func(request string, reply []byte) []byte, code int, stay bool) Start {
	return func(ctx context.Context) (*Session, error) {
		p, err := f.Start(ctx)
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

func options(t *testing.T) Options {
	t.Helper()
	dir := t.TempDir()
	s := runner.SampleFiles{Sample: "s", Root: "Root_", Documents: 3, Files: map[string]string{}}
	for _, form := range []string{"json", "protobuf", "protojson"} {
		s.Files[form] = filepath.Join(dir, form)
		if err := runner.WriteDocumentsFile(s.Files[form], [][]byte{[]byte("1x"), []byte("2"), []byte("3xyz")}); err != nil {
			t.Fatal(err)
		}
	}
	return Options{
		Samples: []runner.SampleFiles{s}, Dir: dir, Deadline: 20 * time.Second,
		Checksums: func(string, string) (leaf, visit []uint32, err error) {
			return []uint32{'1', '2', '3'}, []uint32{'1' + 1, '2' + 1, '3' + 1}, nil
		},
		Output: func(_ runner.CodecDescription, _ string, written [][]byte) error {
			if string(written[2]) != "3xyz" {
				return fmt.Errorf("document 2 is %q", written[2])
			}
			return nil
		},
	}
}

func TestGoodRunnerPasses(t *testing.T) {
	findings, err := Run(context.Background(), session(fake(), nil, 0, false), options(t))
	if err != nil || findings != nil {
		t.Fatalf("found %v, %v", findings, err)
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
	if findings, err := Run(context.Background(), program("good"), options(t)); err != nil || findings != nil {
		t.Errorf("found %v, %v", findings, err)
	}
	findings, err := Run(context.Background(), program("talkative"), options(t))
	if err != nil || len(findings) == 0 || findings[0].String() != `stop: after the last reply it wrote "goodbye"` {
		t.Errorf("found %v, %v", findings, err)
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
		{"too few leaves", session(fake(), replace("verify", `"leaf":[49,`, `"leaf":[`), 0, false), "verify: a: the runner answered verify with 2 leaf"},
		{"wrong checksum", session(fault(runner.FaultChecksum, 1), nil, 0, false), "measure: a: encode, 1 iterations"},
		{"arrays that do not match", session(fake(), replace("measure", `"checksum":[`, `"checksum":[1,`), 0, false), "measure: a: the runner answered measure with 8 times and 9"},
		{"a mean", session(fake(), replace("measure", `100000]`, `100]`), 0, false), "measure: a: encode once took"},
		{"crash", session(fault(runner.FaultCrash, 1), nil, 0, false), "measure: a: the runner ended"},
		{"fails", session(fault(runner.FaultFail, 0), nil, 0, false), "verify: a: failed: planted"},
		{"odd memory", session(fake(), replace("memory", `"allocations":10`, `"allocations":-10`), 0, false), "memory: a: the runner answered memory"},
		{"no empty time", session(fake(), replace("empty", `"wall_ns"`, `"wall"`), 0, false), "empty: the runner answered empty"},
		{"short cold", session(fake(), replace("cold", `"ns":[`, `"ns":[],"x":[`), 0, false), "cold: a: the runner answered cold with 0"},
		{"both replies", session(fake(), replace("memory", `{`, `{"skipped":"x","error":"y",`), 0, false), "memory: a: the runner answered memory with skipped and error"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
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
	if findings, err := Run(context.Background(), session(fake(), nil, 0, false), Options{}); err != nil || findings != nil {
		t.Errorf("without samples: found %v, %v", findings, err)
	}
	o := options(t)
	o.Codecs = []string{"zzz"}
	findings, err := Run(context.Background(), session(fake(), nil, 0, false), o)
	if err != nil || len(findings) == 0 || findings[0].String() != "describe: zzz: is not described" {
		t.Errorf("found %v, %v", findings, err)
	}
	if _, err := Run(context.Background(), Command(runner.Command{Words: []string{"./no-such-program"}}), options(t)); err == nil {
		t.Error("no program: no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, session(fake(), nil, 0, false), options(t)); err == nil {
		t.Error("cancelled: no error")
	}
}
