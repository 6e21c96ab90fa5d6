// Package javatool measures the Java codecs by JMH: a program compiled against the
// build's own classes, so that types, codecs, versions and JVM flags are those of
// the runner.
package javatool

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

// source is the program, libraries what brings JMH.
var (
	//go:embed Loop.java.txt
	source []byte
	//go:embed pom.xml
	libraries []byte
)

// Tool is JMH. It is a tool.Tool.
type Tool struct {
	words       []string
	dir         string
	environment []string
}

// Name implements tool.Tool.
func (*Tool) Name() string { return "JMH" }

// Build implements tool.Tool. It needs Maven's registry the first time.
func (t *Tool) Build(ctx context.Context, b *runner.Build, dir string) error {
	jmh, err := setUp(ctx)
	if err != nil {
		return err
	}
	run := b.Command() // java, its flags, "-cp", the class path, and the runner's own program
	t.dir, t.environment = run.Dir, os.Environ()
	for k, v := range run.Environment {
		t.environment = append(t.environment, k+"="+v)
	}
	t.words = append([]string(nil), run.Words[:len(run.Words)-1]...)
	path := &t.words[len(t.words)-1]
	*path = strings.Join([]string{dir, *path, jmh}, string(os.PathListSeparator))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	program := filepath.Join(dir, "Loop.java")
	if err := os.WriteFile(program, source, 0o644); err != nil {
		return err
	}
	return command(ctx, run.Dir, "javac", "-d", dir, "-cp", *path, "-processor", "org.openjdk.jmh.generators.BenchmarkProcessor", program)
}

// setUp brings JMH into the cache once, and gives its class path.
func setUp(ctx context.Context) (string, error) {
	cache, err := runner.DefaultCache()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "fidelity-jmh")
	jars := filepath.Join(dir, "lib", "*")
	pom := filepath.Join(dir, "pom.xml")
	if last, err := os.ReadFile(pom); err == nil && string(last) == string(libraries) {
		return jars, nil
	}
	// The file gets its name when the libraries are there.
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	coming := filepath.Join(dir, "coming.xml")
	if err := os.WriteFile(coming, libraries, 0o644); err != nil {
		return "", err
	}
	err = command(ctx, dir, "mvn", "--batch-mode", "--quiet", "--no-transfer-progress", "--strict-checksums",
		"-Dmaven.repo.local="+filepath.Join(dir, "m2"), "-f", coming, "generate-resources")
	if err != nil {
		return "", err
	}
	return jars, os.Rename(coming, pom)
}

func command(ctx context.Context, dir string, words ...string) error {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", words[0], err, out)
	}
	return nil
}

// Start implements tool.Tool.
func (t *Tool) Start(ctx context.Context, _ runner.Process) (tool.Process, error) {
	words := append(append([]string(nil), t.words...), "loop.Loop")
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Env = t.dir, t.environment
	return tool.Lines(c)
}
