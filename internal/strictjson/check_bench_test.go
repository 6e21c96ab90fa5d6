package strictjson

import (
	"os"
	"path/filepath"
	"testing"

	"wirecost/internal/testenv"
)

// BenchmarkCheck checks documents of everyday sizes one after the other, as a
// reader of lines does.
func BenchmarkCheck(b *testing.B) {
	files, err := filepath.Glob(testenv.Corpora(b, "webhooks") + "/*.json")
	if err != nil || len(files) == 0 {
		b.Fatalf("%d files, %v", len(files), err)
	}
	var lines [][]byte
	size := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, Compact(nil, data))
		size += len(lines[len(lines)-1])
	}
	small := []byte(`{"id":12345,"name":"a name","tags":["x","y"],"nested":{"a":null,"b":1.5}}`)
	for _, c := range []struct {
		name  string
		lines [][]byte
		size  int
	}{{"webhooks", lines, size}, {"small", [][]byte{small}, len(small)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(c.size))
			b.ReportAllocs()
			for range b.N {
				for _, line := range c.lines {
					if err := Check(line, Limits{}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
