package schema

import (
	"os"
	"path/filepath"
	"testing"

	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

func BenchmarkAdd(b *testing.B) {
	for _, name := range []string{"nativejson/citm_catalog.json", "webhooks/pull_request_closed.json", "nativejson/canada.json"} {
		data, err := os.ReadFile(testenv.Corpora(b, name))
		if err != nil {
			b.Fatal(err)
		}
		doc := strictjson.Compact(nil, data)
		for _, track := range []string{TrackLiteral, TrackTyped} {
			b.Run(filepath.Base(name)+"/"+track, func(b *testing.B) {
				b.SetBytes(int64(len(doc)))
				p := NewPartial(InferOptions{Track: track})
				for range b.N {
					if err := p.Add(doc); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
