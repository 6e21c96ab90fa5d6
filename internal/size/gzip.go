package size

import (
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
)

// newGzip is gzip (RFC 1952) by the Go standard library. Its header holds no
// name and no time, so the output repeats; it depends on the Go version.
func newGzip(level int) Coding {
	s := &stream{
		name:    fmt.Sprintf("gzip:%d", level),
		library: "compress/gzip " + runtime.Version(),
	}
	s.writers.New = func() any {
		w, err := gzip.NewWriterLevel(io.Discard, level)
		if err != nil {
			panic(err) // the level was checked
		}
		return w
	}
	s.readers.New = func() any { return new(gzip.Reader) }
	return s
}
