// Package verdict turns measurements into plain sentences, each with its
// numbers and, where it rests on times, their interval (docs/verdict.md gives
// the model and its formulas). It never names a winner that the numbers do not.
package verdict

import (
	"slices"

	"wirecost/internal/analyse"
	"wirecost/internal/store"
)

// The claims that a sentence can belong to.
const (
	Size    = "size"
	CPU     = "cpu"
	Library = "library"
	Network = "network"
	Shape   = "shape"
	Between = "between" // services in different runtimes
	Growth  = "growth"  // what a sweep shows
	HTTP    = "http"    // requests over HTTP, whole
	Redis   = "redis"   // documents in Redis
)

// The topics of the sentences that compare the formats by one codec each.
const (
	Default = "default" // the codecs that a programmer meets first
	Best    = "best"    // those that the pilot forks chose
)

// Sentence is one thing that the numbers say.
type Sentence struct {
	Claim   string             `json:"claim"`
	Topic   string             `json:"topic"`             // within the claim, as docs/verdict.md lists them
	Sample  string             `json:"sample"`            // of a sweep: the one whose documents were changed
	Runtime string             `json:"runtime,omitempty"` // of the codecs it speaks of
	Text    string             `json:"sentence"`
	Numbers map[string]float64 `json:"numbers"` // times in ns, sizes in bytes per document, rates in bit/s
}

// Input is what a verdict rests on: what one environment measured.
type Input struct {
	Samples     []store.Sample
	Sizes       []store.Size
	Losses      []store.Loss
	Cases       []analyse.CaseResult
	Comparisons []analyse.Comparison
	Rate        float64 // requests per second; 0: none was given
	Link        *Link   // nil: none was given
}

// Sentences gives the verdict, sample by sample, the answer first: sizes, times
// for each runtime alone and across transports, then between runtimes, then what the documents' shape says of
// both formats. What sweeps show comes last.
func Sentences(in Input) []Sentence {
	var out []Sentence
	for _, s := range in.Samples {
		sizes := newSizes(in.Sizes, s)
		out = append(out, sizes.sentences(len(in.Cases) == 0)...)
		for _, runtime := range runtimes(in.Cases, s.Sample) {
			if f := newField(in, sizes, runtime); f != nil {
				out = append(out, f.sentences()...)
			}
			out = append(out, wireSentences(in, s, runtime)...)
		}
		out = append(out, betweenSentences(in, s)...)
		out = append(out, shapeSentences(s, in.Losses)...)
	}
	return append(out, growthSentences(in)...)
}

func runtimes(cases []analyse.CaseResult, sample string) []string {
	var out []string
	for _, c := range cases {
		if c.Sample == sample && !slices.Contains(out, c.Runtime) {
			out = append(out, c.Runtime)
		}
	}
	return out
}
