// Package rusttool measures the Rust codecs by criterion, in the runner's own
// process: types, codecs, versions and compiler flags are those of the runner.
package rusttool

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"wirecost/bench/fidelity/tool"
	"wirecost/internal/runner"
)

// source is a module that the runner's program gets besides, lock the lock file of
// the package with criterion.
var (
	//go:embed tool.rs
	source []byte
	//go:embed Cargo.lock
	lock []byte
)

// changes are where the runner's own files take the module in: what stands there,
// and what comes after it.
var changes = []struct{ file, after, text string }{
	{"Cargo.toml", "\n[dependencies]\n", "criterion = { version = \"0.8\", default-features = false }\n"},
	{"main.rs", "\nmod sums;\n", "mod tool;\n"},
	{"main.rs", "longer than 16 MB\"));\n        }\n", `        if let Some(answer) = tool::answer(&mut server, &line) {
            replies.write_all(answer.as_bytes())?;
            replies.flush()?;
            continue;
        }
`},
	{"harness.rs", "-> Result<Timed, E> {\n", `    if let Some(timed) = crate::tool::instead(items, n, &operation) {
        return Ok(timed);
    }
`},
}

// Tool is criterion. It is a tool.Tool.
type Tool struct{}

// Name implements tool.Tool.
func (*Tool) Name() string { return "criterion" }

// Build implements tool.Tool. It needs crates.io the first time. The runner's side
// gets the program that holds both.
func (*Tool) Build(ctx context.Context, b *runner.Build, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(b.Dir)); err != nil {
		return err
	}
	for _, c := range changes {
		file := filepath.Join(dir, c.file)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.Count(string(text), c.after) != 1 {
			return fmt.Errorf("the runner's %s has no place for the benchmark: it does not say %q once", c.file, c.after)
		}
		changed := strings.Replace(string(text), c.after, c.after+c.text, 1)
		if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
			return err
		}
	}
	for name, content := range map[string][]byte{"tool.rs": source, "Cargo.lock": lock} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	b.Dir = dir
	return build(ctx, b)
}

// build compiles the program as the runner was.
func build(ctx context.Context, b *runner.Build) error {
	cache, err := runner.DefaultCache()
	if err != nil {
		return err
	}
	status, err := (&runner.Builder{Cache: cache}).Look(ctx, b.Runner)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "cargo", "install", "--path", ".", "--root", ".", "--bin", "runner", "--features", strings.Join(b.Codecs, ","),
		"--force", "--no-track", "--locked", "--config", filepath.Join(status.Home.Dir, "config", "default-mode.toml"))
	c.Dir, c.Env = b.Dir, os.Environ()
	for k, v := range b.Command().Environment {
		c.Env = append(c.Env, k+"="+v)
	}
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("the benchmark does not build: %w\n%s", err, out)
	}
	return nil
}

// Start implements tool.Tool.
func (*Tool) Start(_ context.Context, ours runner.Process) (tool.Process, error) {
	return tool.Within(ours)
}
