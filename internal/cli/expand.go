package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"wirecost/internal/sample"
	"wirecost/internal/schema"
)

// original is a document before expansion.
type original struct {
	sample.Document
	expanded *schema.Expanded
}

// expand puts the JSON text that strings hold at the paths of --expand in the
// place of the strings: from then on, these are the documents.
func (in *input) expand(f *inputFlags, samples []*sample.Sample) error {
	if len(f.expand) == 0 {
		return nil
	}
	e, err := schema.NewExpander(f.expand, f.jsonLimits())
	if err != nil {
		return &usageError{fmt.Errorf("--expand: %w", err)}
	}
	in.originals = map[*sample.Sample]map[int]original{}
	used := map[string]int{}
	for _, s := range samples {
		times, err := in.expandSample(e, s)
		if err != nil {
			return err
		}
		for _, path := range f.expand {
			if n := times[path]; n > 0 {
				used[path] += n
				s.Notes = append(s.Notes, fmt.Sprintf("%s expanded in %d document%s: sizes are of the expanded documents", path, n, plural(n)))
			}
		}
		if len(times) > 0 {
			s.Digest = digest(s.Digest, f.expand)
		}
	}
	return e.Missed(used)
}

// expandSample expands a sample's documents, and counts by path in how many
// there was something to expand.
func (in *input) expandSample(e *schema.Expander, s *sample.Sample) (map[string]int, error) {
	times := map[string]int{}
	originals := map[int]original{}
	in.originals[s] = originals
	s.Bytes = 0
	for i := range s.Documents {
		d := &s.Documents[i]
		x, err := e.Expand(d.Data)
		if err != nil {
			return nil, in.placeIn(s, i, err)
		}
		if len(x.Paths) > 0 {
			originals[i] = original{*d, x}
			d.Data = x.Data
		}
		for _, path := range x.Paths {
			times[path]++
		}
		s.Bytes += int64(len(d.Data))
	}
	return times, nil
}

// digest is that of documents with some strings expanded: other documents.
func digest(documents string, paths []string) string {
	sum := sha256.Sum256([]byte(documents + "\x00" + strings.Join(paths, "\x00")))
	return hex.EncodeToString(sum[:])
}
