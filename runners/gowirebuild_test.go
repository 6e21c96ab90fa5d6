package runners_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// wireLibraries are what only transports need.
var wireLibraries = map[bench.Transport][]string{
	bench.HTTP:  {"net/http", "github.com/andybalholm/brotli", "github.com/klauspost/compress/zstd"},
	bench.Redis: {"github.com/redis/go-redis/v9"},
}

// TestGoCompilesTransportsAskedFor looks at what is compiled for a run, and what is
// compiled beforehand: the libraries of the transports that were asked for, and
// of no others.
func TestGoCompilesTransportsAskedFor(t *testing.T) {
	t.Parallel()
	r := goRunner(t)
	builder := &runner.Builder{Cache: t.TempDir(), Version: "test"}
	for _, transports := range [][]bench.Transport{nil, {bench.HTTP}, {bench.HTTP, bench.Redis}} {
		b := buildGo(t, builder, r, goSchemas[2], []string{"encoding-json"}, transports...)
		if err := goCommand(b.Build, "run", "./generate", "libraries").Run(); err != nil {
			t.Fatal(err)
		}
		early, err := os.ReadFile(filepath.Join(b.Dir, "libraries", "libraries.go"))
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := goCommand(b.Build, "list", "-deps", ".").Output()
		if err != nil {
			t.Fatal(err)
		}
		for transport, libraries := range wireLibraries {
			want := slices.Contains(transports, transport)
			for _, library := range libraries {
				if strings.Contains("\n"+string(compiled), "\n"+library+"\n") != want || strings.Contains(string(early), `_ "`+library+`"`) != want {
					t.Errorf("transports %v: %s: want it: %v; compiled\n%s\nbeforehand\n%s", transports, library, want, compiled, early)
				}
			}
		}
		d := describe(t, start(t, b.Build), b.Build)
		if !slices.Equal(d.Calls, transports) {
			t.Errorf("transports %v: calls %v", transports, d.Calls)
		}
	}
}

// goCommand runs go in a build's folder.
func goCommand(b *runner.Build, words ...string) *exec.Cmd {
	c := exec.Command("go", words...)
	c.Dir, c.Env, c.Stderr = b.Dir, os.Environ(), os.Stderr
	for k, v := range b.Command().Environment {
		c.Env = append(c.Env, k+"="+v)
	}
	return c
}
