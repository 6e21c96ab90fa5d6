package sample

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// kind is how a source is read.
type kind int

const (
	kindUnknown   kind = iota // JSON or NDJSON, to be found out by looking
	kindJSON                  // a document, or an array of documents
	kindLines                 // newline-delimited JSON
	kindHAR                   // an HTTP archive
	kindBinary                // a Protobuf message, or several, each behind its length
	kindDelimited             // Protobuf messages, each behind its length
	kindText                  // a Protobuf message in text format
)

func (k kind) protobuf() bool { return k >= kindBinary }

// nameOf takes a path apart: the base name without the extensions that say how
// to read it, and those. Compression is "gz", "zst" or empty.
func nameOf(path string) (base string, k kind, compression string) {
	base = filepath.Base(path)
	switch ext := strings.ToLower(filepath.Ext(base)); ext {
	case ".gz", ".zst":
		compression = ext[1:]
		base = base[:len(base)-len(ext)]
	}
	ext := filepath.Ext(base)
	base = base[:len(base)-len(ext)]
	switch strings.ToLower(ext) {
	case ".json":
		k = kindJSON
	case ".ndjson", ".jsonl":
		k = kindLines
	case ".har":
		k = kindHAR
	case ".pb", ".binpb", ".pbf":
		k = kindBinary
	case ".pbs", ".delimited":
		k = kindDelimited
	case ".txtpb", ".textproto", ".pbtxt", ".prototext":
		k = kindText
	}
	return base, k, compression
}

// isBin tells whether a file, whose base name is given, ends in .bin. Named by
// itself it is taken for a Protobuf message; in a folder it may be anything.
func isBin(path, base string) bool {
	extensions := strings.Split(strings.ToLower(filepath.Base(path)[len(base):]), ".")
	return len(extensions) > 1 && extensions[1] == "bin"
}

// stdinName is the path that stands for standard input, and stdinShown what
// messages call it.
const (
	stdinName  = "-"
	stdinShown = "standard input"
)

// source is an input opened for reading, decompressed.
type source struct {
	file string
	kind kind
	io.Reader
	close []func()
	notes []string
}

// Close releases what the source holds.
func (s *source) Close() {
	for _, f := range s.close {
		f()
	}
}

// openSource opens a file or standard input.
func openSource(path string, opt Options) (*source, error) {
	if path == stdinName {
		return openStdin(opt)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &Error{File: path, Msg: "it is a folder", Hint: "name a file"}
	}
	s := &source{file: path, Reader: f, close: []func(){func() { f.Close() }}}
	base, kind, compression := nameOf(path)
	s.kind = kind
	if isBin(path, base) {
		s.kind = kindBinary
	}
	if compression != "" {
		if err := s.decompress(compression, opt.Limits); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// openStdin takes standard input, which has no name: its first bytes tell
// whether it is compressed.
func openStdin(opt Options) (*source, error) {
	if opt.Stdin == nil {
		return nil, &Error{File: stdinShown, Msg: "there is no standard input to read", Hint: "name a file"}
	}
	r := bufio.NewReaderSize(opt.Stdin, readSize)
	s := &source{file: stdinShown, Reader: r}
	head, err := r.Peek(longestMagic)
	switch {
	case err == io.EOF:
		s.Reader = bytes.NewReader(head) // nobody types the end of a terminal's input twice
	case err != nil:
		return nil, fileError(stdinShown, err)
	}
	f, _ := formatOf(head)
	if f.compression == "" {
		return s, nil
	}
	s.notes = append(s.notes, fmt.Sprintf("%s is %s data and was decompressed", stdinShown, f.name))
	if err := s.decompress(f.compression, opt.Limits); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// zstdMemory bounds what the decoder of a Zstandard file may keep: the window
// that "zstd --long" asks for.
const zstdMemory = 128 << 20

// decompress puts a guarded decompressor before the source's reader.
func (s *source) decompress(compression string, lim Limits) error {
	in := &counter{r: bufio.NewReaderSize(s.Reader, readSize)}
	g := &guard{file: s.file, in: in, lim: lim}
	switch compression {
	case "gz":
		g.format = "gzip"
		r, err := gzip.NewReader(in)
		if err == io.EOF {
			return &NothingError{File: s.file, Reason: "it is empty"}
		}
		if err != nil {
			return g.fault(err)
		}
		g.r = r
	case "zst":
		g.format = "Zstandard"
		r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdMemory))
		if err != nil {
			return g.fault(err)
		}
		s.close = append(s.close, r.Close)
		g.r = r
	}
	s.Reader = g
	return nil
}

// counter counts the bytes that a decompressor takes.
type counter struct {
	r *bufio.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte keeps gzip from reading ahead in a buffer of its own.
func (c *counter) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// guard reads from a decompressor, stops at the limits and names what is wrong
// with the compressed data.
type guard struct {
	file, format string
	r            io.Reader
	in           *counter
	out          int64
	lim          Limits
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	g.out += int64(n)
	switch {
	case g.out > g.lim.Decoded:
		return 0, tooLarge(g.file, place{}, "the decompressed text", g.lim.Decoded, FlagDecoded)
	case g.out > ratioFree && float64(g.out) > g.lim.Ratio*float64(g.in.n):
		return 0, &Error{File: g.file, Err: ErrLimit,
			Msg:  fmt.Sprintf("it decompresses to more than %g times its size, as a decompression bomb does", g.lim.Ratio),
			Hint: "if that is meant, raise the limit with " + FlagRatio}
	case err != nil && err != io.EOF:
		return n, g.fault(err)
	}
	return n, err
}

// fault names what a decompressor, or the file under it, ran into.
func (g *guard) fault(err error) error {
	e := &Error{File: g.file, Err: err}
	var system *os.PathError
	switch {
	case errors.As(err, &system):
		return fileError(g.file, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Msg = fmt.Sprintf("the %s data is cut off after %s of text", g.format, count(int(g.out), "byte", "bytes"))
		e.Hint = "fetch it or compress it again"
	case g.out == 0 && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch)):
		e.Msg = fmt.Sprintf("this is not %s data, though the file's name says so", g.format)
		e.Hint = "rename the file, or compress it"
		if g.file == stdinShown {
			e.Msg = fmt.Sprintf("this begins like %s data and is not", g.format)
			e.Hint = "standard input takes JSON and NDJSON, also compressed by gzip or Zstandard"
		}
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		e.Msg = "decompressing it needs a window of more than " + size(zstdMemory)
		e.Hint = "compress it again without --ultra and --long"
	default:
		e.Msg = fmt.Sprintf("the %s data is corrupt after %s of text: %v", g.format, count(int(g.out), "byte", "bytes"), err)
		e.Hint = "fetch it or compress it again"
	}
	return e
}
