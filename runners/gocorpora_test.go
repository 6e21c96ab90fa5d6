package runners_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"wirecost/internal/runner"
	"wirecost/internal/schema"
	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

func fit(t *testing.T, s *schema.Schema, g goSchema) {
	t.Helper()
	var samples []schema.FitSample
	for _, x := range g.samples {
		f := schema.FitSample{Sample: x.name}
		for _, d := range x.documents {
			f.Docs = append(f.Docs, []byte(d))
		}
		samples = append(samples, f)
	}
	reports, err := s.FitAll(samples, schema.FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
	}
}

// TestGoRunnerCorpora holds the default codecs against documents of the world,
// under a schema inferred from them, all in one build.
func TestGoRunnerCorpora(t *testing.T) {
	t.Parallel()
	root := testenv.Corpora(t)
	r := goRunner(t)
	var codecs []string
	for _, c := range r.Codecs {
		if c.Default {
			codecs = append(codecs, c.Name)
		}
	}
	var files []string
	for _, pattern := range []string{"viotti/*/document.json", "webhooks/*.json", "nativejson/citm_catalog.json"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || found == nil {
			t.Fatalf("%s: %d files: %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	s := inferGo(t, files)
	b := buildGo(t, &runner.Builder{Cache: t.TempDir(), Version: "test"}, r, s, codecs)
	if b.Dropped != nil {
		t.Errorf("dropped: %v", b.Dropped)
	}
	p := start(t, b.Build)
	description := describe(t, p, b.Build)
	prepared := b.prepare(t, p)
	for _, sample := range s.samples {
		for _, c := range description.Codecs {
			if reason := prepared.skipped(sample.name, c.Name); reason != "" {
				t.Errorf("%s/%s: skipped: %s", sample.name, c.Name, reason)
				continue
			}
			t.Run(sample.name+"/"+c.Name, func(t *testing.T) { b.verify(t, p, sample, c) })
		}
	}
}

// inferGo infers one schema, with types recognised, from files of one document each.
func inferGo(t *testing.T, files []string) goSchema {
	t.Helper()
	opt := schema.InferOptions{Track: schema.TrackTyped}
	s := goSchema{name: "corpora", fit: true}
	var parts []schema.NamedPartial
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := strictjson.Compact(nil, data), strictjson.Check(data, strictjson.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := fmt.Sprintf("s%d-%s", i, filepath.Base(filepath.Dir(file)))
		part := schema.NewPartial(opt)
		if err := part.Add(text); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		parts = append(parts, schema.NamedPartial{Sample: name, Partial: part})
		s.samples = append(s.samples, goSample{name: name, documents: []string{string(text)}})
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
