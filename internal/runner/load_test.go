package runner

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"wirecost/internal/bench"
	"wirecost/runners"
)

const goodManifest = `{"format":"wirecost.runner/v1","runtime":"toy","isolation":"shared","needs":[],"build":[["make","{codecs}"]],"run":["./out{exe}"]}`

const goodHeader = `{"name":"x","format":"json","library":"l","operations":["encode","decode"],"traits":["typed"]}`

func toy(files map[string]string) fs.FS {
	m := fstest.MapFS{"embed.go": {Data: []byte("package x")}, "notes/README": {Data: []byte("no runner")}}
	for name, content := range files {
		m["toy/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	return m
}

func TestLoad(t *testing.T) {
	runners, err := Load(toy(map[string]string{
		"runner.json":         goodManifest,
		"codecs/x.go.tmpl":    "// comment\n/* wirecost:codec " + goodHeader + " */\npackage codecs\n",
		"codecs/help.go.tmpl": strings.Repeat("\n", 20) + "// wirecost:codec too late to count\n",
	}))
	if err != nil || len(runners) != 1 {
		t.Fatalf("have %v, %v", runners, err)
	}
	r := runners[0]
	c, ok := r.Codec("x")
	if !ok || len(r.Codecs) != 1 || c.Documents != "json" || c.File != "codecs/x.go.tmpl" || c.Operations[1] != bench.Decode {
		t.Errorf("codecs: %+v", r.Codecs)
	}
	other, err := Load(toy(map[string]string{"runner.json": goodManifest, "codecs/x.go.tmpl": "// wirecost:codec " + goodHeader}))
	if err != nil || other[0].Digest == r.Digest || len(r.Digest) != 64 {
		t.Errorf("digests %q and %q, %v", r.Digest, other[0].Digest, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	header := func(old, new string) map[string]string {
		return map[string]string{"runner.json": goodManifest, "codecs/x.go.tmpl": "\n// wirecost:codec " + strings.Replace(goodHeader, old, new, 1)}
	}
	manifest := func(old, new string) map[string]string {
		return map[string]string{"runner.json": strings.Replace(goodManifest, old, new, 1)}
	}
	for _, x := range []struct {
		files map[string]string
		want  string
	}{
		{manifest(`"needs"`, `"kneads"`), `toy/runner.json: json: unknown field "kneads"`},
		{manifest(`/v1`, `/v9`), "wirecost.runner/v9"},
		{manifest(`"toy"`, `"tin"`), `runtime is "tin"`},
		{manifest(`"shared"`, `"loose"`), "isolation"},
		{manifest(`"./out{exe}"`, ``), "a command is empty"},
		{manifest(`{exe}`, `{house}`), "unknown placeholder {house}"},
		{manifest(`{exe}`, `{home}`), "has {home}, but there are no setup commands"},
		{manifest(`"build"`, `"check":[["x"]],"build"`), "there are check commands, but no setup commands"},
		{manifest(`"build"`, `"setup":[[]],"build"`), "a command is empty"},
		{manifest(`[]`, `[{"program":"x","get":"y","codecs":["z"]}]`), `toy/runner.json: x is needed for the codec "z", which does not exist`},
		{manifest(`[]`, `[{"program":"x"}]`), "lacks program or get"},
		{manifest(`[]`, `[{"program":"x","get":"y","minimum":"new"}]`), "minimum of x"},
		{manifest(`[]`, `[{"program":"x","get":"y","for":"fun"}]`), `x is for "fun"`},
		{manifest(`[]`, `[{"program":"x","get":"y","for":"run","codecs":["z"]}]`), `x is for "run"; want setup or run, or nothing, and then no codecs`},
		{manifest(`./out{exe}"`, `./out","{memory}"`), "run has {memory}; add memory"},
		{manifest(`"build"`, `"memory":{"option":"-m={bytes}","beside":1,"exhausted":"x"},"build"`), "memory has an option exactly where run has the word {memory}"},
		{manifest(`./out{exe}"]`, `./out","{memory}"],"memory":{"beside":1,"exhausted":"x"}`), "memory has an option exactly where run has the word {memory}"},
		{manifest(`"build"`, `"memory":{"beside":-1,"exhausted":"x"},"build"`), "a number of memory is negative"},
		{manifest(`"build"`, `"memory":{"beside":1,"exhausted":"["},"build"`), `memory.exhausted is "["; want a regular expression`},
		{manifest(`"build"`, `"memory":{"beside":1},"build"`), `memory.exhausted is ""`},
		{map[string]string{"runner.json": goodManifest + "{}"}, "something follows"},
		{header(`"name":"x"`, `"nam":"x"`), `toy/codecs/x.go.tmpl:2: json: unknown field "nam"`},
		{header(`"x"`, `"y"`), `codec "y" is in the wrong file`},
		{header(`"x"`, `"x,y"`), "lower-case letters"},
		{header(`"json"`, `"xml"`), "format"},
		{header(`"json"`, `"json","documents":"xml"`), "documents"},
		{header(`"json"`, `"json","role":"best"`), "role"},
		{header(`"json"`, `"json","owns":["[a"]`), "syntax error in pattern"},
		{header(`"l"`, `""`), "library is missing"},
		{header(`["typed"]`, `[]`), "traits are missing"},
		{header(`["encode","decode"]`, `[]`), "operations are missing"},
		{header(`["encode","decode"]`, `["encode","encode"]`), "at most once"},
		{header(goodHeader, `nothing`), "no JSON object"},
		{header(goodHeader, `{"name":}`), "x.go.tmpl:2: invalid character"},
		{map[string]string{
			"runner.json":      goodManifest,
			"codecs/x.go.tmpl": "// wirecost:codec " + goodHeader,
			"codecs/x.h.tmpl":  "// wirecost:codec " + goodHeader,
		}, `codec "x" is in codecs/x.go.tmpl as well`},
		{map[string]string{
			"runner.json":      goodManifest,
			"codecs/x.go.tmpl": "// wirecost:codec " + strings.Replace(goodHeader, `"l"`, `"l","role":"default"`, 1),
			"codecs/y.go.tmpl": "// wirecost:codec " + strings.NewReplacer(`"l"`, `"l","role":"default"`, `"x"`, `"y"`).Replace(goodHeader),
		}, "the role of json's default as well"},
	} {
		if _, err := Load(toy(x.files)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("have %v; want %q", err, x.want)
		}
	}
}

// TestRunnersLoad holds every runner that is shipped to the contract.
func TestRunnersLoad(t *testing.T) {
	all, err := Load(runners.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if len(r.Codecs) == 0 {
			t.Errorf("%s has no codecs", r.Runtime)
		}
	}
}

func TestAtLeast(t *testing.T) {
	for _, x := range []struct {
		have, want string
		ok         bool
	}{
		{"go version go1.26.8 linux/amd64", "1.26", true},
		{"go1.9", "1.26", false},
		{"v2", "1.26", true},
		{"1.26", "1.26.0", true},
		{"openjdk 17.0.9 2023-10-17", "17.0.10", false},
		{"unknown", "1", false},
		{"99999999999999999999999", "1", false},
	} {
		if got := atLeast(x.have, x.want); got != x.ok {
			t.Errorf("atLeast(%q, %q) = %v", x.have, x.want, got)
		}
	}
}
