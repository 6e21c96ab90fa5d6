package check

import (
	"bytes"
	"fmt"
	"slices"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// Fake is a runner that is right about the built-in documents and refuses all
// others, to try checks with. Options must have been called before.
func (v *Vectors) Fake() *runner.FakeRuntime {
	operations := []bench.Operation{bench.Encode, bench.Decode, bench.Visit}
	return &runner.FakeRuntime{
		Clock: &runner.VirtualClock{},
		Description: runner.Description{Runtime: "fake", Version: "1", Codecs: []runner.CodecDescription{
			{Name: "a", Format: bench.JSON, Documents: runner.DocumentsJSON, Operations: operations, Traits: []string{"typed"}, Library: "l", Version: "1"},
			{Name: "b", Format: bench.Protobuf, Documents: runner.DocumentsProtobuf, Operations: operations, Traits: []string{"typed"}, Library: "l", Version: "1"},
		}},
		Cost: func(runner.FakeOperation) float64 { return 100 },
		Checksums: func(s runner.SampleFiles, form string, document []byte) (leaf, visit uint32, err error) {
			return v.sums(s.Sample, form, document)
		},
	}
}

// sums gives the checksums of one of a sample's documents in one of its forms.
func (t *Truth) sums(sample, form string, document []byte) (leaf, visit uint32, err error) {
	x, ok := t.samples[sample]
	if !ok {
		return 0, 0, fmt.Errorf("there is no sample %s", sample)
	}
	all, err := runner.ReadDocumentsFile(x.files.Files[form], runner.DocumentLimits{Documents: len(x.messages), Bytes: 1 << 30})
	if err != nil {
		return 0, 0, err
	}
	i := slices.IndexFunc(all, func(d []byte) bool { return bytes.Equal(d, document) })
	if i < 0 {
		return 0, 0, fmt.Errorf("%s: a document that cannot be decoded", sample)
	}
	return x.reference.Checksums(x.messages[i], "utf8")
}
