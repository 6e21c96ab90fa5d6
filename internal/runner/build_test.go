package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"wirecost/internal/schema"
)

// workshop is a runner whose compiler is the test binary (compile).
type workshop struct {
	t       *testing.T
	files   fstest.MapFS
	builder *Builder
	log     string
	said    []string
}

func newWorkshop(t *testing.T, codecs map[string]string) *workshop {
	t.Helper()
	dir := t.TempDir()
	w := &workshop{t: t, files: fstest.MapFS{}, builder: &Builder{Cache: filepath.Join(dir, "cache"), Version: "1"}, log: filepath.Join(dir, "log")}
	for name, source := range codecs {
		w.files["codecs/"+name+".src.tmpl"] = &fstest.MapFile{Data: []byte("{{/* */}}" + source)}
	}
	w.files["main.src.tmpl"] = &fstest.MapFile{Data: []byte("{{range .Codecs}}{{.Name}} {{end}}")}
	return w
}

func (w *workshop) runner() *Runner {
	exe := self(w.t)
	r := &Runner{
		Manifest: Manifest{
			Runtime:     "toy",
			Needs:       []Need{{Program: exe, Version: []string{"version"}, Minimum: "1.5", Get: "wait"}},
			Environment: map[string]string{modeVariable: "compile", "COMPILE_LOG": w.log, "TOOLS": "{tools}"},
			Warm:        [][]string{{exe, "warm", "{codecs}"}},
			Generate:    [][]string{{exe, "generate", "{codecs}"}},
			Build:       [][]string{{exe, "build", "{codecs}"}},
			Run:         []string{"./out"},
		},
		FS: w.files,
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		if _, ok := w.files["codecs/"+name+".src.tmpl"]; ok {
			r.Codecs = append(r.Codecs, Codec{Name: name, Default: name < "c", File: "codecs/" + name + ".src.tmpl", Owns: []string{"gen/" + name + "_*.src"}, Library: "example.test/" + name})
		}
	}
	var err error
	if r.Digest, err = digestFS(w.files); err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *workshop) request(r *Runner) BuildRequest {
	return BuildRequest{
		Model:    &schema.Model{Messages: []*schema.Message{{ID: "Root_"}}},
		Sets:     map[string][]byte{"set.binpb": []byte("set"), "sub/model.json": []byte("{}")},
		Codecs:   names(r.Codecs),
		Progress: w.hear,
	}
}

func (w *workshop) hear(s string) { w.said = append(w.said, s) }

func (w *workshop) build() (*Build, error) {
	r := w.runner()
	return w.builder.Build(context.Background(), r, w.request(r))
}

func (w *workshop) mustBuild() *Build {
	w.t.Helper()
	b, err := w.build()
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// ran gives the commands that ran since it was last asked.
func (w *workshop) ran() []string {
	b, _ := os.ReadFile(w.log)
	os.Remove(w.log)
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func TestBuildAndCache(t *testing.T) {
	w := newWorkshop(t, map[string]string{"a": "fine", "b": "fine\nWARN a habit"})
	b := w.mustBuild()
	if b.Cached || b.Dropped != nil || !reflect.DeepEqual(b.Codecs, []string{"a", "b"}) {
		t.Errorf("first build: %+v", b)
	}
	if got, want := w.ran(), []string{"warm a,b", "generate a,b", "build a,b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("ran %q; want %q", got, want)
	}
	for name, want := range map[string]string{"main.src": "a b ", "set.binpb": "set", "sub/model.json": "{}"} {
		if got := read(t, b.Dir, name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if again := w.mustBuild(); !again.Cached || again.Dir != b.Dir || !reflect.DeepEqual(again.Codecs, b.Codecs) || w.ran()[0] != "" {
		t.Errorf("second build: %+v", again)
	}

	// Each of these leaves a build that must not be used.
	for name, spoil := range map[string]func(){
		"no marker":    func() { os.Remove(filepath.Join(b.Dir, markerFile)) },
		"no program":   func() { os.Remove(filepath.Join(b.Dir, "out")) },
		"cut short":    func() { os.Truncate(filepath.Join(b.Dir, "out"), 1) },
		"marker cut":   func() { os.Truncate(filepath.Join(b.Dir, markerFile), 5) },
		"left behind":  func() { os.Rename(b.Dir, b.Dir+".tmp") },
		"a file there": func() { os.RemoveAll(b.Dir); os.WriteFile(b.Dir, nil, 0o644) },
	} {
		spoil()
		if again := w.mustBuild(); again.Cached || !again.reuse() {
			t.Errorf("%s: was used, or not made whole", name)
		}
		if got := w.ran(); len(got) != 2 { // not warmed again
			t.Errorf("%s: ran %q", name, got)
		}
	}
	w.builder.Version = "2"
	if w.mustBuild().Dir == b.Dir {
		t.Error("a new version used the old build")
	}
	w.builder.Version = "1"
	t.Setenv("TOOL_SETTING", "other")
	if w.mustBuild().Dir == b.Dir {
		t.Error("another setting of a tool used the old build")
	}
	w.files["other.txt"] = &fstest.MapFile{Data: []byte("x")}
	t.Setenv("TOOL_SETTING", "")
	if w.mustBuild().Dir == b.Dir {
		t.Error("a new runner used the old build")
	}
}

func TestBuildDrops(t *testing.T) {
	for _, x := range []struct {
		name    string
		codecs  map[string]string
		dropped []Dropped
		builds  int // commands that ran, warming included
		guessed bool
	}{
		{"own source", map[string]string{"a": "fine", "b": "fine\nERROR no such thing\nERROR and more"},
			[]Dropped{{"b", "codecs/b.src:2:1: no such thing"}}, 4, false},
		{"absolute path, on standard output", map[string]string{"a": "ABSOLUTE no", "b": "fine"},
			[]Dropped{{"a", "codecs/a.src(1): no"}}, 4, false},
		{"generated code", map[string]string{"a": "fine", "b": "GENERATE b_x"},
			[]Dropped{{"b", "gen/b_x.src:1:1: generated code is broken"}}, 5, false},
		{"announced", map[string]string{"a": "DROP a cannot do groups\nDROP z not here", "b": "fine"},
			[]Dropped{{"a", "cannot do groups"}}, 4, false},
		{"several", map[string]string{"a": "ERROR x", "b": "fine", "c": "ERROR y", "d": "DROP d z"},
			[]Dropped{{"d", "z"}, {"a", "codecs/a.src:1:1: x"}, {"c", "codecs/c.src:1:1: y"}}, 0, false},
		{"a template that breaks", map[string]string{"a": "fine", "b": "{{.Nothing}}"},
			[]Dropped{{"b", `runner toy: template: codecs/b.src.tmpl:1:11: executing "codecs/b.src.tmpl" at <.Nothing>: can't evaluate field Nothing in type runner.Data`}}, 0, false},
		{"no codec named", map[string]string{"a": "fine", "d": "SILENT undefined symbol"},
			[]Dropped{{"d", "linker: undefined symbol"}}, 0, true},
		{"a library named", map[string]string{"a": "SILENT example.test/a/internal: undefined", "d": "fine"},
			[]Dropped{{"a", "linker: example.test/a/internal: undefined"}}, 0, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t, x.codecs)
			b := w.mustBuild()
			if !reflect.DeepEqual(b.Dropped, x.dropped) {
				t.Errorf("dropped %+v\nwant    %+v", b.Dropped, x.dropped)
			}
			if len(b.Codecs)+len(b.Dropped) != len(x.codecs) {
				t.Errorf("built %v", b.Codecs)
			}
			if ran := w.ran(); x.builds > 0 && len(ran) != x.builds {
				t.Errorf("ran %q", ran)
			}
			again := w.mustBuild()
			if again.Cached == x.guessed || !reflect.DeepEqual(again.Dropped, x.dropped) {
				t.Errorf("again: %+v", again)
			}
			if !strings.Contains(strings.Join(w.said, "\n"), "without "+x.dropped[0].Codec) {
				t.Errorf("said %q", w.said)
			}
		})
	}
}

func TestBuildFails(t *testing.T) {
	for _, x := range []struct {
		codecs map[string]string
		want   string
	}{
		{map[string]string{"a": "ERROR x", "b": "ERROR y"}, "no codec for toy can be built: a: codecs/a.src:1:1: x; b: codecs/b.src:1:1: y"},
		{map[string]string{"a": "SILENT all is lost", "b": "SILENT all is lost"}, "linker: all is lost"},
		{map[string]string{"a": "SILENT alone"}, "linker: alone"},
	} {
		w := newWorkshop(t, x.codecs)
		if _, err := w.build(); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("have %v; want %q", err, x.want)
		}
		if _, err := w.build(); strings.Count(err.Error(), "exit status") > 1 { // once, not for warming up as well
			t.Errorf("have %v", err)
		}
		if left, _ := os.ReadDir(filepath.Join(w.builder.Cache, buildsFolder)); len(left) > 0 {
			t.Errorf("left %v behind", left)
		}
	}
	w := newWorkshop(t, map[string]string{"a": "fine"})
	r := w.runner()
	req := w.request(r)
	for _, x := range []struct {
		change func()
		want   string
	}{
		{func() { req.Codecs = []string{"zzz"} }, `no codec "zzz"`},
		{func() { req.Codecs = nil }, "no codec is selected"},
		{func() { req.Codecs = []string{"a"}; req.Sets = map[string][]byte{"../x": nil} }, "not a path within"},
		{func() { r.Needs = []Need{{Program: "no-such-program", Get: "install it"}} }, "no-such-program is not installed; get it: install it"},
		{func() { w.builder.Cache = "relative" }, "not an absolute path"},
	} {
		x.change()
		if _, err := w.builder.Build(context.Background(), r, req); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("have %v; want %q", err, x.want)
		}
	}
}

func TestBuildCancelled(t *testing.T) {
	w := newWorkshop(t, map[string]string{"a": "HANG"})
	r := w.runner()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	begin := time.Now()
	if _, err := w.builder.Build(ctx, r, w.request(r)); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	if left, _ := os.ReadDir(filepath.Join(w.builder.Cache, buildsFolder)); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
}

func TestBuildAtTheSameTime(t *testing.T) {
	w := newWorkshop(t, map[string]string{"a": "fine", "b": "fine"})
	r := w.runner()
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			req := w.request(r)
			req.Progress = nil
			if err := w.builder.Warm(context.Background(), r, req.Codecs); err != nil {
				t.Error(err)
			}
			if b, err := w.builder.Build(context.Background(), r, req); err != nil || len(b.Codecs) != 2 {
				t.Errorf("%+v, %v", b, err)
			}
		})
	}
	wait.Wait()
	if got, want := w.ran(), []string{"warm a,b", "generate a,b", "build a,b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("ran %q; want each once", got)
	}
}

func TestLockHeldElsewhere(t *testing.T) {
	w := newWorkshop(t, map[string]string{"a": "fine"})
	r := w.runner()
	unlock, err := w.builder.lock(context.Background(), r, w.hear)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := w.builder.lock(ctx, r, w.hear); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("have %v", err)
	}
	if !slices.Contains(w.said, "waiting for another wirecost that prepares toy") {
		t.Errorf("said %q", w.said)
	}
	unlock()
	if unlock, err = w.builder.lock(context.Background(), r, w.hear); err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestPrune(t *testing.T) {
	b := &Builder{Cache: t.TempDir()}
	for i := range keepBuilds + 5 {
		dir := filepath.Join(b.Cache, buildsFolder, "toy-"+string(rune('A'+i)))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(-time.Duration(i) * time.Hour)
		os.Chtimes(dir, used, used)
	}
	second := filepath.Join(b.Cache, buildsFolder, "toy-"+string(rune('A'+keepBuilds+3)))
	touch(second) // by a run that goes on
	oldest := "toy-" + string(rune('A'+keepBuilds+4))
	b.prune(oldest)
	if _, err := os.Stat(second); err != nil {
		t.Error("a build in use is gone")
	}
	left := b.entries(buildsFolder)
	if len(left) != keepBuilds+1 || filepath.Base(left[keepBuilds].path) != oldest {
		t.Errorf("%d builds left, the oldest %s", len(left), left[len(left)-1].path)
	}
}

func TestCheck(t *testing.T) {
	exe := self(t)
	r := &Runner{Manifest: Manifest{Environment: map[string]string{modeVariable: "version", "TOOL_SETTING": "on"}, Needs: []Need{
		{Program: exe, Version: []string{"version"}, Minimum: "1.5", Get: "get it"},
		{Program: exe, Version: []string{"version"}, Minimum: "1.10", Get: "get it"},
		{Program: "no-such-program", Get: "get it"},
	}}}
	got, err := r.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !got[0].OK() || got[0].Found != "tool 1.5.2" || got[0].Output != "tool 1.5.2\nsetting on" {
		t.Errorf("%+v", got[0])
	}
	for i, want := range []string{"", `is "tool 1.5.2", older than 1.10; get it: get it`, "no-such-program is not installed; get it: get it"} {
		if !strings.Contains(got[i].Problem, want) {
			t.Errorf("have %q; want %q", got[i].Problem, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
}

func TestBlamePatterns(t *testing.T) {
	d := drive{attempt: attempt{dir: "/tmp/x", materials: materials{codecs: []Codec{{Name: "a", File: "codecs/a.go.tmpl", Owns: []string{"gen/*/a.go"}}}}}}
	for line, want := range map[string]string{
		"codecs/a.go:3:4: undefined: x":                       "codecs/a.go:3:4: undefined: x",
		"./codecs/a.go:3: bad":                                "codecs/a.go:3: bad",
		"  --> codecs/a.go:3:4":                               "codecs/a.go:3:4",
		"/tmp/x/codecs/a.go:3: error: bad":                    "codecs/a.go:3: error: bad",
		"codecs/a.go(3,4): error TS1: bad":                    "codecs/a.go(3,4): error TS1: bad",
		"gen/q/a.go:1: bad":                                   "gen/q/a.go:1: bad",
		"codecs/a.go:3:4: warning: unused":                    "",
		"codecs/a.go:3: note: see here":                       "",
		"main.go:3: bad, see codecs/a.go:3":                   "",
		"# toy/codecs":                                        "",
		"/elsewhere/codecs/a.go:3: bad":                       "",
		"gen/q/r/a.go:1: bad":                                 "",
		"codecs/a.go is bad":                                  "",
		"codecs/a.go:3:4: error: a warning would not do here": "codecs/a.go:3:4: error: a warning would not do here",
	} {
		drops := d.blame(&commandError{output: line, err: errors.New("x")})
		got := ""
		if len(drops) > 0 {
			got = drops[0].Reason
		}
		if got != want {
			t.Errorf("%q: have %q; want %q", line, got, want)
		}
	}
}
