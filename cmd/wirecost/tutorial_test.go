package main

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/testenv"
	"wirecost/runners"
)

// tutorialFile is a file that a tutorial shows: its name, and its content.
var tutorialFile = regexp.MustCompile("(?ms)^`([^`\n]+)`[^\n]*:\n\n```\\w*\n(.*?)^```$")

// tutorial reads a page of docs and gives the files that it shows.
func tutorial(t *testing.T, page string) (text string, files map[string]string) {
	t.Helper()
	b, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, m := range tutorialFile.FindAllStringSubmatch(string(b), -1) {
		files[m[1]] = m[2]
	}
	return string(b), files
}

func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// ownRunners goes to a folder with orders.ndjson, where the tutorial's runner is
// in WIRECOST_RUNNERS.
func ownRunners(t *testing.T, more map[string]string) (page string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs")
	}
	page, files := tutorial(t, "adding-a-runner.md")
	orders, err := os.ReadFile("../../examples/orders.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writeFiles(t, files)
	writeFiles(t, more)
	writeFiles(t, map[string]string{"orders.ndjson": string(orders)})
	dir, err := filepath.Abs("my-runners")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("WIRECOST_RUNNERS", dir)
	return page
}

// TestAddingARunner does what docs/adding-a-runner.md says.
func TestAddingARunner(t *testing.T) {
	page := ownRunners(t, nil)
	commands := shown(page)
	if len(commands) < 3 {
		t.Fatalf("the page shows only %q", commands)
	}
	for _, command := range commands {
		args, _ := words(command)
		if args[0] == "run" {
			args = append(args, "--max-forks", "4", "--max-time", "2s", "-o", "result.jsonl")
		}
		code, stdout, stderr := wirecost(t, args...)
		if code != 0 {
			t.Errorf("%s: exit code %d\n%s%s", command, code, stdout, stderr)
		}
		want := map[string]string{
			"doctor": "tiny: ready\n", "runner": "ok       value: mine: integers beyond 2⁵³: come back exactly", "run": "tiny/mine-reuse: mine",
		}[args[0]]
		if !strings.Contains(stdout, want) {
			t.Errorf("%s printed no %q:\n%s", command, want, stdout)
		}
	}
}

// faulty gives a codec that works for a while.
func faulty(name, fault, imports string) string {
	return `// wirecost:codec {"name":"` + name + `","format":"json","default":true,"library":"mine","operations":["encode","decode"],"traits":["dom"]}

package codecs

import (
	"time"
` + imports + `
)

func init() {
	var decoded int
	var first time.Time
	All["` + name + `"] = Codec{func(b []byte) (any, error) {
		if decoded++; decoded == 1 {
			first = time.Now()
		}
		if decoded > 1500 || time.Since(first) > 200*time.Millisecond {
			` + fault + `
		}
		return Decode(b)
	}, func(v any) ([]byte, error) { return Append(nil, v), nil }}
}
`
}

// TestAFaultyRunnerCostsItsOwnCases has codecs that end, hang and write rubbish in
// the middle of a run, in one process with two that are right.
func TestAFaultyRunnerCostsItsOwnCases(t *testing.T) {
	ownRunners(t, map[string]string{
		"my-runners/tiny/codecs/dies.go.tmpl":     faulty("dies", "os.Exit(7)", `"os"`),
		"my-runners/tiny/codecs/hangs.go.tmpl":    faulty("hangs", "time.Sleep(time.Hour)", ""),
		"my-runners/tiny/codecs/chatters.go.tmpl": faulty("chatters", `fmt.Println("still here")`, `"fmt"`),
	})
	code, stdout, stderr := wirecost(t, "run", "--runtime", "tiny", "--max-forks", "4", "--max-time", "3s", "-o", "result.jsonl", "orders.ndjson")
	if code != 4 {
		t.Errorf("exit code %d; want 4\n%s", code, stderr)
	}
	outcomes := decodeOutcomes(t, "result.jsonl")
	for codec, want := range map[string]string{
		"mine": "measured ", "mine-reuse": "measured ",
		"dies": "exit status 7", "hangs": "did not answer measure in time", "chatters": "still here",
	} {
		if got := outcomes[codec]; !strings.Contains(got, want) {
			t.Errorf("%s ended as %q; want %q", codec, got, want)
		}
	}
	if t.Failed() {
		t.Log(stdout, stderr)
	}
}

// decodeOutcomes tells for each codec how decode ended, and why.
func decodeOutcomes(t *testing.T, result string) map[string]string {
	t.Helper()
	_, text, _ := wirecost(t, "report", "--format", "csv", result)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]string{}
	at := func(row []string, column string) string { return row[slices.Index(rows[0], column)] }
	for _, row := range rows[1:] {
		if at(row, "operation") == "decode" {
			outcomes[at(row, "codec")] = at(row, "status") + " " + at(row, "reason")
		}
	}
	return outcomes
}

// change is a part of a file that a tutorial changes: its name, and the lines as
// in a diff.
var change = regexp.MustCompile("(?ms)^```diff\n--- ([^\n]+)\n(.*?)^```$")

// apply changes the files as a page says.
func apply(t *testing.T, page string) {
	t.Helper()
	for _, m := range change.FindAllStringSubmatch(page, -1) {
		var before, after strings.Builder
		for line := range strings.Lines(m[2]) {
			if line[0] != '+' {
				before.WriteString(line[1:])
			}
			if line[0] != '-' {
				after.WriteString(line[1:])
			}
		}
		b, err := os.ReadFile(m[1])
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(b), before.String()); n != 1 {
			t.Fatalf("%s has %d times what the page changes:\n%s", m[1], n, before.String())
		}
		writeFiles(t, map[string]string{m[1]: strings.Replace(string(b), before.String(), after.String(), 1)})
	}
}

// TestAddingATransport does what docs/adding-a-transport.md says.
func TestAddingATransport(t *testing.T) {
	page, files := tutorial(t, "adding-a-transport.md")
	ownRunners(t, files)
	apply(t, page)
	for _, command := range shown(page) {
		args, _ := words(command)
		if args[0] == "run" {
			args = append(args, "--max-forks", "4", "--max-time", "2s", "-o", "result.jsonl")
		}
		code, stdout, stderr := wirecost(t, args...)
		want := map[string]string{"runner": "ok       call: mine: http: post of order, identity", "run": "tiny/mine"}[args[0]]
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit code %d; want 0 and %q\n%s%s", command, code, want, stdout, stderr)
		}
	}
}

// TestAddingACodec does what docs/adding-a-codec.md says, on a copy.
func TestAddingACodec(t *testing.T) {
	if testing.Short() {
		t.Skip("builds codecs")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the page's commands are for a Unix shell")
	}
	page, files := tutorial(t, "adding-a-codec.md")
	orders, err := os.ReadFile("../../examples/orders.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("runners", runners.FS); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, files)
	writeFiles(t, map[string]string{"examples/orders.ndjson": string(orders)})
	script := between(t, page, "```sh\n", "```")
	pin := exec.Command("sh", "-e", "-c", strings.ReplaceAll(script, "/tmp/pin", t.TempDir()+"/pin"))
	if out, err := pin.CombinedOutput(); err != nil {
		testenv.Skip(t, "the module of the example cannot be had: "+string(out))
	}
	dir, err := filepath.Abs("runners")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("WIRECOST_RUNNERS", dir)
	for _, command := range shown(page) {
		args, _ := words(command)
		args = append(args, "--max-forks", "4", "--max-time", "2s", "-o", "result.jsonl")
		code, stdout, stderr := wirecost(t, args...)
		if code != 0 || !strings.Contains(stdout, "go/segmentio: github.com/segmentio/encoding v0.5.4") {
			t.Errorf("%s: exit code %d\n%s%s", command, code, stdout, stderr)
		}
	}
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, from)
	inside, _, ends := strings.Cut(rest, to)
	if !found || !ends {
		t.Fatalf("no %q … %q", from, to)
	}
	return inside
}
