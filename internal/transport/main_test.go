package transport

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
)

// modeVariable makes the test binary play a client, or a program that is killed.
const modeVariable = "WIRECOST_TEST_MODE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		if err := play(mode, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func play(mode string, arguments []string) error {
	switch mode {
	case "get": // URL
		response, err := http.Get(arguments[0])
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.Copy(os.Stdout, response.Body)
		return err
	case "post": // URL BODY
		response, err := http.Post(arguments[0], "text/plain", strings.NewReader(arguments[1]))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.Copy(os.Stdout, response.Body)
		return err
	case "hold":
		return hold()
	}
	return fmt.Errorf("no mode %q", mode)
}

// hold sets up all that must not outlive a program, says so, and waits to be
// killed.
func hold() error {
	server, err := StartRedis(context.Background(), "")
	if err != nil {
		return err
	}
	fmt.Println("redis", server.Host())
	if err := ModeTUN.Check(); err == nil {
		path, err := Open(ModeTUN, server.Host(), linkOf("10mbit/1ms"))
		if err != nil {
			return err
		}
		fmt.Println("prefix", strings.Join(path.Prefix(), " "))
	}
	fmt.Println("ready")
	time.Sleep(time.Minute)
	return nil
}

// linkOf reads a link that is known to be right.
func linkOf(text string) bench.Link {
	l, err := bench.ParseLink(text)
	if err != nil {
		panic(err)
	}
	return l
}

// echoServer sends back what connections send.
func echoServer(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := io.Copy(c, c); err == nil {
					c.(conn).CloseWrite()
				}
			}()
		}
	}()
	return l.Addr().String()
}

// exchange sends a message, ends its direction and reads what comes back.
func exchange(address string, message []byte) ([]byte, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	sent := make(chan error, 1)
	go func() {
		_, err := c.Write(message)
		if err == nil {
			err = c.(conn).CloseWrite()
		}
		sent <- err
	}()
	got, err := io.ReadAll(c)
	if err == nil {
		err = <-sent
	}
	return got, err
}

// noGoroutinesOf fails where functions with such names still run. Those that have
// just been told to end get a while.
func noGoroutinesOf(t *testing.T, names ...string) {
	t.Helper()
	buffer := make([]byte, 4<<20)
	var stacks, found string
	for range 500 {
		stacks, found = string(buffer[:runtime.Stack(buffer, true)]), ""
		for _, name := range names {
			if strings.Contains(stacks, name) {
				found = name
			}
		}
		if found == "" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("a goroutine of %s is left:\n%s", found, stacks)
}
