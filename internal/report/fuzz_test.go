package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"wirecost/internal/store"
)

// A result file may come from anywhere: what the reader takes, every form must
// be able to show.
func FuzzReport(f *testing.F) {
	for _, name := range []string{"other.jsonl", "sizes.jsonl"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	const head = `{"kind":"header","format":"wirecost.result/v1","settings":{"rate":1e300,"link":"1gbit/1s"}}` + "\n" + `{"kind":"sample","sample":"s","documents":-1,"shape":{"paths":2}}` + "\n"
	const cases = `{"kind":"case","case":-1,"sample":"s","runtime":"r","codec":"a","format":"json","operation":"encode","transport":"memory"}` + "\n" +
		`{"kind":"case","case":7,"sample":"s","runtime":"r","codec":"b","format":"protobuf","operation":"encode","transport":"memory","role":"default"}` + "\n"
	f.Add([]byte(head + `{"kind":"size","sample":"s","form":"compact","encoding":"br:99999999999","unit":"document","bytes":9223372036854775807,"compress_ns":-5}` + "\n"))
	f.Add([]byte(head + cases +
		`{"kind":"fork","case":-1,"wall_ns":[9223372036854775807],"iterations":[1],"document":[0],"window":[9223372036854775807],"cpu_ns":1,"cpu_iterations":1}` + "\n" +
		`{"kind":"fork","case":7,"wall_ns":[1],"iterations":[9223372036854775807],"document":[0],"window":[9223372036854775807],"cpu_ns":1,"cpu_iterations":9223372036854775807}` + "\n" +
		`{"kind":"memory","case":7,"allocs_per_op":1e308,"bytes_per_op":-1e308}` + "\n" + `{"kind":"progress","measure_ns":-1,"batch_ns":5,"preempted":-1e308}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := store.InMemory("f", data)
		if err != nil {
			return
		}
		r, err := Build(file)
		if err != nil {
			return
		}
		for _, format := range Formats() {
			e, _ := For(format)
			var b bytes.Buffer
			if err := e.Write(&b, r, Options{Width: 40}); err != nil {
				t.Errorf("%s: %v", format, err)
			}
		}
	})
}
