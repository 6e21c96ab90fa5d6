package study

import (
	"time"

	"wirecost/internal/bench"
)

// The two forms of the small message: with a number for the time, and with the
// nested message. The time that was "now" in the study is fixed, so that sizes are.
const (
	withNumber    = "int64"
	withTimestamp = "timestamp"
)

func init() {
	register(&Study{
		Name:     "small-message",
		Title:    "One small message in Go, goccy/go-json against Protobuf",
		Question: "Is Protobuf always faster, or does it depend on the data?",
		Setting: []string{
			"A message of an id, a name and a time is encoded and decoded in Go, by goccy/go-json and by Protobuf. The JSON side holds the time as an int64, the Protobuf side as a google.protobuf.Timestamp, which is a message within the message.",
		},
		Schema: `syntax = "proto3";
package sample;

import "google/protobuf/timestamp.proto";

message SampleMessage {
  int64 id = 1;
  string name = 2;
  int64 timestamp = 3;
}

message ProtoMessage {
  int64 id = 1;
  string name = 2;
  google.protobuf.Timestamp timestamp = 3;
}
`,
		Payloads: []Payload{
			{
				Name: withNumber, Message: "sample.SampleMessage", Count: 1, JSON: 45, Protobuf: 14,
				Document: func(int) []byte { return []byte(`{"id":1,"name":"Test","timestamp":1234567890}`) },
			},
			{
				Name: withTimestamp, Message: "sample.ProtoMessage", Count: 1, JSON: 67, Protobuf: 22,
				Document: func(int) []byte {
					return []byte(`{"id":1,"name":"Test","timestamp":"2026-11-30T12:34:56.789012345Z"}`)
				},
			},
		},
		Runs: []Run{{
			Name: "memory", Payloads: []string{withNumber, withTimestamp}, Runtimes: []string{"go"},
			Codecs: []string{
				"go/encoding-json", "go/go-json-experiment", "go/goccy", "go/sonic", "go/sonic-default",
				"go/protobuf", "go/vtprotobuf", "go/vtprotobuf-unsafe", "go/protojson",
			},
			Operations: []bench.Operation{bench.Encode, bench.Decode}, Time: 20 * time.Second,
		}},
		Figures: []Figure{
			{Name: "goccy/go-json encode", Published: 55.00, Unit: Nanoseconds, Measured: goccyInt(bench.Encode).Median()},
			{Name: "goccy/go-json decode", Published: 95.23, Unit: Nanoseconds, Measured: goccyInt(bench.Decode).Median()},
			{Name: "Protobuf encode", Published: 89.64, Unit: Nanoseconds, Measured: protobufNested(bench.Encode).Median()},
			{Name: "Protobuf decode", Published: 127.8, Unit: Nanoseconds, Measured: protobufNested(bench.Decode).Median()},
		},
		Claims: []Claim{
			{"1", "goccy/go-json encodes faster than Protobuf (0.61) and decodes faster (0.75)", []Part{
				Ratio{What: "encode, goccy/go-json to Protobuf", Of: goccyInt(bench.Encode), To: protobufNested(bench.Encode), Published: 0.61, Less: true},
				Ratio{What: "decode, goccy/go-json to Protobuf", Of: goccyInt(bench.Decode), To: protobufNested(bench.Decode), Published: 0.75, Less: true},
			}},
			{"2", "So Protobuf's advantage depends on the data and the network", []Part{
				Depends{"Protobuf to goccy/go-json, on the data of each", smallRatios()},
			}},
		},
		Explanations: []Explanation{
			{"How much of the gap the nested message explains", nestedShare},
			{"Like for like: a number on both sides", func(r *Results) Told { return likeForLike(r, withNumber) }},
			{"Like for like: a time on both sides", func(r *Results) Told { return likeForLike(r, withTimestamp) }},
			{"And the network", smallNetwork},
		},
		Differences: []string{
			"The time of the Protobuf side was that of the run; here it is 2026-11-30T12:34:56.789012345Z.",
			"The study ran on an Apple M3 Pro.",
		},
	})
}

func inGo(codec, sample string, op bench.Operation) Measure {
	return Time(Cell{Run: "memory", Sample: sample, Codec: codec, Operation: op})
}

// goccyInt and protobufNested are the two sides as they were published.
func goccyInt(op bench.Operation) Measure { return inGo("go/goccy", withNumber, op) }

func protobufNested(op bench.Operation) Measure { return inGo("go/protobuf", withTimestamp, op) }

func smallRatios() []Ratio {
	var out []Ratio
	for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
		out = append(out,
			Ratio{What: string(op) + " as published", Of: protobufNested(op), To: goccyInt(op)},
			Ratio{What: string(op) + " with an int64 on both sides", Of: inGo("go/protobuf", withNumber, op), To: goccyInt(op)},
			Ratio{What: string(op) + " with a time on both sides", Of: protobufNested(op), To: inGo("go/goccy", withTimestamp, op)})
	}
	return out
}

// nestedShare divides the published gap into what the nested message costs and what
// is left with the same data on both sides.
func nestedShare(r *Results) Told {
	t := Told{Header: []string{"", "gap", "of it, the nested message", "rest", "share"}, Numbers: map[string]Number{}}
	for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
		gap := Minus(protobufNested(op), goccyInt(op))
		nested := Minus(protobufNested(op), inGo("go/protobuf", withNumber, op))
		rest := Minus(inGo("go/protobuf", withNumber, op), goccyInt(op))
		g, n, x := gap(r).median(), nested(r).median(), rest(r).median()
		share := Over(nested, gap)(r).median()
		if g.Known() && g.Low <= 0 && g.High >= 0 {
			share = Number{Problem: "there is no gap for sure"}
		}
		name := string(op)
		t.number(name+" gap", g)
		t.number(name+" nested", n)
		t.number(name+" rest", x)
		t.number(name+" share", share)
		t.Rows = append(t.Rows, []string{name, g.in(Nanoseconds), n.in(Nanoseconds), x.in(Nanoseconds), share.in(Share)})
		switch {
		case !g.Known():
			t.say("%s", shown{g, ""})
		case g.High < 0:
			t.say("%s: here Protobuf is the faster one, by %s, though the nested message costs it %s; with an int64 on both sides %s.",
				title(name), with(negative(g), Nanoseconds), with(n, Nanoseconds), aheadBy(x))
		case !share.Known():
			t.say("%s: Protobuf and goccy/go-json take the same time as far as was measured. The nested message costs %s.", title(name), with(n, Nanoseconds))
		default:
			t.say("%s: Protobuf takes %s longer on the published data. The nested message and its allocation cost %s, which is %s of that; with an int64 on both sides %s.",
				title(name), with(g, Nanoseconds), with(n, Nanoseconds), with(share, Share), aheadBy(x))
		}
	}
	return t
}

// aheadBy says how Protobuf's time differs from goccy/go-json's.
func aheadBy(n Number) shown {
	switch {
	case n.Known() && n.High < 0:
		return shown{n, "Protobuf is ahead by " + negative(n).in(Nanoseconds)}
	case n.Known() && n.Low > 0:
		return shown{n, "goccy/go-json is ahead by " + n.in(Nanoseconds)}
	}
	return shown{n, "neither is ahead for sure (" + n.in(Nanoseconds) + ")"}
}

func negative(n Number) Number {
	n.Value, n.Low, n.High = -n.Value, -n.High, -n.Low
	return n
}

// likeForLike shows all codecs on the same data.
func likeForLike(r *Results, sample string) Told {
	t := tell(r, sample, r.codecsOf("memory", sample), times(Cell{Run: "memory", Sample: sample}, "go/goccy", bench.Encode, bench.Decode))
	for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
		usual := t.number("Protobuf to goccy, "+string(op), Over(inGo("go/protobuf", sample, op), inGo("go/goccy", sample, op))(r).median())
		vt := t.number("vtprotobuf to goccy, "+string(op), Over(inGo("go/vtprotobuf", sample, op), inGo("go/goccy", sample, op))(r).median())
		t.say("%s: Protobuf takes %s of goccy/go-json's time, and with vtprotobuf's generated code %s.", title(string(op)), with(usual, Times), with(vt, Times))
	}
	return t
}

// smallNetwork says from which bandwidth on the published data's difference in time
// outweighs the bytes.
func smallNetwork(r *Results) Told {
	t := Told{}
	more := Sum(protobufNested(bench.Encode), protobufNested(bench.Decode), goccyInt(bench.Encode).Times(-1), goccyInt(bench.Decode).Times(-1))
	bytes := Minus(SizeOf("memory", withNumber, "compact", bench.Identity), SizeOf("memory", withTimestamp, "binary", bench.Identity))
	saved, extra := t.number("bytes saved", bytes(r).median()), t.number("time more", more(r).median())
	switch {
	case !extra.Known() || !saved.Known():
		t.lacks(r, "memory")
	case extra.Low <= 0:
		t.say("Protobuf's message is %s shorter, and it takes no more time for sure: it is ahead on every network.", with(saved, Bytes))
	default:
		link := t.number("bandwidth", Over(bytes.Times(8e9), more)(r).median())
		t.say("Protobuf's message is %s shorter and takes %s longer to encode and decode. The bytes outweigh the time on a connection slower than %s; on a faster one JSON is ahead.",
			with(saved, Bytes), with(extra, Nanoseconds), with(link, Bits))
	}
	return t
}
