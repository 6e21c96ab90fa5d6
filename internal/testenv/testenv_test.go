package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

func TestModuleRootHoldsThisModule(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "internal", "testenv", "testenv.go")); err != nil {
		t.Errorf("module root %s does not hold this package: %v", root, err)
	}
}

// ender records how Skip ended a test.
type ender struct {
	testing.TB
	skipped, failed bool
}

func (e *ender) Helper()               {}
func (e *ender) Skip(...any)           { e.skipped = true }
func (e *ender) Fatalf(string, ...any) { e.failed = true; panic(e) } // as a real Fatalf, it does not return

func TestSkip(t *testing.T) {
	for _, c := range []struct {
		require string
		failed  bool
	}{{"", false}, {"some", false}, {"all", true}} {
		t.Setenv(RequireVar, c.require)
		e := &ender{}
		func() {
			defer func() { _ = recover() }()
			Skip(e, "why")
		}()
		if e.failed != c.failed || e.skipped == c.failed {
			t.Errorf("%s=%q: skipped %v, failed %v", RequireVar, c.require, e.skipped, e.failed)
		}
	}
}

func TestCorporaIsAbsolute(t *testing.T) {
	path := Corpora(t, "har")
	if !filepath.IsAbs(path) {
		t.Errorf("Corpora gave %q, want an absolute path", path)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		t.Errorf("%s is no folder: %v", path, err)
	}
}
