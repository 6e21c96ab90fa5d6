// Package runnertest gives tests the runners that are shipped, where their
// runtimes are ready: internal/testenv, which knows nothing of ours, says what
// becomes of a test otherwise.
package runnertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"wirecost/internal/runner"
	"wirecost/internal/testenv"
	"wirecost/runners"
)

// Runtime gives a runtime's runner, and a builder on the user's cache, where its
// home is. It ends the test through testenv.Skip where a program is missing that
// the runtime or one of its codecs needs, and where "wirecost setup" has not been
// run for it.
func Runtime(t testing.TB, name string) (*runner.Runner, *runner.Builder) {
	t.Helper()
	all, err := runner.Load(runners.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Runtime != name {
			continue
		}
		builder := Builder(t, r)
		status, err := builder.Look(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if why := status.Problem(); why != "" {
			testenv.Skip(t, why)
		}
		for _, d := range status.Lacking() {
			testenv.Skip(t, d.Codec+": "+d.Reason)
		}
		return r, builder
	}
	t.Fatalf("there is no runner for %s", name)
	return nil, nil
}

// Builder gives a builder on the user's cache, with wirecost's own program where
// one of the runners uses it.
func Builder(t testing.TB, all ...*runner.Runner) *runner.Builder {
	t.Helper()
	cache, err := runner.DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	b := &runner.Builder{Cache: cache, Version: "test"}
	for _, r := range all {
		if !r.UsesProgram() {
			continue
		}
		if b.Program, err = program(); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// program builds wirecost itself, once, into the cache, where another test may
// be using the one before.
var program = sync.OnceValues(func() (string, error) {
	cache, err := runner.DefaultCache()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "test")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(dir, "program.tmp-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	const name = "wirecost"
	made, kept := filepath.Join(scratch, name), filepath.Join(dir, name)
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", made, "wirecost/cmd/wirecost").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("wirecost does not build: %w\n%s", err, out)
	}
	return kept, os.Rename(made, kept)
})
