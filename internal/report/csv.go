package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"wirecost/internal/bench"
)

// csvTable is one table with a row per size and a row per case; the column
// "kind" tells them apart. Times are in ns, sizes in bytes.
type csvTable struct{}

var csvColumns = []string{
	"kind", "machine", "sample", "runtime", "codec", "library", "version", "format", "form", "operation", "transport", "encoding", "unit",
	"bytes", "ratio_to_json", "compress_ns", "decompress_ns",
	"status", "reason", "ns_per_op", "ns_low", "ns_high", "ns_min", "cpu_ns_per_op", "wall_ns_per_op", "cold_first_ns", "cold_mean_ns",
	"allocs_per_op", "bytes_per_op", "mb_per_s", "forks",
	"baseline", "ratio", "ratio_low", "ratio_high", "verdict", "cpu_ratio", "cpu_low", "cpu_high", "cpu_verdict",
}

func (csvTable) Write(w io.Writer, r *Report, _ Options) error {
	out := csv.NewWriter(w)
	out.Write(csvColumns)
	for _, s := range r.Sizes {
		out.Write(csvRow(sizeFields(s)))
	}
	index := newIndex(r.Comparisons)
	for _, c := range r.Cases {
		out.Write(csvRow(caseFields(c, index)))
	}
	out.Flush()
	return out.Error()
}

func csvRow(fields map[string]string) []string {
	row := make([]string, len(csvColumns))
	for i, name := range csvColumns {
		row[i] = fields[name]
	}
	return row
}

// plainText keeps text that comes from users from being taken for a formula.
func plainText(s string) string {
	if strings.HasPrefix(s, "=") || strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "@") {
		return "'" + s
	}
	return s
}

func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', 6, 64)
}

func sizeFields(s Size) map[string]string {
	return map[string]string{
		"kind": "size", "sample": plainText(s.Sample), "library": s.Library, "format": string(s.Format), "form": s.Form,
		"encoding": s.Encoding, "unit": s.Unit, "bytes": strconv.FormatInt(s.Bytes, 10), "ratio_to_json": number(s.RatioToJSON),
		"compress_ns": strconv.FormatInt(s.CompressNS, 10), "decompress_ns": strconv.FormatInt(s.DecompressNS, 10),
	}
}

func caseFields(c Case, index index) map[string]string {
	f := map[string]string{
		"kind": "case", "machine": strconv.Itoa(c.Machine), "sample": plainText(c.Case.Sample), "runtime": c.Case.Runtime, "codec": c.Case.Codec,
		"library": c.Library, "version": c.Version, "format": string(c.Case.Format), "operation": string(c.Case.Operation),
		"transport": string(c.Case.Transport), "encoding": c.Case.Encoding, "status": string(c.Status), "reason": plainText(c.Reason),
		"cpu_ns_per_op": number(c.CPU), "wall_ns_per_op": number(c.Wall), "allocs_per_op": number(c.Allocs), "bytes_per_op": number(c.Bytes),
		"mb_per_s": number(c.MBPerS), "forks": strconv.Itoa(c.Forks),
	}
	if e := c.NS; e != nil {
		f["ns_per_op"], f["ns_low"], f["ns_high"], f["ns_min"] = number(&e.Median), number(&e.Low), number(&e.High), number(&e.Min)
	}
	if c.Cold != nil {
		f["cold_first_ns"], f["cold_mean_ns"] = number(&c.Cold.First), number(&c.Cold.Mean)
	}
	if x := index.find(c, bench.Mutator); x != nil {
		f["baseline"] = x.Baseline.CodecID()
		f["ratio"], f["ratio_low"], f["ratio_high"], f["verdict"] = number(&x.Ratio), number(x.Low), number(x.High), string(x.Verdict)
	}
	if x := index.find(c, bench.CPU); x != nil {
		f["cpu_ratio"], f["cpu_low"], f["cpu_high"], f["cpu_verdict"] = number(&x.Ratio), number(x.Low), number(x.High), string(x.Verdict)
	}
	return f
}
