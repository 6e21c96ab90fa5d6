package page

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"wirecost/internal/runner"
)

var content = fstest.MapFS{
	"index.html": {Data: []byte("the page")}, "main.js": {Data: []byte("the script")}, "a.css": {Data: []byte("the style")}, "dir/file": {Data: []byte("deep")},
}

// talk is a conversation with a page in a fake browser.
type talk struct {
	t        *testing.T
	requests *io.PipeWriter
	replies  *bufio.Reader
	ended    chan struct{}
	err      error // once it has ended
}

func begin(t *testing.T, ctx context.Context, kind string, more ...func(*Options)) *talk {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("uses sleep and signals")
	}
	t.Setenv(browserVariable, kind)
	t.Setenv("TMPDIR", t.TempDir())
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	o := Options{Files: content, Browser: []string{exe, "{profile}", "{url}"}, Requests: inR, Replies: outW, Patience: time.Minute}
	for _, change := range more {
		change(&o)
	}
	x := &talk{t: t, requests: inW, replies: bufio.NewReader(outR), ended: make(chan struct{})}
	go func() {
		x.err = Run(ctx, o)
		outW.Close()
		close(x.ended)
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		<-x.ended
	})
	return x
}

func (x *talk) send(line string) {
	x.t.Helper()
	if _, err := io.WriteString(x.requests, line+"\n"); err != nil {
		x.t.Fatal(err)
	}
}

func (x *talk) ask(line string) map[string]any {
	x.t.Helper()
	x.send(line)
	reply, err := x.replies.ReadString('\n')
	if err != nil {
		<-x.ended
		x.t.Fatalf("no reply to %s: %v; %v", line, err, x.err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(reply), &got); err != nil {
		x.t.Fatalf("%s was answered with %q: %v", line, reply, err)
	}
	return got
}

// end waits for the end, and checks that nothing is left.
func (x *talk) end(described map[string]any) error {
	x.t.Helper()
	<-x.ended
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "wirecost-browser-*"))
	if err != nil || left != nil {
		x.t.Errorf("folders are left: %v %v", left, err)
	}
	if described == nil {
		return x.err
	}
	for _, pid := range described["pids"].([]any) {
		if gone := goneWithin(int(pid.(float64)), 10*time.Second); !gone {
			x.t.Errorf("process %v is left", pid)
		}
	}
	return x.err
}

// goneWithin waits for a process's end. One that nobody has waited for is gone.
func goneWithin(pid int, patience time.Duration) bool {
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		out, err := exec.Command("ps", "-o", "stat=", "-p", fmt.Sprint(pid)).Output()
		if state := strings.TrimSpace(string(out)); err != nil || state == "" || strings.HasPrefix(state, "Z") {
			return true
		}
	}
	return false
}

func TestConversation(t *testing.T) {
	profile := t.TempDir()
	if err := os.WriteFile(filepath.Join(profile, "preferences"), []byte("quiet"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	document, out := filepath.Join(dir, "a b%?#ä.json"), filepath.Join(dir, "out")
	if err := os.WriteFile(document, []byte("the documents"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := begin(t, t.Context(), "good", func(o *Options) { o.Profile = profile })
	described := x.ask(`{"id":1,"request":"describe"}`)
	if described["preferences"] != "quiet" || !strings.HasPrefix(described["home"].(string), os.Getenv("TMPDIR")) {
		t.Errorf("described %v", described)
	}
	request, _ := json.Marshal(map[string]any{"id": 1 << 60, "request": "prepare", "samples": []any{map[string]any{"files": map[string]any{
		"json": document, "protobuf": filepath.Join(dir, "none"), "protojson": dir,
	}}}})
	prepared := x.ask(string(request))
	if id := prepared["id"]; id != float64(1<<60) || prepared["json"] != "the documents<nil>" {
		t.Errorf("prepared %v", prepared)
	}
	for form, want := range map[string]string{"protobuf": "status 404: open " + filepath.Join(dir, "none"), "protojson": "status 404: " + dir + " is no file"} {
		if got := prepared[form].(string); !strings.Contains(got, want) {
			t.Errorf("%s: %q; want %q", form, got, want)
		}
	}
	verified := x.ask(fmt.Sprintf(`{"id":3,"request":"verify","out":%q}`, out))
	if verified["first"] != 204.0 || verified["second"] != 404.0 {
		t.Errorf("verified %v", verified)
	}
	if written, err := os.ReadFile(out); string(written) != "written" {
		t.Errorf("written: %q %v", written, err)
	}
	if got := x.ask(`{"id":4,"request":`); !strings.Contains(got["error"].(string), "unexpected end") || got["line"] != `{"id":4,"request":` {
		t.Errorf("rubbish was answered with %v", got)
	}
	if got := x.ask(`{"id":5,"request":"stop"}`); got["id"] != 5.0 {
		t.Errorf("stop was answered with %v", got)
	}
	if err := x.end(described); err != nil {
		t.Error(err)
	}
}

// TestEnds are the ways in which it ends while the page is at work.
func TestEnds(t *testing.T) {
	for kind, want := range map[string]string{
		"crashes":        "the browser ended (exit status 3); what it said: segmentation fault",
		"closes":         "the page was closed, or has crashed (",
		"speaks long":    "the page answered with more than 16 MB",
		"speaks lines":   `the page answered with what is no line of JSON: "{}\n{}"`,
		"speaks rubbish": `the page answered with what is no line of JSON: "{"`,
		"speaks bytes":   "the page was closed, or has crashed (it sent bytes instead of text)",
	} {
		t.Run(kind, func(t *testing.T) {
			x := begin(t, t.Context(), kind)
			described := x.ask(`{"id":1,"request":"describe"}`)
			x.send(`{"id":2,"request":"measure"}`)
			if line, err := x.replies.ReadString('\n'); err == nil {
				t.Errorf("answered %.80q", line)
			}
			if err := x.end(described); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("ended with %v; want %s", err, want)
			}
		})
	}
}

func TestPageSpeaksUnasked(t *testing.T) {
	x := begin(t, t.Context(), "speaks twice")
	described := x.ask(`{"id":1,"request":"describe"}`)
	x.ask(`{"id":2,"request":"measure"}`)
	// The second reply is on its way, and is either noticed before the next
	// request or taken for its answer, which has another id then.
	x.send(`{"id":3,"request":"empty"}`)
	if line, err := x.replies.ReadString('\n'); err == nil && !strings.Contains(line, `"id":2`) {
		t.Errorf("answered %q", line)
	}
	x.requests.Close()
	if err := x.end(described); err != nil && !strings.Contains(err.Error(), "without being asked") {
		t.Error(err)
	}
}

func TestRequestsEnd(t *testing.T) {
	x := begin(t, t.Context(), "hangs")
	described := x.ask(`{"id":1,"request":"describe"}`)
	x.send(`{"id":2,"request":"measure"}`) // which is never answered
	x.requests.Close()
	if err := x.end(described); err != nil {
		t.Error(err)
	}
}

func TestRequestsEndBeforeThePageOpens(t *testing.T) {
	x := begin(t, t.Context(), "sleeps")
	x.send(`{"id":1,"request":"describe"}`)
	x.requests.Close()
	if err := x.end(nil); err != nil {
		t.Error(err)
	}
}

func TestLongRequest(t *testing.T) {
	x := begin(t, t.Context(), "good")
	described := x.ask(`{"id":1,"request":"describe"}`)
	go io.WriteString(x.requests, strings.Repeat("x", runner.MaxLine+1<<17)) // it is cut off
	if err := x.end(described); err == nil || err.Error() != "a request has more than 16 MB" {
		t.Errorf("ended with %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := begin(t, ctx, "hangs")
	described := x.ask(`{"id":1,"request":"describe"}`)
	x.send(`{"id":2,"request":"measure"}`)
	cancel()
	if err := x.end(described); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// TestBrowserOpensNoPage are browsers whose page never connects.
func TestBrowserOpensNoPage(t *testing.T) {
	for kind, want := range map[string]string{
		"dies":      "the browser ended (exit status 3); what it said: no display | no fonts",
		"sleeps":    "the browser did not open the page within 300ms; what it said: nothing",
		"complains": "the page does not work in this browser: import is no function x x",
	} {
		t.Run(kind, func(t *testing.T) {
			x := begin(t, t.Context(), kind, func(o *Options) {
				if kind == "sleeps" {
					o.Patience = 300 * time.Millisecond
				}
			})
			err := x.end(nil)
			if err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > maxTrouble+100 {
				t.Errorf("ended with %v; want %s", err, want)
			}
		})
	}
}

func TestBrowserDoesNotStart(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"no browser is named":            func(o *Options) { o.Browser = nil },
		"the browser does not start: ":   func(o *Options) { o.Browser = []string{filepath.Join(t.TempDir(), "none")} },
		"the profile cannot be copied: ": func(o *Options) { o.Profile = filepath.Join(t.TempDir(), "none") },
	} {
		x := begin(t, t.Context(), "good", change)
		if err := x.end(nil); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("ended with %v; want %s", err, name)
		}
	}
}

// TestBridgeIsKilled checks that the browser does not outlive us even if we get
// no chance to end it.
func TestBridgeIsKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux alone ends a program with the one that started it")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bridge := exec.Command(exe)
	bridge.Env = append(os.Environ(), bridgeVariable+"=good", "TMPDIR="+t.TempDir())
	in, err := bridge.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := bridge.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := bridge.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, `{"id":1,"request":"describe"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var described struct{ PIDs []int }
	if err := json.Unmarshal([]byte(line), &described); err != nil {
		t.Fatal(err)
	}
	for _, pid := range described.PIDs[1:] { // a real browser's would notice
		if child, err := os.FindProcess(pid); err == nil {
			defer child.Kill() // gone is well
		}
	}
	if err := bridge.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = bridge.Wait()
	if !goneWithin(described.PIDs[0], 10*time.Second) {
		t.Error("the browser is left")
	}
}
