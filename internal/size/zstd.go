package size

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"wirecost/internal/env"
)

// newZstd is Zstandard (RFC 8878) by klauspost/compress, which has four
// settings of its own instead of the reference library's 22 levels. A level
// means the setting that the library itself holds for closest: 1–2 fastest, 3–5
// default, 6–9 better, 10–22 best. All else is as the library has it, so that
// sizes are those of a Go server that sets only the level: a checksum of 4 bytes
// per document, and a window of at most 8 MB, the most that browsers
// need to accept (RFC 9659).
func newZstd(level int) Coding {
	setting := zstd.EncoderLevelFromZstd(level)
	s := &zstdCoding{stream: stream{
		name:    fmt.Sprintf("zstd:%d", level),
		library: env.Library("github.com/klauspost/compress") + " zstd setting " + setting.String(),
	}}
	s.writers.New = func() any {
		w, err := zstd.NewWriter(io.Discard, zstd.WithEncoderLevel(setting),
			zstd.WithEncoderConcurrency(1), // no goroutines: times are those of one core
			zstd.WithZeroFrames(true))      // nothing is a frame too, as in the other codings
		if err != nil {
			panic(err) // the options are constants
		}
		return w
	}
	s.readers.New = func() any {
		r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
		if err != nil {
			panic(err)
		}
		return r
	}
	return s
}

// zstdCoding compresses a whole document in one call, as a server does that
// has all of it: the frame then tells its size, and the window fits it.
type zstdCoding struct{ stream }

func (z *zstdCoding) Compress(dst, src []byte) ([]byte, error) {
	w := z.writers.Get().(*zstd.Encoder)
	defer z.writers.Put(w)
	return w.EncodeAll(src, dst), nil
}

func (z *zstdCoding) Decompress(dst, src []byte, limit int) ([]byte, error) {
	if len(src) == 0 { // the library takes this for zero frames
		return dst, fmt.Errorf("%s: %w", z.name, io.ErrUnexpectedEOF)
	}
	return z.stream.Decompress(dst, src, limit)
}
