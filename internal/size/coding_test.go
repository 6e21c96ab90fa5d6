package size

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const all = "identity,gzip:1,gzip:6,gzip:9,zstd:1,zstd:3,zstd:9,zstd:19,br:0,br:4,br:11"

func parsed(t testing.TB, list string) []Coding {
	t.Helper()
	codings, err := Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return codings
}

func names(codings []Coding) string {
	var out []string
	for _, c := range codings {
		out = append(out, c.Name())
	}
	return strings.Join(out, ",")
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ list, want string }{
		{Defaults, "identity,gzip:6,gzip:9,zstd:3,br:4"},
		{"identity,gzip,zstd,br", "identity,gzip:6,zstd:3,br:4"},
		{"gzip, gzip:6 ,GZIP:9", "gzip:6,gzip:9"},
		{"zstd:1,br:11", "zstd:1,br:11"},
	} {
		if got := names(parsed(t, test.list)); got != test.want {
			t.Errorf("Parse(%q) = %s, want %s", test.list, got, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ list, want string }{
		{"", `encoding "" is not known; try identity, gzip, zstd or br, with a level as in gzip:6`},
		{"gzip,", `encoding "" is not known`},
		{"lz4", `encoding "lz4" is not known`},
		{"gzip:10", `encoding "gzip:10": gzip has the levels 1 to 9; try gzip:6`},
		{"gzip:0", "levels 1 to 9"},
		{"br:12", "levels 0 to 11; try br:4"},
		{"zstd:", "levels 1 to 22; try zstd:3"},
		{"zstd:-1", "levels 1 to 22"},
		{"identity:1", "is not known"},
	} {
		_, err := Parse(test.list)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%q): %v, want %q", test.list, err, test.want)
		}
	}
}

func TestNoteMarksStaticOnly(t *testing.T) {
	for _, c := range parsed(t, all) {
		if marked := c.Note() != ""; marked != (c.Name() == "br:11") {
			t.Errorf("%s: note %q", c.Name(), c.Note())
		}
	}
}

func TestLibraryNamesSetting(t *testing.T) {
	for name, want := range map[string]string{
		"zstd:1": "fastest", "zstd:2": "fastest", "zstd:3": "default", "zstd:5": "default",
		"zstd:6": "better", "zstd:9": "better", "zstd:10": "best", "zstd:22": "best",
		"gzip:6": "compress/gzip go", "br:4": "github.com/andybalholm/brotli",
	} {
		if got := parsed(t, name)[0].Library(); !strings.Contains(got, want) {
			t.Errorf("%s: library %q, want it to name %q", name, got, want)
		}
	}
}

// inputs are documents of many kinds and sizes.
func inputs() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 70<<10)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return map[string][]byte{
		"empty":  {},
		"byte":   {0},
		"small":  []byte(`{"id":1,"name":"x"}`),
		"text":   []byte(strings.Repeat(`{"id":12345,"name":"someone","tags":["a","b"]}`+"\n", 2000)),
		"zeros":  make([]byte, 200<<10),
		"random": noise,
	}
}

// TestRoundTrip also holds that output repeats when writers are used again.
func TestRoundTrip(t *testing.T) {
	for _, c := range parsed(t, all) {
		for name, in := range inputs() {
			t.Run(c.Name()+"/"+name, func(t *testing.T) {
				packed, err := c.Compress([]byte("head"), in)
				if err != nil {
					t.Fatal(err)
				}
				again, err := c.Compress([]byte("head"), in)
				if err != nil || !bytes.Equal(packed, again) {
					t.Fatalf("the second compression differs (error %v)", err)
				}
				if !bytes.HasPrefix(packed, []byte("head")) {
					t.Fatal("Compress does not append")
				}
				out, err := c.Decompress([]byte("lead"), packed[4:], len(in))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(out, append([]byte("lead"), in...)) {
					t.Error("not what was compressed")
				}
			})
		}
	}
}

func TestStreamRoundTrip(t *testing.T) {
	for _, c := range parsed(t, all) {
		for name, in := range inputs() {
			var packed bytes.Buffer
			w := c.Writer(&packed)
			for rest := in; len(rest) > 0; {
				n := min(len(rest), 1000)
				if _, err := w.Write(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := errors.Join(w.Close(), w.Close()); err != nil {
				t.Fatal(err)
			}
			r, err := c.Reader(&packed)
			if err != nil {
				t.Fatalf("%s/%s: %v", c.Name(), name, err)
			}
			out, err := io.ReadAll(r)
			if err := errors.Join(err, r.Close(), r.Close()); err != nil || !bytes.Equal(in, out) {
				t.Errorf("%s/%s: %d bytes became %d (error %v)", c.Name(), name, len(in), len(out), err)
			}
		}
	}
}

// TestSizesAreTheLibraries compares with the libraries used in the plainest way.
func TestSizesAreTheLibraries(t *testing.T) {
	plain := map[string]func(in []byte) int{
		"gzip:6": func(in []byte) int { return plainGzip(t, in, 6) },
		"gzip:9": func(in []byte) int { return plainGzip(t, in, 9) },
		"br:4": func(in []byte) int {
			var out bytes.Buffer
			w := brotli.NewWriterLevel(&out, 4)
			_, err := w.Write(in)
			if err := errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			return out.Len()
		},
		"zstd:3": func(in []byte) int {
			w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(3)))
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			return len(w.EncodeAll(in, nil))
		},
	}
	for name, size := range plain {
		for kind, in := range inputs() {
			if kind == "empty" { // the zstd library writes nothing at all unless told to
				continue
			}
			packed, err := parsed(t, name)[0].Compress(nil, in)
			if err != nil {
				t.Fatal(err)
			}
			if want := size(in); len(packed) != want {
				t.Errorf("%s/%s: %d bytes, want %d", name, kind, len(packed), want)
			}
		}
	}
}

func plainGzip(t *testing.T, in []byte, level int) int {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(in)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

func TestDecompressStopsAtLimit(t *testing.T) {
	bomb := make([]byte, 1<<20)
	for _, c := range parsed(t, all) {
		packed, err := c.Compress(nil, bomb)
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{0, 1, 1000, len(bomb) - 1} {
			out, err := c.Decompress(nil, packed, limit)
			if !errors.Is(err, ErrTooLarge) || len(out) != 0 {
				t.Errorf("%s, limit %d: %d bytes, error %v", c.Name(), limit, len(out), err)
			}
		}
		if out, err := c.Decompress(nil, packed, len(bomb)); err != nil || len(out) != len(bomb) {
			t.Errorf("%s at the limit: %d bytes, error %v", c.Name(), len(out), err)
		}
	}
}

func TestDecompressRefusesRubbish(t *testing.T) {
	for _, c := range parsed(t, "gzip,zstd,br") {
		packed, err := c.Compress(nil, inputs()["text"])
		if err != nil {
			t.Fatal(err)
		}
		for what, in := range map[string][]byte{
			"nothing":   {},
			"rubbish":   []byte("this was never compressed"),
			"truncated": packed[:len(packed)-1],
		} {
			out, err := c.Decompress(nil, in, 1<<20)
			if err == nil || !strings.HasPrefix(err.Error(), c.Name()+": ") || len(out) != 0 {
				t.Errorf("%s of %s: %d bytes, error %v", c.Name(), what, len(out), err)
			}
		}
		// A reader that has failed is used again.
		if _, err := c.Decompress(nil, packed, 1<<20); err != nil {
			t.Errorf("%s after errors: %v", c.Name(), err)
		}
	}
}

func FuzzDecompress(f *testing.F) {
	codings := parsed(f, "gzip,zstd,br")
	for i, c := range codings {
		packed, err := c.Compress(nil, []byte(strings.Repeat("seed ", 50)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, packed)
		f.Add(i, packed[:len(packed)/2])
	}
	f.Fuzz(func(t *testing.T, which int, in []byte) {
		const limit = 10_000
		c := codings[((which%len(codings))+len(codings))%len(codings)]
		out, err := c.Decompress(nil, in, limit)
		if len(out) > limit || err != nil && len(out) > 0 {
			t.Fatalf("%s: %d bytes, error %v", c.Name(), len(out), err)
		}
	})
}
