package size

import (
	"io"

	"wirecost/internal/bench"
)

// identity is the coding that leaves bytes as they are.
type identity struct{}

func (identity) Name() string    { return bench.Identity }
func (identity) Library() string { return "" }
func (identity) Note() string    { return "" }

func (identity) Compress(dst, src []byte) ([]byte, error) { return append(dst, src...), nil }

func (identity) Decompress(dst, src []byte, limit int) ([]byte, error) {
	if len(src) > limit {
		return dst, ErrTooLarge
	}
	return append(dst, src...), nil
}

func (identity) Writer(w io.Writer) io.WriteCloser { return keepOpen{w} }

func (identity) Reader(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(r), nil }

type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
