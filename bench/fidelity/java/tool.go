// Package javatool measures the Java codecs by JMH, in the runner's own process:
// types, codecs, versions and JVM flags are those of the runner.
package javatool

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
type Tool struct{}

// Name implements tool.Tool.
func (*Tool) Name() string { return "JMH" }

// Build implements tool.Tool. It needs Maven's registry the first time. The
// runner's side gets the program that holds both.
func (*Tool) Build(ctx context.Context, b *runner.Build, dir string) error {
	jmh, err := setUp(ctx)
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(b.Dir)); err != nil {
		return err
	}
	if err := addToPath(filepath.Join(dir, "classpath.options"), jmh); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "Loop.java"), source, 0o644); err != nil {
		return err
	}
	r := *b.Runner
	r.Run = append(slices.Clone(r.Run[:len(r.Run)-1]), "runner.Loop")
	b.Runner, b.Dir = &r, dir
	return command(ctx, dir, "javac", "-d", "classes", "@classpath.options", "-processor", "org.openjdk.jmh.generators.BenchmarkProcessor", "Loop.java")
}

// addToPath adds JMH to the class path that a file of options gives.
func addToPath(file, jmh string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	options := strings.Replace(string(b), `-cp "classes`, `-cp "classes`+string(os.PathListSeparator)+jmh, 1)
	if options == string(b) {
		return fmt.Errorf("%s has no class path that begins with classes", file)
	}
	return os.WriteFile(file, []byte(options), 0o644)
}

// setUp brings JMH into the cache once, and gives its class path.
func setUp(ctx context.Context) (string, error) {
	cache, err := runner.DefaultCache()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "fidelity-jmh")
	pom := filepath.Join(dir, "pom.xml")
	if last, err := os.ReadFile(pom); err == nil && string(last) == string(libraries) {
		return classPath(dir)
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
	if err := os.Rename(coming, pom); err != nil {
		return "", err
	}
	return classPath(dir)
}

// classPath names every library: not every program expands a star.
func classPath(dir string) (string, error) {
	jars, err := filepath.Glob(filepath.Join(dir, "lib", "*.jar"))
	if err == nil && len(jars) == 0 {
		err = fmt.Errorf("%s has no libraries: delete the folder and try again", dir)
	}
	return strings.Join(jars, string(os.PathListSeparator)), err
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
func (*Tool) Start(_ context.Context, ours runner.Process) (tool.Process, error) {
	return tool.Within(ours)
}
