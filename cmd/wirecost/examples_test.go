package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/testenv"
)

// TestShownCommandsRun runs every command that the README and the help show, in
// a folder that holds the files they name.
func TestShownCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds codecs")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := shown(string(readme))
	if len(commands) < 5 {
		t.Fatalf("the README shows only %q", commands)
	}
	for _, name := range []string{"run", "infer", "size", "report", "compare", "doctor", "setup", "runner", "runner check"} {
		_, help, _ := wirecost(t, append(strings.Fields(name), "--help")...)
		_, examples, found := strings.Cut(help, "Examples:\n")
		if !found {
			t.Errorf("%s --help shows no example", name)
		}
		examples, _, _ = strings.Cut(examples, "\n\n")
		commands = append(commands, shown(examples)...)
	}
	furnish(t)
	// Compilers do less than for a run that measures, and are done sooner.
	t.Setenv("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
	t.Setenv("CXXFLAGS", "-O0")
	seen := map[string]bool{}
	for _, command := range commands {
		if seen[command] {
			continue
		}
		seen[command] = true
		t.Run(command, func(t *testing.T) {
			args, file := words(command)
			if len(args) > 0 && args[0] == "setup" && os.Getenv(testenv.RequireVar) != "all" {
				t.Skip("brings libraries; where all is required they are there")
			}
			if slices.Contains(args, "--again") {
				// Not under the feet of other packages' tests, which run meanwhile.
				t.Setenv("WIRECOST_CACHE", t.TempDir())
			}
			if len(args) > 0 && args[0] == "run" {
				args = append(args, "--max-forks", "1", "--max-time", "2s")
			}
			code, stdout, stderr := wirecost(t, args...)
			if code != 0 {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			if file != "" {
				// Not over a file that other examples read.
				if err := os.WriteFile("made-"+file, []byte(stdout), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// shown finds commands: indented lines that begin with the program.
func shown(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		command, _, _ := strings.Cut(line, " #")
		command = strings.TrimSpace(command)
		command = strings.Replace(command, "go run ./cmd/wirecost", "wirecost", 1)
		if strings.HasPrefix(line, "  ") && (command == "wirecost" || strings.HasPrefix(command, "wirecost ")) {
			out = append(out, command)
		}
	}
	return out
}

var word = regexp.MustCompile(`'[^']*'|\S+`)

// words splits a command as a shell would, with the file that its output goes to.
func words(command string) (args []string, file string) {
	all := word.FindAllString(command, -1)[1:]
	for i, w := range all {
		if w == ">" {
			return args, all[i+1]
		}
		args = append(args, strings.Trim(w, "'"))
	}
	return args, ""
}

func wirecost(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	c := exec.Command("wirecost", args...) // TestMain has put it into PATH
	c.Stdout, c.Stderr = &out, &err
	var ended *exec.ExitError
	if e := c.Run(); e != nil && !errors.As(e, &ended) {
		t.Fatal(e)
	}
	return c.ProcessState.ExitCode(), out.String(), err.String()
}

// furnish makes a folder with the files that examples name, and goes there.
func furnish(t *testing.T) {
	t.Helper()
	orders, err := os.ReadFile("../../examples/orders.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("orders.ndjson", orders)
	write("examples/orders.ndjson", orders)
	write("events.ndjson", []byte(`{"payload":"{\"a\":1}"}`+"\n"))
	write("protos/README", nil)
	_, proto, _ := wirecost(t, "infer", "--quiet", "orders.ndjson")
	write("order.proto", []byte(strings.NewReplacer("package wirecost.inferred", "package shop", "message Orders", "message Order").Replace(proto)))
	code, _, stderr := wirecost(t, "run", "--quiet", "--max-forks", "4", "--max-time", "2s", "-o", "result.jsonl", "orders.ndjson")
	result, err := os.ReadFile("result.jsonl")
	if code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	for _, name := range []string{"old.jsonl", "main.jsonl", "branch.jsonl", "main-1.jsonl", "main-2.jsonl", "branch-1.jsonl", "branch/1.jsonl"} {
		write(name, result)
	}
}
