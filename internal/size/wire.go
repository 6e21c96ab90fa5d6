package size

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"wirecost/internal/bench"
)

// wire reads a form's documents one after another, as a stream carries them:
// JSON documents each end with a newline (NDJSON, where they are compact), and
// Protobuf messages each follow their length as a varint (the "delimited"
// streams of the Protobuf libraries).
type wire struct {
	format bench.Format
	next   [][]byte
	parts  [2][]byte // what is left of the current document and its frame
	prefix [binary.MaxVarintLen64]byte
}

func newWire(f Form) *wire { return &wire{format: f.Format, next: f.Documents} }

func (w *wire) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(w.parts[0]) == 0 && len(w.parts[1]) == 0 {
			if len(w.next) == 0 {
				break
			}
			w.frame()
		}
		for i := range w.parts {
			copied := copy(p[n:], w.parts[i])
			w.parts[i] = w.parts[i][copied:]
			n += copied
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// frame takes the next document.
func (w *wire) frame() {
	document := w.next[0]
	w.next = w.next[1:]
	if w.format == bench.Protobuf {
		w.parts = [2][]byte{binary.AppendUvarint(w.prefix[:0], uint64(len(document))), document}
		return
	}
	w.parts = [2][]byte{document, {'\n'}}
}

// block is how many bytes a stream is compressed by; fixed, so that the
// output repeats.
const block = 64 << 10

// stream compresses all documents as one, then decompresses and compares.
func (t task) stream(ctx context.Context) (Total, error) {
	sum := Total{Documents: int64(len(t.form.Documents))}
	if t.coding.Name() == bench.Identity {
		n, err := io.Copy(io.Discard, newWire(t.form))
		sum.Bytes = n
		return sum, err
	}
	var packed bytes.Buffer
	compress, err := t.pack(ctx, &packed)
	if err != nil {
		return sum, err
	}
	sum.Bytes = int64(packed.Len())
	decompress, err := t.compare(ctx, packed.Bytes())
	if err != nil {
		return sum, err
	}
	if t.tries > 0 {
		sum.CompressNS, sum.DecompressNS = compress.Nanoseconds(), decompress.Nanoseconds()
	}
	return sum, nil
}

// pack compresses the stream and gives the time spent in the library.
func (t task) pack(ctx context.Context, packed io.Writer) (time.Duration, error) {
	var spent stopwatch
	source, buffer := newWire(t.form), make([]byte, block)
	w := t.coding.Writer(packed)
	for {
		n, err := io.ReadFull(source, buffer)
		if err == io.EOF {
			break
		}
		if err := ctx.Err(); err != nil {
			return 0, errors.Join(err, w.Close())
		}
		spent.start()
		_, err = w.Write(buffer[:n])
		spent.stop()
		if err != nil {
			return 0, errors.Join(err, w.Close())
		}
	}
	spent.start()
	err := w.Close()
	spent.stop()
	return spent.sum, err
}

// compare decompresses the stream beside its source and gives the time spent
// in the library. It never holds more than two blocks, so no limit is needed.
func (t task) compare(ctx context.Context, packed []byte) (time.Duration, error) {
	var spent stopwatch
	source := newWire(t.form)
	want, got := make([]byte, block), make([]byte, block)
	r, err := t.coding.Reader(bytes.NewReader(packed))
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, _ := io.ReadFull(source, want)
		spent.start()
		m, err := io.ReadFull(r, got)
		spent.stop()
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return 0, err
		}
		if !bytes.Equal(want[:n], got[:m]) {
			return 0, different(t.coding)
		}
		if n == 0 && err == io.EOF {
			return spent.sum, nil
		}
		if n == 0 {
			return 0, err // the stream ends without its end
		}
	}
}

// stopwatch adds up times.
type stopwatch struct {
	since time.Time
	sum   time.Duration
}

func (s *stopwatch) start() { s.since = time.Now() }
func (s *stopwatch) stop()  { s.sum += time.Since(s.since) }
