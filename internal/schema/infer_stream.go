package schema

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"wirecost/internal/strictjson"
)

// LineError says what is wrong with a line of a stream.
type LineError struct {
	Line   int // from 1
	Column int // from 1, in bytes
	Err    error
}

// Error gives "line:column: what is wrong".
func (e *LineError) Error() string {
	text := e.Err.Error()
	var s *strictjson.Error
	if errors.As(e.Err, &s) {
		text = s.Text()
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, text)
}

// Unwrap returns the error without its place.
func (e *LineError) Unwrap() error { return e.Err }

// chunkSize is how much of a stream a worker gets at a time, in bytes; a longer
// line makes a longer chunk.
const chunkSize = 1 << 20

// chunk is a run of whole lines.
type chunk struct {
	data []byte
	line int // number of its first line
}

// InferStream adds up the documents of a stream of lines (NDJSON), one in each
// line that is not blank, with so many workers (at least one). Memory does not
// grow with the stream: a few chunks per worker, and the Partials. It calls
// progress, if any, with the number of bytes read so far, from one goroutine.
// What is wrong with a document is reported as a *LineError, that of the first
// bad line.
func InferStream(ctx context.Context, r io.Reader, opt InferOptions, workers int, progress func(bytes int64)) (*Partial, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	workers = max(workers, 1)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	chunks := make(chan chunk, workers)
	free := make(chan []byte, 2*workers+2)
	parts := make([]*Partial, workers)
	errs := make([]*LineError, workers)
	var wait sync.WaitGroup
	for i := range parts {
		parts[i] = NewPartial(opt)
		wait.Go(func() {
			for c := range chunks {
				// After a worker's first error its later chunks do not matter.
				if errs[i] == nil {
					if errs[i] = parts[i].addLines(c); errs[i] != nil {
						stop(errs[i])
					}
				}
				recycle(free, c.data)
			}
		})
	}
	err := readChunks(ctx, r, opt.Limits.Document, chunks, free, progress)
	close(chunks)
	wait.Wait()
	// Chunks are handed out in order, so the first bad line is among the errors.
	if first := firstLine(errs); first != nil {
		var own *LineError
		if !errors.As(err, &own) || first.Line <= own.Line {
			return nil, first
		}
	}
	if err != nil {
		return nil, err
	}
	for _, p := range parts[1:] {
		parts[0].Merge(p)
	}
	return parts[0], nil
}

func firstLine(errs []*LineError) (first *LineError) {
	for _, e := range errs {
		if e != nil && (first == nil || e.Line < first.Line) {
			first = e
		}
	}
	return first
}

// addLines adds the document of each line.
func (p *Partial) addLines(c chunk) *LineError {
	line := c.line
	for rest := c.data; len(rest) > 0; line++ {
		var doc []byte
		if n := bytes.IndexByte(rest, '\n'); n < 0 {
			doc, rest = rest, nil
		} else {
			doc, rest = rest[:n], rest[n+1:]
		}
		if blank(doc) {
			continue
		}
		if err := p.Add(doc); err != nil {
			return lineError(line, err)
		}
	}
	return nil
}

func lineError(line int, err error) *LineError {
	e := &LineError{Line: line, Column: 1, Err: err}
	var s *strictjson.Error
	if errors.As(err, &s) {
		e.Column = s.Offset + 1
	}
	return e
}

func blank(doc []byte) bool {
	for _, c := range doc {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// readChunks cuts a stream at line ends.
func readChunks(ctx context.Context, r io.Reader, maxLine int, out chan<- chunk, free <-chan []byte, progress func(int64)) error {
	var total int64
	line := 1
	buf := buffer(free)
	for first := true; ; first = false {
		n, err := readFull(r, buf[len(buf):max(chunkSize, 2*len(buf))])
		total += int64(n)
		buf = buf[:len(buf)+n]
		if first {
			buf = withoutMark(buf)
		}
		if progress != nil {
			progress(total)
		}
		last := err == io.EOF
		if err != nil && !last {
			return err
		}
		end := lastLineEnd(buf)
		if last {
			end = len(buf)
		}
		rest := buf[end:]
		if len(rest) > maxLine {
			return &LineError{line + bytes.Count(buf[:end], []byte{'\n'}), 1, fmt.Errorf("a line is longer than the limit of %d bytes; if that is meant, raise the limit with --max-document", maxLine)}
		}
		next := buffer(free)
		if cap(next) < 2*len(rest) {
			next = make([]byte, 0, 2*len(rest))
		}
		next = append(next, rest...)
		c := chunk{buf[:end], line}
		line += bytes.Count(c.data, []byte{'\n'})
		select {
		case out <- c:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if last {
			return nil
		}
		buf = next
	}
}

// lastLineEnd returns the offset behind the last line end, 0 without one. It looks
// for it a block at a time, because bytes.IndexByte is much faster than LastIndexByte.
func lastLineEnd(b []byte) int {
	const block = 4096
	for len(b) > 0 {
		from := max(0, len(b)-block)
		if bytes.IndexByte(b[from:], '\n') >= 0 {
			return from + bytes.LastIndexByte(b[from:], '\n') + 1
		}
		b = b[:from]
	}
	return 0
}

// readFull fills b. Unlike io.ReadFull it tells the end of the stream (io.EOF)
// from a stream that was cut (io.ErrUnexpectedEOF, as decompressors say).
func readFull(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	return n, err
}

// withoutMark drops a byte order mark.
func withoutMark(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF")) }

// buffer returns an empty buffer of at least a chunk's size.
func buffer(free <-chan []byte) []byte {
	select {
	case b := <-free:
		return b[:0]
	default:
		return make([]byte, 0, chunkSize)
	}
}

// recycle keeps a buffer for reuse, unless it is an unusually long one.
func recycle(free chan<- []byte, b []byte) {
	if cap(b) < chunkSize || cap(b) > 4*chunkSize {
		return
	}
	select {
	case free <- b:
	default:
	}
}

// InferAll adds up documents that are in memory, with so many workers. An error
// names the first bad document by its index.
func InferAll(ctx context.Context, docs [][]byte, opt InferOptions, workers int) (*Partial, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	workers = max(1, min(workers, len(docs)))
	parts := make([]*Partial, workers)
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for i := range parts {
		parts[i] = NewPartial(opt)
		from, to := i*len(docs)/workers, (i+1)*len(docs)/workers
		wait.Go(func() {
			for n := from; n < to && errs[i] == nil; n++ {
				if errs[i] = ctx.Err(); errs[i] != nil {
					return
				}
				if err := parts[i].Add(docs[n]); err != nil {
					errs[i] = &DocumentError{Document: n, Err: err}
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	for _, p := range parts[1:] {
		parts[0].Merge(p)
	}
	return parts[0], nil
}
