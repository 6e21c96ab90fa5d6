package schema

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/ast"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/protoutil"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// loader reads a file and all that it imports, one after another, before
// anything is compiled: so faults come in one order, and files are read through
// folders that they cannot leave.
type loader struct {
	roots  []importRoot
	text   map[string][]byte        // sources given as text, by import name
	shown  map[string]string        // import name → path to show in errors
	opened []openedFile             // to recognise one file under two names
	parsed map[string]parser.Result // by import name
	order  []string                 // import names in the order of loading
	faults faultList
	notes  []Note
	broken bool // a file is missing or does not parse: linking would only repeat it
}

type importRoot struct {
	dir  string
	root *os.Root
}

type openedFile struct {
	name string
	info os.FileInfo
}

func newLoader() *loader {
	return &loader{text: map[string][]byte{}, shown: map[string]string{}, parsed: map[string]parser.Result{}}
}

func (l *loader) close() {
	for _, r := range l.roots {
		r.root.Close()
	}
}

// openMain opens the roots and gives the import name of the file.
func (l *loader) openMain(file string, roots []string) (string, error) {
	if _, err := readLimited(file); err != nil {
		return "", err
	}
	for _, dir := range roots {
		if err := l.addRoot(dir); err != nil {
			return "", err
		}
	}
	for _, r := range l.roots {
		rel, err := filepath.Rel(absolute(r.dir), absolute(file))
		if err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), nil
		}
	}
	if err := l.addRoot(filepath.Dir(file)); err != nil {
		return "", err
	}
	return filepath.Base(file), nil
}

func (l *loader) addRoot(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("%s: not a folder that can be read; check -I", dir)
	}
	l.roots = append(l.roots, importRoot{dir, root})
	return nil
}

func absolute(p string) string {
	if a, err := filepath.Abs(p); err == nil {
		return a
	}
	return p
}

// compile loads the file and its imports, links them, and builds the schema.
func (l *loader) compile(ctx context.Context, name, message string, roots map[string]string) (*Schema, error) {
	l.load(name, nil, []string{name})
	if l.broken {
		return nil, l.faults.err(l)
	}
	files, err := l.link(ctx, name)
	if l.faults.any() || err != nil {
		if !l.faults.any() {
			return nil, fmt.Errorf("%s: %s", l.show(name), cleanProtoError(err))
		}
		return nil, l.faults.err(l)
	}
	s, err := newSchema(dependencyOrder(files), []string{name}, message, roots, l.notes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.show(name), err)
	}
	return s, nil
}

// load reads one file and then its imports. The chain leads from the main file
// to this one; from is the import that asks for it.
func (l *loader) load(name string, from ast.SourceSpan, chain []string) {
	data, ok := l.read(name, from)
	if !ok {
		return
	}
	l.order = append(l.order, name)
	handler := reporter.NewHandler(reporter.NewReporter(l.faults.add, func(w reporter.ErrorWithPos) {
		if errors.Is(w, parser.ErrNoSyntax) {
			l.notes = append(l.notes, Note{l.position(w.GetPosition()), "no syntax line: read as proto2"})
		}
	}))
	before := l.faults.len()
	tree, err := parser.Parse(name, bytes.NewReader(data), handler)
	if err != nil || tree == nil {
		l.broken = true
		if l.faults.len() == before {
			l.faults.addPlain(fmt.Sprintf("%s: %s", l.show(name), cleanProtoError(err)))
		}
		return
	}
	if l.parsed[name], _ = parser.ResultFromAST(tree, true, handler); l.parsed[name] == nil {
		l.broken = true
		return
	}
	for _, decl := range tree.Decls {
		if node, ok := decl.(*ast.ImportNode); ok && node.Name != nil {
			l.loadImport(node.Name.AsString(), tree.NodeInfo(node.Name), chain)
		}
	}
}

func (l *loader) loadImport(name string, at ast.SourceSpan, chain []string) {
	if isStandard(name) {
		return
	}
	for i, c := range chain {
		if c == name {
			l.broken = true
			l.faults.addAt(at, importCycle(append(chain[i:len(chain):len(chain)], name)))
			return
		}
	}
	if l.parsed[name] == nil {
		l.load(name, at, append(chain[:len(chain):len(chain)], name))
	}
}

func importCycle(chain []string) string {
	quoted := make([]string, len(chain))
	for i, c := range chain {
		quoted[i] = fmt.Sprintf("%q", c)
	}
	return "imports in a circle: " + strings.Join(quoted, " → ") + "; move what both need to a third file"
}

// read gives the source of an import name, or notes the fault.
func (l *loader) read(name string, from ast.SourceSpan) ([]byte, bool) {
	if text, ok := l.text[name]; ok {
		return text, true
	}
	fail := func(what string) ([]byte, bool) {
		l.broken = true
		l.faults.addAt(from, what)
		return nil, false
	}
	if path.IsAbs(name) || filepath.IsAbs(name) || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, "\\") {
		return fail(fmt.Sprintf("the import %q is not a plain path below an import root; write it without \"..\", \".\" or a leading slash", name))
	}
	for _, r := range l.roots {
		f, err := r.root.Open(filepath.FromSlash(name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			return fail(fmt.Sprintf("the import %q cannot be read below %s: it leaves the folder, or access is denied", name, r.dir))
		}
		defer f.Close()
		l.shown[name] = filepath.Join(r.dir, filepath.FromSlash(name))
		return l.readOpened(name, f, fail)
	}
	return fail(l.missing(name, from))
}

func (l *loader) readOpened(name string, f *os.File, fail func(string) ([]byte, bool)) ([]byte, bool) {
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return fail(fmt.Sprintf("the import %q is not a file", name))
	}
	for _, o := range l.opened {
		if os.SameFile(o.info, info) {
			l.notes = append(l.notes, Note{l.show(name), fmt.Sprintf("the same file as %q; taken once", o.name)})
			return fmt.Appendf(nil, "syntax = \"proto3\"; import public %q;", o.name), true
		}
	}
	l.opened = append(l.opened, openedFile{name, info})
	data, err := io.ReadAll(io.LimitReader(f, maxSchemaFile+1))
	if err != nil || len(data) > maxSchemaFile {
		return fail(fmt.Sprintf("the import %q cannot be read, or is larger than %d bytes", name, maxSchemaFile))
	}
	return data, true
}

// missing says where an import was looked for, and where it may be found.
func (l *loader) missing(name string, from ast.SourceSpan) string {
	if len(l.roots) == 0 {
		return fmt.Sprintf("the import %q is not known here: only google/protobuf/* and %s are", name, OptionsPath)
	}
	dirs := make([]string, len(l.roots))
	for i, r := range l.roots {
		dirs[i] = r.dir
	}
	text := fmt.Sprintf("the import %q was not found in %s; ", name, strings.Join(dirs, ", "))
	if from != nil {
		importer := l.shown[from.Start().Filename]
		for dir := filepath.Dir(absolute(importer)); importer != "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
				return text + "try -I " + dir
			}
		}
	}
	return text + "give the folder that it is relative to with -I"
}

// link resolves names over all loaded files and interprets their options.
func (l *loader) link(ctx context.Context, name string) (linker.Files, error) {
	c := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(protocompile.ResolverFunc(func(p string) (protocompile.SearchResult, error) {
			if p == OptionsPath {
				return protocompile.SearchResult{Source: strings.NewReader(OptionsProto)}, nil
			}
			if r := l.parsed[p]; r != nil {
				return protocompile.SearchResult{ParseResult: r}, nil
			}
			return protocompile.SearchResult{}, protoregistry.NotFound
		})),
		MaxParallelism: 1,
		Reporter:       reporter.NewReporter(l.faults.add, nil),
	}
	return c.Compile(ctx, name)
}

// isStandard reports whether wirecost brings the file itself.
func isStandard(name string) bool { return name == OptionsPath || standardImport(name) != nil }

func standardImport(name string) *protocompile.SearchResult {
	if !strings.HasPrefix(name, "google/protobuf/") {
		return nil
	}
	none := protocompile.ResolverFunc(func(string) (protocompile.SearchResult, error) {
		return protocompile.SearchResult{}, protoregistry.NotFound
	})
	r, err := protocompile.WithStandardImports(none).FindFileByPath(name)
	if err != nil {
		return nil
	}
	return &r
}

// standardFile gives the descriptor of a standard file, or nil.
func standardFile(name string) *descriptorpb.FileDescriptorProto {
	if r := standardImport(name); r != nil && r.Desc != nil {
		return protodesc.ToFileDescriptorProto(r.Desc)
	}
	return nil
}

// dependencyOrder gives the files and all that they import, imports first.
func dependencyOrder(files linker.Files) *descriptorpb.FileDescriptorSet {
	set := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		p := protoutil.ProtoFromFileDescriptor(f)
		set.File = append(set.File, p)
	}
	for _, f := range files {
		add(f)
	}
	return set
}

// show gives the path that a user knows an import name by.
func (l *loader) show(name string) string {
	if p, ok := l.shown[name]; ok {
		return p
	}
	return name
}

func (l *loader) position(p ast.SourcePos) string {
	if p.Line == 0 {
		return l.show(p.Filename)
	}
	return fmt.Sprintf("%s:%d:%d", l.show(p.Filename), p.Line, p.Col)
}
