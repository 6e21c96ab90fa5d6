package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// programMark stands for the path of wirecost's own program.
const programMark = "{wirecost}"

// UsesProgram tells whether the manifest's commands or environment start
// wirecost's own program.
func (r *Runner) UsesProgram() bool {
	for _, v := range r.Environment {
		if strings.Contains(v, programMark) {
			return true
		}
	}
	return mentions(slices.Concat(r.Manifest.Setup, r.Checks, r.Manifest.Warm, r.Generate, r.Manifest.Build, [][]string{r.Run}), programMark)
}

func mentions(commands [][]string, mark string) bool {
	return slices.ContainsFunc(slices.Concat(commands...), func(w string) bool { return strings.Contains(w, mark) })
}

// program gives the path of wirecost's own program; empty where the runner does
// not use it.
func (b *Builder) program(r *Runner) (string, error) {
	if !r.UsesProgram() {
		return "", nil
	}
	if b.Program != "" {
		return b.Program, nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("where wirecost's own program is cannot be found: %w", err)
	}
	if strings.HasSuffix(strings.TrimSuffix(program, exeSuffix), ".test") {
		return "", fmt.Errorf("the runner for %s needs wirecost's own program, but %s is a test; set Builder.Program", r.Runtime, program)
	}
	return program, nil
}

var released = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// release is a released version, or "devel" for all others: what they set up is
// not set up again for every change to wirecost.
func release(version string) string {
	if released.MatchString(version) {
		return version
	}
	return "devel"
}

// fileDigest is a file's SHA-256, hexadecimal.
func fileDigest(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
