package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"wirecost/internal/runner"
	"wirecost/internal/runner/check"
)

// myRunner is a program for scripts: a runner that is right, or wrong in the way
// that its argument names.
func myRunner() {
	fault := ""
	if len(os.Args) > 1 {
		fault = os.Args[1]
	}
	if err := serve(fault); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(fault string) error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "wirecost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	vectors, err := check.NewVectors(ctx, dir)
	if err != nil {
		return err
	}
	if fault != "foreign" { // without, it knows no documents
		if _, err := vectors.Options(); err != nil {
			return err
		}
	}
	fake := vectors.Fake()
	switch fault {
	case "banner":
		fmt.Println("Welcome!")
	case "crash":
		fake.Faults = map[string]runner.Fault{"a": {Kind: runner.FaultCrash, After: 1}}
	}
	p, err := fake.Start(ctx)
	if err != nil {
		return err
	}
	return runner.Serve(ctx, faultyProcess{p, fault}, os.Stdin, os.Stdout)
}

// faultyProcess hangs in the middle, or rounds integers.
type faultyProcess struct {
	runner.Process
	fault string
}

func (p faultyProcess) Measure(ctx context.Context, req runner.MeasureRequest) (*runner.MeasureReply, error) {
	if p.fault == "hang" {
		time.Sleep(time.Hour)
	}
	return p.Process.Measure(ctx, req)
}

func (p faultyProcess) Verify(ctx context.Context, req runner.VerifyRequest) (*runner.VerifyReply, error) {
	r, err := p.Process.Verify(ctx, req)
	if err == nil && p.fault == "rounds" {
		var b []byte
		if b, err = os.ReadFile(req.Out); err == nil {
			err = os.WriteFile(req.Out, bytes.ReplaceAll(b, []byte("9007199254740993"), []byte("9007199254740992")), 0o644)
		}
	}
	return r, err
}
