package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// Value is a sample of documents that are hard to get right.
type Value struct {
	runner.SampleFiles
	What string // "integers beyond 2⁵³"
	// MayRefuse allows an error: not every library can, as long as it says so.
	MayRefuse bool
	// Precise excuses codecs whose traits say that they round doubles.
	Precise bool
}

// values checks that hard documents come back, or are refused.
func (c *checker) values(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	var samples []runner.SampleFiles
	for _, v := range c.opts.Values {
		samples = append(samples, v.SampleFiles)
	}
	var skips map[string]string
	err := c.step("value", codec.Name, "it reads hard documents, or says which it cannot", func() (err error) {
		skips, err = c.prepare(ctx, s, codec.Name, samples)
		return err
	})
	if err != nil {
		return err
	}
	for _, v := range c.opts.Values {
		expected := v.What + ": come back exactly"
		if v.MayRefuse {
			expected += ", or are refused"
		}
		err := c.step("value", codec.Name, expected, func() error {
			if c.line.Skipped = skips[v.Sample]; c.line.Skipped == "" && v.Precise {
				c.line.Skipped = rounding(codec)
			}
			if c.line.Skipped != "" {
				return nil
			}
			_, err := c.verify(ctx, s, codec, v.SampleFiles)
			why, refused := refusal(err)
			switch {
			case refused && v.MayRefuse:
				c.line.Skipped = "refused: " + why
				return nil
			case refused:
				c.found("", "%s: %v", v.What, err) // the runner goes on
				return nil
			case err != nil:
				return fmt.Errorf("%s: %w", v.What, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Text is a sample of one document, which holds TextMark where text is broken to
// see what the codecs make of it.
type Text struct{ runner.SampleFiles }

// TextMark stands in the document of a Text.
const TextMark = "<text mark>"

var invalidText = []byte("<text \xffark>")

// Traits that say what becomes of invalid UTF-8.
const (
	traitValidates = "validates UTF-8"
	traitReplaces  = "replaces invalid UTF-8"
	traitAccepts   = "accepts invalid UTF-8"
)

// text checks that invalid UTF-8 does no harm, and that the codec's traits say
// what becomes of it.
func (c *checker) text(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	return c.step("text", codec.Name, "invalid UTF-8 is refused, replaced or kept, as its traits say", func() error {
		broken, err := c.spoilt(codec, c.opts.Text.SampleFiles, func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte(TextMark), invalidText)
		})
		if err != nil {
			return err
		}
		skips, err := c.prepare(ctx, s, codec.Name, []runner.SampleFiles{broken})
		if err == nil && len(skips) > 0 {
			c.line.Skipped = skips[broken.Sample]
			return nil
		}
		var written [][]byte
		if err == nil {
			_, written, err = c.roundTrip(ctx, s, codec, broken)
		}
		became, err := madeOf(written, err)
		if err != nil {
			return err
		}
		for _, claim := range []string{traitValidates, traitReplaces, traitAccepts} {
			if claim != became && slices.Contains(codec.Traits, claim) {
				c.found("", "it says that it %s, but it %s", claim, became)
			}
		}
		return c.alive(ctx, s)
	})
}

// madeOf tells what became of invalid text.
func madeOf(written [][]byte, err error) (string, error) {
	if err != nil {
		if _, refused := refusal(err); refused {
			return traitValidates, nil
		}
		return "", err
	}
	switch b := written[0]; {
	case bytes.Contains(b, invalidText):
		return traitAccepts, nil
	case bytes.Contains(b, []byte("\uFFFD")), bytes.Contains(bytes.ToLower(b), []byte(`\ufffd`)):
		return traitReplaces, nil
	default:
		return "", fmt.Errorf("it wrote %.80q of invalid UTF-8: neither that nor U+FFFD in its place", b)
	}
}

// brokenDocument checks that a document cut short is refused, whatever is asked of it.
func (c *checker) brokenDocument(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	return c.step("document", codec.Name, "a document that is cut short is refused, and it goes on", func() error {
		broken, err := c.spoilt(codec, c.opts.Samples[0], func(b []byte) []byte { return b[:len(b)-1] })
		if err != nil {
			return err
		}
		skips, err := c.prepare(ctx, s, codec.Name, []runner.SampleFiles{broken})
		if len(skips) > 0 {
			return nil
		}
		if err == nil {
			_, _, err = c.roundTrip(ctx, s, codec, broken)
		}
		if err == nil {
			return errors.New("it decoded a document that is cut short")
		}
		if _, refused := refusal(err); !refused {
			return err
		}
		for _, op := range codec.Operations {
			if op == bench.Decode && slices.Contains(codec.Traits, "lazy") {
				continue // it may not have looked so far
			}
			one, cancel := c.in(ctx)
			defer cancel()
			batch := runner.BatchRequest{Sample: broken.Sample, Codec: codec.Name, Operation: op, Iterations: 1, Window: 1}
			_, err := s.Measure(one, runner.MeasureRequest{Turn: []runner.BatchRequest{batch}})
			if err == nil {
				return fmt.Errorf("%s of a document that is cut short was timed", op)
			}
			if _, refused := refusal(err); !refused {
				return err
			}
		}
		return c.alive(ctx, s)
	})
}

// spoilt writes a sample's first document that is not empty, changed, as a
// sample of one.
func (c *checker) spoilt(codec runner.CodecDescription, sample runner.SampleFiles, spoil func([]byte) []byte) (runner.SampleFiles, error) {
	documents, err := runner.ReadDocumentsFile(sample.Files[codec.Documents], runner.DocumentLimits{Documents: sample.Documents, Bytes: 1 << 30})
	if err != nil {
		return sample, err
	}
	i := slices.IndexFunc(documents, func(d []byte) bool { return len(d) > 0 })
	if i < 0 {
		return sample, fmt.Errorf("all documents of the sample %s are empty as %s; check with others", sample.Sample, codec.Documents)
	}
	out := sample
	out.Documents = 1
	return c.inAllForms(out, func(name string) error {
		return runner.WriteDocumentsFile(name, [][]byte{spoil(documents[i])})
	})
}

// inAllForms makes every form of a sample one file.
func (c *checker) inAllForms(sample runner.SampleFiles, write func(name string) error) (runner.SampleFiles, error) {
	name := filepath.Join(c.opts.Dir, "spoilt")
	if err := write(name); err != nil {
		return sample, err
	}
	sample.Files = maps.Clone(sample.Files)
	for form := range sample.Files {
		sample.Files[form] = name
	}
	return sample, nil
}

// alive checks that the runner goes on.
func (c *checker) alive(ctx context.Context, s *Session) error {
	one, cancel := c.in(ctx)
	defer cancel()
	if _, err := s.Describe(one); err != nil {
		return fmt.Errorf("after that, %w", err)
	}
	return nil
}

const notThere = "no file"

// frames checks that files whose frames are wrong are refused.
func (c *checker) frames(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	sample := c.opts.Samples[0]
	sample.Documents = 1
	for _, x := range []struct {
		what    string
		content string
	}{
		{"a frame that announces 4 GiB", "\xff\xff\xff\xff{}"},
		{"a frame longer than the file", "\x09\x00\x00\x00short"},
		{"a file that ends within a length", "\x02\x00\x00\x00{}\x02\x00"},
		{"fewer documents than announced", ""},
		{"a file that is not there", notThere},
	} {
		err := c.step("frame", "", x.what+" is refused, and it goes on", func() error {
			spoilt, err := c.inAllForms(sample, func(name string) error {
				if x.content == notThere {
					return os.RemoveAll(name)
				}
				return os.WriteFile(name, []byte(x.content), 0o644)
			})
			if err != nil {
				return err
			}
			skips, err := c.prepare(ctx, s, codec.Name, []runner.SampleFiles{spoilt})
			if _, refused := refusal(err); err != nil && !refused {
				return err
			}
			if err == nil && len(skips) == 0 {
				c.found("", "%s was read without a word", x.what)
			}
			return c.alive(ctx, s)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ranges checks that requests for what is not there are refused.
func (c *checker) ranges(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	sample := c.opts.Samples[0]
	return c.step("range", "", "a batch outside the documents, without operations, or of what does not exist is refused, and it goes on", func() error {
		skips, err := c.prepare(ctx, s, codec.Name, []runner.SampleFiles{sample})
		if err != nil || len(skips) > 0 {
			return err
		}
		good := runner.BatchRequest{Sample: sample.Sample, Codec: codec.Name, Operation: codec.Operations[0], Iterations: 1, Window: 1}
		for _, x := range []struct {
			what   string
			change func(*runner.BatchRequest)
		}{
			{"a window beyond the documents", func(b *runner.BatchRequest) { b.Window = sample.Documents + 1 }},
			{"a first document beyond the last", func(b *runner.BatchRequest) { b.Document = sample.Documents }},
			{"a first document before the first", func(b *runner.BatchRequest) { b.Document = -1 }},
			{"an empty window", func(b *runner.BatchRequest) { b.Window = 0 }},
			{"no iterations", func(b *runner.BatchRequest) { b.Iterations = 0 }},
			{"an operation that does not exist", func(b *runner.BatchRequest) { b.Operation = "guess" }},
			{"a sample that was not prepared", func(b *runner.BatchRequest) { b.Sample += "-not" }},
		} {
			batch := good
			x.change(&batch)
			one, cancel := c.in(ctx)
			defer cancel()
			_, err := s.Measure(one, runner.MeasureRequest{Turn: []runner.BatchRequest{batch}})
			if err == nil {
				c.found("", "%s was timed", x.what)
			} else if _, refused := refusal(err); !refused {
				return fmt.Errorf("asked for %s, %w", x.what, err)
			}
		}
		return c.alive(ctx, s)
	})
}

// rounding gives the trait with which a codec says that it changes doubles.
func rounding(codec runner.CodecDescription) string {
	for _, t := range codec.Traits {
		if strings.Contains(t, "round") || strings.Contains(t, "imprecise") {
			return t
		}
	}
	return ""
}
