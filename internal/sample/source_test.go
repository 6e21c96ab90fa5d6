package sample

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func zstandard(text string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

func TestCompressed(t *testing.T) {
	lines := "{\"a\":1}\n{\"a\":2}\n"
	for _, c := range []struct{ name, content string }{
		{"a.ndjson.gz", gzipped(lines)},
		{"a.NDJSON.GZ", gzipped(lines)},
		{"a.ndjson.gz", gzipped(lines[:9]) + gzipped(lines[9:])}, // as from "cat a.gz b.gz"
		{"a.ndjson.zst", zstandard(lines)},
		{"a.log.zst", zstandard(lines[:9]) + zstandard(lines[9:])},
	} {
		samples, err := openOne(t, c.name, c.content, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := strings.Join(texts(samples[0]), " | "); got != `{"a":1} | {"a":2}` || !strings.EqualFold(samples[0].ID, "a") {
			t.Errorf("%s: %s, ID %s", c.name, got, samples[0].ID)
		}
	}
}

func TestCompressedRefused(t *testing.T) {
	long := `["` + strings.Repeat("abcdefghij ", 5000) + `"]`
	gz, zst := gzipped(long), zstandard(long)
	flip := func(s string, i int) string { return s[:i] + string(s[i]^0x55) + s[i+1:] }
	for _, c := range []struct{ name, content, want string }{
		{"a.json.gz", gz[:len(gz)/2], "a.json.gz: the gzip data is cut off after"},
		{"a.json.gz", gz[:len(gz)-2], "a.json.gz: the gzip data is cut off after"},
		{"a.json.gz", gz[:5], "a.json.gz: the gzip data is cut off after 0 bytes"},
		{"a.json.gz", flip(gz, len(gz)-6), "a.json.gz: the gzip data is corrupt after…checksum"},
		{"a.json.gz", gz + "rubbish rubbish", "a.json.gz: the gzip data is corrupt after"},
		{"a.json.gz", "{}", "a.json.gz: …gzip"},
		{"a.json.gz", `{"a":"not compressed at all"}`, "a.json.gz: this is not gzip data"},
		{"a.json.zst", zst[:len(zst)/2], "a.json.zst: the Zstandard data is cut off after"},
		{"a.json.zst", flip(zst, len(zst)-2), "a.json.zst: the Zstandard data is corrupt after"},
		{"a.json.zst", `{"a":"not compressed at all"}`, "a.json.zst: this is not Zstandard data"},
		{"a.json.gz", gzipped(gzipped("{}")), "a.json.gz: this is gzip (.gz) data, not JSON"},
		{"a.json.zst", zstandard(gzipped("{}")), "a.json.zst: this is gzip (.gz) data, not JSON"},
		{"a.json.gz", gzipped("[1,\n2"), "a.json.gz:2:2: the text ends inside the array"},
		{"a.json.gz", gzipped("{\n\"a\":1,}"), "a.json.gz:2:7: "},
	} {
		_, err := openOne(t, c.name, c.content, Options{})
		matches(t, c.name, err, c.want)
	}
}

// zeros writes a document of n spaces and a number.
func bomb(n int) io.Reader {
	return io.MultiReader(io.LimitReader(spaces{}, int64(n)), strings.NewReader("1"))
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func compressBomb(t testing.TB, w io.WriteCloser, b *bytes.Buffer, n int) string {
	t.Helper()
	if _, err := io.Copy(w, bomb(n)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return b.String()
}

func TestBombsStop(t *testing.T) {
	const n = 100 << 20
	var gz, zst bytes.Buffer
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	gzText, zstText := compressBomb(t, gzip.NewWriter(&gz), &gz, n), compressBomb(t, z, &zst, n)
	for _, c := range []struct {
		name, content string
		lim           Limits
		want          string
	}{
		{"a.json.gz", gzText, Limits{}, "a.json.gz: it decompresses to more than 200 times its size…--max-ratio"},
		{"a.json.zst", zstText, Limits{}, "a.json.zst: it decompresses to more than 200 times its size…--max-ratio"},
		{"a.ndjson.zst", zstText, Limits{}, "a.ndjson.zst: it decompresses to more than 200 times its size…--max-ratio"},
		{"a.har.gz", gzText, Limits{}, "a.har.gz: it decompresses to more than 200 times its size…--max-ratio"},
		{"a.json.gz", gzText, Limits{Decoded: 1 << 20}, "a.json.gz: the decompressed text is larger than the limit of 1MiB…--max-decoded"},
		{"a.json.zst", zstText, Limits{Decoded: 3000}, "a.json.zst: the decompressed text is larger than the limit of 3kB…--max-decoded"},
	} {
		_, err := openOne(t, c.name, c.content, Options{Limits: c.lim})
		matches(t, c.name, err, c.want)
		if !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v is no ErrLimit", c.name, err)
		}
	}
	// Raising the limits lets it through.
	if samples, err := openOne(t, "a.json.gz", gzText, Options{Limits: Limits{Ratio: 2000}}); err != nil || samples[0].Bytes != 1 {
		t.Errorf("with a higher ratio: %v", err)
	}
}

// slow gives one byte at a time, and nothing now and then.
type slow struct {
	r    io.Reader
	next bool
}

func (s *slow) Read(p []byte) (int, error) {
	if s.next = !s.next; s.next || len(p) == 0 {
		return 0, nil
	}
	return s.r.Read(p[:1])
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestReaders(t *testing.T) {
	text := "\xEF\xBB\xBF[{\"a\":\"x\\\"]\"},\n12, true]"
	samples, err := Open([]string{"-"}, Options{Stdin: &slow{r: strings.NewReader(text)}})
	checkSamples(t, samples, err)
	if err != nil || strings.Join(texts(samples[0]), " | ") != `{"a":"x\"]"} | 12 | true` {
		t.Errorf("one byte at a time: %v, %v", samples, err)
	}
	_, err = Open([]string{"-"}, Options{Stdin: io.MultiReader(strings.NewReader("[1,"), failing{})})
	matches(t, "failing", err, "standard input: the disk is gone")
	_, err = Open([]string{"-"}, Options{Stdin: io.MultiReader(strings.NewReader("[1,"), stuck{})})
	matches(t, "stuck", err, "standard input: multiple Read calls return no data")
}
