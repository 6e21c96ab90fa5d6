package verdict

import (
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
)

// growthSentences says where the formats change places as documents grow, by the
// usual codecs and by the best ones.
func growthSentences(in Input) []Sentence {
	var out []Sentence
	for _, w := range analyse.Sweeps(in.Samples, in.Cases, in.Comparisons) {
		for _, c := range w.Crossings {
			if topic := duelOf(in, w, c); topic != "" {
				out = append(out, growth(w, c, topic))
			}
		}
		if s := falling(w); s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// duelOf tells whether a crossing is of Protobuf and JSON by the usual codecs, or
// by the best.
func duelOf(in Input, w analyse.Sweep, c analyse.Crossing) string {
	if c.Case.Format != bench.Protobuf || c.Baseline.Format != bench.JSON {
		return ""
	}
	usual := func(x bench.Case) bool {
		x.Sample = w.Steps[0].Sample
		return slices.ContainsFunc(in.Cases, func(r analyse.CaseResult) bool { return r.Case.Case == x && r.Role == "default" })
	}
	switch {
	case usual(c.Case) && usual(c.Baseline):
		return Default
	case c.Best:
		return Best
	}
	return ""
}

// growth says how one pair's order changes.
func growth(w analyse.Sweep, c analyse.Crossing, topic string) Sentence {
	s := Sentence{Claim: Growth, Topic: topic, Sample: w.Of, Runtime: c.Case.Runtime, Numbers: map[string]float64{}}
	low, high := w.Steps[0].Value, w.Steps[len(w.Steps)-1].Value
	s.Text = fmt.Sprintf("From %s to %s %s of %s, %s, %s against %s: ", Count(low), Count(high), w.Unit, w.What, c.Case.Operation, c.Case.Codec, c.Baseline.Codec)
	var parts []string
	for _, b := range c.Between {
		parts = append(parts, fmt.Sprintf("between %s and %s", Count(b[0]), Count(b[1])))
	}
	switch {
	case len(parts) > 0:
		s.Numbers["crossing_from"], s.Numbers["crossing_to"] = c.Between[0][0], c.Between[0][1]
		s.Text += "they change places " + list(parts) + "."
	default:
		s.Text += always(c) + "."
	}
	if f := c.Fit; f != nil {
		s.Numbers["fit"], s.Numbers["fit_low"], s.Numbers["fit_high"] = f.At, f.Low, f.High
		s.Text += fmt.Sprintf(" By a fixed part and a part that grows, they cross at %s (%s–%s).", Digits(f.At), Digits(f.Low), Digits(f.High))
	}
	return s
}

// always says which is ahead at all the steps that are decided.
func always(c analyse.Crossing) string {
	seen := map[bench.Verdict]int{}
	n := 0
	for _, p := range c.Points {
		if p != nil {
			seen[p.Verdict]++
			n++
		}
	}
	switch {
	case seen[bench.Faster] > 0:
		return fmt.Sprintf("Protobuf takes less time at %d of %d steps, and nowhere more", seen[bench.Faster], n)
	case seen[bench.Slower] > 0:
		return fmt.Sprintf("Protobuf takes more time at %d of %d steps, and nowhere less", seen[bench.Slower], n)
	}
	return "no step is decided"
}

// falling warns of times that fall while documents grow.
func falling(w analyse.Sweep) *Sentence {
	var parts []string
	for _, c := range w.Curves {
		for _, step := range c.Falls {
			parts = append(parts, fmt.Sprintf("%s %s at %s %s", c.Case.CodecID(), c.Case.Operation, Count(step.Value), w.Unit))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return &Sentence{Claim: Growth, Topic: "anomaly", Sample: w.Of, Numbers: map[string]float64{"anomalies": float64(len(parts))},
		Text: "Time does not grow with size everywhere, in several processes alike: " + strings.Join(parts, ", ") + " takes less time than a smaller step. Do not extrapolate."}
}

// Count writes a number of things.
func Count(x float64) string { return trimZeros(fmt.Sprintf("%.2f", x)) }

func trimZeros(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
