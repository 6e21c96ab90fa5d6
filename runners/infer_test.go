package runners_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"wirecost/internal/schema"
	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

// inferSamples infers one schema from samples.
func inferSamples(t *testing.T, track string, samples []goSample) goSchema {
	t.Helper()
	opt := schema.InferOptions{Track: track}
	s := goSchema{name: "inferred", fit: true, samples: slices.Clone(samples)}
	var parts []schema.NamedPartial
	for _, sample := range samples {
		part := schema.NewPartial(opt)
		for _, d := range sample.documents {
			if err := part.Add([]byte(d)); err != nil {
				t.Fatalf("%s: %v", sample.name, err)
			}
		}
		parts = append(parts, schema.NamedPartial{Sample: sample.name, Partial: part})
	}
	inferred, err := schema.Infer(parts, opt)
	if err != nil {
		t.Fatal(err)
	}
	s.proto = inferred.Proto
	for i := range s.samples {
		s.samples[i].root = inferred.Roots[s.samples[i].name]
	}
	return s
}

// corporaSamples are documents of the world, each a sample.
func corporaSamples(t *testing.T) []goSample {
	t.Helper()
	root := testenv.Corpora(t)
	var samples []goSample
	for _, pattern := range []string{"viotti/*/document.json", "webhooks/*.json", "nativejson/citm_catalog.json"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || files == nil {
			t.Fatalf("%s: %d files: %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("s%d-%s", len(samples), filepath.Base(filepath.Dir(file)))
			samples = append(samples, goSample{name: name, documents: []string{string(strictjson.Compact(nil, text))}})
		}
	}
	return samples
}
