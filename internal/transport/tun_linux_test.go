package transport

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wirecost/internal/testenv"
)

// openTestTUN leads to target over packets.
func openTestTUN(t *testing.T, target, link string) Path {
	t.Helper()
	if err := ModeTUN.Check(); err != nil {
		testenv.Skip(t, err.Error())
	}
	p, err := Open(ModeTUN, target, linkOf(link))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// client runs this program as a client behind the path.
func client(p Path, mode string, arguments ...string) (string, error) {
	words := append(append(p.Prefix(), os.Args[0]), arguments...)
	c := exec.Command(words[0], words[1:]...)
	c.Env = append(os.Environ(), modeVariable+"="+mode)
	out, err := c.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	return string(out), err
}

func TestTUN(t *testing.T) {
	body := make([]byte, 300_000)
	for i := range body {
		body[i] = byte(i * i >> 3)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			data, err := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%x %v", sha256.Sum256(data), err)
			return
		}
		w.Write(body)
	}))
	defer server.Close()
	before := descriptors(t)
	p := openTestTUN(t, server.Listener.Addr().String(), "100mbit/4ms")
	url := "http://" + p.Address() + "/"
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			if got, err := client(p, "get", url); err != nil || got != string(body) {
				t.Errorf("the client gets %d bytes, %v", len(got), err)
			}
			up := strings.Repeat("upwards ", 10_000)
			want := fmt.Sprintf("%x <nil>", sha256.Sum256([]byte(up)))
			if got, err := client(p, "post", url, up); err != nil || got != want {
				t.Errorf("the client posts and reads %q, %v", got, err)
			}
		})
	}
	clients.Wait()
	server.Close()
	if got, err := client(p, "get", url); err == nil {
		t.Errorf("with the server gone the client gets %q", got)
	}
	must(t, p.Close())
	if _, err := client(p, "get", url); err == nil {
		t.Error("a client starts behind a path that is closed")
	}
	noGoroutinesOf(t, "transport.(*tunPath)", "transport.forward", "transport.(*proxy)")
	eventually(t, "all descriptors are closed", func() bool { return descriptors(t) <= before })
}

// descriptors counts the process's open TUN devices and namespaces.
func descriptors(t *testing.T) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if to, err := os.Readlink(f); err == nil && (to == tunDevice || strings.HasPrefix(to, "net:")) {
			n++
		}
	}
	return n
}

// TestTUNTakesNoThreadAlong: what runs in this process stays in its own network.
func TestTUNTakesNoThreadAlong(t *testing.T) {
	home, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		must(t, openTestTUN(t, "127.0.0.1:1", "1gbit").Close())
	}
	threads, err := filepath.Glob("/proc/self/task/*/ns/net")
	if err != nil || len(threads) == 0 {
		t.Fatal(threads, err)
	}
	for _, thread := range threads {
		if at, err := os.Readlink(thread); err == nil && at != home {
			t.Errorf("%s is in %s, and %s is home", thread, at, home)
		}
	}
}

func TestTUNClosedDuringTransfers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 10<<20)) }))
	defer server.Close()
	p := openTestTUN(t, server.Listener.Addr().String(), "10mbit/20ms")
	c := exec.Command(p.Prefix()[0], append(p.Prefix()[1:], os.Args[0], "http://"+p.Address())...)
	c.Env = append(os.Environ(), modeVariable+"=get")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	must(t, c.Start())
	must(t, receive(out, 1))
	must(t, p.Close())
	c.Process.Kill() // its own network is dead, and it would wait for long
	c.Wait()
	server.CloseClientConnections()
	noGoroutinesOf(t, "transport.(*tunPath)", "transport.forward", "transport.(*proxy)")
}
