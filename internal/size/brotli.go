package size

import (
	"fmt"
	"io"

	"github.com/andybalholm/brotli"

	"wirecost/internal/env"
)

// newBrotli is Brotli (RFC 7932) by andybalholm/brotli, a translation of the
// reference library with its levels and its default window.
func newBrotli(level int) Coding {
	s := &stream{
		name:    fmt.Sprintf("br:%d", level),
		library: env.Library("github.com/andybalholm/brotli"),
	}
	if level >= 10 {
		s.note = "static assets only" // tens to hundreds of times slower than level 4
	}
	s.writers.New = func() any { return brotli.NewWriterLevel(io.Discard, level) }
	s.readers.New = func() any { return brotli.NewReader(nil) }
	return s
}
