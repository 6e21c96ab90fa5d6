package sched

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/schema"
)

// Reference is the Truth of a sample: its documents in Protobuf, read by the
// reference conversion.
type Reference struct {
	*schema.Reference
	Wire [][]byte // the documents as the reference encoded them
}

// Expected implements Truth.
func (r *Reference) Expected(unit string) (leaf, visit []uint32, err error) {
	leaf, visit = make([]uint32, len(r.Wire)), make([]uint32, len(r.Wire))
	for i, b := range r.Wire {
		m, err := r.Unmarshal(b)
		if err != nil {
			return nil, nil, err
		}
		if leaf[i], visit[i], err = r.Checksums(m, unit); err != nil {
			return nil, nil, err
		}
	}
	return leaf, visit, nil
}

// Check implements Truth.
func (r *Reference) Check(codec runner.CodecDescription, out [][]byte) error {
	for i, b := range out {
		want, err := r.Unmarshal(r.Wire[i])
		if err != nil {
			return err
		}
		d, err := r.match(codec, want, b)
		if err != nil {
			return fmt.Errorf("what it wrote of document %d cannot be read: %w", i+1, err)
		}
		if d != nil {
			return fmt.Errorf("what it wrote of document %d differs from the reference: %s", i+1, d)
		}
	}
	return nil
}

func (r *Reference) match(codec runner.CodecDescription, want protoreflect.Message, got []byte) (*schema.Difference, error) {
	switch {
	case codec.Documents == "protojson":
		return r.MatchProtoJSON(want, got)
	case codec.Format == bench.Protobuf:
		return r.MatchBinary(want, got)
	}
	return r.MatchJSON(want, got)
}
