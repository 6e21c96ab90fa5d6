package runners_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"wirecost/internal/runner"
	"wirecost/internal/runner/runnertest"
	"wirecost/internal/schema"
	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
	"wirecost/runners"
)

// TestEveryRuntimeReadsWhatTheOthersWrite lets each default codec of each runtime
// that is set up write all documents of the matrix, hands what it wrote to every
// codec of that form in every runtime, and compares what these make of it with
// the reference, in meaning.
func TestEveryRuntimeReadsWhatTheOthersWrite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	m := newMatrix(t)
	for _, x := range m.runtimes(t) {
		m.write(t, x)
	}
	for _, x := range m.ready {
		m.read(t, x)
	}
	if t.Failed() {
		t.Log("\n" + m.table())
	}
}

// matrix is the documents, and what became of them.
type matrix struct {
	dir     string
	schema  *schema.Schema
	sets    map[string][]byte
	samples []*matrixSample
	skips   []matrixSkip
	ready   []*matrixRuntime

	variants []*variant
	same     map[[sha256.Size]byte]*variant // of one sample and form, by what was written
	cells    map[[2]string]*matrixCell      // writer, reader
}

type matrixSample struct {
	name      string
	documents [][]byte
	ref       *schema.Reference
	messages  []protoreflect.Message
	files     runner.SampleFiles
}

// variant is a sample as some codecs wrote it, byte for byte alike.
type variant struct {
	name    string
	sample  *matrixSample
	form    string
	path    string
	writers []string
}

type matrixCell struct{ right, wrong int }

// matrixRuntime is a runtime that is set up, built for all samples.
type matrixRuntime struct {
	*runner.Runner
	build *runner.Build
}

// matrixSkip is a sample that a codec is known to refuse, with the reason.
type matrixSkip struct {
	Codec  string `json:"codec"`  // pattern of path.Match for RUNTIME/CODEC
	Sample string `json:"sample"` // the same for a sample
	Reason string `json:"reason"` // part of what the codec says
}

func newMatrix(t *testing.T) *matrix {
	t.Helper()
	m := &matrix{
		dir: t.TempDir(), sets: map[string][]byte{},
		same: map[[sha256.Size]byte]*variant{}, cells: map[[2]string]*matrixCell{},
	}
	raw, err := os.ReadFile("testdata/matrix-skips.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &m.skips); err != nil {
		t.Fatalf("testdata/matrix-skips.json: %v", err)
	}
	for _, c := range matrixInputs() {
		m.sample(c.name, c.documents...)
	}
	root := testenv.Corpora(t)
	for _, pattern := range []string{"viotti/*/document.json", "webhooks/*.json"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || files == nil {
			t.Fatalf("%s: %d files: %v", pattern, len(files), err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			if name == "document" {
				name = filepath.Base(filepath.Dir(file))
			}
			m.sample(name, string(data))
		}
	}
	m.infer(t)
	return m
}

func (m *matrix) sample(name string, documents ...string) {
	s := &matrixSample{name: name}
	for _, d := range documents {
		s.documents = append(s.documents, strictjson.Compact(nil, []byte(d)))
	}
	m.samples = append(m.samples, s)
}

// infer makes one schema of all samples, with types recognised, and hands the
// documents over in all forms.
func (m *matrix) infer(t *testing.T) {
	t.Helper()
	opt := schema.InferOptions{Track: schema.TrackTyped}
	var parts []schema.NamedPartial
	for _, s := range m.samples {
		part := schema.NewPartial(opt)
		for _, d := range s.documents {
			if err := part.Add(d); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
		}
		parts = append(parts, schema.NamedPartial{Sample: s.name, Partial: part})
	}
	inferred, err := schema.Infer(parts, opt)
	if err != nil {
		t.Fatal(err)
	}
	if m.schema, err = schema.CompileText(t.Context(), "matrix.proto", inferred.Proto, inferred.Roots); err != nil {
		t.Fatal(err)
	}
	for name, jsonNames := range map[string]bool{"set.binpb": false, "set-protojson.binpb": true} {
		set, err := m.schema.Normalised(jsonNames)
		if err != nil {
			t.Fatal(err)
		}
		if m.sets[name], err = proto.Marshal(set); err != nil {
			t.Fatal(err)
		}
	}
	if m.sets["model.json"], err = json.Marshal(m.schema.Model); err != nil {
		t.Fatal(err)
	}
	for _, s := range m.samples {
		m.hand(t, s)
	}
}

// hand writes a sample's documents in every form.
func (m *matrix) hand(t *testing.T, s *matrixSample) {
	t.Helper()
	var err error
	if s.ref, err = m.schema.Reference(s.name); err != nil {
		t.Fatal(err)
	}
	root, _ := m.schema.Model.RootOf(s.name)
	s.files = runner.SampleFiles{Sample: s.name, Root: root.Type, Documents: len(s.documents), Files: map[string]string{}}
	forms := map[string][][]byte{runner.DocumentsJSON: s.documents}
	for i, d := range s.documents {
		message, err := s.ref.FromJSON(d)
		if err != nil {
			t.Fatalf("%s: document %d: %v", s.name, i+1, err)
		}
		s.messages = append(s.messages, message)
		for form, write := range map[string]func(protoreflect.Message) ([]byte, error){
			runner.DocumentsProtobuf: s.ref.Marshal, runner.DocumentsProtoJSON: s.ref.ProtoJSON,
		} {
			b, err := write(message)
			if err != nil {
				t.Fatalf("%s: document %d as %s: %v", s.name, i+1, form, err)
			}
			forms[form] = append(forms[form], b)
		}
	}
	for form, documents := range forms {
		s.files.Files[form] = filepath.Join(m.dir, s.name+"."+form)
		if err := runner.WriteDocumentsFile(s.files.Files[form], documents); err != nil {
			t.Fatal(err)
		}
	}
}

// runtimes builds every runtime that is ready.
func (m *matrix) runtimes(t *testing.T) []*matrixRuntime {
	t.Helper()
	all, err := runner.Load(runners.FS)
	if err != nil {
		t.Fatal(err)
	}
	builder := runnertest.Builder(t, all...)
	for _, r := range all {
		if r.UsesProgram() {
			// A browser: minutes for the codecs that Node.js has here. TestBrowserCodecs
			// holds them against the reference in the browser.
			continue
		}
		status, err := builder.Look(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if why := status.Problem(); why != "" { // the runtime's own tests fail or are skipped for that
			t.Logf("without %s: %s", r.Runtime, why)
			continue
		}
		x := &matrixRuntime{Runner: r}
		x.build, err = builder.Build(t.Context(), r, runner.BuildRequest{Model: m.schema.Model, Sets: m.sets, Codecs: matrixCodecs(r)})
		if err != nil {
			t.Errorf("%s: %v", r.Runtime, err)
			continue
		}
		for _, d := range x.build.Dropped {
			m.skip(t, r.Runtime+"/"+d.Codec, "*", d.Reason)
		}
		m.ready = append(m.ready, x)
	}
	if len(m.ready) == 0 {
		testenv.Skip(t, "no runtime is ready")
	}
	return m.ready
}

func matrixCodecs(r *runner.Runner) []string {
	var names []string
	for _, c := range r.Codecs {
		if c.Default {
			names = append(names, c.Name)
		}
	}
	return names
}

// skip is a codec that does not take a sample: wrong, unless it is known.
func (m *matrix) skip(t *testing.T, codec, sample, reason string) {
	t.Helper()
	for _, k := range m.skips {
		of, _ := path.Match(k.Codec, codec)
		in, _ := path.Match(k.Sample, sample)
		if of && in && strings.Contains(reason, k.Reason) {
			return
		}
	}
	t.Errorf("%s skips %s, which testdata/matrix-skips.json does not expect: %s", codec, sample, reason)
}

// process starts a process of a runtime that is ready for all its codecs, or a
// process for each of them, and lets visit use it.
func (m *matrix) process(t *testing.T, x *matrixRuntime, samples []runner.SampleFiles, visit func(p runner.Process, c runner.CodecDescription, skipped map[string]string)) {
	t.Helper()
	groups := [][]string{x.build.Codecs}
	if x.Isolation == "codec" {
		groups = nil
		for _, c := range x.build.Codecs {
			groups = append(groups, []string{c})
		}
	}
	for _, group := range groups {
		p, err := x.build.Start(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", x.Runtime, err)
		}
		description, err := p.Describe(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", x.Runtime, err)
		}
		reply, err := p.Prepare(t.Context(), samples, group)
		if err != nil {
			t.Fatalf("%s: %v", x.Runtime, err)
		}
		for _, c := range description.Codecs {
			if !slices.Contains(group, c.Name) {
				continue
			}
			skipped := map[string]string{}
			for _, s := range reply.Skips {
				if s.Codec == c.Name {
					skipped[s.Sample] = s.Reason
				}
			}
			visit(p, c, skipped)
		}
		if err := p.Close(); err != nil {
			t.Errorf("%s: stop: %v", x.Runtime, err)
		}
	}
}

// write lets every codec of a runtime write every sample.
func (m *matrix) write(t *testing.T, x *matrixRuntime) {
	t.Helper()
	var files []runner.SampleFiles
	for _, s := range m.samples {
		files = append(files, s.files)
	}
	m.process(t, x, files, func(p runner.Process, c runner.CodecDescription, skipped map[string]string) {
		for _, s := range m.samples {
			name := x.Runtime + "/" + c.Name
			if reason := skipped[s.name]; reason != "" {
				m.skip(t, name, s.name, reason)
				continue
			}
			written, err := m.verify(t, p, s, s.name, c)
			if err != nil {
				t.Errorf("%s, of the reference's %s: %v", name, s.name, err)
				continue
			}
			m.add(t, s, c.Documents, name, written)
		}
	})
}

// add keeps what a codec wrote, once where several wrote the same.
func (m *matrix) add(t *testing.T, s *matrixSample, form, writer string, written [][]byte) {
	t.Helper()
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", s.name, form)
	for _, d := range written {
		fmt.Fprintf(h, "%d\n%s", len(d), d)
	}
	key := [sha256.Size]byte(h.Sum(nil))
	v := m.same[key]
	if v == nil {
		v = &variant{name: fmt.Sprintf("v%d", len(m.variants)), sample: s, form: form}
		v.path = filepath.Join(m.dir, v.name)
		if err := runner.WriteDocumentsFile(v.path, written); err != nil {
			t.Fatal(err)
		}
		m.same[key] = v
		m.variants = append(m.variants, v)
	}
	v.writers = append(v.writers, writer)
}

// read hands what all wrote to every codec of a runtime.
func (m *matrix) read(t *testing.T, x *matrixRuntime) {
	t.Helper()
	var files []runner.SampleFiles
	for _, v := range m.variants {
		f := v.sample.files
		f.Sample, f.Files = v.name, maps.Clone(f.Files)
		f.Files[v.form] = v.path
		files = append(files, f)
	}
	m.process(t, x, files, func(p runner.Process, c runner.CodecDescription, skipped map[string]string) {
		for _, v := range m.variants {
			if v.form != c.Documents || skipped[v.name] != "" { // of a sample that it skipped before
				continue
			}
			reader := x.Runtime + "/" + c.Name
			_, err := m.verify(t, p, v.sample, v.name, c)
			for _, writer := range v.writers {
				m.cell(writer, reader, err == nil)
			}
			if err != nil {
				t.Errorf("%s, of what %s wrote of %s: %v", reader, strings.Join(v.writers, ", "), v.sample.name, err)
			}
		}
	})
}

// verify lets a codec read documents and write them again, and compares that with
// the reference.
func (m *matrix) verify(t *testing.T, p runner.Process, s *matrixSample, name string, c runner.CodecDescription) ([][]byte, error) {
	t.Helper()
	out := filepath.Join(m.dir, "out")
	if _, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: name, Codec: c.Name, Out: out}); err != nil {
		return nil, err
	}
	written, err := runner.ReadDocumentsFile(out, runner.DocumentLimits{Documents: len(s.messages), Bytes: 256 << 20})
	if err != nil || len(written) != len(s.messages) {
		return nil, fmt.Errorf("it wrote %d documents of %d: %w", len(written), len(s.messages), err)
	}
	match := map[string]func(protoreflect.Message, []byte) (*schema.Difference, error){
		runner.DocumentsJSON: s.ref.MatchJSON, runner.DocumentsProtobuf: s.ref.MatchBinary, runner.DocumentsProtoJSON: s.ref.MatchProtoJSON,
	}[c.Documents]
	for i, message := range s.messages {
		difference, err := match(message, written[i])
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
		if difference != nil {
			return nil, fmt.Errorf("document %d: %s", i+1, difference)
		}
	}
	return written, nil
}

func (m *matrix) cell(writer, reader string, right bool) {
	key := [2]string{writer, reader}
	if m.cells[key] == nil {
		m.cells[key] = &matrixCell{}
	}
	if right {
		m.cells[key].right++
	} else {
		m.cells[key].wrong++
	}
}

// table has a row for each writer and a column for each reader: how many samples
// were read right, or how many of them wrong.
func (m *matrix) table() string {
	var writers, readers []string
	for key := range m.cells {
		if !slices.Contains(writers, key[0]) {
			writers = append(writers, key[0])
		}
		if !slices.Contains(readers, key[1]) {
			readers = append(readers, key[1])
		}
	}
	slices.Sort(writers)
	slices.Sort(readers)
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "written by \\ read by\t%s\n", strings.Join(readers, "\t"))
	for _, writer := range writers {
		row := []string{writer}
		for _, reader := range readers {
			switch c := m.cells[[2]string{writer, reader}]; {
			case c == nil:
				row = append(row, "")
			case c.wrong > 0:
				row = append(row, fmt.Sprintf("WRONG %d of %d", c.wrong, c.wrong+c.right))
			default:
				row = append(row, fmt.Sprint(c.right))
			}
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
	return b.String()
}
