package arch

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// layers are the packages from the top down. A package imports those of its
// own layer (Go sees to it that there are no rings) and of those below. "x/..." means
// x and all below it. A new package belongs into one of them.
var layers = [][]string{
	{"cmd/...", "bench/..."},
	{"internal/cli"},
	{"internal/web", "internal/study"},
	{"internal/sched"},
	{
		"internal/bundle", "internal/page", "internal/plan", "internal/runner/...", "internal/transport", "internal/report", "internal/verdict", "internal/size",
		"internal/analyse", "internal/compare", "internal/store", "internal/schema/...", "internal/sample",
	},
	{"internal/stats/...", "internal/env", "internal/strictjson"},
	{"internal/bench", "runners", "internal/testenv", "internal/arch"},
}

// forTests are packages that only tests use.
var forTests = []string{"internal/testenv", "internal/runner/runnertest"}

// alone are packages that import nothing of ours.
var alone = []string{"internal/bench", "internal/stats", "runners", "internal/testenv"}

// apart are packages that must not see others, not even through third ones.
var apart = map[string][]string{
	"internal/report": {"internal/runner", "internal/sched", "internal/transport"},
	"internal/schema": {"internal/runner", "internal/store", "internal/report"},
	"internal/sample": {"internal/runner", "internal/store", "internal/report"},
}

// layer gives the index of a package's layer, or -1.
func layer(pkg string) int {
	return slices.IndexFunc(layers, func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, pkg) })
	})
}

func matches(pattern, pkg string) bool {
	tree, below := strings.CutSuffix(pattern, "/...")
	return pkg == tree || below && strings.HasPrefix(pkg, tree+"/")
}

// graph gives what each package imports of ours, tests left out.
func graph(t *testing.T) map[string][]string {
	_, files := sources(t)
	out := make(map[string][]string)
	for _, s := range files {
		if s.test {
			continue
		}
		if _, known := out[s.pkg]; !known {
			out[s.pkg] = nil
		}
		for _, i := range s.imports {
			if ours, yes := strings.CutPrefix(i, module+"/"); yes && !slices.Contains(out[s.pkg], ours) {
				out[s.pkg] = append(out[s.pkg], ours)
			}
		}
	}
	return out
}

func TestImportsPointDown(t *testing.T) {
	for pkg, imports := range graph(t) {
		from := layer(pkg)
		if from < 0 {
			t.Errorf("package %s belongs to no layer: add it to layers in this test", pkg)
			continue
		}
		if slices.Contains(alone, pkg) && len(imports) > 0 {
			t.Errorf("package %s imports %v, and should import nothing of ours", pkg, imports)
		}
		for _, i := range imports {
			if layer(i) >= 0 && layer(i) < from {
				t.Errorf("package %s imports %s, which lies above it", pkg, i)
			}
			if slices.Contains(forTests, i) && !slices.Contains(forTests, pkg) {
				t.Errorf("package %s imports %s, which is for tests", pkg, i)
			}
		}
	}
}

func TestPackagesStayApart(t *testing.T) {
	imports := graph(t)
	for pkg, banned := range apart {
		seen := reach(imports, pkg)
		for _, b := range banned {
			if way, found := seen[b]; found {
				t.Errorf("package %s reaches %s: %s", pkg, b, way)
			}
		}
	}
}

// reach gives every package that one imports, also through others, with the way.
func reach(imports map[string][]string, from string) map[string]string {
	seen := map[string]string{from: from}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		for _, i := range imports[next[0]] {
			if _, known := seen[i]; !known {
				seen[i] = seen[next[0]] + " → " + i
				next = append(next, i)
			}
		}
	}
	delete(seen, from)
	return seen
}

// TestReach holds the two helpers on a graph that breaks the rules.
func TestReach(t *testing.T) {
	seen := reach(map[string][]string{"a": {"b"}, "b": {"c", "a"}, "d": {"a"}}, "a")
	want := map[string]string{"b": "a → b", "c": "a → b → c"}
	if !maps.Equal(seen, want) {
		t.Errorf("reached %v, want %v", seen, want)
	}
	for pkg, want := range map[string]int{"cmd/x/y": 0, "internal/runner/check": 4, "internal/runners": -1, "internal/bench": 6} {
		if got := layer(pkg); got != want {
			t.Errorf("layer of %s: %d, want %d", pkg, got, want)
		}
	}
}

// TestMainIsShort: the program's main file only calls the command line.
func TestMainIsShort(t *testing.T) {
	if lines := strings.Count(text(t, "cmd/wirecost/main.go"), "\n"); lines > 30 {
		t.Errorf("cmd/wirecost/main.go has %d lines, want at most 30", lines)
	}
}

// TestDesignNamesEveryPackage: the map for new contributors is complete.
func TestDesignNamesEveryPackage(t *testing.T) {
	design := text(t, "docs/design.md")
	for pkg := range graph(t) {
		if strings.HasPrefix(pkg, "internal/") && !strings.Contains(design, "`"+pkg+"`") {
			t.Errorf("docs/design.md does not name %s in its table of packages", pkg)
		}
	}
}
