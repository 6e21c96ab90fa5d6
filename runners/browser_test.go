package runners_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/runner/runnertest"
	"wirecost/internal/schema"
)

var browsers = []string{"chromium", "firefox"}

// eachBrowser runs a test in each of them.
func eachBrowser(t *testing.T, test func(t *testing.T, browser string)) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	for _, browser := range browsers {
		t.Run(browser, func(t *testing.T) { test(t, browser) })
	}
}

func buildBrowser(t *testing.T, browser string, s goSchema, transports ...bench.Transport) *goBuild {
	t.Helper()
	r, builder := runnertest.Runtime(t, browser)
	b := buildGo(t, builder, r, s, codecNames(r), transports...)
	if b.Dropped != nil {
		t.Errorf("dropped %v", b.Dropped)
	}
	return b
}

// TestBrowserDescribes checks what the page says of the browser, and that its
// clock is that of an isolated page.
func TestBrowserDescribes(t *testing.T) {
	eachBrowser(t, func(t *testing.T, browser string) {
		b := buildBrowser(t, browser, goSchemas[1])
		d, err := start(t, b.Build).Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, clock step %v ns", d.Version, d.ClockStepNS)
		if !strings.HasPrefix(strings.ToLower(d.Version), browser+" ") || !strings.HasSuffix(d.Version, ", cross-origin isolated") {
			t.Errorf("version %q", d.Version)
		}
		if d.ClockStepNS <= 0 || d.ClockStepNS > 20_000 {
			t.Errorf("the clock's step is %v ns; want at most 20 µs, as isolated pages have it", d.ClockStepNS)
		}
		for _, c := range d.Codecs {
			version := map[string]string{"JSON": strings.SplitN(d.Version, " on ", 2)[0], "protobufjs": "8.8.1", "@bufbuild/protobuf": "2.17.0"}[c.Library]
			if c.Version != version {
				t.Errorf("%s: %s has version %q; want %q", c.Name, c.Library, c.Version, version)
			}
		}
	})
}

// TestBrowserCodecs holds every codec against hard documents, documents of the world
// and inputs of public reports about JavaScript.
func TestBrowserCodecs(t *testing.T) {
	eachBrowser(t, func(t *testing.T, browser string) {
		for _, s := range []goSchema{goSchemas[0], inferSamples(t, schema.TrackLiteral, append(browserCases(), corporaSamples(t)...))} {
			t.Run(s.name, func(t *testing.T) {
				b := buildBrowser(t, browser, s)
				b.nodeCodecs(t, s, nodeSkips)
			})
		}
	})
}

// browserCases are those cases that are about speed in JavaScript.
func browserCases() []goSample {
	return slices.DeleteFunc(nodeCases(), func(s goSample) bool {
		return !slices.ContainsFunc([]string{"d27", "d28", "d29", "d30"}, func(d string) bool { return strings.HasPrefix(s.name, d) })
	})
}

// TestBrowserTraits checks what codecs say of themselves.
func TestBrowserTraits(t *testing.T) {
	eachBrowser(t, func(t *testing.T, browser string) {
		b := buildBrowser(t, browser, goSchemas[0])
		p := start(t, b.Build)
		d, err := p.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b.prepare(t, p)
		b.traits(t, p, d.Codecs)
		b.nodeUnknown(t, p, d.Codecs)
	})
}

// TestBrowserHasTheSameStaticCode checks that the page's generator writes what
// protobufjs's command line writes under Node.js.
func TestBrowserHasTheSameStaticCode(t *testing.T) {
	node := buildNode(t, goSchemas[0])
	want, err := os.ReadFile(filepath.Join(node.Dir, "generated", "messages.cjs"))
	if err != nil {
		t.Fatal(err)
	}
	b := buildBrowser(t, browsers[0], goSchemas[0])
	script := filepath.Join(t.TempDir(), "generate.mjs")
	if err := os.WriteFile(script, []byte(generating), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("node", script, filepath.Join(b.Dir, "page", "generator.js"), filepath.Join(b.Dir, "set.binpb"))
	got, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if len(got) < 10_000 || !strings.Contains(string(want), strings.TrimSpace(string(got))) {
		t.Errorf("the page's code is not that of the command line:\n%.2000s\n\n%.2000s", got, want)
	}
}

// generating runs the page's worker under Node.js.
const generating = `
import { readFileSync } from 'node:fs';
const [file, set] = process.argv.slice(2);
let ask;
globalThis.addEventListener = (type, listener) => { ask = listener; };
globalThis.postMessage = ({ code, error }) => console.log(code ?? error);
await import(file);
ask({ data: new Uint8Array(readFileSync(set)) });
`

// TestBrowserLibraries checks that browsers measure the versions that Node.js does.
func TestBrowserLibraries(t *testing.T) {
	versions := func(file string) map[string]string {
		var lock struct {
			Packages map[string]struct{ Version string }
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &lock); err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for name, p := range lock.Packages {
			all[name] = p.Version
		}
		return all
	}
	node := versions("node/setup/package-lock.json")
	for name, version := range versions("browser/setup/package-lock.json") {
		if node[name] != version {
			t.Errorf("%s is %s for browsers and %s for Node.js", name, version, node[name])
		}
	}
}

// inBrowserFolder makes temporary files of browsers go to a folder of the test's.
func inBrowserFolder(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	dir, err := os.MkdirTemp("", "b") //nolint:usetesting // the test's own has too long a name for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

// process is one that has a folder in its environment.
type process struct {
	pid  int
	line string
}

// processesIn lists the living processes that have the folder in their
// environment or command line.
func processesIn(t *testing.T, dir string) []process {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var found []process
	for _, folder := range folders {
		environ, _ := os.ReadFile(filepath.Join(folder, "environ")) // empty where it has ended
		line, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if !strings.Contains(string(environ)+string(line), dir) || len(line) == 0 {
			continue
		}
		p := process{line: strings.ReplaceAll(string(line), "\x00", " ")}
		if _, err := fmt.Sscan(filepath.Base(folder), &p.pid); err != nil {
			t.Fatal(err)
		}
		found = append(found, p)
	}
	slices.SortFunc(found, func(a, b process) int { return a.pid - b.pid })
	return found
}

// nothingLeft checks that a browser has gone without a trace.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	for _, p := range processesIn(t, dir) {
		t.Errorf("process %d is left: %.200s", p.pid, p.line)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || left != nil {
		t.Errorf("left in %s: %v %v", dir, left, err)
	}
}

// TestBrowserEnds are the ways in which a browser's work may end.
func TestBrowserEnds(t *testing.T) {
	endless := func(codec string) runner.MeasureRequest {
		return runner.MeasureRequest{Turn: []runner.BatchRequest{{Sample: "orders", Codec: codec, Operation: bench.Decode, Iterations: 1 << 40, Window: 1}}}
	}
	const codec = "protobufjs"
	eachBrowser(t, func(t *testing.T, browser string) {
		b := buildBrowser(t, browser, goSchemas[1])
		dir := inBrowserFolder(t)
		for _, x := range []struct {
			name string
			end  func(t *testing.T, p runner.Process) error
			want string // part of the error
		}{
			{"stop", func(*testing.T, runner.Process) error { return nil }, ""},
			{"hang", func(t *testing.T, p runner.Process) error {
				ctx, cancel := context.WithTimeout(t.Context(), hangTime)
				defer cancel()
				_, err := p.Measure(ctx, endless(codec))
				return err
			}, "did not answer measure in time"},
			{"browser killed", func(t *testing.T, p runner.Process) error {
				afterwards(t, func() { kill(t, mainProcess(t, dir)) })
				_, err := p.Measure(t.Context(), endless(codec))
				return err
			}, "the browser ended (signal: killed)"},
			{"page killed", func(t *testing.T, p runner.Process) error {
				afterwards(t, func() { killPages(t, dir) })
				_, err := p.Measure(t.Context(), endless(codec))
				return err
			}, "the page was closed, or has crashed"},
		} {
			t.Run(x.name, func(t *testing.T) {
				p, err := b.Start(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := p.Prepare(t.Context(), b.files, []string{codec}); err != nil {
					t.Fatal(err)
				}
				err = x.end(t, p)
				if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
					t.Errorf("it says %v; want %q", err, x.want)
				}
				if err := p.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
				nothingLeft(t, dir)
			})
		}
	})
}

// hangTime is how long a request that hangs is waited for.
const hangTime = 2 * time.Second

// afterwards does something while the page is at work.
func afterwards(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	time.AfterFunc(hangTime, func() { do(); close(done) })
	t.Cleanup(func() { <-done })
}

// mainProcess is the browser's own: the first below wirecost's.
func mainProcess(t *testing.T, dir string) int {
	t.Helper()
	for _, p := range processesIn(t, filepath.Join(dir, "wirecost-browser-")) {
		return p.pid
	}
	t.Error("no browser is found")
	return 0
}

// killPages kills the processes that hold pages, and leaves the browser's own.
func killPages(t *testing.T, dir string) {
	t.Helper()
	for _, p := range processesIn(t, dir) {
		if strings.Contains(p.line, "--type=renderer") || strings.HasSuffix(p.line, " tab ") {
			kill(t, p.pid)
		}
	}
}

func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil && pid > 1 {
		err = p.Kill()
	}
	if err != nil {
		t.Errorf("process %d: %v", pid, err)
	}
}
