package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"wirecost/internal/analyse"
	"wirecost/internal/bench"
)

// csvTable is one table with a row per size and a row per case; the column
// "kind" tells them apart. Times are in ns, sizes in bytes. Of fixed rates it has
// the first.
type csvTable struct{}

var csvColumns = []string{
	"kind", "machine", "sample", "runtime", "codec", "library", "version", "format", "form", "operation", "transport", "encoding", "unit",
	"bytes", "ratio_to_json", "compress_ns", "decompress_ns",
	"status", "reason", "ns_per_op", "ns_low", "ns_high", "ns_min", "cpu_ns_per_op", "wall_ns_per_op", "cold_first_ns", "cold_mean_ns",
	"allocs_per_op", "bytes_per_op", "mb_per_s", "forks",
	"baseline", "ratio", "ratio_low", "ratio_high", "verdict", "cpu_ratio", "cpu_low", "cpu_high", "cpu_verdict",
	"peer", "link", "pipeline", "encode_ns", "compress_ns", "transfer_ns", "decompress_ns", "decode_ns", "spans_sum",
	"requests", "p50_ns", "p95_ns", "p99_ns", "max_ns", "wire_bytes", "client_cpu_ns", "server_cpu_ns",
	"coding_baseline", "coding_ratio", "coding_low", "coding_high", "coding_verdict",
	"rate", "rate_requests", "rate_errors", "rate_p50_ns", "rate_p95_ns", "rate_p99_ns", "rate_max_ns",
	"server", "stored_bytes", "memory_usage_bytes", "used_memory_bytes",
}

func (csvTable) Write(w io.Writer, r *Report, _ Options) error {
	out := csv.NewWriter(w)
	out.Write(csvColumns)
	for _, s := range r.Sizes {
		out.Write(csvRow(sizeFields(s)))
	}
	index := newIndex(r.Comparisons)
	for _, c := range r.Cases {
		f := caseFields(c, index)
		crossingFields(f, c, index)
		out.Write(csvRow(f))
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
	if x := index.find(c, analyse.Shown(c.Case)); x != nil {
		f["baseline"] = x.Baseline.CodecID()
		f["ratio"], f["ratio_low"], f["ratio_high"], f["verdict"] = number(&x.Ratio), number(x.Low), number(x.High), string(x.Verdict)
	}
	if x := index.find(c, bench.CPU); x != nil {
		f["cpu_ratio"], f["cpu_low"], f["cpu_high"], f["cpu_verdict"] = number(&x.Ratio), number(x.Low), number(x.High), string(x.Verdict)
	}
	return f
}

// crossingFields adds what is known of a case that crosses a transport.
func crossingFields(f map[string]string, c Case, index index) {
	f["peer"], f["link"] = c.Case.Peer, plainText(c.Case.Link)
	if q := c.Requests; q != nil {
		s, l := q.Spans, q.Latency
		f["pipeline"], f["requests"] = strconv.Itoa(q.Pipeline), strconv.FormatInt(l.Requests, 10)
		for name, x := range map[string]float64{
			"encode_ns": s.Encode, "compress_ns": s.Compress, "transfer_ns": s.Transfer, "decompress_ns": s.Decompress, "decode_ns": s.Decode, "spans_sum": q.SpansSum,
			"p50_ns": l.P50, "p95_ns": l.P95, "p99_ns": l.P99, "max_ns": l.Max, "wire_bytes": q.WireBytes,
		} {
			f[name] = number(&x)
		}
		f["client_cpu_ns"], f["server_cpu_ns"] = number(q.ClientCPU), number(q.ServerCPU)
	}
	if x := index.byCoding[indexKey{c.Machine, c.Case, bench.Wall}]; x != nil {
		f["coding_baseline"] = x.Baseline.CodecID()
		f["coding_ratio"], f["coding_low"], f["coding_high"], f["coding_verdict"] = number(&x.Ratio), number(x.Low), number(x.High), string(x.Verdict)
	}
	if len(c.Rates) > 0 {
		r := c.Rates[0]
		f["rate"], f["rate_requests"], f["rate_errors"] = number(&r.Rate), strconv.Itoa(r.Requests), strconv.Itoa(r.Errors)
		f["rate_p50_ns"], f["rate_p95_ns"], f["rate_p99_ns"], f["rate_max_ns"] = number(&r.Latency.P50), number(&r.Latency.P95), number(&r.Latency.P99), number(&r.Latency.Max)
	}
	if s := c.Stored; s != nil {
		f["server"], f["stored_bytes"], f["memory_usage_bytes"], f["used_memory_bytes"] = plainText(s.Server), number(&s.Value), number(s.MemoryUsage), number(s.UsedMemory)
	}
}
