package runners_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wirecost/internal/runner"
	"wirecost/internal/runner/runnertest"
	"wirecost/internal/schema"
	"wirecost/internal/testenv"
	"wirecost/runners"
)

// What a runner may hold: twice the documents that it was given, and so much.
const (
	heldBeside = 200_000_000
	heldSample = 8 << 20 // bytes of JSON: the most that a run hands over of a larger sample
)

const memoryProto = `syntax = "proto3";
message Order {
  int64 id = 1;
  string name = 2;
  repeated Item items = 3;
  map<string, double> prices = 4;
}
message Item { string sku = 1; optional uint32 count = 2; }
message Day { repeated Order orders = 1; }
`

// The samples have many small documents, few large ones, or one, of so many bytes.
var memoryDocuments = map[string]int{"orders": 1000, "days": 500_000, "year": heldSample}

// memoryShort is the codecs for which one document of 8 MB is too much.
var memoryShort = []string{"jsonformat"}

// TestRunnersAreSmall gives every runtime that is set up a sample as large as they come, lets
// it verify and measure, and looks at the most that its process ever held.
func TestRunnersAreSmall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	s := newMemorySchema(t)
	samples := []*memorySample{s.sample(t, "orders", memoryOrders), s.sample(t, "days", memoryDays), s.sample(t, "year", memoryDays)}
	all, err := runner.Load(runners.FS)
	if err != nil {
		t.Fatal(err)
	}
	builder := runnertest.Builder(t, all...)
	for _, r := range all {
		t.Run(r.Runtime, func(t *testing.T) {
			t.Parallel()
			status, err := builder.Look(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if why := status.Problem(); why != "" {
				testenv.Skip(t, why)
			}
			build, err := builder.Build(t.Context(), r, runner.BuildRequest{Model: s.Model, Sets: s.sets, Codecs: matrixCodecs(r)})
			if err != nil {
				t.Fatal(err)
			}
			groups := [][]string{build.Codecs}
			if r.Isolation == "codec" {
				groups = nil
				for _, c := range build.Codecs {
					groups = append(groups, []string{c})
				}
			}
			for _, x := range samples {
				for _, group := range groups {
					x.hold(t, build, group)
				}
			}
		})
	}
}

// memorySchema is the schema of all samples.
type memorySchema struct {
	*schema.Schema
	sets map[string][]byte
}

func newMemorySchema(t *testing.T) memorySchema {
	t.Helper()
	s, err := schema.CompileText(t.Context(), "order.proto", memoryProto, map[string]string{"orders": "Order", "days": "Day", "year": "Day"})
	if err != nil {
		t.Fatal(err)
	}
	sets, err := runner.Sets(s)
	if err != nil {
		t.Fatal(err)
	}
	return memorySchema{s, sets}
}

// memoryOrders are documents of one order each.
func memoryOrders(each int) (documents [][]byte) {
	for i := range heldSample / each {
		documents = append(documents, memoryOrder(i, each))
	}
	return documents
}

func memoryOrder(i, length int) []byte {
	d := fmt.Appendf(nil, `{"id":%d,"name":"customer %d","items":[`, i+1, i)
	for k := 0; len(d) < length-80; k++ {
		if k > 0 {
			d = append(d, ',')
		}
		d = fmt.Appendf(d, `{"sku":"article %d of %d","count":%d}`, k, i, k+1)
	}
	return fmt.Appendf(d, `],"prices":{"a":1.5,"b":%d.25}}`, i)
}

// memoryDays are documents of many orders each.
func memoryDays(each int) (documents [][]byte) {
	for i := range heldSample / each {
		d := []byte(`{"orders":[`)
		for len(d) < each {
			d = append(append(d, memoryOrder(1000*i+len(d), 300)...), ',')
		}
		documents = append(documents, append(d[:len(d)-1], "]}"...))
	}
	return documents
}

// memorySample is a large sample.
type memorySample struct {
	files runner.SampleFiles
	room  runner.Room
	bytes map[string]int // by form
	each  int            // bytes of a document
}

func (s memorySchema) sample(t *testing.T, name string, write func(each int) [][]byte) *memorySample {
	t.Helper()
	documents := write(memoryDocuments[name])
	if _, err := s.Fit(name, documents[:min(len(documents), 100)], schema.FitOptions{}); err != nil {
		t.Fatal(err)
	}
	ref, err := s.Reference(name)
	if err != nil {
		t.Fatal(err)
	}
	root, _ := s.Model.RootOf(name)
	x := &memorySample{bytes: map[string]int{}, each: memoryDocuments[name]}
	x.files = runner.SampleFiles{Sample: name, Root: root.Type, Documents: len(documents), Files: map[string]string{}}
	forms := map[string][][]byte{runner.DocumentsJSON: documents}
	for _, d := range documents {
		m, err := ref.FromJSON(d)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ref.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		j, err := ref.ProtoJSON(m)
		if err != nil {
			t.Fatal(err)
		}
		forms[runner.DocumentsProtobuf], forms[runner.DocumentsProtoJSON] = append(forms[runner.DocumentsProtobuf], b), append(forms[runner.DocumentsProtoJSON], j)
	}
	dir := t.TempDir()
	for form, all := range forms {
		x.files.Files[form] = filepath.Join(dir, form)
		if err := runner.WriteDocumentsFile(x.files.Files[form], all); err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			x.bytes[form] += len(d)
		}
	}
	var lengths []int
	for _, d := range documents {
		lengths = append(lengths, len(d))
	}
	x.room = runner.RoomFor(lengths)
	return x
}

// hold lets one process do all that a run asks of it.
func (x *memorySample) hold(t *testing.T, build *runner.Build, codecs []string) {
	t.Helper()
	mark := "WIRECOST_TEST_HELD=" + t.TempDir() // tells its processes from those of other tests
	p, err := build.Within(x.room, "env", mark).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	description, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	group := memoryHeads(t, mark)
	if len(group) != 1 {
		t.Fatalf("processes %v were started; want one", group)
	}
	if _, err := p.Prepare(t.Context(), []runner.SampleFiles{x.files}, codecs); err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, c := range description.Codecs {
		if !slices.Contains(codecs, c.Name) {
			continue
		}
		given[c.Documents] = true
		err := x.work(t, p, c)
		var short *runner.MemoryError
		if errors.As(err, &short) && x.files.Documents == 1 && slices.Contains(memoryShort, c.Name) {
			t.Logf("%s: %v", c.Name, err)
		} else if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
	}
	sample := 0
	for form := range given {
		sample += x.bytes[form]
	}
	held := memoryPeak(t, group[0])
	t.Logf("%s, %s: %d MB held of %d MB given", x.files.Sample, strings.Join(codecs, ", "), held/1e6, sample/1e6)
	if most := 2*sample + heldBeside; held > most {
		t.Errorf("%s, %s: %d MB held; at most %d are right for a sample of %d", x.files.Sample, strings.Join(codecs, ", "), held/1e6, most/1e6, sample/1e6)
	}
}

// calibrated is how many bytes of documents a turn has that tells what cases cost.
const calibrated = 256 << 10

// work lets a codec do what a run asks of it: all documents in turns of few bytes,
// then some of them again and again.
func (x *memorySample) work(t *testing.T, p runner.Process, c runner.CodecDescription) error {
	t.Helper()
	if _, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: x.files.Sample, Codec: c.Name, Out: filepath.Join(t.TempDir(), "out")}); err != nil {
		return err
	}
	window := max(1, calibrated/x.each)
	for first := 0; first < x.files.Documents; first += window {
		if err := x.measure(t, p, c, first, min(window, x.files.Documents-first), false); err != nil {
			return err
		}
	}
	for range 2 {
		if err := x.measure(t, p, c, 0, window, true); err != nil {
			return err
		}
	}
	return nil
}

// measure does all of a codec's operations once on each document of a window, in
// one turn or, with a large document, in one each.
func (x *memorySample) measure(t *testing.T, p runner.Process, c runner.CodecDescription, first, window int, settle bool) error {
	t.Helper()
	var turn []runner.BatchRequest
	for _, op := range c.Operations {
		turn = append(turn, runner.BatchRequest{Sample: x.files.Sample, Codec: c.Name, Operation: op, Iterations: window, Document: first, Window: window})
	}
	together := len(turn)
	if x.each > 4<<20 {
		together = 1
	}
	for part := range slices.Chunk(turn, together) {
		if _, err := p.Measure(t.Context(), runner.MeasureRequest{Turn: part, Settle: settle}); err != nil {
			return err
		}
	}
	return nil
}

// memoryHeads lists our children that lead a process group of their own, and have
// such an environment variable.
func memoryHeads(t *testing.T, mark string) []int {
	t.Helper()
	return memoryProcesses(t, func(pid, parent, group int) bool {
		if parent != os.Getpid() || group != pid {
			return false
		}
		environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		return slices.Contains(strings.Split(string(environment), "\x00"), mark)
	})
}

// memoryProcesses lists those that fit.
func memoryProcesses(t *testing.T, fits func(pid, parent, group int) bool) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, name := range stats {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
		// Behind the name, in brackets: state, parent, group.
		fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
		parent, _ := strconv.Atoi(string(fields[1]))
		group, _ := strconv.Atoi(string(fields[2]))
		if fits(pid, parent, group) {
			out = append(out, pid)
		}
	}
	return out
}

// memoryPeak is the most memory, in bytes, that the processes of a group held.
func memoryPeak(t *testing.T, group int) int {
	t.Helper()
	sum := 0
	for _, pid := range memoryProcesses(t, func(_, _, g int) bool { return g == group }) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				kB, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
				if err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				sum += kB * 1024
			}
		}
	}
	return sum
}
