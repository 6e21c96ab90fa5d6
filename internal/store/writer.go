package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Writer appends records to a result file.
type Writer struct {
	file *os.File
	buf  *bufio.Writer
}

// Create starts a result file with its header, in place of a file that may be
// there. The header's kind and format are filled in.
func Create(path string, h Header) (*Writer, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w := newWriter(f)
	h.Kind, h.Format = "header", FormatV1
	if err := errors.Join(w.Append(&h), w.Sync()); err != nil {
		f.Close()
		return nil, err
	}
	return w, nil
}

func newWriter(f *os.File) *Writer { return &Writer{f, bufio.NewWriterSize(f, 1<<16)} }

// Append adds one record, which must be a pointer to one of this package's
// types. Its kind is filled in where it is empty. It is on disk after Sync.
func (w *Writer) Append(record any) error {
	if err := setKind(record); err != nil {
		return err
	}
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("%s: a record cannot be written: %w", w.file.Name(), err)
	}
	if len(line) >= MaxLine {
		return fmt.Errorf("%s: a record of %d bytes is longer than the %d that a result file may hold in one line", w.file.Name(), len(line), MaxLine)
	}
	w.buf.Write(line)
	return w.buf.WriteByte('\n')
}

// Sync brings what was appended to the disk. It is called after every fork's
// progress record: what is on disk then survives whatever happens.
func (w *Writer) Sync() error {
	if err := w.buf.Flush(); err != nil {
		return err
	}
	return w.file.Sync()
}

// Close ends the file with a footer: complete, interrupted or partial.
func (w *Writer) Close(status string) error {
	err := w.Append(&Footer{Status: status, Time: time.Now().UTC()})
	return errors.Join(err, w.Sync(), w.file.Close())
}

// Resume opens a result file to go on with it. It cuts off what the run before
// left unfinished: the footer, a torn last line, and a fork that no progress
// record closes.
func Resume(path string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	end, err := resumeAt(f, path)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return newWriter(f), nil
}

// resumeAt returns how many bytes of the file stay: all complete lines, without
// a footer and without forks that follow the last progress record.
func resumeAt(r io.Reader, name string) (int64, error) {
	var keep int64
	open := false // inside a fork that is not closed yet
	s := newScanner(r, name)
	err := s.each(func(rec any) error {
		if !s.whole {
			return nil
		}
		switch rec.(type) {
		case *Fork, *Requests:
			open = true
		case *Progress:
			open = false
		case *Footer:
			return nil
		}
		if !open {
			keep = s.end
		}
		return nil
	})
	if err == nil && keep == 0 {
		err = fmt.Errorf("%s: the header is cut short: there is nothing to go on with", name)
	}
	return keep, err
}
