package schema

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

// corpora calls f for each JSON document of the corpora that is valid.
func corpora(t *testing.T, f func(name string, data []byte)) {
	t.Helper()
	root := testenv.Corpora(t)
	for _, pattern := range []string{"nativejson/*.json", "webhooks/*.json", "jsonbench/*.json.gz", "viotti/*/*.json", "k8s/testdata/*/*.json", "otlp/examples/*.json", "protobufjs-bench/*/*.json"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			name, _ := filepath.Rel(root, file)
			data := readCorpus(t, file)
			if err := strictjson.Check(data, strictjson.Limits{}); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			f(name, data)
		}
	}
}

// Every document of the corpora comes back through the schema inferred from it,
// in both tracks.
func TestCorporaComeBack(t *testing.T) {
	corpora(t, func(name string, data []byte) {
		for _, track := range []string{TrackLiteral, TrackTyped} {
			t.Run(name+"/"+track, func(t *testing.T) {
				inferDocs(t, InferOptions{Track: track}, [][]byte{data}).exact()
			})
		}
	})
}

// What is printed compiles with protoc: for the corpora, for hostile keys, and
// for random documents.
func TestPrintedCompilesWithProtoc(t *testing.T) {
	path, err := exec.LookPath("protoc")
	if err != nil {
		testenv.Skip(t, "needs protoc: not installed")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write(OptionsPath, OptionsProto)
	args := []string{"-I", dir, "-o", filepath.Join(dir, "out")}
	add := func(opt InferOptions, docs ...[]byte) { // each in a package of its own, since protoc sees them all
		n := strconv.Itoa(len(args))
		args = append(args, write("p"+n+".proto", strings.Replace(inferDocs(t, opt, docs).Proto, "package "+inferredPackage, "package "+inferredPackage+".p"+n, 1)))
	}
	corpora(t, func(_ string, data []byte) {
		add(InferOptions{}, data)
		add(typed, data)
	})
	add(InferOptions{}, []byte(hostileKeys))
	add(InferOptions{NoMap: []string{"$"}}, []byte(manyKeys(21000)))
	for seed := range uint64(150) {
		add(InferOptions{Track: []string{TrackLiteral, TrackTyped}[seed%2], ExactNull: seed%3 == 0}, randomDocs(rand.New(rand.NewPCG(seed, 7)))...)
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.5000s", err, out)
	}
}

func readCorpus(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
}
