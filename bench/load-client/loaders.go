package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// wrk is https://github.com/wg/wrk.
type wrk struct {
	*options
	url string
}

func (w *wrk) load(ctx context.Context, seconds int) (float64, error) {
	out, err := output(ctx, seconds, nil, w.options.wrk, "-t", strconv.Itoa(w.threads), "-c", strconv.Itoa(w.clients), "-d", fmt.Sprintf("%ds", seconds), w.url)
	if err != nil {
		return 0, err
	}
	return readWrk(out)
}

var (
	wrkRate   = regexp.MustCompile(`(?m)^Requests/sec:\s+([0-9.]+)\s*$`)
	wrkErrors = regexp.MustCompile(`(?m)^\s*(?:Non-2xx or 3xx responses|Socket errors):.*$`)
)

// readWrk finds the rate in wrk's words, and refuses one that has errors.
func readWrk(out []byte) (float64, error) {
	if e := wrkErrors.Find(out); e != nil {
		return 0, fmt.Errorf("wrk has seen errors: %s", bytes.TrimSpace(e))
	}
	m := wrkRate.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("wrk gives no rate: %q", out)
	}
	rate, err := strconv.ParseFloat(string(m[1]), 64)
	if err == nil && rate <= 0 {
		err = fmt.Errorf("wrk made no requests: %q", out)
	}
	return rate, err
}

// ours is the runner's client.
type ours struct {
	*options
	url, program string
}

func (o *ours) load(ctx context.Context, seconds int) (float64, error) {
	out, err := output(ctx, seconds, []string{
		"LOAD_URL=" + o.url, fmt.Sprintf("LOAD_CLIENTS=%d", o.clients), fmt.Sprintf("LOAD_SECONDS=%d", seconds), fmt.Sprintf("GOMAXPROCS=%d", o.threads),
	}, o.program)
	if err != nil {
		return 0, err
	}
	var made, took float64
	if _, err := fmt.Sscan(string(out), &made, &took); err != nil || made < 1 || took <= 0 {
		return 0, fmt.Errorf("the client answered %q: %w", out, err)
	}
	return made / took, nil
}

// output runs a program for some seconds and gives what it writes.
func output(ctx context.Context, seconds int, env []string, words ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+grace)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", words[0], err, stderr.Bytes())
	}
	return out, nil
}
