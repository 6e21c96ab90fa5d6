package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"wirecost/internal/cli"
	"wirecost/internal/runner"
	"wirecost/internal/testenv"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"wirecost":  func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"list":      list,
		"my-runner": myRunner,
	})
}

// list prints the names in a folder, hidden ones too: scripts need no program
// but Go.
func list() {
	entries, err := os.ReadDir(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, e := range entries {
		fmt.Println(e.Name())
	}
}

// TestScripts runs the command as users do. Scripts share the machine's caches,
// so that codecs are built once.
func TestScripts(t *testing.T) {
	goEnv := map[string]string{}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOPATH", "GOSUMDB", "GONOSUMDB", "GOFLAGS", "GONOSUMCHECK", "GOROOT"} {
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
	cache, err := runner.DefaultCache()
	if err != nil {
		t.Fatal(err)
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
			e.Setenv("CORPORA", examples+corpora)
			e.Setenv("BIN", filepath.SplitList(os.Getenv("PATH"))[0]) // where wirecost is, and nothing else
			e.Setenv("OPTIONS", examples+"/../../internal/schema")    // the root of wirecost/json.proto
			e.Setenv("RESULTS", examples+"/../../internal/compare/testdata")
			e.Setenv("GODIR", goEnv["GOROOT"]+"/bin") // where go is, and nothing else
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"generate": generate, "redis": redis, "keys": keys, "await": await, "alone": alone, "kill-server": killServer,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "slow":
				return !testing.Short(), nil
			case "corpora":
				return hasCorpora(examples)
			case "redis":
				return hasRedis()
			}
			return false, fmt.Errorf("there is no condition %s", cond)
		},
	})
}

// hasCorpora tells whether the corpora are beside the project. Where all is
// required, their absence is an error.
func hasCorpora(dir string) (bool, error) {
	_, err := os.Stat(dir + corpora)
	if err != nil && os.Getenv(testenv.RequireVar) == "all" {
		return false, err
	}
	return err == nil, nil
}

// hasRedis tells whether there is a Redis server to start.
func hasRedis() (bool, error) {
	_, err := exec.LookPath("redis-server")
	if err != nil && os.Getenv(testenv.RequireVar) == "all" {
		return false, err
	}
	return err == nil, nil
}

const corpora = "/../../../shared/corpora"
