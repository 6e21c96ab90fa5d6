package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"wirecost/internal/sample"
	"wirecost/internal/schema"
	"wirecost/internal/strictjson"
)

// streamFrom is how large a file of lines is before it is read as a stream, in
// constant memory, instead of being kept.
const streamFrom = 64 << 20

// stream opens a large file of NDJSON to be read as it comes; nil where the
// input is of another kind.
func (a *App) stream(f *inputFlags, args []string) (io.ReadCloser, error) {
	if len(args) != 1 || f.replace || f.lastWins || len(f.expand) > 0 || !slices.Contains([]string{".ndjson", ".jsonl"}, strings.ToLower(filepath.Ext(args[0]))) {
		return nil, nil
	}
	file, err := os.Open(args[0])
	if err != nil {
		return nil, nil // the usual way says what is wrong
	}
	if info, err := file.Stat(); err != nil || info.Size() < streamFrom {
		file.Close()
		return nil, nil
	}
	return file, nil
}

// inferStream infers from a stream, and checks the schema on pieces of it.
func inferStream(ctx context.Context, f *inputFlags, live *live, file io.ReadCloser) (string, error) {
	name := "standard input"
	if named, ok := file.(interface{ Name() string }); ok {
		name = named.Name()
	}
	opt := f.inferOptions(f.track.value)
	kept := newSpans(file)
	p, err := schema.InferStream(ctx, kept, opt, runtime.GOMAXPROCS(0), func(n int64) {
		live.measuring(fmt.Sprintf("reading documents, %d MB", n/1e6), func() string { return "" })
	})
	var line *schema.LineError
	if errors.As(err, &line) {
		if fault := (*strictjson.Error)(nil); errors.As(line.Err, &fault) {
			line.Err = sample.Hinted(fault, sample.Options{})
		}
		return "", fmt.Errorf("%s:%w", name, line)
	}
	if err != nil {
		return "", err
	}
	if why := p.Nothing(); why != "" {
		return "", fmt.Errorf("%s: nothing to measure because %s", name, why)
	}
	id := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	inferred, err := schema.Infer([]schema.NamedPartial{{Sample: id, RootName: id, Partial: p}}, opt)
	if err != nil {
		return "", err
	}
	compiled, err := schema.CompileText(ctx, "inferred.proto", inferred.Proto, inferred.Roots)
	if err != nil {
		return "", fmt.Errorf("the inferred schema does not compile, which is a fault of wirecost: %w", err)
	}
	compiled.Limits = opt.Limits
	docs := kept.lines()
	live.phase("checking the schema on %d documents", len(docs))
	losses, err := compiled.Losses(id, docs)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(inferred.Proto)
	writeNotes(&b, noteTexts(compiled.Notes))
	fmt.Fprintf(&b, "\n// Checked on %d documents from all over the input; the schema is from all %d.\n", len(docs), inferred.Shape[id].Documents)
	writeLosses(&b, name, len(docs), losses)
	return b.String(), nil
}
