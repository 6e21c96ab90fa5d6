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

// asked is a case that crosses a transport: parts of a request in ns, and the half
// width of its ratio to the first case in its content coding and without one.
type asked struct {
	codec    string
	format   bench.Format
	coding   string
	work     float64 // encode and decode
	pack     float64 // compress and decompress
	transfer float64
	bytes    float64
	width    float64 // relative; 0: 1%
}

func (k asked) total() float64 { return k.work + k.pack + k.transfer }

var (
	textAsIs   = asked{codec: "std", format: bench.JSON, coding: bench.Identity, work: 20e3, transfer: 80e3, bytes: 3000}
	wireAsIs   = asked{codec: "pb", format: bench.Protobuf, coding: bench.Identity, work: 8e3, transfer: 62e3, bytes: 1000}
	textPacked = asked{codec: "std", format: bench.JSON, coding: "gzip:6", work: 20e3, pack: 120e3, transfer: 60e3, bytes: 800}
	wirePacked = asked{codec: "pb", format: bench.Protobuf, coding: "gzip:6", work: 8e3, pack: 82e3, transfer: 60e3, bytes: 700}
)

// crossed is the input of one way, whose first case is the baseline.
func crossed(at bench.Case, cases ...asked) Input {
	in := Input{Samples: []store.Sample{{Sample: "s", Documents: 10}}}
	around := func(x, w float64) analyse.Estimate {
		return analyse.Estimate{Median: x, Low: x * (1 - w), High: x * (1 + w), Forks: 12}
	}
	full := func(k asked) bench.Case {
		c := at
		c.Sample, c.Codec, c.Format, c.Encoding = "s", k.codec, k.format, k.coding
		if c.Runtime == "" {
			c.Runtime = "r"
		}
		return c
	}
	for _, k := range cases {
		r := analyse.CaseResult{
			Case: store.Case{Role: "default", Case: full(k)}, Outcome: bench.Outcome{Status: bench.Measured}, NS: around(k.total(), 0.01),
			Requests: &analyse.Requests{
				Spans: analyse.Spans{Encode: k.work / 2, Compress: k.pack / 2, Transfer: k.transfer, Decompress: k.pack / 2, Decode: k.work / 2}, Sum: 1,
				Codec: around(k.work/k.total(), 0.1), Bytes: k.bytes, Latency: analyse.Latency{Requests: 1000},
			},
		}
		r.Wall = r.NS
		in.Cases = append(in.Cases, r)
		for _, base := range cases {
			first := base == cases[0] || base.coding == k.coding && base.format == bench.JSON
			if base == k || !first {
				continue
			}
			w := k.width
			if w == 0 {
				w = 0.01
			}
			x := analyse.Comparison{Case: full(k), Baseline: full(base), Metric: bench.Wall, Ratio: k.total() / base.total(), Forks: 12}
			if x.Low, x.High = x.Ratio/(1+w), x.Ratio*(1+w); math.IsInf(w, 1) {
				x.Low = 0
			}
			in.Comparisons = append(in.Comparisons, x)
		}
	}
	return in
}

var get = bench.Case{Operation: bench.Get, Transport: bench.HTTP, Peer: "r/x"}

func over(link string) bench.Case { c := get; c.Link = link; return c }

func redis(op bench.Operation) bench.Case { return bench.Case{Operation: op, Transport: bench.Redis} }

func TestRequest(t *testing.T) {
	tight := func(k asked, total float64) asked { k.transfer = total - k.work; return k }
	for _, tt := range []struct {
		name, want string
		in         Input
	}{
		{"saves", "Get over HTTP/1.1 on loopback: the codec is 20% (18%–22%) of the 100 µs that a whole request takes with std and 11% (10%–13%) of the 70.0 µs that a whole request takes with pb. " +
			"The rest is the transfer through the kernel, longer over a network, so a faster codec saves that share at most. " +
			"Protobuf saves 30% of the whole: it needs 0.700× (0.693–0.707) the time, 70.0 µs (pb) against 100 µs (std).",
			crossed(get, textAsIs, wireAsIs)},
		{"a small margin", "No clear winner: Protobuf needs 0.950× (0.941–0.959) the time of the whole, a margin below 10%: 95.0 µs (pb) against 100 µs (std).",
			crossed(get, textAsIs, tight(wireAsIs, 95e3))},
		{"the same", "No clear winner: the whole takes the same time within 1%, ~1.00× (0.998–1.00): 100 µs (pb) against 100 µs (std).",
			crossed(get, textAsIs, asked{codec: "pb", format: bench.Protobuf, coding: bench.Identity, work: 8e3, transfer: 92e3, width: 0.002})},
		{"undecided", "No clear winner: Protobuf needs ~0.950× (0.792–1.14) the time of the whole, 95.0 µs (pb) against 100 µs (std), and the interval holds 1.",
			crossed(get, textAsIs, asked{codec: "pb", format: bench.Protobuf, coding: bench.Identity, work: 8e3, transfer: 87e3, width: 0.2})},
		{"too few forks", "Undecided after 12 forks: so far Protobuf needs ~0.700× the time of the whole, 70.0 µs (pb) against 100 µs (std). Give the run more time (--max-time).",
			crossed(get, textAsIs, asked{codec: "pb", format: bench.Protobuf, coding: bench.Identity, work: 8e3, transfer: 62e3, width: math.Inf(1)})},
		{"more", "Protobuf needs 2.00× (1.98–2.02) the time of the whole: 200 µs (pb) against 100 µs (std).",
			crossed(get, textAsIs, tight(wireAsIs, 200e3))},
		{"one format only", "so a faster codec saves that share at most.", crossed(get, textAsIs)},
		{"another runtime as the server", "Get over HTTP/1.1 with q as the server on loopback: the codec is ", crossed(bench.Case{Operation: bench.Get, Transport: bench.HTTP, Peer: "q/std"}, textAsIs, wireAsIs)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := say(tt.in, HTTP); !strings.HasSuffix(got, tt.want) && !strings.HasPrefix(got, tt.want) {
				t.Errorf("got  %s\nwant …%s", got, tt.want)
			}
		})
	}
}

// No sentence promises more of a faster codec than the codec's share.
func TestCodecShareIsTheBound(t *testing.T) {
	for _, s := range Sentences(crossed(get, textAsIs, wireAsIs)) {
		if s.Topic != "request" {
			continue
		}
		for name, want := range map[string]float64{"json codec_share": 0.2, "json codec_share low": 0.18, "json codec_share high": 0.22, "protobuf codec_share": 8. / 70, "ratio": 0.7} {
			if math.Abs(s.Numbers[name]-want) > 1e-9 {
				t.Errorf("%s is %v, want %v", name, s.Numbers[name], want)
			}
		}
	}
}

func TestCompressionOfRequests(t *testing.T) {
	got := say(crossed(get, textAsIs, wireAsIs, textPacked, wirePacked), HTTP)
	want := "Get over HTTP/1.1 on loopback, a body of JSON (std) is 3.00 kB in 100 µs: gzip:6 takes it to 800 B and the time to 2.00× (1.98–2.02). " +
		"Where both are compressed, Protobuf needs of the time of JSON 0.750× (0.743–0.758) with gzip:6."
	if !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant …%s", got, want)
	}
	in := crossed(get, textAsIs, textPacked)
	in.Cases[1].Requests.Spans.Decompress = 0 // as in a browser
	if got := say(in, HTTP); !strings.HasSuffix(got, "the time to 2.00× (1.98–2.02). The program gets the body decompressed, so that is in its transfer.") {
		t.Error(got)
	}
	if got := say(crossed(get, textAsIs, wireAsIs), HTTP); strings.Contains(got, "compress") {
		t.Errorf("nothing was compressed: %s", got)
	}
}

func TestMeasuredBesideTheModel(t *testing.T) {
	// 8 Mbit/s: a byte is 1 µs, and 1500/1460 of it with headers.
	slow := func(k asked) asked { k.transfer = 10e6 + k.bytes*1e3*1.05; return k }
	in := crossed(over("8mbit/10ms"), slow(textAsIs), slow(wireAsIs), slow(textPacked))
	want := "Get over HTTP/1.1 on a link of 8 Mbit/s and 10 ms, measured on a warm connection: std uncompressed 13.2 ms (13.0 ms–13.3 ms; model 13.1 ms), " +
		"pb uncompressed 11.1 ms (10.9 ms–11.2 ms; model 11.0 ms) and std with gzip:6 11.0 ms (10.9 ms–11.1 ms; model 11.0 ms)."
	if d := cmp.Diff(want, say(in, Network)); d != "" {
		t.Error(d)
	}
	for _, s := range Sentences(in) {
		if s.Claim == Network && math.Abs(s.Numbers["model std uncompressed"]-(20e3+10e6+3000e3*1500/1460)) > 1 {
			t.Errorf("%+v", s.Numbers)
		}
	}
	if got := say(in, HTTP); !strings.Contains(got, "The rest is the transfer, so a faster codec saves that share at most.") || strings.Contains(got, "loopback") {
		t.Error(got)
	}
	far := func(k asked) asked { k.transfer = 500e6 + k.bytes*1e3; return k }
	if got := say(crossed(over("8mbit/500ms"), far(textAsIs), far(wireAsIs)), Network); !strings.HasSuffix(got, "Neither the format nor compression changes it by 5.0%.") && !strings.HasSuffix(got, "changes it by 5%.") {
		t.Error(got)
	}
}

// The codec's time is the client's and never the server's (CASES D17): little of
// a round trip, or most of it where documents are slow to encode.
func TestRedisIsNotCreditedWithTheCodec(t *testing.T) {
	got := say(crossed(redis(bench.Set), asked{codec: "std", format: bench.JSON, coding: bench.Identity, work: 1e3, transfer: 49e3, bytes: 300},
		asked{codec: "pb", format: bench.Protobuf, coding: bench.Identity, work: 500, transfer: 49e3, bytes: 200}), Redis)
	want := "Set over Redis: the codec is 2% (1.8%–2.2%) of the 50.0 µs that a whole request takes with std and 1.0% (0.9%–1.1%) of the 49.5 µs that a whole request takes with pb. " +
		"That is the client's own work and not the server's; the rest is the way there and back and the server, so a faster codec saves that share at most. " +
		"No clear winner: Protobuf needs ~0.990× (0.980–1.00) the time of the whole, "
	if !strings.HasPrefix(got, want) && !strings.Contains(got, "No clear winner") {
		t.Errorf("got  %s\nwant %s…", got, want)
	}
	slow := crossed(redis(bench.Get), asked{codec: "std", format: bench.JSON, coding: bench.Identity, work: 90e3, transfer: 10e3, bytes: 9000})
	if got := say(slow, Redis); !strings.Contains(got, "the codec is 90%") || !strings.Contains(got, "That is the client's own work and not the server's: a faster codec lessens it, a faster server or network does not.") {
		t.Error(got)
	}
	pipelined := crossed(redis(bench.SetPipelined), asked{codec: "std", format: bench.JSON, coding: bench.Identity, work: 1e3, transfer: 1e3, bytes: 300})
	pipelined.Cases[0].Requests.Pipeline = 100
	if got := say(pipelined, Redis); !strings.HasPrefix(got, "Set-pipelined over Redis: the codec is 50% (45%–55%) of the 2.00 µs that a document of 100 in a round trip takes with std.") {
		t.Error(got)
	}
}

func TestStoredInRedis(t *testing.T) {
	in := crossed(redis(bench.Set), textAsIs, wireAsIs)
	in.Cases[0].Storage = &store.Storage{Server: "redis 7.0.15", Keys: 1000, ValueBytes: 250e3, MemoryUsage: 312e3, UsedMemory: 339e3}
	in.Cases[1].Storage = &store.Storage{Server: "redis 7.0.15", Keys: 1000, ValueBytes: 200e3, MemoryUsage: 245e3, UsedMemory: 265e3}
	want := "redis 7.0.15 holds a document of Protobuf (pb) and of JSON (std) in: as it is 200 B against 250 B, 20% smaller; by MEMORY USAGE 245 B against 312 B, 21% smaller; by used_memory 265 B against 339 B, 22% smaller."
	if got := say(in, Redis); !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant …%s", got, want)
	}
	for _, c := range in.Cases {
		c.Storage.Server = "embedded, in-process"
	}
	got := say(in, Redis)
	if !strings.HasSuffix(got, "in: as it is 200 B against 250 B, 20% smaller. What it takes of memory would say nothing of a real server.") {
		t.Error(got)
	}
}

// Where the schema has maps, bytes are no key (CASES D16).
func TestBytesAreNoKey(t *testing.T) {
	warned := func(at bench.Case, hasMaps bool) bool {
		in := crossed(at, textAsIs, wireAsIs)
		in.Samples[0].Maps = hasMaps
		for _, s := range Sentences(in) {
			if s.Topic == "keys" {
				return s.Claim == Redis && strings.Contains(s.Text, "Do not use the bytes of a message as a key")
			}
		}
		return false
	}
	if !warned(redis(bench.Set), true) || warned(redis(bench.Set), false) || warned(get, true) {
		t.Error("the warning is not where it belongs")
	}
}

// Times of requests never enter what is said of codecs alone, and the other way
// round.
func TestMemoryAndRequestsStayApart(t *testing.T) {
	alone, both := measured(usualJSON, usualPB), measured(usualJSON, usualPB)
	wire := crossed(get, textAsIs, wireAsIs, textPacked, wirePacked)
	both.Cases, both.Comparisons = append(both.Cases, wire.Cases...), append(both.Comparisons, wire.Comparisons...)
	for _, claim := range []string{Size, CPU, Library, Network} {
		if d := cmp.Diff(say(alone, claim), say(both, claim)); d != "" {
			t.Error(claim, d)
		}
	}
	if d := cmp.Diff(say(wire, HTTP), say(both, HTTP)); d != "" {
		t.Error(d)
	}
}

func TestNumbersOfRequestsAreFinite(t *testing.T) {
	for _, w := range []float64{0.01, math.Inf(1)} {
		k := wireAsIs
		k.width = w
		for _, s := range Sentences(crossed(over("1gbit"), textAsIs, k, textPacked, wirePacked)) {
			for name, x := range s.Numbers {
				if math.IsInf(x, 0) || math.IsNaN(x) {
					t.Errorf("%s is %v: %s", name, x, s.Text)
				}
			}
			if strings.Contains(s.Text, "?") || strings.Contains(s.Text, "NaN") {
				t.Error(s.Text)
			}
		}
	}
}
