package cli

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/transport"
)

// wiresOf says over which transports a runtime makes requests, and which it
// answers.
func wiresOf(r *runner.Runner) string {
	var calls, serves []string
	for _, t := range []bench.Transport{bench.HTTP, bench.HTTP2, bench.Redis} {
		if r.Calls(t) {
			calls = append(calls, string(t))
		}
		if r.Serves(t) {
			serves = append(serves, string(t))
		}
	}
	var parts []string
	if len(calls) > 0 {
		parts = append(parts, "makes requests over "+strings.Join(calls, ", "))
	}
	if len(serves) > 0 {
		parts = append(parts, "answers over "+strings.Join(serves, ", "))
	}
	return strings.Join(parts, " and ")
}

// diagnoseWires says what --over and --link have to work with besides runtimes.
func (a *App) diagnoseWires(ctx context.Context) {
	if path, err := exec.LookPath(redisServer); err == nil {
		fmt.Fprintf(a.Stdout, "redis: %s is started for --over redis, unless --redis names a server\n", redisVersion(ctx, path))
	} else {
		fmt.Fprintf(a.Stdout, "redis: an embedded server answers --over redis, unless --redis names one\n")
		fmt.Fprintf(a.Stdout, "  %s is not installed; it would add a real server and how much memory values take; get it with: apt-get install -y redis-server\n", redisServer)
	}
	modes := []string{string(transport.ModeRelay)}
	why := transport.ModeTUN.Check()
	if why == nil {
		modes = append(modes, string(transport.ModeTUN))
	}
	slices.Sort(modes)
	fmt.Fprintf(a.Stdout, "links: --link-mode %s\n", strings.Join(modes, " or "))
	if why != nil {
		fmt.Fprintf(a.Stdout, "  %s\n", why)
	}
}

var versionWord = regexp.MustCompile(`\bv=(\S+)`)

// redisVersion names the program with its version, if it tells.
func redisVersion(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if m := versionWord.FindSubmatch(out); err == nil && m != nil {
		return redisServer + " " + string(m[1])
	}
	return redisServer
}
