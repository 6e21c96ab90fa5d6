package schema

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

// Every document of the corpora comes back through the schema inferred from it,
// in both tracks.
func TestCorporaComeBack(t *testing.T) {
	root := testenv.Corpora(t)
	for _, pattern := range []string{"nativejson/*.json", "webhooks/*.json", "jsonbench/*.json.gz", "viotti/*/*.json", "k8s/testdata/*/*.json", "otlp/examples/*.json", "protobufjs-bench/*/*.json"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			name, _ := filepath.Rel(root, f)
			data := readCorpus(t, f)
			if err := strictjson.Check(data, strictjson.Limits{}); err != nil {
				t.Logf("%s: %v", name, err)
				continue
			}
			for _, track := range []string{TrackLiteral, TrackTyped} {
				t.Run(name+"/"+track, func(t *testing.T) {
					inferDocs(t, InferOptions{Track: track}, [][]byte{data}).exact()
				})
			}
		}
	}
}

func readCorpus(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
}
