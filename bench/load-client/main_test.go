package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestReadWrk(t *testing.T) {
	rate, err := readWrk([]byte("Running 2s test @ http://127.0.0.1:1/\n  2 threads and 32 connections\n  60000 requests in 2.00s, 9.00MB read\nRequests/sec:  29876.54\nTransfer/sec:      4.50MB\n"))
	if err != nil || rate != 29876.54 {
		t.Errorf("%v %v", rate, err)
	}
	for _, out := range []string{
		"", "Requests/sec: many\n", "Requests/sec: 0.00\n",
		"  Non-2xx or 3xx responses: 5\nRequests/sec:  29876.54\n",
		"  Socket errors: connect 0, read 5, write 0, timeout 0\nRequests/sec:  29876.54\n",
	} {
		if rate, err := readWrk([]byte(out)); err == nil {
			t.Errorf("%q: %v", out, rate)
		}
	}
}

func TestJudge(t *testing.T) {
	var out bytes.Buffer
	if err := judge(&out, []float64{0.79, 0.81, 0.82}); err != nil {
		t.Error(err)
	}
	if err := judge(&out, []float64{0.79, 0.81, 0.78}); !errors.Is(err, errMissed) {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "makes 0.790 of wrk's") {
		t.Error(out.String())
	}
}

func TestWithoutWrk(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-wrk", filepath.Join(t.TempDir(), "none")}, &out, &out); err != nil || !strings.HasPrefix(out.String(), "skipped: ") {
		t.Errorf("%v %q", err, out.String())
	}
}

// TestLoad loads the real server by the real client, beside a program that says
// what wrk would.
func TestLoad(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds programs and starts a shell script")
	}
	script := filepath.Join(t.TempDir(), "wrk")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho 'Requests/sec: 0.5'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := run(t.Context(), []string{"-wrk", script, "-rounds", "2", "-seconds", "1", "-clients", "2", "-threads", "1"}, &out, &out)
	if err != nil || strings.Count(out.String(), "\n") != 7 {
		t.Errorf("%v\n%s", err, out.String())
	}
}
