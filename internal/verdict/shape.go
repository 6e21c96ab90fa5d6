package verdict

import (
	"fmt"

	"wirecost/internal/store"
)

// From which on a trait of the documents is spoken of. Shares are of the bytes
// of compact JSON.
const (
	blobShare    = 0.5  // one string
	blobBytes    = 1000 // that it is long at least
	arrayShare   = 0.5  // arrays of numbers
	arrayNumbers = 1000 // in the longest at least
	valueShare   = 0.1  // under google.protobuf.Value
	repeatShare  = 0.5  // of string bytes
)

// shape is a sample's shape, with the keys of schema.Shape.
type shape map[string]any

func (s shape) number(key string) float64 {
	x, _ := s[key].(float64)
	return x
}

func (s shape) text(key string) string {
	x, _ := s[key].(string)
	return x
}

// shapeSentences says what the documents are like, where that decides more than
// the formats do.
func shapeSentences(sample store.Sample, losses []store.Loss) []Sentence {
	s := shape(sample.Shape)
	var out []Sentence
	add := func(topic, text string, keys ...string) {
		if text == "" {
			return
		}
		numbers := map[string]float64{}
		for _, k := range keys {
			numbers[k] = s.number(k)
		}
		out = append(out, Sentence{Claim: Shape, Topic: topic, Sample: sample.Sample, Text: text, Numbers: numbers})
	}
	add("one-string", s.envelope(), "paths")
	add("blob", s.blob(), "blob_share", "longest_string")
	add("numbers", s.array(), "numeric_array_share", "longest_number_array")
	if x := s.number("value_share"); x >= valueShare {
		add("free-form", fmt.Sprintf("%s of the bytes have no fixed type and travel as google.protobuf.Value, where Protobuf saves neither size nor time. One bytes field with that part's JSON text is often cheaper.", Percent(x)), "value_share")
	}
	if n := lossy(sample.Sample, losses); n > 0 {
		ways := "ways"
		if n == 1 {
			ways = "way"
		}
		out = append(out, Sentence{Claim: Shape, Topic: "loss", Sample: sample.Sample, Numbers: map[string]float64{"losses": float64(n)},
			Text: fmt.Sprintf("Protobuf does not give these documents back as they were, in %d %s (see the losses): the comparison holds if your programs can do without.", n, ways)})
	}
	if x := s.number("repeated_strings"); x >= repeatShare {
		add("repetition", fmt.Sprintf("%s of the string bytes repeat an earlier string. A compressor removes that, a format does not: look at the compressed sizes, fast and strong, before you change the schema.", Percent(x)), "repeated_strings")
	}
	return out
}

// envelope is for documents that are one string and nothing else.
func (s shape) envelope() string {
	if s.number("paths") != 2 || s.number("nesting") != 1 || s.number("string_share") == 0 || s.number("number_share") > 0 {
		return ""
	}
	return "The documents hold one string and nothing else, so nothing structural is measured: both formats copy it. Measure what the string stands for."
}

func (s shape) blob() string {
	share := s.number("blob_share")
	if share < blobShare || s.number("longest_string") < blobBytes {
		return ""
	}
	at := ""
	if path := s.text("blob_path"); path != "" {
		at = " at " + path
	}
	text := fmt.Sprintf("Neither: the longest string%s is %s of a document, and the blob decides size and time in either format. Send it as a body of its own", at, Percent(share))
	if base64, _ := s["blob_base64"].(bool); base64 {
		return text + ", or as bytes in Protobuf: it looks like base64, which is a third larger than what it stands for."
	}
	return text + "."
}

func (s shape) array() string {
	share := s.number("numeric_array_share")
	if share < arrayShare {
		return ""
	}
	text := fmt.Sprintf("Neither: arrays of numbers are %s of the bytes", Percent(share))
	if longest := s.number("longest_number_array"); longest >= arrayNumbers {
		return fmt.Sprintf("%s, the longest has %s. Raw little-endian values in a bytes field, or a columnar format, suit them better than both.", text, Digits(longest))
	}
	return text + ", in short arrays, as coordinates are. Scaled integers or differences are much smaller in both formats, where that precision is enough."
}

// lossy counts the losses of meaning.
func lossy(sample string, losses []store.Loss) int {
	n := 0
	for _, l := range losses {
		if l.Sample == sample && !l.Note {
			n++
		}
	}
	return n
}
