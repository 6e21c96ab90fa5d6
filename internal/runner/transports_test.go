package runner

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"wirecost/internal/bench"
)

const goodTransport = `{"transports":["http","http2"],"roles":["serve","call"],"encodings":["gzip:6","br:4"],"library":"net/http"}`

func TestLoadTransports(t *testing.T) {
	all, err := Load(toy(map[string]string{
		"runner.json":                goodManifest,
		"transports/http.go.tmpl":    "/* wirecost:transport " + goodTransport + " */\n",
		"transports/redis.go.tmpl":   "// package comment\n// wirecost:transport " + `{"transport":"redis","roles":["call"],"library":"l","owns":["gen/r*"],"note":"n"}`,
		"transports/help.go.tmpl":    "package transports\n",
		"transports/http/more.txt":   "copied along",
		"transports/other/more.tmpl": "// wirecost:transport {} too deep to count\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	r := all[0]
	want := []Transport{
		{Transports: []bench.Transport{bench.HTTP, bench.HTTP2}, Roles: []Role{RoleServe, RoleCall}, Encodings: []string{"gzip:6", "br:4"}, Library: "net/http", File: "transports/http.go.tmpl"},
		{Transports: []bench.Transport{bench.Redis}, Roles: []Role{RoleCall}, Library: "l", Owns: []string{"gen/r*"}, Note: "n", File: "transports/redis.go.tmpl"},
	}
	if !reflect.DeepEqual(r.Transports, want) {
		t.Errorf("have %+v", r.Transports)
	}
	if !r.Serves(bench.HTTP2) || !r.Calls(bench.Redis) || r.Serves(bench.Redis) || r.Calls(bench.Memory) {
		t.Error("serves or calls over what it does not, or not over what it does")
	}
	chosen, err := r.chooseTransports([]bench.Transport{bench.Memory, bench.HTTP2})
	if err != nil || len(chosen) != 1 || !reflect.DeepEqual(chosen[0].Transports, []bench.Transport{bench.HTTP2}) || len(r.Transports[0].Transports) != 2 {
		t.Errorf("chose %+v, %v", chosen, err)
	}
	if _, err := r.chooseTransports([]bench.Transport{"carrier-pigeon"}); err == nil || !strings.Contains(err.Error(), `the runner for toy has no transport "carrier-pigeon"`) {
		t.Errorf("have %v", err)
	}
}

func TestLoadRefusesTransports(t *testing.T) {
	for _, x := range []struct{ old, new, want string }{
		{`"roles"`, `"rolls"`, `toy/transports/http.go.tmpl:1: json: unknown field "rolls"`},
		{`["http","http2"]`, `[]`, "transport is missing"},
		{`["http","http2"]`, `["memory"]`, `transport "memory"`},
		{`["http","http2"]`, `["http","http"]`, "at most once"},
		{`["serve","call"]`, `[]`, "roles are missing"},
		{`["serve","call"]`, `["sing"]`, `role "sing"`},
		{`["serve","call"]`, `["call","call"]`, "at most once"},
		{`gzip:6`, `gzip`, `encoding "gzip"`},
		{`net/http`, ``, "library is missing"},
		{`net/http"`, `x","owns":["[a"]`, "syntax error in pattern"},
		{goodTransport, `nothing`, "no JSON object"},
	} {
		_, err := Load(toy(map[string]string{
			"runner.json": goodManifest, "transports/http.go.tmpl": "// wirecost:transport " + strings.Replace(goodTransport, x.old, x.new, 1),
		}))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("have %v; want %q", err, x.want)
		}
	}
	_, err := Load(toy(map[string]string{
		"runner.json": goodManifest, "transports/a.go.tmpl": "// wirecost:transport " + goodTransport, "transports/b.go.tmpl": "// wirecost:transport " + goodTransport,
	}))
	if err == nil || !strings.Contains(err.Error(), "transports/b.go.tmpl: transports/a.go.tmpl has the role serve of http as well") {
		t.Errorf("have %v", err)
	}
}

func TestRenderTransports(t *testing.T) {
	files := map[string]string{
		"runner.json":             goodManifest,
		"about.tmpl":              `{{.Serves}} {{.Calls}} {{.Encodings}} {{transport "http"}} {{transport "redis"}} {{len .Transports}}`,
		"transports/http.x.tmpl":  `wirecost:transport ` + goodTransport + "\n{{.Transport.Transports}}",
		"transports/http/x.tmpl":  `{{with .Transport}}its own file only{{else}}x{{end}}`,
		"transports/http/y":       "y",
		"transports/redis.x.tmpl": `wirecost:transport {"transport":"redis","roles":["call"],"library":"l"}` + "\nredis",
		"transports/help":         "help",
	}
	all, err := Load(toy(files))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		names []bench.Transport
		want  map[string]string
	}{
		{nil, map[string]string{"about": "[] [] [] false false 0", "transports/help": "help"}},
		{[]bench.Transport{bench.HTTP}, map[string]string{
			"about": "[http] [http] [gzip:6 br:4] true false 1", "transports/help": "help",
			"transports/http.x": "[http]", "transports/http/x": "x", "transports/http/y": "y",
		}},
		{[]bench.Transport{bench.Redis}, map[string]string{"about": "[] [redis] [] false true 1", "transports/help": "help", "transports/redis.x": "redis"}},
	} {
		chosen, err := all[0].chooseTransports(x.names)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "out")
		if err := all[0].Render(hostileModel(), nil, chosen, dir); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		sizes, err := fileSizes(dir)
		if err != nil {
			t.Fatal(err)
		}
		for name := range sizes {
			content := read(t, dir, name)
			if strings.HasPrefix(content, transportMark) {
				_, content, _ = strings.Cut(content, "\n")
			}
			got[name] = content
		}
		if !reflect.DeepEqual(got, x.want) {
			t.Errorf("%v: rendered %v; want %v", x.names, got, x.want)
		}
	}
}

// addTransport gives a workshop's runner a transport.
func (w *workshop) addTransport(source string) {
	w.files["transports/http.src.tmpl"] = &fstest.MapFile{Data: []byte("{{/* */}}" + source)}
}

func (w *workshop) buildOver(transports ...bench.Transport) (*Build, error) {
	r := w.runner()
	r.Transports = []Transport{{Transports: []bench.Transport{bench.HTTP, bench.HTTP2}, Roles: []Role{RoleServe}, Library: "example.test/http", File: "transports/http.src.tmpl"}}
	q := w.request(r)
	q.Transports = transports
	return w.builder.Build(context.Background(), r, q)
}

func TestBuildTransports(t *testing.T) {
	w := newWorkshop(t, map[string]string{"a": "fine", "b": "fine"})
	w.addTransport("fine")
	without, err := w.buildOver(bench.Memory)
	if err != nil || without.Transports == nil || len(without.Transports) > 0 {
		t.Fatalf("without: %+v, %v", without, err)
	}
	if _, err := os.Stat(filepath.Join(without.Dir, "transports")); err == nil {
		t.Error("a transport that was not asked for was rendered")
	}
	w.ran()
	with, err := w.buildOver(bench.HTTP)
	if err != nil || with.Cached || !reflect.DeepEqual(with.Transports, []bench.Transport{bench.HTTP}) || with.DroppedTransports != nil {
		t.Fatalf("with: %+v, %v", with, err)
	}
	if got := w.ran(); got[0] != "warm a,b" {
		t.Errorf("ran %q; want the libraries warmed up for the transport as well", got)
	}
	again, err := w.buildOver(bench.HTTP)
	if err != nil || !again.Cached || again.Dir != with.Dir || !reflect.DeepEqual(again.Transports, with.Transports) {
		t.Errorf("again: %+v, %v", again, err)
	}
	if both, err := w.buildOver(bench.HTTP, bench.HTTP2); err != nil || both.Dir == with.Dir {
		t.Errorf("both: %+v, %v", both, err)
	}
	if _, err := w.buildOver(bench.Redis); err == nil || !strings.Contains(err.Error(), `no transport "redis"`) {
		t.Errorf("have %v", err)
	}
}

func TestATransportThatDoesNotBuildIsDropped(t *testing.T) {
	for _, x := range []struct{ name, a, transport, codecs, reason string }{
		{"its file is at fault", "fine", "ERROR no such library", "a,b", "transports/http.src:1:1: no such library"},
		{"a codec's file is at fault", "ERROR no such codec", "fine", "b", ""},
		{"both are", "ERROR no such codec", "ERROR no such library", "b", "transports/http.src:1:1: no such library"},
		{"nothing is named", "fine", "SILENT undefined symbol", "a,b", "linker: undefined symbol"},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newWorkshop(t, map[string]string{"a": x.a, "b": "fine"})
			w.addTransport(x.transport)
			for _, cached := range []bool{false, true} {
				b, err := w.buildOver(bench.HTTP, bench.HTTP2)
				if err != nil {
					t.Fatal(err)
				}
				var want []DroppedTransport
				left := []bench.Transport{bench.HTTP, bench.HTTP2}
				if x.reason != "" {
					want, left = dropAll(left, x.reason), []bench.Transport{}
				}
				if strings.Join(b.Codecs, ",") != x.codecs || !reflect.DeepEqual(b.DroppedTransports, want) || len(b.Transports) != len(left) {
					t.Errorf("built %+v", b)
				}
				if wantCached := cached && x.name != "nothing is named"; b.Cached != wantCached {
					t.Errorf("cached: %v", b.Cached)
				}
			}
		})
	}
}
