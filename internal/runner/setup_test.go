package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

// installer plays an ecosystem's client, and the check of what it installed. It
// runs in {home} and logs that it ran.
func installer(log *os.File) int {
	fmt.Fprintln(log, strings.Join(os.Args[1:], " "))
	switch os.Args[1] {
	case "install":
		lock, err := os.ReadFile("lock.txt")
		if err != nil || os.Getenv("OFFLINE") != "" {
			fmt.Println("Collecting libraries")
			fmt.Fprintln(os.Stderr, "no route to the registry")
			return 3
		}
		_ = os.Mkdir("lib", 0o755)
		if os.WriteFile("lib/code", lock, 0o644) != nil || os.WriteFile("lib/data", []byte("data"), 0o644) != nil {
			return 9
		}
		_ = os.Symlink("lib", "current")
	case "hang": // with a child that would go on by itself
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), modeVariable+"=sleep")
		if c.Start() != nil || os.WriteFile(os.Getenv("CHILD_LOG"), []byte(strconv.Itoa(c.Process.Pid)), 0o644) != nil {
			return 9
		}
		_ = c.Wait()
	case "check":
		b, err := os.ReadFile("lib/code")
		if err != nil || strings.Contains(string(b), "rotten") {
			fmt.Fprintln(os.Stderr, "cannot import code")
			return 1
		}
		fmt.Println("library " + string(b) + "\nmore")
	}
	return 0
}

// furnished is a workshop whose runner has a set-up.
func furnished(t *testing.T) (*workshop, *Runner) {
	t.Helper()
	w := newWorkshop(t, map[string]string{"a": "fine", "b": "fine"})
	w.files["setup/lock.txt.tmpl"] = &fstest.MapFile{Data: []byte("{{1.0}}")}
	w.files["setup/sub/more"] = &fstest.MapFile{Data: []byte("more")}
	return w, w.furnish()
}

func (w *workshop) furnish() *Runner {
	r, exe := w.runner(), self(w.t)
	r.Setup = [][]string{{exe, "install", "{home}/x"}}
	r.Checks = [][]string{{exe, "check"}}
	r.Run = []string{"./out", "{home}/lib"}
	r.Environment["CHILD_LOG"] = filepath.Join(w.builder.Cache, "..", "child")
	return r
}

func (w *workshop) setup(r *Runner, again bool) (Home, bool) {
	w.t.Helper()
	home, cached, err := w.builder.Setup(context.Background(), r, SetupRequest{Again: again, Progress: w.hear})
	if err != nil {
		w.t.Fatal(err)
	}
	return home, cached
}

func (w *workshop) problem(r *Runner) string {
	w.t.Helper()
	s, err := w.builder.Examine(context.Background(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return s.Problem()
}

func TestSetup(t *testing.T) {
	w, r := furnished(t)
	if got := w.problem(r); got != "toy is not set up; run: wirecost setup toy" {
		t.Errorf("before: %q", got)
	}
	if _, err := w.builder.Build(context.Background(), r, w.request(r)); err == nil || err.Error() != "toy is not set up; run: wirecost setup toy" {
		t.Errorf("a build before: %v", err)
	}
	home, cached := w.setup(r, false)
	if cached || home.Problem != "" || home.Versions != "library {{1.0}}" || !slices.Contains(w.said, "setting up toy, 1 of 1: "+self(t)+" install x") {
		t.Errorf("%+v, %v; said %q", home, cached, w.said)
	}
	if got := read(t, home.Dir, "sub/more"); got != "more" { // lock.txt was read by the installer
		t.Errorf("sub/more is %q", got)
	}
	if got, want := w.ran(), []string{"install " + home.Dir + "/x", "check"}; !reflect.DeepEqual(got, want) {
		t.Errorf("ran %q; want %q", got, want)
	}
	t.Setenv("OFFLINE", "1") // from here on nothing may be brought
	again, cached := w.setup(r, false)
	if !cached || again != home || !reflect.DeepEqual(w.ran(), []string{"check"}) {
		t.Errorf("again: %+v, %v", again, cached)
	}
	b, err := w.builder.Build(context.Background(), r, w.request(r))
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Command().Words; got[1] != home.Dir+"/lib" {
		t.Errorf("runs as %q", got)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, setupFolder)); err == nil {
		t.Error("the folder setup is in the build")
	}
	w.ran()
	if again, err := w.builder.Build(context.Background(), r, w.request(r)); err != nil || !again.Cached || again.Command().Words[1] != home.Dir+"/lib" {
		t.Errorf("from the cache: %+v, %v", again, err)
	}
}

func TestSetupIdentity(t *testing.T) {
	w, r := furnished(t)
	dir := func(r *Runner) string {
		t.Helper()
		s, err := w.builder.Look(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		return s.Home.Dir
	}
	first := dir(r)
	w.files["main.src.tmpl"] = &fstest.MapFile{Data: []byte("other")}
	if dir(w.furnish()) != first {
		t.Error("another template needs another home")
	}
	for what, change := range map[string]func(r *Runner){
		"command":      func(r *Runner) { r.Setup[0] = append(r.Setup[0], "-v") },
		"split":        func(r *Runner) { r.Setup[0] = []string{r.Setup[0][0], "in", "stall"} },
		"environment":  func(r *Runner) { r.Environment["X"] = "{home}" },
		"file":         func(*Runner) { w.files["setup/sub/more"] = &fstest.MapFile{Data: []byte("less")} },
		"tool version": func(*Runner) { t.Setenv("TOOL_SETTING", "other") },
	} {
		r := w.furnish()
		before := dir(r)
		change(r)
		if dir(r) == before {
			t.Errorf("another %s has the same home", what)
		}
	}
}

func TestSetupIsMendedWhereItIsBroken(t *testing.T) {
	for _, x := range []struct {
		name  string
		spoil func(dir string)
		want  string // the problem; "%[1]s" is the home
		seen  bool   // without running the checks
	}{
		{"interrupted", func(dir string) { os.Remove(filepath.Join(dir, homeMarkerFile)) }, "the set-up of toy is not complete; run: wirecost setup toy", true},
		{"file gone", func(dir string) { os.Remove(filepath.Join(dir, "lib/data")) }, "the set-up of toy is broken (lib/data is gone); run: wirecost setup toy", true},
		{"cut short", func(dir string) { os.Truncate(filepath.Join(dir, "lib/data"), 1) }, "the set-up of toy is broken (lib/data has been cut short); run: wirecost setup toy", true},
		{"link gone", func(dir string) { os.Remove(filepath.Join(dir, "current")) }, "the set-up of toy is broken (current is gone); run: wirecost setup toy", true},
		{"marker cut", func(dir string) { os.Truncate(filepath.Join(dir, homeMarkerFile), 9) }, "the set-up of toy is broken (the list of its files cannot be read); run: wirecost setup toy", true},
		{"does not work", func(dir string) { os.WriteFile(filepath.Join(dir, "lib/code"), []byte("rotten to the core"), 0o644) }, "the set-up of toy is broken (its check with " + self(t) + " fails (exit status 1: cannot import code)); run: wirecost setup toy", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			w, r := furnished(t)
			home, _ := w.setup(r, false)
			x.spoil(home.Dir)
			if got := w.problem(r); got != x.want {
				t.Errorf("have %q; want %q", got, x.want)
			}
			_, err := w.builder.Build(context.Background(), r, w.request(r))
			if x.seen && (err == nil || err.Error() != x.want) {
				t.Errorf("a build: %v", err)
			}
			w.ran()
			again, cached := w.setup(r, false)
			if cached || again != home || w.problem(r) != "" {
				t.Errorf("mended: %+v, %v", again, cached)
			}
			if why, _, _ := strings.Cut(x.want, "; run:"); !slices.Contains(w.said, why+"; doing it again") {
				t.Errorf("said %q", w.said)
			}
		})
	}
}

func TestSetupThatGrewIsWhole(t *testing.T) {
	w, r := furnished(t)
	home, _ := w.setup(r, false)
	for _, name := range []string{"lib/data", "lib/new"} { // as caches do
		if err := os.WriteFile(filepath.Join(home.Dir, name), []byte("longer than before"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, cached := w.setup(r, false); !cached {
		t.Error("was done again")
	}
}

func TestSetupFails(t *testing.T) {
	w, r := furnished(t)
	r.Setup = append(r.Setup, r.Setup[0])
	t.Setenv("OFFLINE", "1")
	_, _, err := w.builder.Setup(context.Background(), r, SetupRequest{})
	want := "setting up toy: " + self(t) + " install x: exit status 3; its output ends with:\nCollecting libraries\nno route to the registry"
	if err == nil || err.Error() != want {
		t.Errorf("have %v; want %q", err, want)
	}
	if left, _ := os.ReadDir(filepath.Join(w.builder.Cache, homesFolder)); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
	t.Setenv("OFFLINE", "")
	home, _ := w.setup(r, false)
	t.Setenv("OFFLINE", "1")
	if _, _, err = w.builder.Setup(context.Background(), r, SetupRequest{Again: true}); err == nil {
		t.Error("without a registry: no error")
	}
	if again, cached := w.setup(r, false); !cached || again != home {
		t.Errorf("what was there is gone: %+v", again)
	}
	t.Setenv("OFFLINE", "")
	if _, cached := w.setup(r, true); cached {
		t.Error("asked to do it again, it did not")
	}

	w.files["setup/lock.txt.tmpl"] = &fstest.MapFile{Data: []byte("rotten")}
	if _, _, err := w.builder.Setup(context.Background(), w.furnish(), SetupRequest{}); err == nil || !strings.HasPrefix(err.Error(), "setting up toy came to its end, but its check with ") {
		t.Errorf("have %v", err)
	}
	r.Needs = append(r.Needs, Need{Program: "no-such-program", Get: "apt-get install it"})
	if _, _, err := w.builder.Setup(context.Background(), r, SetupRequest{}); err == nil || err.Error() != "no-such-program is not installed; get it: apt-get install it" {
		t.Errorf("have %v", err)
	}
	if home, cached, err := w.builder.Setup(context.Background(), w.runner(), SetupRequest{}); err != nil || !cached || home != (Home{}) {
		t.Errorf("without a set-up: %+v, %v, %v", home, cached, err)
	}
}

func TestSetupInterrupted(t *testing.T) {
	w, r := furnished(t)
	r.Setup = append(r.Setup, []string{self(t), "hang"})
	ctx, cancel := context.WithCancel(context.Background())
	child := r.Environment["CHILD_LOG"]
	go func() {
		for range 400 {
			if b, err := os.ReadFile(child); err == nil && len(b) > 0 {
				break
			}
			time.Sleep(25 * time.Millisecond)
		}
		cancel()
	}()
	if _, _, err := w.builder.Setup(ctx, r, SetupRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
	pid, err := strconv.Atoi(read(t, filepath.Dir(child), filepath.Base(child)))
	if err != nil {
		t.Fatal(err)
	}
	gone(t, pid)
	if left, _ := os.ReadDir(filepath.Join(w.builder.Cache, homesFolder)); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
}

func TestSetupAtTheSameTime(t *testing.T) {
	w, r := furnished(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if home, _, err := w.builder.Setup(context.Background(), r, SetupRequest{}); err != nil || home.Problem != "" {
				t.Errorf("%+v, %v", home, err)
			}
		})
	}
	wait.Wait()
	var installs int
	for _, command := range w.ran() {
		if strings.HasPrefix(command, "install ") {
			installs++
		}
	}
	if installs != 1 {
		t.Errorf("installed %d times", installs)
	}
}

func TestNeedOfOneCodec(t *testing.T) {
	w := newWorkshop(t, map[string]string{"a": "fine", "b": "fine"})
	r := w.runner()
	r.Needs = append(r.Needs, Need{Program: self(t), Version: []string{"fails"}, Get: "apt-get install it", Codecs: []string{"b"}})
	s, err := w.builder.Look(context.Background(), r)
	if err != nil || s.Problem() != "" || len(s.Lacking()) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	if got, want := s.Needs[1].Label, self(t)+" fails"; got != want {
		t.Errorf("label %q; want %q", got, want)
	}
	for _, cached := range []bool{false, true} {
		b, err := w.builder.Build(context.Background(), r, w.request(r))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(b.Codecs, []string{"a"}) || len(b.Dropped) != 1 || b.Dropped[0].Codec != "b" ||
			b.Dropped[0].Reason != self(t)+" fails fails (exit status 7: no library here); get it: apt-get install it" || b.Cached != cached {
			t.Errorf("%+v", b)
		}
	}
	req := w.request(r)
	req.Codecs = []string{"b"}
	if _, err := w.builder.Build(context.Background(), r, req); err == nil || !strings.HasPrefix(err.Error(), "no codec for toy can be built: b: ") {
		t.Errorf("have %v", err)
	}
}

// TestNeedOfTheSetUp: what only that needs may go afterwards, and a new version of
// what only runs need leaves the home as it is.
func TestNeedOfTheSetUp(t *testing.T) {
	w, _ := furnished(t)
	furnish := func(present bool) *Runner {
		r := w.furnish()
		r.Needs[0].For = forRun
		client := Need{Program: "no-such-program", Get: "get it", For: forSetup}
		if present {
			client.Program = self(t)
		}
		r.Needs = append(r.Needs, client)
		return r
	}
	const missing = "no-such-program is not installed; get it: get it"
	if got := w.problem(furnish(false)); got != missing {
		t.Errorf("before: %q", got)
	}
	if _, _, err := w.builder.Setup(context.Background(), furnish(false), SetupRequest{Progress: w.hear}); err == nil || err.Error() != missing {
		t.Errorf("set up without it: %v", err)
	}
	home, _ := w.setup(furnish(true), false)
	t.Setenv("TOOL_SETTING", "other")
	r := furnish(false)
	if got := w.problem(r); got != "" {
		t.Errorf("after: %q", got)
	}
	b, err := w.builder.Build(context.Background(), r, w.request(r))
	if err != nil || b.Command().Words[1] != home.Dir+"/lib" {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestPruneHomes(t *testing.T) {
	b := &Builder{Cache: t.TempDir()}
	r := &Runner{Manifest: Manifest{Runtime: "toy"}}
	for name, age := range map[string]time.Duration{
		"toy-made": 100 * time.Hour, "toy-1": time.Minute, "toy-2": 2 * time.Hour, "toy-3": 3 * time.Hour, "toy-4.old": 4 * time.Hour, "toyish-1": 2000 * time.Hour,
	} {
		dir := filepath.Join(b.Cache, homesFolder, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(-age)
		os.Chtimes(dir, used, used)
	}
	b.pruneHomes(r, filepath.Join(b.Cache, homesFolder, "toy-made"))
	var left []string
	for _, e := range b.entries(homesFolder) {
		left = append(left, filepath.Base(e.path))
	}
	if want := []string{"toy-1", "toy-2", "toy-3", "toy-made", "toyish-1"}; !reflect.DeepEqual(left, want) {
		t.Errorf("left %q; want %q", left, want)
	}
}
