// Package report makes one value of what result files hold, and writes it in
// several forms: a file per form. It derives everything from the raw records.
package report

import (
	"wirecost/internal/analyse"
	"wirecost/internal/bench"
	"wirecost/internal/store"
	"wirecost/internal/verdict"
)

// FormatV1 names the version of the machine-readable report
// (docs/result-format.md).
const FormatV1 = "wirecost.report/v1"

// Report is what result files come to.
type Report struct {
	Format      string       `json:"format"`
	Machines    []Machine    `json:"machines"`
	Samples     []Sample     `json:"samples"`
	Sizes       []Size       `json:"sizes"`
	Losses      []Loss       `json:"losses"`
	Cases       []Case       `json:"cases"`
	Comparisons []Comparison `json:"comparisons"`
	Pairs       []Pair       `json:"pairs,omitempty"`  // where several runtimes were measured
	Sweeps      []Sweep      `json:"sweeps,omitempty"` // where documents were changed step by step
	Verdict     []Sentence   `json:"verdict"`
}

// Machine is an environment that times were measured in, and how it went.
type Machine struct {
	store.Machine
	Versions  map[string]string `json:"versions"` // runtime → version
	Wirecost  string            `json:"wirecost"`
	Schema    store.SchemaInfo  `json:"schema"`
	Files     []File            `json:"files"`
	Forks     int               `json:"forks"`
	MeasureNS int64             `json:"measure_ns"`
	BatchNS   int64             `json:"batch_ns"`  // of it, inside timed batches
	Preempted float64           `json:"preempted"` // share of short batches that something interrupted
	Noise     *Noise            `json:"noise"`     // null where nothing was timed
	Forecast  *Forecast         `json:"forecast"`  // null where the precision asked for was reached, or none was
}

// Noise is how well the machine suited measuring. What is not known is null.
type Noise struct {
	Grade       string   `json:"grade"` // A (quiet) to D
	By          string   `json:"by"`    // what gave it: preempted, load or fork spread; empty for an A
	Load        *float64 `json:"load"`  // share of CPU time that other programs used before the run
	BatchSpread *float64 `json:"batch_spread"`
	ForkSpread  *float64 `json:"fork_spread"`

	advice []string // beside what the grade says
}

// Forecast is how long it would take to know every ratio as well as was asked
// for. Seconds and forks are null where that is out of reach, or too few forks tell.
type Forecast struct {
	Precision float64  `json:"precision"` // relative: 0.01
	Widest    *float64 `json:"widest"`    // how well the widest ratio is known; null: not bounded yet
	Seconds   *float64 `json:"seconds"`   // of measuring, all in all
	Forks     *int     `json:"forks"`

	known      bool // enough forks to tell
	limitForks bool // the run was limited to a number of forks
}

// File is a result file that went into a report.
type File struct {
	Name    string   `json:"name"`
	Status  string   `json:"status"` // complete, interrupted, partial or killed
	Time    string   `json:"time"`   // RFC 3339
	Seed    uint64   `json:"seed"`
	Command []string `json:"command"`
}

// Sample is the documents measured.
type Sample struct {
	Sample    string         `json:"sample"`
	Name      string         `json:"name"`
	Documents int            `json:"documents"`
	Timed     int            `json:"timed"`
	Bytes     int64          `json:"bytes"`
	Digest    string         `json:"digest"`
	Shape     map[string]any `json:"shape,omitempty"`
	Notes     []string       `json:"notes,omitempty"`
	Sweep     *store.Sweep   `json:"sweep,omitempty"`
	Maps      bool           `json:"maps,omitempty"` // the schema has maps: equal messages may differ in their bytes
}

// Size is one exact size, summed over the sample's documents.
type Size struct {
	Sample       string       `json:"sample"`
	Format       bench.Format `json:"format"`
	Form         string       `json:"form"`
	Encoding     string       `json:"encoding"`
	Unit         string       `json:"unit"`
	Bytes        int64        `json:"bytes"`
	RatioToJSON  *float64     `json:"ratio_to_json"` // to compact JSON in the same encoding and unit; null where there is none
	CompressNS   int64        `json:"compress_ns"`
	DecompressNS int64        `json:"decompress_ns"`
	Library      string       `json:"library,omitempty"`
	Note         string       `json:"note,omitempty"`
}

// Loss is a way in which JSON → Protobuf → JSON changes the documents.
type Loss struct {
	Sample    string `json:"sample"`
	Path      string `json:"path"`
	What      string `json:"what"`
	Note      bool   `json:"note,omitempty"` // the spelling changes, not the meaning
	Documents int    `json:"documents"`
	Example   string `json:"example,omitempty"`
}

// Case is a case and what was measured of it. What is not known is null or left
// out.
type Case struct {
	Case    bench.Case   `json:"case"`
	Machine int          `json:"machine"` // index into Machines
	Status  bench.Status `json:"status"`
	Reason  string       `json:"reason,omitempty"`

	Library string `json:"library"`
	Version string `json:"version"`
	Role    string `json:"role,omitempty"`
	Best    bool   `json:"best,omitempty"`
	Lazy    bool   `json:"lazy,omitempty"`
	// Compiles: the runtime compiles while it runs.
	Compiles bool     `json:"compiles_while_running,omitempty"`
	Traits   []string `json:"traits"`
	Note     string   `json:"note,omitempty"`

	NS     *analyse.Estimate `json:"ns_per_op"`
	CPU    *float64          `json:"cpu_ns_per_op"`
	Wall   *float64          `json:"wall_ns_per_op"`
	Cold   *Cold             `json:"cold"`
	Allocs *float64          `json:"allocs_per_op"`
	Bytes  *float64          `json:"bytes_per_op"`
	MBPerS *float64          `json:"mb_per_s"`
	Forks  int               `json:"forks"`
	// Overhead is the timing loop's share of the time. It is subtracted unless
	// the runtime compiles while it runs.
	Overhead      float64 `json:"overhead"`
	NoSteadyState bool    `json:"no_steady_state,omitempty"`
	// CPUEstimate is CPU with its interval.
	CPUEstimate *analyse.Estimate `json:"cpu_estimate"`
	Collections *int64            `json:"collections"` // in the long passes of all forks; null: not told
	Warmup      float64           `json:"warmup_batches,omitempty"`

	*Requests         // of what crosses a transport
	Rates     []Rate  `json:"open_loop,omitempty"`
	Stored    *Stored `json:"stored,omitempty"`
	// Client and Server are the libraries that carry it.
	Client string `json:"client,omitempty"`
	Server string `json:"server,omitempty"`

	wall  *analyse.Estimate
	times []analyse.ForkTime
}

// Requests is what is known of the requests of a case that crosses a transport:
// of a request, of a pipelined operation by document.
type Requests struct {
	Spans    analyse.Spans `json:"spans"`
	SpansSum float64       `json:"spans_sum"` // as a share of the time
	// Shares of the time.
	Codec    analyse.Estimate `json:"codec_share"`
	Coding   analyse.Estimate `json:"compression_share"`
	Transfer analyse.Estimate `json:"transfer_share"`

	Latency   analyse.Latency `json:"latency"`
	ClientCPU *float64        `json:"client_cpu_ns"`
	ServerCPU *float64        `json:"server_cpu_ns"`
	WireBytes float64         `json:"wire_bytes"`         // bodies, without headers
	Pipeline  int             `json:"pipeline,omitempty"` // documents in one round trip
}

// Rate is a case under a fixed rate of requests.
type Rate struct {
	Rate     float64         `json:"rate"` // per second
	Seconds  float64         `json:"seconds"`
	Requests int             `json:"requests"`
	Errors   int             `json:"errors"`
	Error    string          `json:"error,omitempty"` // the first one
	Latency  analyse.Latency `json:"latency"`         // from the moment at which a request was to be sent
}

// Stored is what a server holds of a document, in bytes.
type Stored struct {
	Server      string   `json:"server"`
	Keys        int      `json:"keys"`
	Value       float64  `json:"value_bytes"`
	MemoryUsage *float64 `json:"memory_usage_bytes"` // null: the server's figure would mean nothing
	UsedMemory  *float64 `json:"used_memory_bytes"`  // null: as above, or too little to be told from the server's own work
}

// Pair is what a message costs between two services in different runtimes.
type Pair struct {
	verdict.Pair
	Machine int      `json:"machine"`
	Ratio   float64  `json:"ratio"` // Protobuf's time to JSON's
	Low     *float64 `json:"low"`   // null: not bounded
	High    *float64 `json:"high"`  // null: not bounded
}

// Sweep is what became of times as one sample's documents were changed.
type Sweep struct {
	Of        string         `json:"of"`
	What      string         `json:"what"`
	Unit      string         `json:"unit"`
	From      float64        `json:"from"`
	Machine   int            `json:"machine"`
	Steps     []analyse.Step `json:"steps"`
	Curves    []Curve        `json:"curves"`
	Crossings []Crossing     `json:"crossings"`
}

// Curve is a case over the steps of a sweep.
type Curve struct {
	Case  bench.Case     `json:"case"` // its sample is the one that was changed
	NS    []*float64     `json:"ns_per_op"`
	Line  *analyse.Line  `json:"line"`  // null: too few steps, or times that fall
	Falls []analyse.Step `json:"falls"` // steps that take less time than a smaller one
}

// Crossing is where a case and another change places.
type Crossing struct {
	Case     bench.Case    `json:"case"`
	Baseline bench.Case    `json:"baseline"`
	Best     bool          `json:"best,omitempty"`
	Points   []*Comparison `json:"points"`  // one per step; null: not compared
	Between  [][2]float64  `json:"between"` // decided steps with opposite verdicts
	Fit      *analyse.Fit  `json:"fit"`     // where the lines cross; null: not within the steps
}

// Cold is what the first operations of a process take, in ns: the median over
// forks.
type Cold struct {
	First float64 `json:"first_ns"`
	Mean  float64 `json:"mean_ns"` // of the first operations, up to 100
}

// Comparison is a case's time as a ratio to its baseline's.
type Comparison struct {
	Case     bench.Case    `json:"case"`
	Baseline bench.Case    `json:"baseline"`
	Machine  int           `json:"machine"`
	Metric   bench.Metric  `json:"metric"`
	Best     bool          `json:"best,omitempty"` // best of Protobuf against best of JSON
	Ratio    float64       `json:"ratio"`
	Low      *float64      `json:"low"`  // null: not bounded
	High     *float64      `json:"high"` // null: not bounded
	Verdict  bench.Verdict `json:"verdict"`
	Forks    int           `json:"forks"`
	Unsteady bool          `json:"unsteady,omitempty"`
}

// Sentence is a sentence of the verdict.
type Sentence struct {
	verdict.Sentence
	Machine int `json:"machine"`
}
