package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"wirecost/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"wirecost": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the command as users do. Scripts share the machine's caches,
// so that codecs are built once.
func TestScripts(t *testing.T) {
	goEnv := map[string]string{}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOPATH", "GOSUMDB", "GONOSUMDB", "GOFLAGS", "GONOSUMCHECK"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		goEnv[name] = strings.TrimSpace(string(out))
	}
	examples, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	if dir, err := os.UserCacheDir(); err == nil {
		cache = dir + "/wirecost"
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			for name, value := range goEnv {
				e.Setenv(name, value)
			}
			e.Setenv("WIRECOST_CACHE", cache)
			e.Setenv("NO_COLOR", "1")
			e.Setenv("EXAMPLES", examples+"/../../examples")
			e.Setenv("RESULTS", examples+"/../../internal/compare/testdata")
			return nil
		},
		Condition: func(cond string) (bool, error) { return cond == "slow" && !testing.Short(), nil },
	})
}
