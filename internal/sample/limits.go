package sample

import (
	"fmt"

	"wirecost/internal/strictjson"
)

// Limits bound what is read. A field that is zero means its default.
type Limits struct {
	Document  int64   // bytes of one JSON document or Protobuf message
	Line      int64   // bytes of one line of newline-delimited JSON
	Decoded   int64   // bytes that one compressed file may give, and that Open keeps in all
	Ratio     float64 // decoded to compressed bytes, beyond the first 32 MiB decoded
	Depth     int     // nesting of arrays and objects
	Keys      int     // members of one object
	Documents int     // that Open keeps in all
}

// The names of the flags that raise the limits, as messages give them.
const (
	FlagDocument  = "--max-document"
	FlagLine      = "--max-line"
	FlagDecoded   = "--max-decoded"
	FlagRatio     = "--max-ratio"
	FlagDepth     = "--max-depth"
	FlagKeys      = "--max-keys"
	FlagDocuments = "--max-documents"
)

// ratioFree is how many bytes a compressed file may give before Ratio counts:
// small and very repetitive files are no danger.
const ratioFree = 32 << 20

// DefaultLimits are the limits in force where nothing else is said.
func DefaultLimits() Limits {
	return Limits{
		Document:  64 << 20,
		Line:      64 << 20,
		Decoded:   1 << 30,
		Ratio:     200,
		Depth:     1000,
		Keys:      1_000_000,
		Documents: 2_000_000,
	}
}

// orDefaults fills the fields that are not set.
func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	setDefault(&l.Document, d.Document)
	setDefault(&l.Line, d.Line)
	setDefault(&l.Decoded, d.Decoded)
	setDefault(&l.Ratio, d.Ratio)
	setDefault(&l.Depth, d.Depth)
	setDefault(&l.Keys, d.Keys)
	setDefault(&l.Documents, d.Documents)
	return l
}

func setDefault[T int | int64 | float64](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// json gives the limits to check text of n bytes with, whose length is
// bounded elsewhere.
func (l Limits) json(n int) strictjson.Limits {
	return strictjson.Limits{Depth: l.Depth, Keys: l.Keys, Document: n + 1}
}

// size spells a number of bytes as the flags take it: "64MiB" for 64·2²⁰,
// "64MB" for 64·10⁶.
func size(n int64) string {
	for _, u := range []struct {
		unit  string
		bytes int64
	}{{"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d%s", n/u.bytes, u.unit)
		}
	}
	return fmt.Sprintf("%dB", n)
}
