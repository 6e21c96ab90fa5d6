package verdict

import (
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// wire is what was measured of one operation over one way: client, server,
// transport and link.
type wire struct {
	way    bench.Case // without codec, format and encoding; the peer is the server's runtime
	sample store.Sample
	cases  []analyse.CaseResult
	table  table
}

// wiresOf lists a runtime's, in the order in which they were measured.
func wiresOf(in Input, s store.Sample, runtime string) []*wire {
	var out []*wire
	table := newTable(in.Comparisons, bench.Wall)
	for _, c := range in.Cases {
		if c.Sample != s.Sample || c.Runtime != runtime || c.Requests == nil {
			continue
		}
		way := c.Case.Case
		way.Codec, way.Format, way.Encoding, way.Peer = "", "", "", way.PeerRuntime()
		i := slices.IndexFunc(out, func(w *wire) bool { return w.way == way })
		if i < 0 {
			i = len(out)
			out = append(out, &wire{way: way, sample: s, table: table})
		}
		out[i].cases = append(out[i].cases, c)
	}
	return out
}

// wireSentences says what crossing a transport comes to, and what of it
// depends on the codec.
func wireSentences(in Input, s store.Sample, runtime string) []Sentence {
	var all []*Sentence
	wires := wiresOf(in, s, runtime)
	said := map[string]bool{}
	for _, w := range wires {
		all = append(all, w.request(said), w.compression(), w.link())
	}
	all = append(all, stored(in, s, runtime), keys(wires))
	var out []Sentence
	for _, x := range all {
		if x != nil {
			x.Sample, x.Runtime = s.Sample, runtime
			out = append(out, *x)
		}
	}
	return out
}

// claim is what the wire's sentences belong to.
func (w *wire) claim() string {
	if w.way.Transport == bench.Redis {
		return Redis
	}
	return HTTP
}

// plain is the content coding that the formats are compared in: none, if that was
// measured.
func (w *wire) plain() string {
	codings := w.codings()
	if slices.Contains(codings, bench.Identity) {
		return bench.Identity
	}
	return codings[0]
}

func (w *wire) codings() []string {
	var out []string
	for _, c := range w.cases {
		if !slices.Contains(out, c.Encoding) {
			out = append(out, c.Encoding)
		}
	}
	return out
}

// usual is a format's usual codec in a content coding, or the first there is; nil
// where there is none.
func (w *wire) usual(format bench.Format, coding string) *analyse.CaseResult {
	var found *analyse.CaseResult
	for i, c := range w.cases {
		if c.Format != format || c.Encoding != coding || c.Documents == "protojson" {
			continue
		}
		if found == nil || c.Role == "default" && found.Role != "default" {
			found = &w.cases[i]
		}
	}
	return found
}

// where names the way: "Get over HTTP/1.1 on loopback".
func (w *wire) where() string {
	words := string(w.way.Operation) + " over " + TransportName(w.way.Transport)
	words = strings.ToUpper(words[:1]) + words[1:]
	if w.way.Transport == bench.Redis { // which may be anywhere
		return words
	}
	if w.way.Peer != "" && w.way.Peer != w.way.Runtime {
		words += " with " + w.way.Peer + " as the server"
	}
	if l, ok := w.shaped(); ok {
		return words + " on a link of " + linkName(l)
	}
	return words + " on loopback"
}

func (w *wire) shaped() (bench.Link, bool) {
	if w.way.Link == "" {
		return bench.Link{}, false
	}
	l, err := bench.ParseLink(w.way.Link)
	return l, err == nil
}

// what names what a time is of.
func (w *wire) what() string {
	if n := w.cases[0].Requests.Pipeline; n > 0 {
		return fmt.Sprintf("a document of %d in a round trip", n)
	}
	return "a whole request"
}

// request says how much of a request is codec at all, and what Protobuf saves of
// the whole. What was said before is not said again.
func (w *wire) request(said map[string]bool) *Sentence {
	coding := w.plain()
	j, p := w.usual(bench.JSON, coding), w.usual(bench.Protobuf, coding)
	s := &Sentence{Claim: w.claim(), Topic: "request", Numbers: map[string]float64{}}
	var shares []string
	most := 0.0
	for _, side := range []struct {
		name string
		c    *analyse.CaseResult
	}{{"json", j}, {"protobuf", p}} {
		if side.c == nil {
			continue
		}
		share := side.c.Requests.Codec
		most = max(most, share.Median)
		shares = append(shares, fmt.Sprintf("%s of the %s that %s takes with %s", percents(share), Duration(side.c.NS.Median), w.what(), nameIn(*side.c)))
		s.Numbers[side.name] = side.c.NS.Median
		s.Numbers[side.name+" codec_share"], s.Numbers[side.name+" codec_share low"], s.Numbers[side.name+" codec_share high"] = share.Median, share.Low, share.High
	}
	if len(shares) == 0 {
		return nil
	}
	s.Numbers["requests"] = float64(w.requests())
	s.Text = fmt.Sprintf("%s: the codec is %s.", w.where(), list(shares))
	if rest := w.rest(most); !said[rest] {
		said[rest] = true
		s.Text += " " + rest
	}
	if j != nil && p != nil {
		s.Text += " " + w.duel(*p, *j, s.Numbers)
	}
	return s
}

// rest says whose the rest of the time is, and what follows for the codec.
func (w *wire) rest(most float64) string {
	const faster = "so a faster codec saves that share at most."
	_, shaped := w.shaped()
	switch {
	case w.way.Transport == bench.Redis && most > 0.5:
		return "That is the client's own work and not the server's: a faster codec lessens it, a faster server or network does not."
	case w.way.Transport == bench.Redis:
		return "That is the client's own work and not the server's; the rest is the way there and back and the server, " + faster
	case shaped:
		return "The rest is the transfer, " + faster
	}
	return "The rest is the transfer through the kernel, longer over a network, " + faster
}

// duel says what Protobuf needs of a whole request of JSON.
func (w *wire) duel(p, j analyse.CaseResult, numbers map[string]float64) string {
	r, ok := w.table.ratio(p.Case.Case, j.Case.Case)
	if !ok {
		return "The formats were not compared: too few forks."
	}
	r.numbers(numbers)
	times := fmt.Sprintf("%s (%s) against %s (%s)", Duration(p.NS.Median), p.Codec, Duration(j.NS.Median), j.Codec)
	switch {
	case !r.bounded():
		return fmt.Sprintf("Undecided after %s: so far Protobuf needs ~%s× the time of the whole, %s. Give the run more time (--max-time).", plural(p.NS.Forks, "fork"), Digits(r.Value), times)
	case r.finding() == undecided:
		return fmt.Sprintf("No clear winner: Protobuf needs %s the time of the whole, %s, and the interval holds 1.", r, times)
	case r.finding() == same:
		return fmt.Sprintf("No clear winner: the whole takes the same time within 1%%, %s: %s.", r, times)
	case r.small():
		return fmt.Sprintf("No clear winner: Protobuf needs %s the time of the whole, a margin below %s: %s.", r, Percent(margin), times)
	case r.finding() == less:
		return fmt.Sprintf("Protobuf saves %s of the whole: it needs %s the time, %s.", Percent(1-r.Value), r, times)
	}
	return fmt.Sprintf("Protobuf needs %s the time of the whole: %s.", r, times)
}

// nameIn names a codec in its content coding.
func nameIn(c analyse.CaseResult) string { return codingName(c.Codec, c.Encoding) }

func codingName(codec, encoding string) string {
	if encoding == bench.Identity {
		return codec
	}
	return codec + " and " + encoding
}

// requests is how many were made, of all cases.
func (w *wire) requests() int64 {
	n := int64(0)
	for _, c := range w.cases {
		n += c.Requests.Latency.Requests
	}
	return n
}

// percents writes a share with its interval.
func percents(e analyse.Estimate) string {
	return fmt.Sprintf("%s (%s–%s)", Share(e.Median), Share(e.Low), Share(e.High))
}

// TransportName is what people call a transport.
func TransportName(t bench.Transport) string {
	switch t {
	case bench.HTTP:
		return "HTTP/1.1"
	case bench.HTTP2:
		return "HTTP/2 without TLS"
	case bench.Redis:
		return "Redis"
	}
	return string(t)
}

// linkName writes a link as sentences do: "100 Mbit/s and 20 ms".
func linkName(l bench.Link) string {
	return Link{Bits: l.Bits, RoundTrip: l.RoundTrip}.String()
}
