package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"wirecost/internal/schema"
	"wirecost/internal/size"
)

// codings are the content codings that sizes are measured in.
type codings struct {
	list  []size.Coding
	given bool // the user named them
}

const encodingFlag = "encoding"

func addCodings(flags *pflag.FlagSet, help string) { flags.String(encodingFlag, size.Defaults, help) }

func parseCodings(flags *pflag.FlagSet) (codings, error) {
	text, err := flags.GetString(encodingFlag)
	if err != nil {
		return codings{}, err
	}
	list, err := size.Parse(text)
	if err != nil {
		return codings{}, &usageError{err}
	}
	return codings{list, flags.Changed(encodingFlag)}, nil
}

// repetitive is the share of string bytes that repeat an earlier string from
// which on the compressor matters more than the schema.
const repetitive = 0.3

// forRepetition are a fast and a strong coding for such documents: the fastest
// level of zstd, and the strongest of brotli that still serves answers made on
// request (from 10 on it is for static files; zstd has no stronger level here
// that is not).
const forRepetition = "zstd:1,br:9"

// of gives the codings for documents of a shape.
func (c codings) of(s schema.Shape) []size.Coding {
	if c.given || s.RepeatedStrings < repetitive {
		return c.list
	}
	more, err := size.Parse(forRepetition)
	if err != nil {
		return c.list // not reached: a test parses it
	}
	return slices.Concat(c.list, more)
}
