//go:build unix

package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wirecost/internal/bench"
)

func TestConversation(t *testing.T) {
	t.Parallel()
	ctx, c := context.Background(), start(t, "good")
	d, err := c.Describe(ctx)
	if err != nil || d.Runtime != "fake" || len(d.Codecs) != 2 {
		t.Fatalf("describe: %+v, %v", d, err)
	}
	s := prepared(t, `{"a":1}`, `{"a":22}`)
	if _, err := c.Prepare(ctx, []SampleFiles{s}, []string{"quick"}); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	v, err := c.Verify(ctx, VerifyRequest{Sample: "s", Codec: "quick", Out: out})
	if err != nil || !reflect.DeepEqual(v.Leaf, []uint32{1, 1}) {
		t.Fatalf("verify: %+v, %v", v, err)
	}
	documents, err := ReadDocumentsFile(out, DocumentLimits{2, 100})
	if err != nil || string(documents[1]) != `{"a":22}` {
		t.Fatalf("verify wrote %q, %v", documents, err)
	}
	cold, err := c.Cold(ctx, ColdRequest{Sample: "s", Codec: "quick", Operation: bench.Decode, Count: 3})
	if err != nil || len(cold.NS) != 3 || cold.NS[0] <= cold.NS[2] {
		t.Fatalf("cold: %+v, %v", cold, err)
	}
	turn := []BatchRequest{
		{"s", "quick", bench.Encode, 3, 0, 2}, // documents 0, 1, 0
		{"s", "quick", bench.Decode, 10, 1, 1},
	}
	for range 2 { // the second time with reused memory
		m, err := c.Measure(ctx, MeasureRequest{Turn: turn})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m.Checksum, []uint32{7 + 8 + 7, 10}) || !reflect.DeepEqual(m.WallNS, []int64{107 + 108 + 107 + 3, 1080 + 10}) {
			t.Fatalf("measure: %+v", m)
		}
	}
	mem, err := c.Memory(ctx, MemoryRequest{Sample: "s", Codec: "quick", Operation: bench.Decode, Iterations: 4})
	if err != nil || mem.Allocations != 4 || mem.Bytes != 30 {
		t.Fatalf("memory: %+v, %v", mem, err)
	}
	e, err := c.Empty(ctx, EmptyRequest{Iterations: 1000})
	if err != nil || e.WallNS != 1000 {
		t.Fatalf("empty: %+v, %v", e, err)
	}
	var failed *FailedError
	if _, err := c.Cold(ctx, ColdRequest{Sample: "other", Codec: "quick", Operation: bench.Decode, Count: 1}); !errors.As(err, &failed) {
		t.Fatalf("a sample that was not prepared: %v; want a FailedError", err)
	}
	if _, err := c.Describe(ctx); err != nil {
		t.Fatalf("after a failure: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	if code, err := c.Wait(ctx); code != 0 || err != nil {
		t.Fatalf("exit %d, %v", code, err)
	}
}

func TestChildThatMisbehaves(t *testing.T) {
	for _, x := range []struct{ mode, what, stderr string }{
		{"crash", "ended when it was asked for measure: exit status 2", "out of coffee"},
		{"killed", "ended when it was asked for measure: signal: killed", ""},
		{"hang", "did not answer measure in time", "thinking"},
		{"stubborn", "did not answer measure in time", "thinking"},
		{"children", "ended when it was asked for measure: exit status 4", "child"},
		{"rubbish", `answered measure with "loading codecs..."`, ""},
		{"long", "answered measure with a line of more than 16 MB", ""},
		{"half", "ended when it was asked for measure: exit status 0", ""},
		{"array", `answered measure with "[]"`, ""},
		{"wrongid", "answered request 1, measure, with the id 2", ""},
		{"noid", "with the id 0", ""},
		{"both", "skipped and error at once", ""},
		{"empty", "0 times and 0 checksums for 1 batches", ""},
		{"negative", "a negative time", ""},
		{"flood", "exit status 5", "last words"},
	} {
		t.Run(x.mode, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			if x.mode == "hang" || x.mode == "stubborn" {
				ctx, cancel = context.WithTimeout(context.Background(), 2*time.Second)
			}
			defer cancel()
			c := start(t, x.mode)
			_, err := c.Measure(ctx, MeasureRequest{Turn: make([]BatchRequest, 1)})
			e := processError(t, err)
			if !strings.Contains(e.What, x.what) || !strings.Contains(e.Stderr, x.stderr) {
				t.Errorf("have %q with standard error %q; want %q, %q", e.What, e.Stderr, x.what, x.stderr)
			}
			if len(e.Stderr) > tailSize+10 {
				t.Errorf("kept %d bytes of standard error", len(e.Stderr))
			}
			if _, again := c.Empty(context.Background(), EmptyRequest{}); again != err {
				t.Errorf("a later request got %v", again)
			}
			_ = c.Close()
			gone(t, c.cmd.Process.Pid)
			if pid, ok := strings.CutPrefix(e.Stderr, "child "); ok {
				n, _ := strconv.Atoi(strings.TrimSpace(pid))
				gone(t, n)
			}
		})
	}
}

// gone fails unless the process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 100 {
		if syscall.Kill(pid, 0) != nil || zombie(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

// zombie says whether a process has ended but nobody has waited for it: in a
// container an orphan's new parent may never do.
func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(b), ") Z ")
}

func TestTypedReplies(t *testing.T) {
	t.Parallel()
	var skipped *SkippedError
	if _, err := start(t, "skip").Memory(context.Background(), MemoryRequest{}); !errors.As(err, &skipped) || skipped.Reason != "no counters here" {
		t.Errorf("skip: %v", err)
	}
	var failed *FailedError
	if _, err := start(t, "error").Memory(context.Background(), MemoryRequest{}); !errors.As(err, &failed) || failed.Reason != "it went wrong" {
		t.Errorf("error: %v", err)
	}
}

func TestCloseTellsHowItEnded(t *testing.T) {
	t.Parallel()
	c := start(t, "good")
	if _, err := c.Describe(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("good: %v", err)
	}
	c = start(t, "exits3")
	if _, err := c.Prepare(context.Background(), nil, nil); err != nil {
		t.Fatal(err)
	}
	if e := processError(t, c.Close()); !strings.Contains(e.What, "exit status 3 after stop") {
		t.Errorf("have %q", e.What)
	}
	c = start(t, "stubborn") // does not answer stop, and heeds neither the end of input nor SIGTERM
	begin := time.Now()
	if err := c.Close(); err == nil {
		t.Error("stubborn: no error")
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("closing took %v", took)
	}
	gone(t, c.cmd.Process.Pid)
}

func TestCancelWhileItWorks(t *testing.T) {
	t.Parallel()
	c := start(t, "hang")
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := c.Empty(ctx, EmptyRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
	gone(t, c.cmd.Process.Pid)

	c = start(t, "good")
	if _, err := c.Empty(ctx, EmptyRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
	if _, err := c.Describe(context.Background()); err != nil {
		t.Errorf("a request that was never sent broke the process: %v", err)
	}
}

func TestNoSuchProgram(t *testing.T) {
	if _, err := StartCommand(context.Background(), Command{Words: []string{"./no-such-program"}}); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("have %v", err)
	}
}

// FuzzReplies feeds a conversation whatever bytes: it must end with a reply that
// fits the request, or an error, and never panic.
func FuzzReplies(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"wall_ns":[5],"checksum":[1],"cpu_ns":5}` + "\n" + `{"id":2,"leaf":[1]}`, "", "\n\n", "null\n", `{"id":1}`, "[]\n",
		`{"id":1,"wall_ns":null,"checksum":[1]}` + "\n", `{"id":1e0,"wall_ns":[1e99]}` + "\n", `{"id":1,"error":"x"}` + "\n", "{\"id\":1,\"skipped\":\"\xff\"}\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewConn(Streams{Requests: io.Discard, Replies: bytes.NewReader(b), Stop: func() {}})
		m, err := c.Measure(t.Context(), MeasureRequest{Turn: make([]BatchRequest, 1)})
		if err == nil && (len(m.WallNS) != 1 || len(m.Checksum) != 1 || m.WallNS[0] < 0) {
			t.Fatalf("accepted %q as %+v", b, m)
		}
		v, err := c.Verify(t.Context(), VerifyRequest{})
		if err == nil && len(v.Leaf) != 0 {
			t.Fatalf("accepted %q as %+v", b, v)
		}
		_, _ = c.Describe(t.Context())
		_ = c.Close()
	})
}

func BenchmarkMeasure(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	c, err := StartCommand(context.Background(), Command{Words: []string{exe}, Environment: map[string]string{modeVariable: "good"}})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Measure(context.Background(), MeasureRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}
