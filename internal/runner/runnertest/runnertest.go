// Package runnertest gives tests the runners that are shipped, where their
// runtimes are ready: internal/testenv, which knows nothing of ours, says what
// becomes of a test otherwise.
package runnertest

import (
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
	cache, err := runner.DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	builder := &runner.Builder{Cache: cache, Version: "test"}
	for _, r := range all {
		if r.Runtime != name {
			continue
		}
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
