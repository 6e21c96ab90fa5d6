package schema

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"wirecost/internal/strictjson"
)

// Source says where a user's schema is.
type Source struct {
	// File is a .proto, or a serialized FileDescriptorSet (.binpb, .pb, .fds,
	// .desc, .protoset).
	File string
	// Roots are the folders in which imports are looked up, in order. The
	// file's own folder comes last where none of them holds the file.
	Roots []string
	// Message is the root message: a full name, or an unqualified one that is
	// unique. Empty: the one message of the file that no other uses.
	Message string
}

// Note is something a user should know about a schema that is no error.
type Note struct {
	Where string // a file's position, or the full name of a message, field or enum
	Text  string
}

// String gives "where: text".
func (n Note) String() string { return n.Where + ": " + n.Text }

// Schema is a compiled schema and the model made of it. Only Fit and FitAll
// change it; the other methods may be called from several goroutines.
type Schema struct {
	Model *Model
	// Set holds the schema's files as the user wrote them, each after those
	// that it imports.
	Set   *descriptorpb.FileDescriptorSet
	Notes []Note
	// Limits bound what documents may ask of their reader.
	Limits strictjson.Limits

	base  []Note   // of compiling, without what the model adds
	main  []string // paths of the files whose messages may be roots by default
	root  protoreflect.FullName
	files *protoregistry.Files
}

// Compile reads a schema. An error holds one line per fault, each beginning
// with its place.
func Compile(ctx context.Context, src Source) (*Schema, error) {
	if isDescriptorSet(src.File) {
		return compileSet(src)
	}
	l := newLoader()
	defer l.close()
	name, err := l.openMain(src.File, src.Roots)
	if err != nil {
		return nil, err
	}
	return l.compile(ctx, name, src.Message, map[string]string{"": ""})
}

// CompileText compiles the text of one .proto, which may import only
// google/protobuf/* and wirecost's options. The name stands in errors. Roots
// maps samples to full message names; an empty name, or an empty map, leaves
// the choice to the default rule.
func CompileText(ctx context.Context, name, text string, roots map[string]string) (*Schema, error) {
	l := newLoader()
	l.text[name] = []byte(text)
	if len(roots) == 0 {
		roots = map[string]string{"": ""}
	}
	return l.compile(ctx, name, "", roots)
}

// WithRoots returns the same schema for other samples: roots maps a sample to
// its root message. An empty name stands for the schema's default root. The
// JSON mapping is back at what the schema's options say.
func (s *Schema) WithRoots(roots map[string]string) (*Schema, error) {
	c := *s
	if err := c.build(roots); err != nil {
		return nil, err
	}
	return &c, nil
}

// Digest identifies the schema, with its JSON mapping, in result files.
func (s *Schema) Digest() string {
	h := sha256.New()
	model, _ := json.Marshal(s.Model) // strings and numbers only
	h.Write(model)
	for _, jsonNames := range []bool{false, true} {
		if set, err := s.Normalised(jsonNames); err == nil {
			b, _ := proto.MarshalOptions{Deterministic: true}.Marshal(set)
			h.Write(b)
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// newSchema checks the set, chooses the default root and builds the model.
func newSchema(set *descriptorpb.FileDescriptorSet, main []string, message string, roots map[string]string, notes []Note) (*Schema, error) {
	set, err := withoutKnownExtensions(set)
	if err != nil {
		return nil, err
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema is not valid: %s", strings.Join(main, ", "), cleanProtoError(err))
	}
	if err := checkForeign(set); err != nil {
		return nil, err
	}
	s := &Schema{Set: set, base: notes, main: main, files: files}
	if needsDefaultRoot(roots) {
		if s.root, err = s.chooseRoot(message); err != nil {
			return nil, err
		}
	}
	if err := s.build(roots); err != nil {
		return nil, err
	}
	return s, nil
}

func needsDefaultRoot(roots map[string]string) bool {
	for _, name := range roots {
		if name == "" {
			return true
		}
	}
	return false
}

// withoutKnownExtensions brings all options into one form: those that this
// program has no Go type for are unknown fields, wherever the set came from.
func withoutKnownExtensions(set *descriptorpb.FileDescriptorSet) (*descriptorpb.FileDescriptorSet, error) {
	data, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(set)
	if err != nil {
		return nil, fmt.Errorf("the descriptor set cannot be written: %w", err)
	}
	out := &descriptorpb.FileDescriptorSet{}
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(data, out); err != nil {
		return nil, fmt.Errorf("the descriptor set cannot be read: %w", err)
	}
	return out, nil
}

// Descriptor sets.

func isDescriptorSet(file string) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".binpb", ".pb", ".fds", ".desc", ".protoset":
		return true
	}
	return false
}

func compileSet(src Source) (*Schema, error) {
	data, err := readLimited(src.File)
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(data, set); err != nil {
		return nil, fmt.Errorf("%s: not a serialized FileDescriptorSet: %s; make one with protoc --include_imports --descriptor_set_out", src.File, cleanProtoError(err))
	}
	if len(set.File) == 0 {
		return nil, fmt.Errorf("%s: the descriptor set holds no files; make it with protoc --include_imports --descriptor_set_out", src.File)
	}
	set, main, err := completeSet(set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.File, err)
	}
	s, err := newSchema(set, main, src.Message, map[string]string{"": ""}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.File, err)
	}
	return s, nil
}

// completeSet replaces the standard files by our own, adds those that are
// missing, sorts files behind their imports, and names the files that are the user's.
func completeSet(set *descriptorpb.FileDescriptorSet) (*descriptorpb.FileDescriptorSet, []string, error) {
	byName := map[string]*descriptorpb.FileDescriptorProto{}
	var main []string
	for _, f := range set.File {
		if byName[f.GetName()] != nil {
			return nil, nil, fmt.Errorf("the descriptor set holds %q twice", f.GetName())
		}
		byName[f.GetName()] = f
		if !isStandard(f.GetName()) {
			main = append(main, f.GetName())
		}
	}
	out := &descriptorpb.FileDescriptorSet{}
	state := map[string]int{} // 1: on the way, 2: done
	var add func(name string, chain []string) error
	add = func(name string, chain []string) error {
		chain = append(chain, name)
		switch state[name] {
		case 1:
			return errors.New(importCycle(chain))
		case 2:
			return nil
		}
		state[name] = 1
		f := standardFile(name)
		if f == nil {
			f = byName[name]
		}
		if f == nil {
			return fmt.Errorf("the descriptor set lacks %q, which %q imports; make it with protoc --include_imports", name, chain[len(chain)-2])
		}
		for _, d := range f.Dependency {
			if err := add(d, chain); err != nil {
				return err
			}
		}
		state[name] = 2
		out.File = append(out.File, f)
		return nil
	}
	for _, f := range set.File {
		if err := add(f.GetName(), nil); err != nil {
			return nil, nil, err
		}
	}
	return out, main, nil
}

// maxSchemaFile bounds one file of a schema, in bytes.
const maxSchemaFile = 64 << 20

func readLimited(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file", path)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: a folder where a schema should be; give one .proto file, and the folder with -I", path)
	case info.Size() > maxSchemaFile:
		return nil, fmt.Errorf("%s: a schema of %d bytes is larger than the limit of %d", path, info.Size(), maxSchemaFile)
	}
	data, err := os.ReadFile(path)
	return bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")), err
}

// cleanProtoError makes errors of the Protobuf library plain: it writes its
// prefix with a random kind of space.
func cleanProtoError(err error) string {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return strings.TrimPrefix(text, "proto: ")
}
