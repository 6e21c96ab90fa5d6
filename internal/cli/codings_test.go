package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"wirecost/internal/schema"
)

// TestCodingsByShape is case D21: where strings repeat, compressors matter, so a
// fast and a strong one join unless the user chose.
func TestCodingsByShape(t *testing.T) {
	for _, c := range []struct {
		args    []string
		repeats float64
		want    []string
	}{
		{nil, 0.29, []string{"identity", "gzip:6", "gzip:9", "zstd:3", "br:4"}},
		{nil, 0.3, []string{"identity", "gzip:6", "gzip:9", "zstd:3", "br:4", "zstd:1", "br:9"}},
		{[]string{"--encoding=gzip"}, 0.9, []string{"gzip:6"}},
	} {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		addCodings(flags, "content codings")
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		list, err := parseCodings(flags)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, coding := range list.of(schema.Shape{RepeatedStrings: c.repeats}) {
			names = append(names, coding.Name())
		}
		if d := cmp.Diff(c.want, names); d != "" {
			t.Errorf("%v, %v: %s", c.args, c.repeats, d)
		}
	}
}
