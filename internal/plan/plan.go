// Package plan turns a user's selection into cases, and a seed into the order in
// which they are measured.
package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// Selection is what the user asked to measure.
type Selection struct {
	Codecs     []string          // patterns as of path.Match, against "goccy" and "go/goccy"; empty: the default codecs
	Operations []bench.Operation // empty: encode and decode, and visit where decode alone would mislead
	Baseline   string            // a codec that joins even when no pattern names it
}

// Choice is one runner with the codecs chosen of it.
type Choice struct {
	Runner *runner.Runner
	Codecs []runner.Codec
	Named  map[string]bool // those a pattern asked for by name: skipping one of them is worth an exit code
}

// UnknownCodecError says that a pattern of --codec fits nothing.
type UnknownCodecError struct {
	Pattern string
	Known   []string
}

func (e *UnknownCodecError) Error() string {
	return fmt.Sprintf("--codec %s fits no codec; there are %s", e.Pattern, strings.Join(e.Known, ", "))
}

// Choose applies the selection to the runners that will take part. Runners of
// which nothing is chosen are left out.
func (s Selection) Choose(runners []*runner.Runner) ([]Choice, error) {
	patterns := slices.Clone(s.Codecs)
	if len(patterns) > 0 && s.Baseline != "" {
		patterns = append(patterns, s.Baseline)
	}
	used := make([]bool, len(patterns))
	baseline := s.Baseline == ""
	var choices []Choice
	var known []string
	for _, r := range runners {
		c := Choice{Runner: r, Named: map[string]bool{}}
		for _, codec := range r.Codecs {
			id := r.Runtime + "/" + codec.Name
			known = append(known, id)
			chosen := len(patterns) == 0 && codec.Default
			for i, p := range patterns {
				if !matches(p, r.Runtime, codec.Name) {
					continue
				}
				chosen, used[i] = true, true
				if !strings.ContainsAny(p, "*?[") {
					c.Named[codec.Name] = true
				}
			}
			if !baseline && matches(s.Baseline, r.Runtime, codec.Name) {
				baseline, chosen = true, true
			}
			if chosen {
				c.Codecs = append(c.Codecs, codec)
			}
		}
		if len(c.Codecs) > 0 {
			choices = append(choices, c)
		}
	}
	for i, ok := range used {
		if !ok {
			return nil, &UnknownCodecError{patterns[i], known}
		}
	}
	if !baseline {
		return nil, &UnknownCodecError{s.Baseline, known}
	}
	return choices, nil
}

func matches(pattern, runtime, codec string) bool {
	for _, name := range []string{codec, runtime + "/" + codec} {
		if ok, err := path.Match(pattern, name); err == nil && ok {
			return true
		}
	}
	return false
}

// CodecNames returns the chosen codecs' names.
func (c Choice) CodecNames() []string {
	names := make([]string, len(c.Codecs))
	for i, x := range c.Codecs {
		names[i] = x.Name
	}
	return names
}

// Operations returns what to measure for a runtime's chosen codecs: what the
// user named, else encode and decode, and visit for all of them as soon as one
// is lazy, because then decode does not compare like with like.
func (s Selection) operations(c Choice) []bench.Operation {
	if len(s.Operations) > 0 {
		return s.Operations
	}
	ops := []bench.Operation{bench.Encode, bench.Decode}
	if slices.ContainsFunc(c.Codecs, func(x runner.Codec) bool { return x.Lazy }) {
		ops = append(ops, bench.Visit)
	}
	return ops
}

// Cases lists the cases of one runtime: sample by sample, operation by
// operation, codec by codec.
func (s Selection) Cases(c Choice, samples []string) []bench.Case {
	var cases []bench.Case
	for _, sample := range samples {
		for _, op := range s.operations(c) {
			for _, codec := range c.Codecs {
				if !slices.Contains(codec.Operations, op) {
					continue
				}
				cases = append(cases, bench.Case{
					Sample: sample, Runtime: c.Runner.Runtime, Codec: codec.Name, Format: codec.Format,
					Operation: op, Transport: bench.Memory, Encoding: bench.Identity,
				})
			}
		}
	}
	return cases
}
