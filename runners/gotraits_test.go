package runners_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"wirecost/internal/runner"
)

// traits checks what codecs say of themselves, as far as a document can show it.
func (b *goBuild) traits(t *testing.T, p runner.Process, codecs []runner.CodecDescription) {
	badText := map[string]string{"json": "{\"aString\":\"a\xff\"}", "protojson": "{\"aString\":\"a\xff\"}", "protobuf": "\x5a\x02a\xff"}
	twice := map[string]string{"json": `{"aInt32":111,"aInt32":222}`, "protojson": `{"aInt32":111,"aInt32":222}`}
	for _, c := range codecs {
		has := func(trait string) bool { return slices.Contains(c.Traits, trait) }
		written, err := b.again(t, p, c, badText[c.Documents])
		got := "accepts invalid UTF-8"
		switch {
		case err != nil:
			got = "validates UTF-8"
		case bytes.Contains(written, []byte(`\ufffd`)) || bytes.Contains(written, []byte("\uFFFD")):
			got = "replaces invalid UTF-8"
		case !bytes.Contains(written, []byte("a\xff")):
			t.Errorf("%s made %q of invalid UTF-8", c.Name, written)
		}
		if !has(got) {
			t.Errorf("%s %s, and claims %q", c.Name, got, c.Traits)
		}
		if twice[c.Documents] == "" {
			continue
		}
		written, err = b.again(t, p, c, twice[c.Documents])
		got = "refuses duplicate keys"
		if err == nil && bytes.Contains(written, []byte("222")) {
			got = "keeps the last duplicate key"
		}
		if !has(got) {
			t.Errorf("%s %s, and claims %q", c.Name, got, c.Traits)
		}
	}
}

// again has a codec decode and encode one document of the sample "scalars".
func (b *goBuild) again(t *testing.T, p runner.Process, c runner.CodecDescription, document string) ([]byte, error) {
	t.Helper()
	in, out := filepath.Join(b.dir, "trait"), filepath.Join(b.dir, "out")
	if err := runner.WriteDocumentsFile(in, [][]byte{[]byte(document)}); err != nil {
		t.Fatal(err)
	}
	files := []runner.SampleFiles{{Sample: "scalars", Documents: 1, Files: map[string]string{c.Documents: in}}}
	root, _ := b.schema.Model.RootOf("scalars")
	files[0].Root = root.Type
	if _, err := p.Prepare(t.Context(), files, []string{c.Name}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: "scalars", Codec: c.Name, Out: out}); err != nil {
		return nil, err
	}
	written, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: 1, Bytes: 1 << 20})
	if err != nil || len(written) != 1 {
		t.Fatalf("%d documents: %v", len(written), err)
	}
	return written[0], nil
}
