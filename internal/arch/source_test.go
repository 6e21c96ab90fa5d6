// Package arch holds what the packages have promised each other: which way
// imports point, that the core names no runtime and no codec, and that every
// dependency is explained. It is all tests.
package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// module is the path that imports of our own packages begin with.
const module = "wirecost"

// root is the project's folder as seen from this one.
const root = "../.."

// source is one Go file of the project.
type source struct {
	path    string // "internal/size/gzip.go"
	pkg     string // "internal/size"
	test    bool
	file    *ast.File
	imports []string
}

// sources reads every Go file, whatever system it is for.
func sources(t *testing.T) (*token.FileSet, []source) {
	t.Helper()
	set := token.NewFileSet()
	var found []source
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && skipped(entry.Name()) {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		s, err := read(set, name)
		found = append(found, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 10 {
		t.Fatalf("found %d Go files only: is this the project's folder?", len(found))
	}
	return set, found
}

// skipped tells of folders that the Go tool leaves out as well.
func skipped(dir string) bool {
	return dir == "testdata" || len(dir) > 2 && (dir[0] == '.' || dir[0] == '_')
}

func read(set *token.FileSet, name string) (source, error) {
	file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	relative, err := filepath.Rel(root, name)
	if err != nil {
		return source{}, err
	}
	slash := filepath.ToSlash(relative)
	s := source{path: slash, pkg: path.Dir(slash), test: strings.HasSuffix(slash, "_test.go"), file: file}
	for _, i := range file.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return source{}, err
		}
		s.imports = append(s.imports, imported)
	}
	return s, nil
}

// text reads a file of the project.
func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
