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
	if j == nil || p == nil {
		return nil
	}
	s := &Sentence{Claim: Redis, Topic: "storage", Numbers: map[string]float64{}}
	var parts []string
	add := func(key, what string, json, protobuf float64) {
		if json <= 0 || protobuf <= 0 {
			return
		}
		g := gap{json: json, protobuf: protobuf}
		s.Numbers["json "+key], s.Numbers["protobuf "+key] = json, protobuf
		parts = append(parts, fmt.Sprintf("%s %s against %s, %s", what, meanBytes(protobuf), meanBytes(json), g))
	}
	jsonValue, jsonUsage, jsonGrowth := j.PerKey()
	value, usage, growth := p.PerKey()
	add("value", "as it is", jsonValue, value)
	add("memory_usage", "by MEMORY USAGE", jsonUsage, usage)
	add("used_memory", "by used_memory", jsonGrowth, growth)
	if len(parts) == 0 {
		return nil
	}
	s.Text = fmt.Sprintf("%s holds a document of Protobuf (%s) and of JSON (%s) in: %s.", j.Server, names[bench.Protobuf], names[bench.JSON], strings.Join(parts, "; "))
	if store.Embedded(j.Server) {
		s.Text += " What it takes of memory would say nothing of a real server."
	}
	return s
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
