package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

const (
	documentsPrefix = "documents/"
	outPrefix       = "out/"
)

// files gives files of this machine addresses that the page can use: those that
// the last "prepare" named, to read, and the one that the "verify" at hand names,
// to write. No others can be reached.
type files struct {
	mu      sync.Mutex
	serial  int               // of addresses: none is used twice
	offered map[string]string // address → path
	out     string            // the address to write to; empty: there is none
	outPath string
}

// request gives the name of a request, and the line with addresses in the place of
// paths. A line that cannot be read is passed on: the page says what is wrong
// with it.
func (f *files) request(line []byte) (name string, forPage []byte) {
	var header struct {
		Request string `json:"request"`
	}
	if json.Unmarshal(line, &header) != nil {
		return "", line
	}
	rewrite := map[string]func(map[string]any){"prepare": f.prepare, "verify": f.verify}[header.Request]
	if rewrite == nil {
		return header.Request, line
	}
	d := json.NewDecoder(strings.NewReader(string(line)))
	d.UseNumber()
	var request map[string]any
	if d.Decode(&request) != nil {
		return header.Request, line
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	rewrite(request)
	forPage, err := json.Marshal(request)
	if err != nil { // what was decoded can be encoded
		return header.Request, line
	}
	return header.Request, forPage
}

func (f *files) prepare(request map[string]any) {
	f.offered = map[string]string{}
	samples, _ := request["samples"].([]any)
	for _, s := range samples {
		sample, _ := s.(map[string]any)
		paths, _ := sample["files"].(map[string]any)
		for form, path := range paths {
			if path, ok := path.(string); ok {
				paths[form] = f.offer(path)
			}
		}
	}
}

// offer gives a file an address. Its name is part of that, for errors.
func (f *files) offer(path string) string {
	f.serial++
	address := documentsPrefix + strconv.Itoa(f.serial) + "/" + url.PathEscape(filepath.Base(path))
	f.offered[address] = path
	return address
}

func (f *files) verify(request map[string]any) {
	if path, ok := request["out"].(string); ok {
		f.serial++
		f.out, f.outPath = outPrefix+strconv.Itoa(f.serial), path
		request["out"] = f.out
	}
}

// replied ends what the last request allowed.
func (f *files) replied() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out = ""
}

// open opens the file behind an address.
func (f *files) open(address string) (*os.File, int64, error) {
	f.mu.Lock()
	path, ok := f.offered[address]
	f.mu.Unlock()
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// errNotExpected says that nothing is to be written there, or no longer.
var errNotExpected = errors.New("nothing is expected at this address")

// write writes what the page sends to the file behind the address, once.
func (f *files) write(address string, content io.Reader) error {
	f.mu.Lock()
	expected, path := f.out != "" && f.out == address, f.outPath
	if expected {
		f.out = ""
	}
	f.mu.Unlock()
	if !expected {
		return errNotExpected
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, content); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
