package sample

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// repeated gives head, then unit again and again until size bytes are given, then tail.
func repeated(head, unit, tail string, size int) io.Reader {
	n := size / len(unit)
	return io.MultiReader(strings.NewReader(head), io.LimitReader(&cycle{text: strings.Repeat(unit, 1+64<<10/len(unit)), unit: len(unit)}, int64(n*len(unit))),
		strings.NewReader(tail))
}

type cycle struct {
	text     string
	unit, at int
}

func (c *cycle) Read(p []byte) (int, error) {
	n := copy(p, c.text[c.at:])
	c.at = (c.at + n) % c.unit
	return n, nil
}

// allocatedBy gives how many bytes fn allocates, in use or not.
func allocatedBy(fn func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Walking over 48 MB allocates, kept or not, a small part of that.
func TestWalkKeepsLittle(t *testing.T) {
	const large, little = 48 << 20, 6 << 20
	// The look-ahead that tells JSON from NDJSON is bounded by the line limit.
	line := Limits{Line: 1 << 20}
	unit := `{"id":12345,"tags":["x","y"],"nested":{"a":null,"b":1.5},"text":"` + strings.Repeat("some text ", 400) + `"}`
	for _, c := range []struct {
		name, head, unit, tail string
		lim                    Limits
		want                   int
	}{
		{"array", "[" + unit, ",\n" + unit, "]", line, 1 + large/(len(unit)+2)},
		{"one line", "[" + unit, "," + unit, "]", line, 1 + large/(len(unit)+1)},
		{"NDJSON", "", unit + "\n", "", Limits{}, large / (len(unit) + 1)},
		{"blank lines between values", "[1]\n", "\r\n", "2", Limits{}, 2},
		{"blank lines behind a value", "[1]\n", "\n", "", Limits{}, 1},
		{"blanks before a value", "", " ", "1", Limits{}, 1},
	} {
		documents := 0
		allocated := allocatedBy(func() {
			stdin := repeated(c.head, c.unit, c.tail, large)
			if err := Walk("-", Options{Stdin: stdin, Limits: c.lim}, func(Document) error { documents++; return nil }); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		})
		if documents != c.want || allocated > little {
			t.Errorf("%s: %d documents, want %d; %d bytes allocated", c.name, documents, c.want, allocated)
		}
	}
}

// A document or line of a gigabyte is refused at the limit, having kept little more.
func TestEndlessIsRefused(t *testing.T) {
	const limit = 4 << 20
	lim := Limits{Document: limit, Line: limit, Decoded: 2 * limit}
	dir := t.TempDir()
	for _, c := range []struct{ name, head, unit, want string }{
		{"a.json", `{"a":"`, "x", "a.json:1:1: the document that begins here is larger than the limit of 4MiB; …--max-document"},
		{"a.json", `[1, [`, " ", "a.json:1:5: the document…--max-document"},
		{"a.json", ``, "9", "a.json:1:1: the document…--max-document"},
		{"a.json", ``, "[", "a.json:1:1002: nesting deeper…--max-depth"},
		{"a.ndjson", "1\n{\"a\":\"", "x", "a.ndjson:2:1: the line is larger than the limit of 4MiB; …--max-line"},
		{"a.log", "{\"a\":\"", "x", "a.log:1:1: the document…--max-document"},
		{"a.log", "1\n2\n[", " ", "a.log:3:1: the line…--max-line"},
		{"a.har", `{"log":"`, "x", "a.har: the file is larger than the limit of 8MiB; …--max-decoded"},
	} {
		path := filepath.Join(dir, c.name)
		f, err := os.Create(path)
		if err == nil {
			_, err = io.Copy(f, repeated(c.head, c.unit, "", 16<<20))
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		allocated := allocatedBy(func() { _, err = Open([]string{path}, Options{Limits: lim}) })
		matches(t, c.name+" "+c.head+c.unit, err, c.want)
		if allocated > 8*limit {
			t.Errorf("%s %s: allocated %d bytes for a limit of %d", c.name, c.head, allocated, limit)
		}
	}
}

func TestWalkStopsWhereItsCallerSays(t *testing.T) {
	enough := errors.New("enough")
	path := filepath.Join(write(t, "a.json", "[1,2,3"), "a.json")
	var seen []string
	err := Walk(path, Options{}, func(d Document) error {
		seen = append(seen, fmt.Sprintf("%s@%d:%d #%d", d.Data, d.Line, d.Column, d.Index))
		if d.Index == 1 {
			return enough
		}
		return nil
	})
	if err != enough || !slices.Equal(seen, []string{"1@1:2 #0", "2@1:4 #1"}) {
		t.Errorf("%v, %v", err, seen)
	}
}

func TestTimed(t *testing.T) {
	s := &Sample{}
	for i := range 1000 {
		s.add(Document{Data: make([]byte, 50+i%101)})
	}
	all := s.Timed(s.Bytes, 1)
	if len(all) != 1000 || all[0] != 0 || all[999] != 999 {
		t.Errorf("what fits is not chosen whole: %d", len(all))
	}
	const most = 10_000
	first := s.Timed(most, 1)
	total := 0
	for _, i := range first {
		total += len(s.Documents[i].Data)
	}
	if total > most || total < most-150 || !slices.IsSorted(first) || len(slices.Compact(slices.Clone(first))) != len(first) {
		t.Errorf("chosen: %d bytes, %v", total, first)
	}
	if !slices.Equal(first, s.Timed(most, 1)) || slices.Equal(first, s.Timed(most, 2)) {
		t.Error("the choice does not depend on the seed alone")
	}
	// Every document is as likely as any other, large or small.
	times := make([]int, 1000)
	for seed := range uint64(2000) {
		for _, i := range s.Timed(most, seed) {
			times[i]++
		}
	}
	small, big := 0, 0
	for i, n := range times {
		if i%101 < 50 {
			small += n
		} else {
			big += n
		}
	}
	perSmall, perBig := float64(small)/500, float64(big)/500
	if ratio := perSmall / perBig; ratio < 0.95 || ratio > 1.05 || slices.Min(times) < 100 {
		t.Errorf("small documents are chosen %.3f times as often as large ones; the rarest %d times", ratio, slices.Min(times))
	}
	huge := &Sample{}
	huge.add(Document{Data: make([]byte, 100)})
	huge.add(Document{Data: make([]byte, 200)})
	if got := huge.Timed(10, 3); len(got) != 1 {
		t.Errorf("of documents that are all too large, %v", got)
	}
	huge.add(Document{Data: make([]byte, 5)})
	if got := huge.Timed(10, 3); !slices.Equal(got, []int{2}) {
		t.Errorf("beside documents that are too large, %v", got)
	}
	if got := (&Sample{}).Timed(10, 3); len(got) != 0 {
		t.Errorf("of nothing, %v", got)
	}
}

func TestDigest(t *testing.T) {
	digest := func(name, content string) string {
		samples, err := openOne(t, name, content, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return samples[0].Digest
	}
	base := digest("a.json", "[12,3]")
	if got := digest("b.ndjson.gz", gzipped("12\n 3\n")); got != base {
		t.Error("the digest depends on more than the documents")
	}
	for _, other := range []string{"[1,23]", "[3,12]", "[12,3,3]", "[12, 4]"} {
		if digest("a.json", other) == base {
			t.Errorf("%s has the digest of [12,3]", other)
		}
	}
}

func BenchmarkWalk(b *testing.B) {
	unit := `{"id":12345,"name":"a name","tags":["x","y"],"nested":{"a":null,"b":1.5}}`
	for _, c := range []struct{ name, head, unit, tail string }{
		{"array", "[" + unit, ",\n" + unit, "]"},
		{"lines", "", unit + "\n", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(64 << 20)
			for range b.N {
				if err := Walk("-", Options{Stdin: repeated(c.head, c.unit, c.tail, 64<<20)}, func(Document) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
