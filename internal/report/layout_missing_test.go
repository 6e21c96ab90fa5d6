package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
)

func TestOneReasonIsOneItem(t *testing.T) {
	row := func(codec string, op bench.Operation, encoding, peer, reason string) Case {
		c := Case{Case: bench.Case{Sample: "s", Runtime: "page", Codec: codec, Operation: op, Transport: bench.Memory, Encoding: bench.Identity}, Status: bench.Skipped, Reason: reason}
		if encoding != "" {
			c.Case.Transport, c.Case.Encoding, c.Case.Peer = bench.HTTP, encoding, peer
		}
		return c
	}
	r := &Report{Cases: []Case{
		row("a", bench.Encode, "", "", "too deep"), row("a", bench.Decode, "", "", "too deep"), row("b", bench.Decode, "", "", "too deep"),
		row("a", bench.Get, "br:4", "go/x", "no br"), row("b", bench.Get, "br:4", "go/y", "no br"), row("a", bench.Get, "zstd:3", "go/x", "no zstd"),
		row("a", bench.Post, "br:4", "go/x", "no br"), row("b", bench.Post, "br:4", "go/y", "no br"), row("b", bench.Get, "br:4", "java/y", "no br"),
	}}
	want := []string{
		"page/a encode, decode: skipped: too deep",
		"page/b decode: skipped: too deep",
		"page/a, b get over http, br:4, with go; post over http, br:4, with go: skipped: no br",
		"page/a get over http, zstd:3, with go: skipped: no zstd",
		"page/b get over http, br:4, with java: skipped: no br",
	}
	if d := cmp.Diff(strings.Join(want, "\n"), strings.Join(missingBlock(r)[0].items, "\n")); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
	if missingBlock(&Report{Cases: []Case{{Status: bench.Measured, NS: &analyse.Estimate{}}}}) != nil {
		t.Error("what was measured is missing")
	}
}
