package study

import (
	"fmt"

	"wirecost/internal/bench"
	"wirecost/internal/store"
)

// peopleSizes tells the exact bytes, and what compression makes of repetition.
func peopleSizes(r *Results) Told {
	t := Told{Header: []string{"", "JSON", "Protobuf", "Protobuf to JSON"}, Numbers: map[string]Number{}}
	for _, sample := range []string{everyone, realistic} {
		for _, encoding := range []string{bench.Identity, "gzip", "zstd", "br"} {
			json, protobuf := peopleSize(sample, "compact", encoding), peopleSize(sample, "binary", encoding)
			j, p := t.number(sample+" JSON "+encoding, json(r).median()), t.number(sample+" Protobuf "+encoding, protobuf(r).median())
			t.Rows = append(t.Rows, []string{sample + ", " + encoding, j.in(Bytes), p.in(Bytes), Over(protobuf, json)(r).median().in(Times)})
		}
	}
	t.say("The published generator gives %s of JSON and %s of Protobuf, and not the published 12.6 and 8.9 MB; the published sizes with gzip, 1.1 and 1.0 MB, do follow from it.",
		with(t.Numbers[everyone+" JSON identity"], Bytes), with(t.Numbers[everyone+" Protobuf identity"], Bytes))
	t.say("Every person repeats the one before but for a number, so compressed sizes say little: with zstd the JSON is %s and the Protobuf %s. The second half of the table is people with invented names, streets, numbers and addresses (a seeded generator).",
		with(t.Numbers[everyone+" JSON zstd"], Bytes), with(t.Numbers[everyone+" Protobuf zstd"], Bytes))
	return t
}

// jackson replaces JsonFormat by a JSON library and plain objects.
func jackson(r *Results) Told {
	t := Told{Header: []string{"Java to Java", "identity", "to Protobuf", "gzip", "to Protobuf"}, Numbers: map[string]Number{}}
	for _, codec := range []string{javaProtobuf, javaJSONFormat, javaJackson} {
		row := []string{codec}
		for _, encoding := range []string{"", "gzip"} {
			m := Time(get(codec, encoding))
			row = append(row, m(r).median().in(Nanoseconds), Over(m, Time(get(javaProtobuf, encoding)))(r).median().in(Times))
		}
		t.Rows = append(t.Rows, row)
	}
	as := t.number("JsonFormat to Protobuf", Over(Time(get(javaJSONFormat, "")), Time(get(javaProtobuf, "")))(r).median())
	like := t.number("Jackson to Protobuf", Over(Time(get(javaJackson, "")), Time(get(javaProtobuf, "")))(r).median())
	t.say("The study's JSON was read into Protobuf's classes by JsonFormat: %s of Protobuf's time here. Jackson, into plain objects, takes %s: that is what is left of the difference between the formats, and the rest is JsonFormat's.",
		with(as, Times), with(like, Times))
	return t
}

// browserParts divides a browser's time.
func browserParts(r *Results) Told {
	spans := []struct {
		name string
		of   func(store.Spans) []int64
	}{
		{"server encodes", encodeSpan},
		{"transfer", func(s store.Spans) []int64 { return s.Transfer }}, {"browser decodes", decodeSpan},
	}
	t := Told{Header: []string{"GET", "in all"}, Numbers: map[string]Number{}}
	for _, s := range spans {
		t.Header = append(t.Header, s.name)
	}
	for _, b := range browsers {
		for _, codec := range []string{b.protobuf, b.json} {
			cell := get(codec, "")
			total := Time(cell)(r).median()
			if !total.Known() {
				continue
			}
			row := []string{codec, total.in(Nanoseconds)}
			for _, s := range spans {
				n := t.number(codec+" "+s.name, Span(cell, s.of)(r).median())
				row = append(row, n.alone(Nanoseconds))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	for _, b := range browsers {
		decode := t.number(b.engine+" decode, Protobuf to JSON", Over(Span(get(b.protobuf, ""), decodeSpan), Span(get(b.json, ""), decodeSpan))(r).median())
		t.say("%s: of the decoding alone, from bytes to objects, Protobuf takes %s of JSON's time.", b.engine, with(decode, Times))
	}
	t.say("%s", "JSON's decoding includes that of UTF-8, which a page pays as well.")
	return t
}

// goToGo is the same message between two Go programs.
func goToGo(r *Results) Told {
	t := Told{Header: []string{"Go to Go", "identity", "gzip"}, Numbers: map[string]Number{}}
	for _, codec := range []string{goProtobuf, goJSON} {
		row := []string{codec}
		for _, encoding := range []string{"", "gzip"} {
			row = append(row, Time(get(codec, encoding))(r).median().in(Nanoseconds))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, encoding := range []string{"", "gzip"} {
		n := t.number("Go, Protobuf to JSON "+encoding, Over(Time(get(goProtobuf, encoding)), Time(get(goJSON, encoding)))(r).median())
		name := "Without compression"
		if encoding != "" {
			name = "With " + encoding
		}
		t.say("%s Protobuf takes %s of JSON's time.", name, with(n, Times))
	}
	return t
}

// percentages sets the text's percentages beside those of its tables.
func percentages(r *Results) Told {
	t := Told{Header: []string{"Protobuf's time in JSON's", "by the tables", "here"}, Numbers: map[string]Number{}}
	for _, x := range []struct {
		name  string
		table float64
		a, b  string
	}{
		{"SpiderMonkey", 620.0 / 583, spiderMonkey.protobuf, spiderMonkey.json}, {"V8", 524.0 / 761, v8.protobuf, v8.json},
		{"Java to Java", 146.0 / 590, javaProtobuf, javaJSONFormat},
	} {
		n := t.number(x.name, Over(Time(get(x.a, "")), Time(get(x.b, "")))(r).median())
		t.Rows = append(t.Rows, []string{x.name, Share.Format(x.table), n.in(Share)})
	}
	t.say("%s", "The text speaks of 72% and of 49%. No two figures of its own tables give either.")
	return t
}

// howMuch counts the requests behind the figures.
func howMuch(r *Results) Told {
	t := Told{Header: []string{"", "processes", "requests"}, Numbers: map[string]Number{}}
	for _, run := range []string{"java", "browsers", "post", "go"} {
		m, _ := r.run(run)
		if m == nil {
			t.lacks(r, run)
			continue
		}
		for _, c := range m.cases {
			forks, requests := len(c.requests), 0
			for _, q := range c.requests {
				for _, n := range q.Requests {
					requests += n
				}
			}
			if forks > 0 {
				t.Rows = append(t.Rows, []string{fmt.Sprintf("%s, %s, %s", c.CodecID(), c.Operation, c.Encoding), fmt.Sprint(forks), thousands(int64(requests))})
			}
		}
	}
	t.say("%s", "The study made 15 requests of each kind from a browser, 40 between Java backends, and 100,000 POSTs. A fresh process of the client and of the server is what an interval rests on here, and not the single request.")
	return t
}
