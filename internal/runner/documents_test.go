package runner

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestDocuments(t *testing.T) {
	want := [][]byte{{}, []byte("a"), bytes.Repeat([]byte("x"), 3<<20)}
	name := filepath.Join(t.TempDir(), "d")
	if err := WriteDocumentsFile(name, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadDocumentsFile(name, DocumentLimits{3, 4 << 20})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("read back %d documents, %v", len(got), err)
	}
}

func TestDocumentsRefused(t *testing.T) {
	limits := DocumentLimits{Documents: 2, Bytes: 1 << 30}
	for _, x := range []struct{ file, want string }{
		{"\x01", "document 0 at byte 0: 1 of 4 bytes of its length"},
		{"\x01\x00\x00\x00a\x02\x00\x00\x00b", "document 1 at byte 5: 1 of 2 bytes"},
		{"\x00\x00\x00\x3fa", "document 0 at byte 0: 1 of 1056964608 bytes"}, // and not a gigabyte of memory
		{"\xff\xff\xff\xff", "more than the 2 documents and 1073741824 bytes"},
		{strings.Repeat("\x00", 12), "document 2 at byte 8: more than"},
	} {
		if _, err := ReadDocuments(strings.NewReader(x.file), limits); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: have %v; want %q", x.file, err, x.want)
		}
	}
}

func FuzzReadDocuments(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00a"))
	f.Add([]byte("\x02\x00\x00\x00a"))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		documents, err := ReadDocuments(bytes.NewReader(b), DocumentLimits{100, 1 << 16})
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := WriteDocuments(&again, documents); err != nil || !bytes.Equal(again.Bytes(), b) {
			t.Fatalf("%q became %q, %v", b, again.Bytes(), err)
		}
	})
}
