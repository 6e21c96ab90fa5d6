package verdict

import (
	"fmt"
	"math"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// stored says what a document takes in the server's memory.
func stored(in Input, sample store.Sample, runtime string) *Sentence {
	of := map[bench.Format]*store.Storage{}
	names := map[bench.Format]string{}
	for _, c := range in.Cases {
		if c.Sample != sample.Sample || c.Runtime != runtime || c.Storage == nil || c.Documents == "protojson" {
			continue
		}
		if of[c.Format] == nil || c.Role == "default" {
			of[c.Format], names[c.Format] = c.Storage, c.Codec
		}
	}
	j, p := of[bench.JSON], of[bench.Protobuf]
	if j == nil || p == nil || j.Keys == 0 || p.Keys == 0 {
		return nil
	}
	s := &Sentence{Claim: Redis, Topic: "storage", Numbers: map[string]float64{}}
	var parts []string
	for _, x := range []struct {
		key, what   string
		json, proto int64
		known       bool
	}{
		{"value", "as it is", j.ValueBytes, p.ValueBytes, true},
		{"memory_usage", "by MEMORY USAGE", j.MemoryUsage, p.MemoryUsage, tells(j) && tells(p)},
		{"used_memory", "by used_memory", j.UsedMemory, p.UsedMemory, tells(j) && tells(p)},
	} {
		if !x.known || x.json <= 0 || x.proto <= 0 {
			continue
		}
		g := gap{json: float64(x.json) / float64(j.Keys), protobuf: float64(x.proto) / float64(p.Keys)}
		s.Numbers["json "+x.key], s.Numbers["protobuf "+x.key] = g.json, g.protobuf
		parts = append(parts, fmt.Sprintf("%s %s against %s, %s", x.what, meanBytes(g.protobuf), meanBytes(g.json), g))
	}
	if len(parts) == 0 {
		return nil
	}
	s.Text = fmt.Sprintf("%s holds a document of Protobuf (%s) and of JSON (%s) in: %s.", j.Server, names[bench.Protobuf], names[bench.JSON], strings.Join(parts, "; "))
	if !tells(j) {
		s.Text += " What it takes of memory would say nothing of a real server."
	}
	return s
}

// tells reports whether a server's memory figures mean something.
func tells(s *store.Storage) bool {
	return s.MemoryUsage > 0 && !store.Embedded(s.Server)
}

// meanBytes writes a mean number of bytes.
func meanBytes(b float64) string {
	if b >= 100 {
		b = math.Round(b)
	}
	return Bytes(b)
}

// keys warns of serialized bytes as keys, where the schema has maps and a store
// was measured.
func keys(wires []*wire) *Sentence {
	for _, w := range wires {
		if w.way.Transport == bench.Redis && w.sample.Maps {
			return &Sentence{Claim: Redis, Topic: "keys", Numbers: map[string]float64{},
				Text: "The schema has maps, whose entries have no fixed order, so equal messages may be written as different bytes from one run, version or language to the next. Do not use the bytes of a message as a key, and do not compare them: decode and compare what they mean."}
		}
	}
	return nil
}
