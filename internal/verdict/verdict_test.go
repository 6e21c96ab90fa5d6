package verdict

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// contestant is a codec of a made-up runtime: CPU time in ns, and the half width
// of the intervals of its ratios to the first codec.
type contestant struct {
	name           string
	format         bench.Format
	role           string
	best           bool
	encode, decode float64
	width          float64 // relative; 0: 1%
}

func jsonCodec(name string, encode, decode float64) contestant {
	return contestant{name: name, format: bench.JSON, encode: encode, decode: decode}
}

func protobufCodec(name string, encode, decode float64) contestant {
	return contestant{name: name, format: bench.Protobuf, encode: encode, decode: decode}
}

func (c contestant) usual() contestant           { c.role = "default"; return c }
func (c contestant) fastest() contestant         { c.best = true; return c }
func (c contestant) within(w float64) contestant { c.width = w; return c }
func (c contestant) at(op bench.Operation) float64 {
	if op == bench.Encode {
		return c.encode
	}
	return c.decode
}

// measured is the input of one sample of 10 documents: 300 and 200 bytes each.
func measured(cs ...contestant) Input {
	in := Input{Samples: []store.Sample{{Sample: "s", Documents: 10}}}
	in.Sizes = []store.Size{sizeRow("compact", bench.Identity, 3000, 0), sizeRow("binary", bench.Identity, 2000, 0)}
	for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
		for _, c := range cs {
			t := c.at(op)
			e := analyse.Estimate{Median: t, Low: t * 0.99, High: t * 1.01, Min: t * 0.99, Forks: 20}
			in.Cases = append(in.Cases, analyse.CaseResult{
				Case: store.Case{Role: c.role, Case: caseOf(c, op)}, Best: c.best,
				Outcome: bench.Outcome{Status: bench.Measured}, NS: e, CPU: e,
			})
			if c.name == cs[0].name {
				continue
			}
			w := c.width
			if w == 0 {
				w = 0.01
			}
			r := t / cs[0].at(op)
			x := analyse.Comparison{
				Case: caseOf(c, op), Baseline: caseOf(cs[0], op), Metric: bench.CPU,
				Ratio: r, Low: r / (1 + w), High: r * (1 + w), Forks: 20,
			}
			if math.IsInf(w, 1) {
				x.Low = 0
			}
			in.Comparisons = append(in.Comparisons, x)
		}
	}
	return in
}

func caseOf(c contestant, op bench.Operation) bench.Case {
	return bench.Case{Sample: "s", Runtime: "r", Codec: c.name, Format: c.format, Operation: op, Transport: bench.Memory, Encoding: bench.Identity}
}

func sizeRow(form, encoding string, bytes, compressNS int64) store.Size {
	f := bench.JSON
	if form == "binary" {
		f = bench.Protobuf
	}
	return store.Size{Sample: "s", Format: f, Form: form, Encoding: encoding, Unit: store.PerDocument, Bytes: bytes, CompressNS: compressNS, DecompressNS: compressNS / 4}
}

func (in Input) with(change func(*Input)) Input { change(&in); return in }

// say returns the sentences of a claim, one a line.
func say(in Input, claim string) string {
	var out []string
	for _, s := range Sentences(in) {
		if s.Claim == claim {
			out = append(out, s.Text)
		}
	}
	return strings.Join(out, "\n")
}

var (
	usualJSON = jsonCodec("std", 1000, 3000).usual()
	usualPB   = protobufCodec("pb", 500, 1500).usual()
)

func TestDuels(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   Input
		want string // the first sentence of claim cpu
	}{
		{"less", measured(usualJSON, usualPB),
			"Default against default, encode and decode: Protobuf needs 0.500× (0.495–0.505) the CPU time of JSON: 2.00 µs (pb) against 4.00 µs (std)."},
		{"more", measured(usualJSON, protobufCodec("pb", 3000, 9000).usual()),
			"Default against default, encode and decode: Protobuf needs 3.00× (2.97–3.03) the CPU time of JSON: 12.0 µs (pb) against 4.00 µs (std)."},
		{"both are also the fastest", measured(usualJSON.fastest(), usualPB.fastest()),
			"Default against default, which are also the fastest, encode and decode: Protobuf needs 0.500× (0.495–0.505) the CPU time of JSON: 2.00 µs (pb) against 4.00 µs (std)."},
		{"undecided", measured(usualJSON, protobufCodec("pb", 1020, 3060).usual().within(0.05)),
			"Default against default, encode and decode: no clear winner. Protobuf needs ~1.02× (0.971–1.07) the CPU time of JSON: 4.08 µs (pb) against 4.00 µs (std), and the interval holds 1."},
		{"not bounded yet", measured(usualJSON, usualPB.within(math.Inf(1))),
			"Default against default, encode and decode: undecided after 20 forks. So far Protobuf needs ~0.500× the CPU time of JSON: 2.00 µs (pb) against 4.00 µs (std). Give the run more time (--max-time)."},
		{"the same", measured(usualJSON, protobufCodec("pb", 1001, 3003).usual().within(0.005)),
			"Default against default, encode and decode: no clear winner. The CPU time is the same within 1%, ~1.00× (0.996–1.01): 4.00 µs (pb) against 4.00 µs (std)."},
		{"a small margin (D26)", measured(usualJSON, protobufCodec("pb", 940, 2820).usual()),
			"Default against default, encode and decode: no clear winner. Protobuf needs 0.940× (0.931–0.949) the CPU time of JSON, a margin below 10%: 3.76 µs (pb) against 4.00 µs (std)."},
		{"each wins one operation", measured(usualJSON, protobufCodec("pb", 2000, 1500).usual()),
			"Default against default, encode and decode: Protobuf needs 0.875× (0.866–0.884) the CPU time of JSON: 3.50 µs (pb) against 4.00 µs (std). Protobuf is faster at decode (0.500× (0.495–0.505)), JSON at encode (2.00× (1.98–2.02))."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, _ := strings.Cut(say(tt.in, CPU), "\n")
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBestAgainstBest(t *testing.T) {
	in := measured(usualJSON, jsonCodec("quick", 400, 1000).fastest(), usualPB, protobufCodec("vt", 200, 500).fastest())
	want := "Best against best, encode and decode: Protobuf needs 0.500× (0.490–0.510) the CPU time of JSON: 700 ns (vt) against 1.40 µs (quick)."
	if got := say(in, CPU); !strings.Contains(got, want) {
		t.Errorf("got:\n%s", got)
	}
}

func TestLibrary(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   Input
		want string
	}{
		{"part of the gain", measured(usualJSON, jsonCodec("quick", 700, 2100).fastest(), usualPB.fastest()),
			"Changing only the JSON library, from std to quick, takes 0.700× (0.693–0.707) the CPU time: 60% of what the best Protobuf saves."},
		{"it turns the verdict round (D24)", measured(usualJSON, jsonCodec("quick", 300, 900).fastest(), usualPB, protobufCodec("vt", 280, 850).fastest()),
			"Changing only the JSON library, from std to quick, takes 0.300× (0.297–0.303) the CPU time: 98% of what the best Protobuf saves." +
				" It turns the verdict on the defaults round: pb needs 0.500× (0.495–0.505) the time of std, and 1.67× (1.63–1.70) that of quick.\n" +
				"The least change with most of the gain: JSON (quick) instead of JSON (std), 70% less CPU time without a schema; Protobuf (vt) would save 72%."},
		{"more than Protobuf saves", measured(usualJSON, jsonCodec("quick", 300, 900).fastest(), usualPB.fastest()),
			"Changing only the JSON library, from std to quick, takes 0.300× (0.297–0.303) the CPU time: more than the best Protobuf saves." +
				" It turns the verdict on the defaults round: pb needs 0.500× (0.495–0.505) the time of std, and 1.67× (1.63–1.70) that of quick.\n" +
				"The least change with most of the gain: JSON (quick) instead of JSON (std), 70% less CPU time without a schema."},
		{"the usual one is the fastest", measured(usualJSON.fastest(), jsonCodec("slow", 2000, 6000), usualPB.fastest()), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, say(tt.in, Library)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCapacity(t *testing.T) {
	in := measured(usualJSON, usualPB)
	if got := say(in, CPU); strings.Contains(got, "Cores") {
		t.Errorf("no rate was given; got:\n%s", got)
	}
	in.Rate = 5000
	if got, want := say(in, CPU), "Cores kept busy by encode and decode at 5000 requests per second: std 0.0200 (0.0198–0.0202) and pb 0.0100 (0.00990–0.0101)."; !strings.Contains(got, want) {
		t.Errorf("got:\n%s", got)
	}
}

func TestCheapest(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   Input
		want string
	}{
		{"Protobuf", measured(usualJSON, jsonCodec("quick", 900, 2700).fastest(), usualPB, protobufCodec("vt", 400, 1200).fastest()),
			"The least change with most of the gain: Protobuf (pb) instead of JSON (std), 50% less CPU time; Protobuf (vt) would save 60%."},
		{"only the best is enough", measured(usualJSON, usualPB, protobufCodec("vt", 100, 300).fastest()),
			"The least change with most of the gain: Protobuf (vt) instead of JSON (std), 90% less CPU time."},
		{"nothing", measured(usualJSON, protobufCodec("pb", 950, 2850).usual().fastest()),
			"No change that was measured saves 10% of the CPU time of JSON (std): there is no reason to leave it."},
		{"what is not decided does not count", measured(usualJSON, usualPB, protobufCodec("vt", 100, 300).fastest().within(math.Inf(1))),
			"The least change with most of the gain: Protobuf (pb) instead of JSON (std), 50% less CPU time."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := strings.Split(say(tt.in, CPU), "\n")
			if d := cmp.Diff(tt.want, lines[len(lines)-1]); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBreakEven(t *testing.T) {
	larger := func(in *Input) { in.Sizes[1].Bytes = 4000 }
	for _, tt := range []struct {
		name string
		in   Input
		want string
	}{
		{"fewer bytes and less time", measured(usualJSON, usualPB),
			"Protobuf is ahead on any link; it saves 100 B and 2.00 µs a document."},
		{"more bytes and more time", measured(usualJSON, protobufCodec("pb", 2000, 6000).usual()).with(larger),
			"JSON is ahead on any link; it saves 100 B and 4.00 µs a document."},
		// 100 B · 1500/1460 · 8 / 4 µs = 205 Mbit/s
		{"bytes for time (D28)", measured(usualJSON, protobufCodec("pb", 2000, 6000).usual().within(0.05)),
			"Protobuf saves 100 B and costs 4.00 µs more time a document, so it is ahead on links slower than 205 Mbit/s (187 Mbit/s–227 Mbit/s)."},
		{"time for bytes", measured(usualJSON, usualPB).with(larger),
			"Protobuf saves 2.00 µs of time and costs 100 B more a document, so it is ahead on links faster than 411 Mbit/s (407 Mbit/s–415 Mbit/s)."},
		// at worst 1.08 · 4 µs − 4 µs = 320 ns for 100 B
		{"no clear difference in time", measured(usualJSON, protobufCodec("pb", 1000, 3000).usual().within(0.08)),
			"Protobuf is 100 B smaller and the times do not differ clearly, so it is ahead at least on links slower than 2.57 Gbit/s."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, _ := strings.Cut(say(tt.in, Network), "\n")
			if d := cmp.Diff("Uncompressed on a warm connection, pb against std: "+tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestNothingIsBuiltOnTimesThatAreNotBounded(t *testing.T) {
	in := measured(usualJSON, jsonCodec("quick", 500, 1500).fastest().within(math.Inf(1)), usualPB.fastest().within(math.Inf(1)))
	link := Link{Bits: 1e6}
	for _, l := range []*Link{nil, &link} {
		in.Link = l
		if got := say(in, Network) + say(in, Library); got != "" {
			t.Errorf("got:\n%s", got)
		}
	}
}

func TestRangeOfLinks(t *testing.T) {
	in := measured(usualJSON, usualPB)
	in.Sizes = append(in.Sizes, sizeRow("compact", "gzip:6", 1000, 80000), sizeRow("binary", "gzip:6", 950, 80000))
	// gzip adds 10 µs a document. Protobuf: 2 µs and 200 B raw, 12 µs and 95 B
	// compressed: 105 B · 1500/1460 · 8 / 10 µs = 86.3 Mbit/s. At √86.3 Mbit/s JSON with gzip takes
	// 14 µs + 88.5 µs against 12 µs + 84.0 µs.
	want := "From 1 Mbit/s to 10 Gbit/s the model's fastest request is pb with gzip:6 (std with gzip:6 within 6.7%) up to 86.3 Mbit/s and pb uncompressed above."
	if got := say(in, Network); !strings.HasSuffix(got, want) {
		t.Errorf("got:\n%s", got)
	}
	in.Sizes = append(in.Sizes[:2:2], sizeRow("compact", "br:11", 500, 1), sizeRow("binary", "br:11", 400, 1))
	if got := say(in, Network); !strings.HasSuffix(got, "is pb uncompressed on any link.") {
		t.Errorf("br:11 is for static files; got:\n%s", got)
	}
}

func TestAtLink(t *testing.T) {
	in := measured(usualJSON, usualPB)
	link := func(s string) Input {
		l, err := ParseLink(s)
		if err != nil {
			t.Fatal(err)
		}
		return in.with(func(in *Input) { in.Link = &l })
	}
	// 300 B at 8 Mbit/s are 308 µs with their headers.
	want := "A request over 8 Mbit/s on a warm connection, by the model: std uncompressed 312 µs and pb uncompressed 207 µs.\n" +
		"The least change with most of the gain: Protobuf (pb) instead of JSON (std), 34% less time on this link."
	if got := say(link("8mbit"), Network); !strings.HasSuffix(got, want) {
		t.Errorf("got:\n%s", got)
	}
	want = "A request over 100 Mbit/s and 20 ms on a warm connection takes about 20.0 ms by the model, whatever the form: neither the format nor compression changes it by 5%.\n" +
		"No change that was measured saves 10% of the time on this link of JSON (std)."
	if got := say(link("100mbit/20ms"), Network); !strings.HasSuffix(got, want) {
		t.Errorf("got:\n%s", got)
	}
	want = "The least change with most of the gain: Protobuf (pb) instead of JSON (std), 50% less CPU time."
	if got := say(link("100mbit/20ms"), CPU); !strings.HasSuffix(got, want) {
		t.Errorf("CPU time is worth something on any link; got:\n%s", got)
	}
}

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows []store.Size
		want string
	}{
		{"smaller", []store.Size{sizeRow("original", bench.Identity, 3000, 0), sizeRow("compact", bench.Identity, 3000, 0), sizeRow("binary", bench.Identity, 2000, 0)},
			"Protobuf takes 200 B a document where your JSON takes 300 B: 33% smaller."},
		{"larger", []store.Size{sizeRow("original", bench.Identity, 1900, 0), sizeRow("binary", bench.Identity, 3250, 0)},
			"Protobuf takes 325 B a document where your JSON takes 190 B: 71% larger."},
		{"much larger", []store.Size{sizeRow("original", bench.Identity, 1000, 0), sizeRow("binary", bench.Identity, 3250, 0)},
			"Protobuf takes 325 B a document where your JSON takes 100 B: 3.25 times as large."},
		{"nothing", []store.Size{sizeRow("original", bench.Identity, 240, 0), sizeRow("binary", bench.Identity, 0, 0)},
			"Protobuf takes 0 B a document where your JSON takes 24 B: 100% smaller."},
		{"the same", []store.Size{sizeRow("original", bench.Identity, 240, 0), sizeRow("binary", bench.Identity, 240, 0)},
			"Protobuf takes 24 B a document where your JSON takes 24 B: the same size."},
		{"white space", []store.Size{sizeRow("original", bench.Identity, 4000, 0), sizeRow("compact", bench.Identity, 3000, 0), sizeRow("binary", bench.Identity, 2000, 0)},
			"Protobuf takes 200 B a document where your JSON takes 400 B: 50% smaller (without white space: 300 B, 33% smaller)."},
		{"compression removes the difference", []store.Size{sizeRow("compact", bench.Identity, 3000, 0), sizeRow("binary", bench.Identity, 2000, 0), sizeRow("compact", "gzip:6", 1000, 50000), sizeRow("binary", "gzip:6", 980, 40000)},
			"Protobuf takes 200 B a document where your JSON takes 300 B: 33% smaller.\n" +
				"Compressed, document by document, Protobuf is 2% smaller with gzip:6. Compression removes most of the difference.\n" +
				"Compressing a JSON document takes about 5.00 µs with gzip:6; a Protobuf one 4.00 µs."},
		{"codings of which the same is said", []store.Size{sizeRow("compact", "gzip:6", 1000, 0), sizeRow("binary", "gzip:6", 700, 0), sizeRow("compact", "zstd:3", 1000, 0), sizeRow("binary", "zstd:3", 800, 0),
			sizeRow("compact", "gzip:9", 900, 0), sizeRow("binary", "gzip:9", 630, 0)},
			"Compressed, document by document, Protobuf is 30% smaller with gzip:6 or gzip:9 and 20% smaller with zstd:3."},
		{"compression turns it round", []store.Size{sizeRow("compact", bench.Identity, 3000, 0), sizeRow("binary", bench.Identity, 2000, 0), sizeRow("compact", "zstd:3", 1000, 0), sizeRow("binary", "zstd:3", 2000, 0)},
			"Protobuf takes 200 B a document where your JSON takes 300 B: 33% smaller.\n" +
				"Compressed, document by document, Protobuf is 2.00 times as large with zstd:3. Compression turns the order round."},
		{"brotli 11 (D18)", []store.Size{sizeRow("compact", "br:11", 1000, 8000000), sizeRow("binary", "br:11", 900, 7000000)},
			"br:11 takes 800 µs a document: for static files only, not for answers made on request."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Samples: []store.Sample{{Sample: "s", Documents: 10}}, Sizes: tt.rows}
			if d := cmp.Diff(tt.want, say(in, Size)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestShape(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shape map[string]any
		want  string // how it begins
	}{
		{"one string (D01)", map[string]any{"paths": 2.0, "nesting": 1.0, "string_share": 0.8}, "The documents hold one string and nothing else, so nothing structural is measured"},
		{"one number", map[string]any{"paths": 2.0, "nesting": 1.0, "number_share": 0.8}, ""},
		{"a blob (D27)", map[string]any{"blob_share": 0.92, "longest_string": 50000.0, "blob_path": "$.data", "blob_base64": true},
			"Neither: the longest string at $.data is 92% of a document, and the blob decides size and time in either format. Send it as a body of its own, or as bytes in Protobuf: it looks like base64"},
		{"a short string", map[string]any{"blob_share": 0.92, "longest_string": 40.0}, ""},
		{"a tensor (D32)", map[string]any{"numeric_array_share": 0.97, "longest_number_array": 120000.0},
			"Neither: arrays of numbers are 97% of the bytes, the longest has 120000."},
		{"coordinates (D20)", map[string]any{"numeric_array_share": 0.97, "longest_number_array": 2.0},
			"Neither: arrays of numbers are 97% of the bytes, in short arrays, as coordinates are."},
		{"free-form parts (D25)", map[string]any{"value_share": 0.31}, "31% of the bytes have no fixed type and travel as google.protobuf.Value"},
		{"repetition (D21)", map[string]any{"repeated_strings": 0.83}, "83% of the string bytes repeat an earlier string."},
		{"nothing special", map[string]any{"blob_share": 0.1, "value_share": 0.01, "repeated_strings": 0.2, "paths": 30.0}, ""},
		{"no shape", nil, ""},
		{"a shape of other types", map[string]any{"blob_share": "much", "longest_string": nil}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Samples: []store.Sample{{Sample: "s", Documents: 10, Shape: tt.shape}}}
			got := say(in, Shape)
			if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("got:\n%s", got)
			}
		})
	}
	in := Input{Samples: []store.Sample{{Sample: "s"}}, Losses: []store.Loss{{Sample: "s", Path: "$.a"}, {Sample: "s", Path: "$.b", Note: true}, {Sample: "t", Path: "$.a"}}}
	if got := say(in, Shape); !strings.HasPrefix(got, "Protobuf does not give these documents back as they were, in 1 way ") {
		t.Errorf("got %q", got)
	}
}

// The answer comes first: sizes, times, the library alone, links; then what the
// documents are like.
func TestOrder(t *testing.T) {
	in := measured(usualJSON, jsonCodec("quick", 400, 1000).fastest(), usualPB, protobufCodec("vt", 200, 500).fastest())
	in.Samples[0].Shape = map[string]any{"repeated_strings": 0.6, "value_share": 0.2}
	in.Losses = []store.Loss{{Sample: "s", Path: "$.a"}}
	in.Sizes = append(in.Sizes, sizeRow("compact", "gzip:6", 1000, 80000), sizeRow("binary", "gzip:6", 950, 80000))
	topics := func() string {
		var out []string
		for _, s := range Sentences(in) {
			out = append(out, s.Topic)
		}
		return strings.Join(out, " ")
	}
	if got, want := topics(), "raw compressed default best library least-change break-even range free-form loss repetition"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	in.Rate, in.Link = 1000, &Link{Bits: 1e7}
	if got, want := topics(), "raw compressed default best library least-change cores link least-change free-form loss repetition"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNothingIsSaidOfNothing(t *testing.T) {
	if got := Sentences(Input{Samples: []store.Sample{{Sample: "s"}}}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	// One format, one operation, no comparisons: no ratio, no network.
	in := measured(usualJSON)
	in.Cases = in.Cases[:1]
	for _, s := range Sentences(in) {
		if s.Claim == Network || s.Claim == Library || s.Numbers["ratio"] != 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestEveryNumberIsFinite(t *testing.T) {
	for _, w := range []float64{0.01, math.Inf(1)} {
		in := measured(usualJSON, jsonCodec("quick", 300, 900).fastest().within(w), usualPB.within(w), protobufCodec("vt", 200, 600).fastest().within(w))
		for _, s := range Sentences(in) {
			if s.Claim == "" || s.Topic == "" || s.Sample != "s" {
				t.Errorf("%+v", s)
			}
			for k, x := range s.Numbers {
				if math.IsInf(x, 0) || math.IsNaN(x) {
					t.Errorf("%s is %v: %s", k, x, s.Text)
				}
			}
			if strings.ContainsAny(s.Text, "?") || strings.Contains(s.Text, "Inf") || strings.Contains(s.Text, "NaN") {
				t.Errorf("%s", s.Text)
			}
		}
	}
}
