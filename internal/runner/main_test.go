package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wirecost/internal/bench"
)

// modeVariable makes the test binary play a runner, a compiler or a generator.
const modeVariable = "WIRECOST_TEST_MODE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		os.Exit(play(mode))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // or each program of these tests ends a second late under -race
	os.Exit(m.Run())
}

func play(mode string) int {
	if len(os.Args) > 1 && os.Args[1] == "version" {
		fmt.Println("tool 1.5.2\nsetting", os.Getenv("TOOL_SETTING"))
		return 0
	}
	if len(os.Args) > 1 && os.Args[1] == "fails" {
		fmt.Fprintln(os.Stderr, "no library here")
		return 7
	}
	switch mode {
	case "compile":
		return compile()
	case "sleep":
		time.Sleep(time.Minute)
		return 0
	case "good":
		return good(os.Stdin, os.Stdout)
	}
	return bad(mode)
}

// good is a runner that speaks the protocol.
func good(r io.Reader, w io.Writer) int {
	p, err := testRuntime().Start(context.Background())
	if err == nil {
		err = Serve(context.Background(), p, r, w)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func testRuntime() *FakeRuntime {
	operations := []bench.Operation{bench.Encode, bench.Decode, bench.Visit}
	return &FakeRuntime{
		Clock: &VirtualClock{},
		Description: Description{Runtime: "fake", Version: "1", Codecs: []CodecDescription{
			{Name: "quick", Format: bench.JSON, Documents: "json", Operations: operations, Traits: []string{"typed"}, Library: "l", Version: "1"},
			{Name: "compact", Format: bench.Protobuf, Documents: "protobuf", Operations: operations, Traits: []string{"typed"}, Library: "m", Version: "1"},
		}},
		Cost:       func(o FakeOperation) float64 { return 100 + float64(o.Bytes) },
		OverheadNS: 1,
		RequestNS:  1000,
	}
}

// bad answers requests in some wrong way.
func bad(mode string) int {
	if mode == "stubborn" {
		signal.Ignore(syscall.SIGTERM)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			if mode == "stubborn" {
				time.Sleep(time.Minute)
			}
			return 0
		}
		var h Header
		if json.Unmarshal([]byte(line), &h) != nil {
			return 9
		}
		if h.Request == "stop" && mode != "stubborn" {
			fmt.Printf("{\"id\":%d}\n", h.ID)
			if mode == "exits3" {
				return 3
			}
			return 0
		}
		if code := misbehave(mode, h); code >= 0 {
			return code
		}
	}
}

// misbehave answers one request; a code of 0 or more is to exit with.
func misbehave(mode string, h Header) int {
	switch mode {
	case "crash":
		fmt.Fprintln(os.Stderr, "panic: out of coffee")
		return 2
	case "killed":
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		time.Sleep(time.Minute)
	case "hang", "stubborn":
		fmt.Fprintln(os.Stderr, "thinking")
		time.Sleep(time.Minute)
	case "children":
		// A child of its own that keeps all streams open.
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), modeVariable+"=sleep")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if c.Start() != nil {
			return 9
		}
		fmt.Fprintln(os.Stderr, "child", c.Process.Pid)
		return 4
	case "rubbish":
		fmt.Println("loading codecs...")
	case "long":
		fmt.Println(strings.Repeat("x", MaxLine+2))
	case "half":
		fmt.Printf("{\"id\":%d", h.ID)
		return 0
	case "array":
		fmt.Println("[]")
	case "wrongid":
		fmt.Printf("{\"id\":%d}\n", h.ID+1)
	case "noid":
		fmt.Println("{}")
	case "both":
		fmt.Printf("{\"id\":%d,\"skipped\":\"a\",\"error\":\"b\"}\n", h.ID)
	case "skip":
		fmt.Printf("{\"id\":%d,\"skipped\":\"no counters here\"}\n", h.ID)
	case "error":
		fmt.Printf("{\"id\":%d,\"error\":\"it went wrong\"}\n", h.ID)
	case "empty", "exits3":
		fmt.Printf("{\"id\":%d}\n", h.ID)
	case "negative":
		fmt.Printf("{\"id\":%d,\"wall_ns\":[-5],\"checksum\":[1]}\n", h.ID)
	case "flood":
		fmt.Fprint(os.Stderr, strings.Repeat("noise noise noise\n", 1<<16), "last words\n")
		return 5
	}
	return -1
}

// compile plays a compiler: it reads the sources in codecs/ and gen/, "executes"
// their directives, and writes the program "out". It logs that it ran.
func compile() int {
	if log := os.Getenv("COMPILE_LOG"); log != "" {
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return 9
		}
		defer f.Close()
		if slices.Contains([]string{"install", "hang", "check"}, os.Args[1]) {
			return installer(f)
		}
		fmt.Fprintln(f, strings.Join(os.Args[1:], " "))
	}
	sources, _ := filepath.Glob("*/*.src")
	code := 0
	for _, s := range sources {
		b, _ := os.ReadFile(s)
		for i, line := range strings.Split(string(b), "\n") {
			switch word, rest, _ := strings.Cut(line, " "); word {
			case "ERROR":
				fmt.Fprintf(os.Stderr, "./%s:%d:1: %s\n", filepath.ToSlash(s), i+1, rest)
				code = 1
			case "ABSOLUTE":
				abs, _ := filepath.Abs(s)
				fmt.Printf("%s(%d): %s\n", abs, i+1, rest)
				code = 1
			case "WARN":
				fmt.Fprintf(os.Stderr, "%s:%d: warning: %s\n", filepath.ToSlash(s), i+1, rest)
			case "SILENT":
				fmt.Fprintln(os.Stderr, "linker: "+rest)
				code = 1
			case "GENERATE": // only as "generate"
				if os.Args[1] == "generate" {
					_ = os.MkdirAll("gen", 0o755)
					_ = os.WriteFile("gen/"+rest+".src", []byte("ERROR generated code is broken\n"), 0o644)
				}
			case "DROP":
				if os.Args[1] == "generate" {
					fmt.Println("wirecost:drop " + rest)
				}
			case "HANG":
				if os.Args[1] == "build" {
					time.Sleep(time.Minute)
				}
			}
		}
	}
	if code == 0 && os.Args[1] == "build" {
		if err := os.WriteFile("out", []byte(strings.Join(os.Args, " ")), 0o755); err != nil {
			return 9
		}
	}
	return code
}

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func start(t *testing.T, mode string) *Child {
	t.Helper()
	c, err := StartCommand(context.Background(), Command{Words: []string{self(t)}, Environment: map[string]string{modeVariable: mode}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func processError(t *testing.T, err error) *ProcessError {
	t.Helper()
	var e *ProcessError
	if !errors.As(err, &e) {
		t.Fatalf("have %v; want a ProcessError", err)
	}
	return e
}

// prepared writes documents and gives them as a sample.
func prepared(t *testing.T, documents ...string) SampleFiles {
	t.Helper()
	dir := t.TempDir()
	s := SampleFiles{Sample: "s", Root: "Root_", Documents: len(documents), Files: map[string]string{}}
	for _, form := range documentForms {
		var all [][]byte
		for _, d := range documents {
			all = append(all, []byte(d))
		}
		s.Files[form] = filepath.Join(dir, form)
		if err := WriteDocumentsFile(s.Files[form], all); err != nil {
			t.Fatal(err)
		}
	}
	return s
}
