package schema

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"wirecost/internal/strictjson"
)

func stream(t *testing.T, r io.Reader, opt InferOptions, workers int) *Partial {
	t.Helper()
	p, err := InferStream(context.Background(), r, opt, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// manyLines is several chunks long.
func manyLines() string {
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, `{"id":%d,"name":"document %d","tags":["a","b"],"x":%d.5}`+"\n", i, i, i%7)
	}
	return b.String()
}

func TestStream(t *testing.T) {
	lines := manyLines()
	if len(lines) < 3*chunkSize {
		t.Fatal("too short to be cut")
	}
	want := inferPartial(t, InferOptions{}, stream(t, strings.NewReader(lines), InferOptions{}, 1), nil)
	want.has("int32 id = 1;", "string name = 2;", "repeated string tags = 3;", "double x = 4;")
	for _, workers := range []int{0, 2, 5} {
		var last int64
		p, err := InferStream(context.Background(), iotest.HalfReader(strings.NewReader(lines)), InferOptions{}, workers, func(n int64) { last = n })
		if err != nil {
			t.Fatal(err)
		}
		got := inferPartial(t, InferOptions{}, p, nil)
		if got.Proto != want.Proto || fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) || p.Documents() != 60_000 || last != int64(len(lines)) {
			t.Errorf("%d workers: %d documents, %d bytes\n%s\n%+v", workers, p.Documents(), last, got.Proto, got.Shape)
		}
	}
}

func TestStreamLayouts(t *testing.T) {
	long := `{"s":"` + strings.Repeat("x", 3*chunkSize) + `"}`
	for name, c := range map[string]struct {
		text      string
		documents int64
	}{
		"empty":               {"", 0},
		"blank":               {"\n\r\n \n", 0},
		"no end of line":      {`{"s":"a"}`, 1},
		"CRLF":                {"{\"s\":\"a\"}\r\n\r\n{\"s\":\"b\"}\r\n", 2},
		"byte order mark":     {"\xEF\xBB\xBF{\"s\":\"a\"}\n{\"s\":\"b\"}", 2},
		"lines above a chunk": {long + "\n" + long + "\n" + `{"s":"a"}`, 3},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.text), iotest.DataErrReader(strings.NewReader(c.text))} {
			if p := stream(t, r, InferOptions{}, 2); p.Documents() != c.documents {
				t.Errorf("%s: %d documents, want %d", name, p.Documents(), c.documents)
			}
		}
	}
}

func TestStreamErrors(t *testing.T) {
	lines := manyLines()
	half := strings.LastIndexByte(lines[:len(lines)/2], '\n') + 1
	at := strings.Count(lines[:half], "\n") + 1
	bad := lines[:half] + "{\"a\":1,\"a\":2}\n" + lines[half:] + "{]\n"
	for _, workers := range []int{1, 2, 4} {
		_, err := InferStream(context.Background(), strings.NewReader(bad), InferOptions{}, workers, nil)
		var e *LineError
		if !errors.As(err, &e) || e.Line != at || e.Column != 8 || !strings.HasPrefix(err.Error(), fmt.Sprintf("%d:8: duplicate key", at)) {
			t.Errorf("%d workers: %v, want line %d", workers, err, at)
		}
	}
	limit := InferOptions{Limits: strictjson.Limits{Document: 2 * chunkSize}}
	_, err := InferStream(context.Background(), strings.NewReader("{}\n\n{\"s\":\""+strings.Repeat("x", 5*chunkSize)), limit, 2, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "3:1: a line is longer") {
		t.Error(err)
	}
	_, err = InferStream(context.Background(), io.MultiReader(strings.NewReader(lines), iotest.ErrReader(io.ErrUnexpectedEOF)), InferOptions{}, 2, nil)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a cut stream: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = InferStream(ctx, endless{}, InferOptions{}, 2, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err = InferStream(context.Background(), strings.NewReader(""), InferOptions{Track: "x"}, 1, nil); err == nil {
		t.Error("unknown track")
	}
}

// endless is a stream that only a cancelled context ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

func TestInferAll(t *testing.T) {
	var docs [][]byte
	for l := range strings.Lines(manyLines()[:20_000]) {
		docs = append(docs, []byte(l))
	}
	docs = docs[:len(docs)-1]
	p, err := InferAll(context.Background(), docs, InferOptions{}, 3)
	if err != nil || p.Documents() != int64(len(docs)) {
		t.Fatalf("%v", err)
	}
	inferPartial(t, InferOptions{}, p, docs).exact()
	docs[7], docs[len(docs)-1] = []byte("{"), []byte("[")
	var e *DocumentError
	if _, err = InferAll(context.Background(), docs, InferOptions{}, 3); !errors.As(err, &e) || e.Document != 7 {
		t.Error(err)
	}
	if p, err := InferAll(context.Background(), nil, InferOptions{}, 3); err != nil || p.Nothing() == "" {
		t.Error(err)
	}
}
