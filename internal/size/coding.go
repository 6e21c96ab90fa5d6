// Package size measures how many bytes documents take, raw and under the
// content codings that servers and browsers use. Sizes are exact and repeat:
// the same documents, codings and library versions give the same bytes. Times
// are only indicative.
package size

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"wirecost/internal/bench"
)

// Defaults are the codings measured when nothing else is asked for, at the
// levels that servers use for what they produce at request time.
const Defaults = "identity,gzip:6,gzip:9,zstd:3,br:4"

// Coding is a content coding at one level. It is safe for concurrent use.
type Coding interface {
	// Name is the coding with its level, as in "gzip:6", or "identity".
	Name() string
	// Library says which library at which setting does the work.
	Library() string
	// Note warns of a level that is no use at request time, else it is empty.
	Note() string
	// Compress appends the compressed form of src to dst.
	Compress(dst, src []byte) ([]byte, error)
	// Decompress appends to dst what src was made from. It fails with
	// ErrTooLarge before it has appended more than limit bytes.
	Decompress(dst, src []byte, limit int) ([]byte, error)
	// Writer compresses a stream. It must be closed, which does not close w.
	Writer(w io.Writer) io.WriteCloser
	// Reader decompresses a stream. It must be closed, which does not close r.
	Reader(r io.Reader) (io.ReadCloser, error)
}

// ErrTooLarge says that compressed data would take more room than allowed.
var ErrTooLarge = errors.New("decompressed data is larger than the limit; raise the limit if the data is to be trusted")

// family is the levels of one coding.
type family struct {
	name               string
	first, last, usual int
	make               func(level int) Coding
}

func families() []family {
	return []family{
		{"gzip", 1, 9, 6, newGzip},
		{"zstd", 1, 22, 3, newZstd},
		{"br", 0, 11, 4, newBrotli},
	}
}

// Parse reads a comma-separated list of codings, as in "identity,gzip:9,br". A
// name without a level means the usual one for answers made at request time:
// gzip:6, zstd:3, br:4. What is named twice counts once.
func Parse(list string) ([]Coding, error) {
	var codings []Coding
	for word := range strings.SplitSeq(list, ",") {
		coding, err := parse(strings.ToLower(strings.TrimSpace(word)))
		if err != nil {
			return nil, err
		}
		same := func(c Coding) bool { return c.Name() == coding.Name() }
		if !slices.ContainsFunc(codings, same) {
			codings = append(codings, coding)
		}
	}
	return codings, nil
}

func parse(word string) (Coding, error) {
	if word == bench.Identity {
		return identity{}, nil
	}
	name, number, given := strings.Cut(word, ":")
	for _, f := range families() {
		if f.name != name {
			continue
		}
		level := f.usual
		if given {
			var err error
			level, err = strconv.Atoi(number)
			if err != nil || level < f.first || level > f.last {
				return nil, fmt.Errorf("encoding %q: %s has the levels %d to %d; try %s:%d", word, name, f.first, f.last, name, f.usual)
			}
		}
		return f.make(level), nil
	}
	return nil, fmt.Errorf("encoding %q is not known; try identity, gzip, zstd or br, with a level as in gzip:6", word)
}

// stream is a coding made of a library's resettable writer and reader, which
// are kept for the next document: making them costs more than using them.
type stream struct {
	name, library, note string
	writers, readers    sync.Pool // of encoder and decoder
}

type encoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

type decoder interface {
	io.Reader
	Reset(io.Reader) error
}

func (s *stream) Name() string    { return s.name }
func (s *stream) Library() string { return s.library }
func (s *stream) Note() string    { return s.note }

func (s *stream) Compress(dst, src []byte) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	w := s.Writer(out)
	if _, err := w.Write(src); err != nil {
		return dst, fmt.Errorf("%s: %w", s.name, err)
	}
	if err := w.Close(); err != nil {
		return dst, fmt.Errorf("%s: %w", s.name, err)
	}
	return out.Bytes(), nil
}

func (s *stream) Decompress(dst, src []byte, limit int) ([]byte, error) {
	r, err := s.Reader(bytes.NewReader(src))
	if err != nil {
		return dst, err
	}
	defer r.Close()
	out, err := appendAll(dst, r, limit)
	if err != nil {
		return dst, fmt.Errorf("%s: %w", s.name, err)
	}
	return out, nil
}

func (s *stream) Writer(w io.Writer) io.WriteCloser {
	e := s.writers.Get().(encoder)
	e.Reset(w)
	return &pooledWriter{e, &s.writers}
}

func (s *stream) Reader(r io.Reader) (io.ReadCloser, error) {
	d := s.readers.Get().(decoder)
	if err := d.Reset(r); err != nil {
		s.readers.Put(d)
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return &pooledReader{d, &s.readers}, nil
}

type pooledWriter struct {
	encoder
	pool *sync.Pool
}

func (w *pooledWriter) Close() error {
	if w.pool == nil {
		return nil
	}
	err := w.encoder.Close()
	w.Reset(io.Discard) // let go of the destination
	w.pool.Put(w.encoder)
	w.pool = nil
	return err
}

type pooledReader struct {
	decoder
	pool *sync.Pool
}

func (r *pooledReader) Close() error {
	if r.pool != nil {
		r.pool.Put(r.decoder)
		r.pool = nil
	}
	return nil
}

// appendAll appends what r gives to dst, at most limit bytes.
func appendAll(dst []byte, r io.Reader, limit int) ([]byte, error) {
	const step = 64 << 10
	start := len(dst)
	for {
		room := limit - (len(dst) - start) // one byte more tells "exactly" from "too many"
		dst = slices.Grow(dst, min(step, room+1))
		n, err := r.Read(dst[len(dst):min(cap(dst), len(dst)+room+1)])
		dst = dst[:len(dst)+n]
		if len(dst)-start > limit {
			return dst[:start], ErrTooLarge
		}
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst[:start], err
		}
	}
}
