package sample

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

// BenchmarkWalkWebhooks reads lines of the size and shape that programs send.
func BenchmarkWalkWebhooks(b *testing.B) {
	files, err := filepath.Glob(testenv.Corpora(b, "webhooks") + "/*.json")
	if err != nil || len(files) == 0 {
		b.Fatalf("%d files, %v", len(files), err)
	}
	var lines []byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		lines = append(strictjson.Compact(lines, data), '\n')
	}
	lines = bytes.Repeat(lines, 20)
	b.SetBytes(int64(len(lines)))
	b.ReportAllocs()
	for range b.N {
		if err := Walk("-", Options{Stdin: bytes.NewReader(lines)}, func(Document) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
