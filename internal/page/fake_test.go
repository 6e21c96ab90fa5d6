package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"wirecost/internal/runner"
)

// What the test binary is instead, if these are set.
const (
	browserVariable = "WIRECOST_TEST_BROWSER" // a browser, of a kind
	bridgeVariable  = "WIRECOST_TEST_BRIDGE"  // Run, with that kind of browser
)

func TestMain(m *testing.M) {
	kind, bridge := os.Getenv(browserVariable), os.Getenv(bridgeVariable)
	switch {
	case bridge != "":
		os.Unsetenv(bridgeVariable)
		os.Setenv(browserVariable, bridge)
		exe, err := os.Executable()
		if err == nil {
			err = Run(context.Background(), Options{Files: content, Browser: []string{exe, "{profile}", "{url}"}, Requests: os.Stdin, Replies: os.Stdout})
		}
		exit(err)
	case kind != "":
		exit((&fakeBrowser{kind: kind, profile: os.Args[1], url: os.Args[2]}).run())
	}
	os.Exit(m.Run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

// fakeBrowser plays a browser with its page.
type fakeBrowser struct {
	kind, profile, url string
	conn               *websocket.Conn
	ctx                context.Context
}

func (f *fakeBrowser) run() error {
	var cancel context.CancelFunc
	f.ctx, cancel = context.WithTimeout(context.Background(), time.Minute) // in no case for ever
	defer cancel()
	switch f.kind {
	case "dies":
		return fmt.Errorf("no display\nno fonts")
	case "sleeps":
		<-f.ctx.Done()
		return nil
	case "complains":
		response, err := http.Post(f.url+"trouble", "text/plain", strings.NewReader("import is\n no function"+strings.Repeat(" x", 5000)))
		if err != nil {
			return err
		}
		response.Body.Close()
		<-f.ctx.Done()
		return nil
	}
	if index, err := f.get(""); err != nil || index != "the page" {
		return fmt.Errorf("the page is %q: %w", index, err)
	}
	return f.page()
}

func (f *fakeBrowser) page() error {
	origin := f.url[:strings.LastIndex(strings.TrimSuffix(f.url, "/"), "/")]
	conn, _, err := websocket.Dial(f.ctx, f.url+"wire", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}}) //nolint:bodyclose // Dial does it
	if err != nil {
		return err
	}
	conn.SetReadLimit(runner.MaxLine)
	f.conn = conn
	for {
		_, line, err := conn.Read(f.ctx)
		if err != nil {
			<-f.ctx.Done() // a browser stays, whatever becomes of its pages
			return nil
		}
		if err := f.answer(line); err != nil {
			return err
		}
	}
}

func (f *fakeBrowser) get(name string) (string, error) {
	response, err := http.Get(f.url + name)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %d: %s", response.StatusCode, bytes.TrimSpace(b))
	}
	return string(b), err
}

func (f *fakeBrowser) say(reply any) error {
	b, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	return f.conn.Write(f.ctx, websocket.MessageText, b)
}

func (f *fakeBrowser) answer(line []byte) error {
	var r struct {
		ID      int
		Request string
		Samples []struct{ Files map[string]string }
		Out     string
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return f.say(map[string]any{"id": 0, "error": err.Error(), "line": string(line)})
	}
	reply := map[string]any{"id": r.ID, "request": r.Request}
	switch r.Request {
	case "describe":
		if err := f.describe(reply); err != nil {
			return err
		}
	case "prepare":
		for _, s := range r.Samples {
			for form, address := range s.Files {
				content, err := f.get(address)
				reply[form] = content + fmt.Sprint(err)
				reply[form+" address"] = address
			}
		}
	case "verify":
		for _, name := range []string{"first", "second"} { // one is enough
			request, err := http.NewRequestWithContext(f.ctx, http.MethodPut, f.url+r.Out, strings.NewReader("written"))
			if err != nil {
				return err
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return err
			}
			response.Body.Close()
			reply[name] = response.StatusCode
		}
	case "measure":
		return f.misbehave(reply)
	}
	return f.say(reply)
}

// describe tells what the browser was given, leaves files behind, and children.
func (f *fakeBrowser) describe(reply map[string]any) error {
	preferences, err := os.ReadFile(filepath.Join(f.profile, "preferences"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, dir := range []string{os.Getenv("HOME"), os.Getenv("TMPDIR"), f.profile} {
		if err := os.WriteFile(filepath.Join(dir, "litter"), nil, 0o600); err != nil {
			return err
		}
	}
	pids := []int{os.Getpid()}
	children := [][]string{{"sleep", "1000"}}
	if runtime.GOOS == "linux" { // one that leaves the group
		children = append(children, []string{"setsid", "sleep", "1000"})
	}
	for _, words := range children {
		child := exec.Command(words[0], words[1:]...)
		if err := child.Start(); err != nil {
			return err
		}
		pids = append(pids, child.Process.Pid)
	}
	reply["home"], reply["preferences"], reply["pids"] = os.Getenv("HOME"), string(preferences), pids
	return nil
}

// misbehave is what the kind of browser does instead of measuring.
func (f *fakeBrowser) misbehave(reply map[string]any) error {
	switch f.kind {
	case "crashes":
		return fmt.Errorf("segmentation fault")
	case "closes":
		return f.conn.CloseNow()
	case "hangs":
		return nil
	case "speaks twice":
		if err := f.say(reply); err != nil {
			return err
		}
	case "speaks long":
		reply["long"] = strings.Repeat("x", runner.MaxLine)
	case "speaks lines":
		return f.conn.Write(f.ctx, websocket.MessageText, []byte("{}\n{}"))
	case "speaks rubbish":
		return f.conn.Write(f.ctx, websocket.MessageText, []byte("{"))
	case "speaks bytes":
		return f.conn.Write(f.ctx, websocket.MessageBinary, []byte("{}"))
	}
	return f.say(reply)
}
