package runners_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"wirecost/internal/runner"
	"wirecost/internal/runner/runnertest"
	"wirecost/internal/schema"
	"wirecost/internal/testenv"
	"wirecost/runners"
)

// What a runner may hold: twice the documents that it was given, and so much.
const (
	heldBeside   = 200_000_000
	heldSample   = 8 << 20 // bytes of JSON: the most that a run hands over of a larger sample
	heldDocument = 1000
)

const memoryProto = `syntax = "proto3";
message Order {
  int64 id = 1;
  string name = 2;
  repeated Item items = 3;
  map<string, double> prices = 4;
}
message Item { string sku = 1; optional uint32 count = 2; }
`

// TestRunnersAreSmall gives every runtime that is set up a sample as large as they come, lets
// it verify and measure, and looks at the most that its process ever held.
func TestRunnersAreSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	x := newMemorySample(t)
	all, err := runner.Load(runners.FS)
	if err != nil {
		t.Fatal(err)
	}
	builder := runnertest.Builder(t, all...)
	for _, r := range all {
		t.Run(r.Runtime, func(t *testing.T) {
			status, err := builder.Look(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if why := status.Problem(); why != "" {
				testenv.Skip(t, why)
			}
			build, err := builder.Build(t.Context(), r, runner.BuildRequest{Model: x.schema.Model, Sets: x.sets, Codecs: matrixCodecs(r)})
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
			for _, group := range groups {
				x.hold(t, build, group)
			}
		})
	}
}

// memorySample is a large sample.
type memorySample struct {
	schema *schema.Schema
	sets   map[string][]byte
	files  runner.SampleFiles
	bytes  map[string]int // by form
}

func newMemorySample(t *testing.T) *memorySample {
	t.Helper()
	s, err := schema.CompileText(t.Context(), "order.proto", memoryProto, map[string]string{"orders": "Order"})
	if err != nil {
		t.Fatal(err)
	}
	var documents [][]byte
	for i := 0; i < heldSample/heldDocument; i++ {
		d := fmt.Appendf(nil, `{"id":%d,"name":"customer %d","items":[`, i+1, i)
		for k := 0; len(d) < heldDocument-80; k++ {
			if k > 0 {
				d = append(d, ',')
			}
			d = fmt.Appendf(d, `{"sku":"article %d of %d","count":%d}`, k, i, k+1)
		}
		documents = append(documents, fmt.Appendf(d, `],"prices":{"a":1.5,"b":%d.25}}`, i))
	}
	if _, err := s.Fit("orders", documents[:100], schema.FitOptions{}); err != nil {
		t.Fatal(err)
	}
	x := &memorySample{schema: s, sets: map[string][]byte{}, bytes: map[string]int{}}
	for name, jsonNames := range map[string]bool{"set.binpb": false, "set-protojson.binpb": true} {
		set, err := s.Normalised(jsonNames)
		if err != nil {
			t.Fatal(err)
		}
		if x.sets[name], err = proto.Marshal(set); err != nil {
			t.Fatal(err)
		}
	}
	x.write(t, documents)
	return x
}

func (x *memorySample) write(t *testing.T, documents [][]byte) {
	t.Helper()
	ref, err := x.schema.Reference("orders")
	if err != nil {
		t.Fatal(err)
	}
	root, _ := x.schema.Model.RootOf("orders")
	x.files = runner.SampleFiles{Sample: "orders", Root: root.Type, Documents: len(documents), Files: map[string]string{}}
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
}

// hold lets one process do all that a run asks of it.
func (x *memorySample) hold(t *testing.T, build *runner.Build, codecs []string) {
	t.Helper()
	before := memoryHeads(t)
	p, err := build.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	group := slices.DeleteFunc(memoryHeads(t), func(pid int) bool { return slices.Contains(before, pid) })
	if len(group) != 1 {
		t.Fatalf("processes %v were started; want one", group)
	}
	description, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
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
		if _, err := p.Verify(t.Context(), runner.VerifyRequest{Sample: "orders", Codec: c.Name, Out: filepath.Join(t.TempDir(), "out")}); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		var turn []runner.BatchRequest
		for _, op := range c.Operations {
			turn = append(turn, runner.BatchRequest{Sample: "orders", Codec: c.Name, Operation: op, Iterations: 500, Document: 1000, Window: 500})
		}
		for _, settle := range []bool{false, true} {
			if _, err := p.Measure(t.Context(), runner.MeasureRequest{Turn: turn, Settle: settle}); err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
		}
	}
	sample := 0
	for form := range given {
		sample += x.bytes[form]
	}
	held := memoryPeak(t, group[0])
	t.Logf("%s: %d MB held of %d MB given", strings.Join(codecs, ", "), held/1e6, sample/1e6)
	if most := 2*sample + heldBeside; held > most {
		t.Errorf("%s: %d MB held; at most %d are right for a sample of %d", strings.Join(codecs, ", "), held/1e6, most/1e6, sample/1e6)
	}
}

// memoryHeads lists our children that lead a process group of their own.
func memoryHeads(t *testing.T) []int {
	t.Helper()
	return memoryProcesses(t, func(pid, parent, group int) bool { return parent == os.Getpid() && group == pid })
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
