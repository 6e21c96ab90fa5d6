package sample

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Open reads the samples of the paths into memory. A file is one sample, a
// folder one sample of all the documents in it, a HAR one sample per endpoint
// and direction; "-" is standard input. The order is that of the paths.
//
// The error is an *Error, or a *NothingError where an input holds no documents.
func Open(paths []string, opt Options) ([]*Sample, error) {
	opt.Limits = opt.Limits.orDefaults()
	k := &keeper{opt: opt}
	var ids identifiers
	var samples []*Sample
	for i, path := range paths {
		if path == stdinName && slices.Contains(paths[:i], path) {
			return nil, &Error{File: stdinShown, Msg: `"-" is named twice, and standard input can be read once`, Hint: "name it once"}
		}
		opened, err := k.open(path)
		if err != nil {
			return nil, err
		}
		samples = append(samples, opened...)
		ids.add(path, opened)
	}
	if len(samples) == 0 {
		return nil, &NothingError{File: "wirecost", Reason: `no file was named; name a file, a folder, or "-" for standard input`}
	}
	ids.assign(samples)
	for _, s := range samples {
		s.finish()
	}
	return samples, nil
}

// Walk reads one source of JSON or newline-delimited JSON and calls fn for
// each document, whose Data is valid during the call. It keeps no more than one
// document or line in memory. Limits.Documents does not count here, and
// Limits.Decoded for compressed files only. An error of fn ends the walk and is returned.
func Walk(path string, opt Options, fn func(Document) error) error {
	opt.Limits = opt.Limits.orDefaults()
	src, err := openSource(path, opt)
	if err != nil {
		return err
	}
	defer src.Close()
	if src.kind == kindHAR || src.kind.protobuf() {
		return &Error{File: src.file, Msg: "it cannot be read as a stream", Hint: "give .json or .ndjson"}
	}
	r := &reader{text: newText(src.file, src), opt: opt, fn: fn}
	return r.read(src.kind)
}

// read reads a source whose kind its name tells, or looks.
func (r *reader) read(k kind) error {
	if err := r.begin(); err != nil {
		return err
	}
	switch k {
	case kindJSON:
		return r.json()
	case kindLines:
		return r.lines()
	}
	return r.look()
}

// keeper keeps documents in memory, within the limits.
type keeper struct {
	opt       Options
	bytes     int64
	documents int
}

// open reads one path of Open's.
func (k *keeper) open(path string) ([]*Sample, error) {
	if path != stdinName {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fileError(path, err)
		}
		if info.IsDir() {
			s, err := k.folder(path)
			return []*Sample{s}, err
		}
	}
	src, err := openSource(path, k.opt)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if src.kind == kindHAR {
		return k.har(src)
	}
	s := &Sample{Name: src.file}
	return []*Sample{s}, k.read(src, s)
}

// read adds the documents of a source to a sample.
func (k *keeper) read(src *source, s *Sample) error {
	if src.kind.protobuf() {
		return k.protobuf(src, s)
	}
	r := &reader{text: newText(src.file, src), opt: k.opt}
	r.fn = func(d Document) error {
		d.Data = bytes.Clone(d.Data)
		return k.keep(s, d)
	}
	err := r.read(src.kind)
	s.Notes = append(append(s.Notes, src.notes...), r.notes...)
	s.fromArray = s.fromArray || r.fromArray
	return err
}

// keep adds a document to a sample, which owns its data from now on.
func (k *keeper) keep(s *Sample, d Document) error {
	k.documents++
	if k.documents > k.opt.Limits.Documents {
		return tooMany(d.Source, place{d.Line, d.Column}, k.opt.Limits.Documents)
	}
	if k.bytes += int64(len(d.Data)); k.bytes > k.opt.Limits.Decoded {
		return tooLarge(d.Source, place{d.Line, d.Column}, "what has been read up to here", k.opt.Limits.Decoded, FlagDecoded)
	}
	s.add(d)
	return nil
}

// folder reads all documents in a folder as one sample.
func (k *keeper) folder(path string) (*Sample, error) {
	files, ignored, err := list(path)
	if err != nil {
		return nil, err
	}
	s := &Sample{Name: path}
	if len(ignored) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: ignored %s (%s)", shown(path),
			count(len(ignored), "other file", "other files"), shown(some(ignored))))
	}
	var nothing *NothingError
	for _, file := range files {
		err := k.member(file, s)
		if errors.As(err, &nothing) {
			s.Notes = append(s.Notes, nothing.Error())
		} else if err != nil {
			return nil, err
		}
	}
	if len(s.Documents) == 0 {
		return nil, &NothingError{File: path, Reason: "the folder holds no documents (.json, .ndjson, .pb or .txtpb, also compressed; a .har is named by itself)"}
	}
	return s, nil
}

// member reads one file of a folder.
func (k *keeper) member(file string, s *Sample) error {
	src, err := openSource(file, k.opt)
	if err != nil {
		return err
	}
	defer src.Close()
	return k.read(src, s)
}

// list gives the files of documents in a folder and the folders in it, sorted
// by name, and the names of those that are ignored. What is hidden is neither.
func list(folder string) (files, ignored []string, err error) {
	var first [2]string // of JSON, of Protobuf
	err = fs.WalkDir(os.DirFS(folder), ".", func(name string, e fs.DirEntry, err error) error {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err != nil {
			return fileError(path, err)
		}
		switch {
		case name == ".":
			return nil
		case strings.HasPrefix(e.Name(), ".") && e.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(e.Name(), ".") || e.IsDir():
			return nil
		}
		_, kind, _ := nameOf(path)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || kind == kindUnknown || kind == kindHAR {
			ignored = append(ignored, name)
			return nil
		}
		files = append(files, path)
		if f := &first[btoi(kind.protobuf())]; *f == "" {
			*f = name
		}
		return nil
	})
	if err == nil && first[0] != "" && first[1] != "" {
		err = &Error{File: folder, Msg: fmt.Sprintf("the folder mixes JSON (%s) and Protobuf (%s)", shown(first[0]), shown(first[1])),
			Hint: "name the files of one kind"}
	}
	return files, ignored, err
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// some names the first few of many.
func some(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:few], ", ") + ", …"
}
