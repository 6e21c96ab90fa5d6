package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"wirecost/internal/bench"
)

// benchfmtLines is the format of Go benchmarks, one line per fork, so that
// benchstat has its samples. Names are as in
// BenchmarkDecode/sample=orders/codec=RUNTIME-CODEC.
type benchfmtLines struct{}

func (benchfmtLines) Write(w io.Writer, r *Report, _ Options) error {
	out := benchfmt.NewWriter(w)
	for _, c := range r.Cases {
		for _, t := range c.times {
			res := &benchfmt.Result{
				Config: benchConfig(r.Machines[c.Machine]), Name: benchmarkName(c.Case), Iters: max(1, t.Operations),
				Values: []benchfmt.Value{{Value: math.Round(t.NS*1000) / 1000, Unit: "ns/op"}},
			}
			if c.Bytes != nil && c.Allocs != nil {
				res.Values = append(res.Values, benchfmt.Value{Value: *c.Bytes, Unit: "B/op"}, benchfmt.Value{Value: *c.Allocs, Unit: "allocs/op"})
			}
			if q := c.Requests; q != nil {
				res.Values = append(res.Values, benchfmt.Value{Value: q.WireBytes, Unit: "wire-B/op"})
			}
			if err := out.Write(res); err != nil {
				return err
			}
		}
	}
	return nil
}

func benchConfig(m Machine) []benchfmt.Config {
	var out []benchfmt.Config
	for _, c := range [][2]string{{"goos", m.OS}, {"goarch", m.Arch}, {"cpu", clean(m.CPU)}} {
		if c[1] != "" {
			out = append(out, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
		}
	}
	return out
}

func benchmarkName(c bench.Case) benchfmt.Name {
	name := fmt.Sprintf("%s/sample=%s/codec=%s", word(capital(string(c.Operation))), word(c.Sample), word(c.Runtime+"-"+c.Codec))
	if c.Transport != bench.Memory {
		name += fmt.Sprintf("/transport=%s/encoding=%s", word(string(c.Transport)), word(c.Encoding))
	}
	if c.Peer != "" {
		name += "/peer=" + word(strings.ReplaceAll(c.Peer, "/", "-"))
	}
	if c.Link != "" {
		name += "/link=" + word(strings.ReplaceAll(c.Link, "/", "-"))
	}
	return benchfmt.Name(name)
}

// word makes text one part of a benchmark's name.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '/' || r == '=' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, s)
	if s == "" {
		return "_"
	}
	return s
}
