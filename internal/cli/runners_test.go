package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"wirecost/internal/runner"
)

// addRuntime adds a runtime with one codec to an app's runners.
func addRuntime(app *App, name, needs, codec string) {
	files := app.Runners.(fstest.MapFS)
	files[name+"/runner.json"] = &fstest.MapFile{Data: []byte(`{"format":"wirecost.runner/v1","runtime":"` + name + `","isolation":"shared","needs":[` + needs + `],"build":[],"run":["none"]}`)}
	files[name+"/codecs/"+codec+".x.tmpl"] = fakeCodec(`{"name":"` + codec + `","format":"json","default":true,"library":"example.com/` + codec + `","operations":["encode","decode"],"traits":["typed"]}`)
}

func TestRuntimesThatAreNotReady(t *testing.T) {
	app, rt := newFake(t)
	addRuntime(app, "gone", `{"program":"no-such-program","version":[],"get":"apt-get install -y it"}`, "lost")
	rt.Checksums = checksums(t, orders)
	delete(rt.Faults, "forgetful")
	inOrders(t)
	const why = "gone: no-such-program is not installed; get it: apt-get install -y it"
	for _, x := range []struct {
		args string
		code int
		says string // on standard error
	}{
		{"--runtime all", exitOK, "wirecost: skipped " + why},
		{"--runtime fake,gone", exitPartial, "wirecost: going on without " + why},
		{"--runtime all,gone", exitPartial, "wirecost: skipped " + why},
		{"--runtime gone", exitError, "wirecost: error: nothing can be measured: " + why},
		{"--runtime all --codec plain,lost", exitPartial, "wirecost: going on without " + why},
		{"--runtime all --codec gone/lost", exitError, "wirecost: error: nothing can be measured: " + why},
		{"--runtime all --baseline lost", exitError, "wirecost: error: --baseline lost cannot be measured here; " + why},
		{"--runtime fake --codec lost", exitUsage, "wirecost: error: --codec lost is a codec of gone, which was not asked for; add --runtime fake,gone"},
		{"--runtime fake --codec nosuch", exitUsage, "--codec nosuch fits no codec; there are fake/forgetful, "},
		{"--runtime nowhere", exitUsage, "wirecost: error: --runtime nowhere: there is no such runtime; there are fake, gone, and all"},
	} {
		args := append([]string{"run", "--encoding", "identity", "--max-forks", "4", "-o", filepath.Join(t.TempDir(), "result.jsonl")}, strings.Fields(x.args)...)
		code, _, stderr := app.test(t, t.Context(), append(args, "orders.ndjson")...)
		if code != x.code || !strings.Contains(stderr, x.says) {
			t.Errorf("%s: exit code %d; want %d and %q\n%s", x.args, code, x.code, x.says, stderr)
		}
	}
}

// TestARuntimeThatDoesNotStart costs its own cases.
func TestARuntimeThatDoesNotStart(t *testing.T) {
	app, rt := newFake(t)
	addRuntime(app, "lame", "", "slow")
	rt.Checksums = checksums(t, orders)
	delete(rt.Faults, "forgetful")
	start := app.Start
	app.Start = func(r *runner.Runner) runner.Starter {
		if r.Runtime != "lame" {
			return start(r)
		}
		return startFunc(func(context.Context) (runner.Process, error) { return nil, errors.New("no legs") })
	}
	inOrders(t)
	code, stdout, stderr := app.test(t, t.Context(), "run", "--runtime", "all", "--encoding", "identity", "--max-forks", "4", "-o", "result.jsonl", "orders.ndjson")
	if code != exitPartial || !strings.Contains(stdout, "the lame runner does not start: no legs") || !strings.Contains(stdout, "baseline") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestOwnRunners(t *testing.T) {
	dir := t.TempDir()
	app, _ := newFake(t)
	app.Folders = []string{dir}
	if _, err := app.allRunners(); err == nil || !strings.Contains(err.Error(), "has a runner.json") {
		t.Errorf("an empty folder: %v", err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const manifest = `{"format":"wirecost.runner/v1","runtime":"NAME","isolation":"shared","needs":[],"build":[],"run":["mine"]}`
	write("fake/runner.json", strings.Replace(manifest, "NAME", "fake", 1))
	write("another/runner.json", strings.Replace(manifest, "NAME", "another", 1))
	all, err := app.allRunners()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Runtime != "another" || all[1].Runtime != "fake" || all[1].Run[0] != "mine" {
		t.Errorf("have %v", all)
	}
	write("another/runner.json", strings.Replace(manifest, "NAME", "other", 1))
	if _, err := app.allRunners(); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, "another/runner.json")+": ") {
		t.Errorf("a wrong manifest: %v", err)
	}
}
