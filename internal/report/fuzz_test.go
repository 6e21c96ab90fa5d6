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
	all := crossings()
	f.Add(lines(f, made(1, "redis 7", []asked{all[0], all[3], all[len(all)-1]})))
	const get = `{"kind":"case","case":1,"sample":"s","runtime":"r","codec":"a","format":"json","operation":"get","transport":"http","encoding":"gzip:6","peer":"r","link":"x"}` + "\n"
	f.Add([]byte(head + get + `{"kind":"requests","case":1,"pipeline":1073741824,"requests":[1073741824],"document":[0],"window":[1],"wall_ns":[1],` +
		`"spans":{"encode":[9223372036854775807],"compress":[0],"transfer":[0],"decompress":[0],"decode":[0]},"client_cpu_ns":[1],"server_cpu_ns":[-9],"wire_bytes":[0],"allocated":[0],` +
		`"histogram":{"ns":[9223372036854775807],"count":[2147483647]}}` + "\n" +
		`{"kind":"open-loop","case":1,"rate":1e-300,"requests":0}` + "\n" + `{"kind":"storage","case":1,"server":"","keys":1,"value_bytes":9223372036854775807,"memory_usage":0,"used_memory":-5}`))
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
