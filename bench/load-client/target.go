package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"wirecost/internal/bench"
	"wirecost/internal/env"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
	"wirecost/runners"
)

// loadSource turns the runner's program into a load generator.
//
//go:embed load.go.txt
var loadSource []byte

const (
	targetSample = "orders"
	targetCodec  = "encoding-json"
	targetProto  = `syntax = "proto3";
message Order { string id = 1; int64 placed = 2; string customer = 3; repeated Line lines = 4; }
message Line { string sku = 1; uint32 count = 2; double price = 3; }
`
)

// target is a server of the Go runner, and the program that loads it.
type target struct {
	runner.Process
	url, program string
}

// newTarget builds the runner and starts the server; files go to dir.
func newTarget(ctx context.Context, o *options, dir string) (*target, error) {
	compiled, err := schema.CompileText(ctx, "order.proto", targetProto, map[string]string{targetSample: "Order"})
	if err != nil {
		return nil, err
	}
	build, err := build(ctx, compiled.Model)
	if err != nil {
		return nil, err
	}
	t := &target{}
	if t.program, err = loadProgram(ctx, build, filepath.Join(dir, "program")); err != nil {
		return nil, err
	}
	if t.Process, err = build.Start(ctx); err != nil {
		return nil, err
	}
	if t.url, err = t.serve(ctx, compiled.Model, filepath.Join(dir, "documents"), o.kilobytes); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// build builds the runner with the codec that most servers have.
func build(ctx context.Context, m *schema.Model) (*runner.Build, error) {
	all, err := runner.Load(runners.FS)
	if err != nil {
		return nil, err
	}
	cache, err := runner.DefaultCache()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(r *runner.Runner) bool { return r.Runtime == "go" })
	builder := &runner.Builder{Cache: cache, Version: env.Version()}
	return builder.Build(ctx, all[i], runner.BuildRequest{Model: m, Codecs: []string{targetCodec}, Transports: []bench.Transport{bench.HTTP}})
}

// loadProgram builds the load generator of the runner's own sources.
func loadProgram(ctx context.Context, b *runner.Build, dir string) (string, error) {
	if err := os.CopyFS(dir, os.DirFS(b.Dir)); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "load.go"), loadSource, 0o644); err != nil {
		return "", err
	}
	program := filepath.Join(dir, filepath.Base(b.Command().Words[0]))
	c := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, ".")
	c.Dir, c.Env = dir, os.Environ()
	for k, v := range b.Command().Environment {
		c.Env = append(c.Env, k+"="+v)
	}
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the load generator does not build: %w\n%s", err, out)
	}
	return program, nil
}

// serve begins to serve one document, and gives its URL.
func (t *target) serve(ctx context.Context, m *schema.Model, file string, kilobytes int) (string, error) {
	if err := runner.WriteDocumentsFile(file, [][]byte{document(1000 * kilobytes)}); err != nil {
		return "", err
	}
	root, _ := m.RootOf(targetSample)
	files := runner.SampleFiles{Sample: targetSample, Root: root.Type, Documents: 1, Files: map[string]string{runner.DocumentsJSON: file}}
	if _, err := t.Prepare(ctx, []runner.SampleFiles{files}, []string{targetCodec}); err != nil {
		return "", err
	}
	reply, err := t.Serve(ctx, runner.ServeRequest{Transport: bench.HTTP, Address: "127.0.0.1:0"})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("http://%s/%s/%s/%s/0", reply.Address, targetSample, targetCodec, bench.Identity), nil
}

// document is an order of so many bytes of JSON, or a few more.
func document(bytes int) []byte {
	b := []byte(`{"id":"A-2026-11-30","placed":1796037124,"customer":"Ada Weber","lines":[`)
	for i := 0; i == 0 || len(b) < bytes; i++ {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"sku":"article %d","count":%d,"price":%d.5}`, 1000+i*7919%9000, 1+i%7, 3+i*31%97)
	}
	return append(b, "]}"...)
}
