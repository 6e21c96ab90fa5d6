package verdict

import (
	"fmt"
	"math"
	"strings"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
)

// compression says what content codings do to whole requests.
func (w *wire) compression() *Sentence {
	plain := w.plain()
	j := w.usual(bench.JSON, plain)
	if j == nil {
		return nil
	}
	s := &Sentence{Claim: w.claim(), Topic: "compression", Numbers: map[string]float64{"json": j.NS.Median, "json bytes": j.Requests.Bytes}}
	var parts, within []string
	inTransfer := false // decompression is
	for _, coding := range w.codings() {
		packed := w.usual(bench.JSON, coding)
		if coding == plain || packed == nil {
			continue
		}
		r, ok := w.table.ratio(packed.Case.Case, j.Case.Case)
		if !ok || !r.bounded() {
			continue
		}
		s.Numbers["json "+coding], s.Numbers["json "+coding+" bytes"] = packed.NS.Median, packed.Requests.Bytes
		s.Numbers[coding+" ratio"], s.Numbers[coding+" low"], s.Numbers[coding+" high"] = r.Value, r.Low, r.High
		inTransfer = inTransfer || w.way.Operation == bench.Get && packed.Requests.Spans.Decompress == 0
		parts = append(parts, fmt.Sprintf("%s takes it to %s and the time to %s", coding, Bytes(packed.Requests.Bytes), r))
		if p := w.usual(bench.Protobuf, coding); p != nil {
			if r, ok := w.table.ratio(p.Case.Case, packed.Case.Case); ok && r.bounded() {
				s.Numbers["protobuf "+coding+" ratio"] = r.Value
				within = append(within, fmt.Sprintf("%s with %s", r, coding))
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	s.Text = fmt.Sprintf("%s, a body of JSON (%s) is %s in %s: %s.", w.where(), j.Codec, Bytes(j.Requests.Bytes), Duration(j.NS.Median), strings.Join(parts, "; "))
	if inTransfer {
		s.Text += " The program gets the body decompressed, so that is in its transfer."
	}
	if len(within) > 0 {
		s.Text += fmt.Sprintf(" Where both are compressed, Protobuf needs of the time of JSON %s.", list(within))
	}
	return s
}

// link puts requests as measured over a link beside what the model says of them:
//
//	encode + compress + 8·bytes/bandwidth + one round trip + decompress + decode,
//
// with the parts and bytes that were measured, and headers of packets.
func (w *wire) link() *Sentence {
	l, ok := w.shaped()
	if !ok {
		return nil
	}
	s := &Sentence{Claim: Network, Topic: "measured", Numbers: map[string]float64{"bandwidth": l.Bits, "round_trip": l.RoundTrip}}
	var parts []string
	low, high := math.Inf(1), 0.0
	for _, coding := range w.codings() {
		for _, format := range []bench.Format{bench.JSON, bench.Protobuf} {
			c := w.usual(format, coding)
			if c == nil {
				continue
			}
			model, name := modelled(*c, l), way{codec: &codec{name: c.Codec}, encoding: coding}.String()
			low, high = math.Min(low, c.NS.Median), math.Max(high, c.NS.Median)
			s.Numbers["request "+name], s.Numbers["model "+name] = c.NS.Median, model
			s.Numbers["request "+name+" low"], s.Numbers["request "+name+" high"] = c.NS.Low, c.NS.High
			parts = append(parts, fmt.Sprintf("%s %s (%s–%s; model %s)", name, Duration(c.NS.Median), Duration(c.NS.Low), Duration(c.NS.High), Duration(model)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	s.Text = fmt.Sprintf("%s, measured on a warm connection: %s.", w.where(), list(parts))
	if len(parts) > 1 && high/low < 1+narrow {
		s.Text += fmt.Sprintf(" Neither the format nor compression changes it by %s.", Percent(narrow))
	}
	return s
}

// modelled is a request's time by the model, in ns.
func modelled(c analyse.CaseResult, l bench.Link) float64 {
	s := c.Requests.Spans
	return s.Encode + s.Compress + l.Time(c.Requests.Bytes) + s.Decompress + s.Decode
}
