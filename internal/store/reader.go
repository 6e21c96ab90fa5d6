package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// MaxLine bounds the length of a record, in bytes.
const MaxLine = 16 << 20

// Scan reads a result file record by record and hands each to fn as a pointer
// to its type. Records of a kind that this version does not know are passed
// over. A last line that was cut short, as a killed run leaves it, ends the file.
// Errors begin with name and the line's number; one from fn stops the scan.
func Scan(r io.Reader, name string, fn func(rec any) error) error {
	return newScanner(r, name).each(fn)
}

// kinds makes an empty record of each kind.
var kinds = map[string]func() any{
	"header":    func() any { return new(Header) },
	"sample":    func() any { return new(Sample) },
	"size":      func() any { return new(Size) },
	"loss":      func() any { return new(Loss) },
	"case":      func() any { return new(Case) },
	"outcome":   func() any { return new(Outcome) },
	"fork":      func() any { return new(Fork) },
	"memory":    func() any { return new(Memory) },
	"requests":  func() any { return new(Requests) },
	"open-loop": func() any { return new(OpenLoop) },
	"storage":   func() any { return new(Storage) },
	"noise":     func() any { return new(Noise) },
	"progress":  func() any { return new(Progress) },
	"footer":    func() any { return new(Footer) },
}

func setKind(record any) error {
	switch r := record.(type) {
	case *Header:
		r.Kind = "header"
	case *Sample:
		r.Kind = "sample"
	case *Size:
		r.Kind = "size"
	case *Loss:
		r.Kind = "loss"
	case *Case:
		r.Kind = "case"
	case *Outcome:
		r.Kind = "outcome"
	case *Fork:
		r.Kind = "fork"
	case *Memory:
		r.Kind = "memory"
	case *Requests:
		r.Kind = "requests"
	case *OpenLoop:
		r.Kind = "open-loop"
	case *Storage:
		r.Kind = "storage"
	case *Noise:
		r.Kind = "noise"
	case *Progress:
		r.Kind = "progress"
	case *Footer:
		r.Kind = "footer"
	default:
		return fmt.Errorf("a result file holds no records of type %T", record)
	}
	return nil
}

type scanner struct {
	name  string
	in    *bufio.Reader
	line  int
	whole bool  // whether the current line ends in a newline
	end   int64 // offset just after the last line that does
	buf   []byte
	check checker
}

func newScanner(r io.Reader, name string) *scanner {
	return &scanner{name: name, in: bufio.NewReaderSize(r, 1<<16), check: newChecker()}
}

func (s *scanner) each(fn func(rec any) error) error {
	for {
		line, whole, err := s.next()
		if err != nil {
			return err
		}
		if len(line) == 0 && !whole {
			break
		}
		if !whole && !json.Valid(line) {
			break
		}
		if s.whole = whole; whole {
			s.end += int64(len(line)) + 1
		}
		rec, err := s.record(bytes.TrimSpace(line))
		if err != nil {
			return err
		}
		if rec == nil {
			continue
		}
		if err := fn(rec); err != nil {
			return err
		}
	}
	if !s.check.started {
		return fmt.Errorf("%s: this is not a wirecost result file: it holds no header", s.name)
	}
	return nil
}

// next returns the next line and whether it ends in a newline.
func (s *scanner) next() (line []byte, whole bool, err error) {
	s.line++
	s.buf = s.buf[:0]
	for {
		part, err := s.in.ReadSlice('\n')
		s.buf = append(s.buf, part...)
		if len(s.buf) > MaxLine {
			return nil, false, s.errorf("the line is longer than %d bytes: this is not a wirecost result file", MaxLine)
		}
		switch {
		case err == nil:
			return s.buf[:len(s.buf)-1], true, nil
		case errors.Is(err, io.EOF):
			return s.buf, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, fmt.Errorf("%s: %w", s.name, err)
		}
	}
}

func (s *scanner) record(line []byte) (any, error) {
	var head struct {
		Kind   string `json:"kind"`
		Format string `json:"format"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, s.errorf("this is not a record: %v", err)
	}
	if err := s.check.head(head.Kind, head.Format); err != nil {
		return nil, s.errorf("%w", err)
	}
	make := kinds[head.Kind]
	if make == nil {
		return nil, nil
	}
	rec := make()
	if err := json.Unmarshal(line, rec); err != nil {
		return nil, s.errorf("a %s record cannot be read: %v", head.Kind, err)
	}
	if err := s.check.record(rec); err != nil {
		return nil, s.errorf("%w", err)
	}
	return rec, nil
}

func (s *scanner) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", s.name, s.line, fmt.Errorf(format, args...))
}

// File is a result file that can be read again and again.
type File struct {
	Name   string
	Header Header
	Status string            // of its footer; "killed" where there is none
	Codecs map[string]string // runtime/codec → library and version

	samples []Sample
	open    func() (io.ReadCloser, error)
}

// Read checks a result file from end to end and keeps what it says of itself;
// what it holds is read with its Scan.
func Read(path string) (*File, error) {
	return newFile(path, func() (io.ReadCloser, error) { return os.Open(path) })
}

// InMemory makes a file of what data holds.
func InMemory(name string, data []byte) (*File, error) {
	return newFile(name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

func newFile(name string, open func() (io.ReadCloser, error)) (*File, error) {
	f := &File{Name: name, Status: "killed", Codecs: map[string]string{}, open: open}
	return f, f.Scan(func(rec any) error {
		switch r := rec.(type) {
		case *Header:
			f.Header = *r
		case *Sample:
			f.samples = append(f.samples, *r)
		case *Case:
			f.Codecs[r.CodecID()] = r.Library + " " + r.Version
		case *Footer:
			f.Status = r.Status
		}
		return nil
	})
}

// Samples lists what was measured.
func (f *File) Samples() []Sample { return f.samples }

// Scan hands every record of the file to fn, as the function Scan does.
func (f *File) Scan(fn func(rec any) error) error {
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	return Scan(in, f.Name, fn)
}
