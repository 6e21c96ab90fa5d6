// Package testenv tells tests what surrounds them: whether the corpora are
// here, and whether a test may be skipped at all. It imports nothing of ours, so
// what tells whether a runtime is ready is in internal/runner/runnertest.
package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// RequireVar is the environment variable that turns skips into failures when
// it is set to "all", so that a complete machine proves that nothing was left out.
const RequireVar = "WIRECOST_REQUIRE"

// Skip ends the test: as skipped, or as failed under WIRECOST_REQUIRE=all.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(RequireVar) == "all" {
		t.Fatalf("%s=all, but: %s", RequireVar, reason)
	}
	t.Skip(reason)
}

// Corpora gives the absolute path of a file or folder under the corpora folder
// beside the project (../shared/corpora), and ends the test through Skip where
// that is not there. Without rel it is the corpora folder itself.
func Corpora(t testing.TB, rel ...string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(append([]string{root, "..", "shared", "corpora"}, rel...)...)
	if _, err := os.Stat(path); err != nil {
		Skip(t, "needs ../shared/corpora/"+filepath.ToSlash(filepath.Join(rel...))+": not here")
	}
	return path
}

// moduleRoot walks up from the working directory, which is the tested
// package's folder, to the folder that holds go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", os.ErrNotExist
		}
		dir = parent
	}
}
