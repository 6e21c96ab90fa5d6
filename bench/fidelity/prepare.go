package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"

	"wirecost/internal/env"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/sample"
	"wirecost/internal/schema"
	"wirecost/internal/strictjson"
	"wirecost/runners"
)

// setup is a runner that was built for samples, and what it is asked for.
type setup struct {
	build   *runner.Build
	samples []runner.SampleFiles // in the order of the model's roots
	codecs  []runner.Codec
}

// newSetup reads the files, infers their schema and builds the runtime's runner;
// files for runners go to dir.
func newSetup(ctx context.Context, o *options, dir string) (*setup, error) {
	choice, err := choose(o)
	if err != nil {
		return nil, err
	}
	small := filepath.Join(dir, "small.ndjson")
	if err := os.WriteFile(small, smallMessages(), 0o644); err != nil {
		return nil, err
	}
	read, err := sample.Open([]string{o.file, small}, sample.Options{})
	if err != nil {
		return nil, err
	}
	compiled, err := infer(ctx, read)
	if err != nil {
		return nil, err
	}
	s := &setup{codecs: choice.Codecs}
	for _, root := range compiled.Model.Roots {
		for _, x := range read {
			if x.ID != root.Sample {
				continue
			}
			files, err := forms(compiled, x, root, dir)
			if err != nil {
				return nil, err
			}
			s.samples = append(s.samples, files)
		}
	}
	request, err := request(compiled, choice, o)
	if err != nil {
		return nil, err
	}
	cache, err := runner.DefaultCache()
	if err != nil {
		return nil, err
	}
	builder := &runner.Builder{Cache: cache, Version: env.Version()}
	s.build, err = builder.Build(ctx, choice.Runner, request)
	return s, err
}

// choose finds the runner and the codecs.
func choose(o *options) (plan.Choice, error) {
	all, err := runner.Load(runners.FS)
	if err != nil {
		return plan.Choice{}, err
	}
	var selection plan.Selection
	if o.names != "" {
		selection.Codecs = strings.Split(o.names, ",")
	}
	for _, r := range all {
		if r.Runtime != o.runtime {
			continue
		}
		choices, err := selection.Choose([]*runner.Runner{r})
		if err != nil {
			return plan.Choice{}, usageError{err}
		}
		return choices[0], nil
	}
	return plan.Choice{}, usageError{fmt.Errorf("-runtime %s: there is no such runner", o.runtime)}
}

// smallMessages are documents of three fields.
func smallMessages() []byte {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, `{"id":%d,"name":"%s %s","at":"2026-11-%02dT12:34:%02dZ"}`+"\n",
			48210005+i*7919, []string{"Ada", "Chidi", "Noor", "Yuki"}[i%4], []string{"Weber", "Lindqvist", "Okafor"}[i%3], 1+i, i)
	}
	return []byte(b.String())
}

func infer(ctx context.Context, samples []*sample.Sample) (*schema.Schema, error) {
	var parts []schema.NamedPartial
	for _, s := range samples {
		p, err := schema.InferAll(ctx, documents(s), schema.InferOptions{}, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		parts = append(parts, schema.NamedPartial{Sample: s.ID, RootName: s.ID, Partial: p})
	}
	inferred, err := schema.Infer(parts, schema.InferOptions{})
	if err != nil {
		return nil, err
	}
	return schema.CompileText(ctx, "inferred.proto", inferred.Proto, inferred.Roots)
}

func documents(s *sample.Sample) [][]byte {
	docs := make([][]byte, len(s.Documents))
	for i, d := range s.Documents {
		docs[i] = d.Data
	}
	return docs
}

// forms writes a sample in every form.
func forms(compiled *schema.Schema, s *sample.Sample, root schema.Root, dir string) (runner.SampleFiles, error) {
	files := runner.SampleFiles{Sample: s.ID, Root: root.Type, Documents: len(s.Documents), Files: map[string]string{}}
	ref, err := compiled.Reference(s.ID)
	if err != nil {
		return files, err
	}
	docs := map[string][][]byte{}
	for _, d := range documents(s) {
		m, err := ref.FromJSON(d)
		if err != nil {
			return files, fmt.Errorf("%s: %w", s.Name, err)
		}
		wire, err := ref.Marshal(m)
		if err != nil {
			return files, err
		}
		protojson, err := ref.ProtoJSON(m)
		if err != nil {
			return files, err
		}
		docs["json"] = append(docs["json"], strictjson.Compact(nil, d))
		docs["protobuf"] = append(docs["protobuf"], wire)
		docs["protojson"] = append(docs["protojson"], protojson)
	}
	for form, list := range docs {
		files.Files[form] = filepath.Join(dir, s.ID+"."+form)
		if err := runner.WriteDocumentsFile(files.Files[form], list); err != nil {
			return files, err
		}
	}
	return files, nil
}

// request asks for a build as "wirecost run" does.
func request(compiled *schema.Schema, choice plan.Choice, o *options) (runner.BuildRequest, error) {
	model, err := json.Marshal(compiled.Model)
	if err != nil {
		return runner.BuildRequest{}, err
	}
	sets := map[string][]byte{"model.json": model}
	for name, jsonNames := range map[string]bool{"set.binpb": false, "set-protojson.binpb": true} {
		set, err := compiled.Normalised(jsonNames)
		if err != nil {
			return runner.BuildRequest{}, err
		}
		if sets[name], err = (proto.MarshalOptions{Deterministic: true}).Marshal(set); err != nil {
			return runner.BuildRequest{}, err
		}
	}
	return runner.BuildRequest{Model: compiled.Model, Sets: sets, Codecs: choice.CodecNames(), Progress: o.say}, nil
}
