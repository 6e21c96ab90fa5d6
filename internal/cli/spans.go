package cli

import (
	"bytes"
	"io"
)

// spans reads through and keeps evenly spread pieces of what passes: whole
// lines to check a schema on when the input is too large to be kept. Its memory
// is bounded: as the input grows, every other piece is dropped.
type spans struct {
	r      io.Reader
	every  int64 // a piece begins at each multiple of this
	length int64 // of a piece, at most
	most   int   // pieces kept
	offset int64
	pieces []piece
}

type piece struct {
	at   int64
	data []byte
}

func newSpans(r io.Reader) *spans {
	return &spans{r: r, every: 1 << 20, length: 256 << 10, most: 64}
}

func (s *spans) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.keep(p[:n])
	return n, err
}

func (s *spans) keep(p []byte) {
	for len(p) > 0 {
		start := s.offset / s.every * s.every
		within := s.offset - start
		n := int64(len(p))
		if within < s.length {
			n = min(n, s.length-within)
			s.add(start, p[:n])
		} else {
			n = min(n, s.every-within)
		}
		s.offset += n
		p = p[n:]
	}
}

func (s *spans) add(start int64, p []byte) {
	if k := len(s.pieces); k > 0 && s.pieces[k-1].at == start {
		s.pieces[k-1].data = append(s.pieces[k-1].data, p...)
		return
	}
	if len(s.pieces) == s.most {
		s.every *= 2
		kept := s.pieces[:0]
		for _, x := range s.pieces {
			if x.at%s.every == 0 {
				kept = append(kept, x)
			}
		}
		s.pieces = kept
		if start%s.every != 0 {
			return
		}
	}
	s.pieces = append(s.pieces, piece{start, bytes.Clone(p)})
}

// lines returns the whole lines within the pieces.
func (s *spans) lines() [][]byte {
	var out [][]byte
	for _, x := range s.pieces {
		data := x.data
		if x.at > 0 { // the piece may begin in the middle of a line
			i := bytes.IndexByte(data, '\n')
			if i < 0 {
				continue
			}
			data = data[i+1:]
		}
		if x.at+int64(len(x.data)) < s.offset { // and end in one
			data = data[:bytes.LastIndexByte(data, '\n')+1]
		}
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				out = append(out, line)
			}
		}
	}
	return out
}
