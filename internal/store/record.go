// Package store reads and writes result files: JSON lines that are appended as
// results are made, so that a run that is killed loses at most the fork in
// flight (docs/result-format.md).
package store

import (
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/env"
)

// FormatV1 names the version of the result file.
const FormatV1 = "wirecost.result/v1"

// Header is a result file's first record.
type Header struct {
	Kind     string            `json:"kind"` // "header"
	Format   string            `json:"format"`
	Version  string            `json:"version"` // of wirecost
	Time     time.Time         `json:"time"`
	Command  []string          `json:"command"`
	Seed     uint64            `json:"seed"`
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"` // runtime → version
	Schema   SchemaInfo        `json:"schema"`
	Settings Settings          `json:"settings"`
}

// Machine is where a run took place.
type Machine = env.Machine

// SchemaInfo says where the schema came from.
type SchemaInfo struct {
	Source  string `json:"source"` // given, inferred or mixed
	Track   string `json:"track,omitempty"`
	Message string `json:"message,omitempty"` // the root, where there is one
	Digest  string `json:"digest"`
}

// Settings are the flags that the report needs again.
type Settings struct {
	PrecisionPercent float64 `json:"precision_percent"`
	MaxTimeSeconds   float64 `json:"max_time_seconds"`
	MaxForks         int     `json:"max_forks,omitempty"`
	Baseline         string  `json:"baseline,omitempty"`
	Rate             float64 `json:"rate,omitempty"` // requests per second
	Link             string  `json:"link,omitempty"` // as given: "100mbit/20ms"
}

// Sample describes the documents measured.
type Sample struct {
	Kind      string         `json:"kind"` // "sample"
	Sample    string         `json:"sample"`
	Name      string         `json:"name"`
	Documents int            `json:"documents"`
	Timed     int            `json:"timed"` // how many of them are timed (a seeded reservoir of large samples)
	Bytes     int64          `json:"bytes"` // of the user's own text
	Digest    string         `json:"digest"`
	Shape     map[string]any `json:"shape"` // numbers that the verdict speaks of (schema.Shape)
	Notes     []string       `json:"notes,omitempty"`
	Sweep     *Sweep         `json:"sweep,omitempty"`
	// Maps: the schema has maps, or values that may be, so that equal messages
	// may differ in their bytes.
	Maps bool `json:"maps,omitempty"`
}

// The units of a sweep.
const (
	SweepElements = "elements"
	SweepBytes    = "bytes"
	SweepASCII    = "% ASCII"
)

// Sweep says which step of a sweep a sample is: the documents of one sample,
// changed so that one property has a given value.
type Sweep struct {
	Of    string  `json:"of"`    // the sample whose documents were changed
	What  string  `json:"what"`  // what was: "$.items", "strings"
	Unit  string  `json:"unit"`  // of the value
	Value float64 `json:"value"` // of this step
	From  float64 `json:"from"`  // the value of the documents as they were
}

// The units of a size.
const (
	PerDocument  = "document"     // each document compressed alone, then summed
	Concatenated = "concatenated" // all documents as one stream
)

// Size is one exact size.
type Size struct {
	Kind         string       `json:"kind"` // "size"
	Sample       string       `json:"sample"`
	Format       bench.Format `json:"format"`
	Form         string       `json:"form"`     // original, compact, protojson, binary or binary-json
	Encoding     string       `json:"encoding"` // identity, gzip:6, …
	Unit         string       `json:"unit"`     // document or concatenated
	Bytes        int64        `json:"bytes"`
	CompressNS   int64        `json:"compress_ns,omitempty"`
	DecompressNS int64        `json:"decompress_ns,omitempty"`
	Library      string       `json:"library,omitempty"`
	Note         string       `json:"note,omitempty"` // "static assets only"
}

// Loss is one way in which JSON → Protobuf → JSON changes the documents.
type Loss struct {
	Kind      string `json:"kind"` // "loss"
	Sample    string `json:"sample"`
	Path      string `json:"path"` // "$.items[].price"
	What      string `json:"what"`
	Note      bool   `json:"note,omitempty"` // the spelling changes, not the meaning
	Documents int    `json:"documents"`
	Example   string `json:"example,omitempty"`
}

// Case numbers a case and says what is behind it.
type Case struct {
	Kind   string `json:"kind"` // "case"
	Number int    `json:"case"`
	bench.Case
	Library   string   `json:"library"`
	Version   string   `json:"version"`
	Role      string   `json:"role,omitempty"`      // as in runner.Codec
	Documents string   `json:"documents,omitempty"` // which form it reads, as in runner.Codec: json, protobuf or protojson
	Lazy      bool     `json:"lazy,omitempty"`      // as in runner.Codec: visit is the fair reading
	Traits    []string `json:"traits"`
	Note      string   `json:"note,omitempty"`
	// Compiles: its runtime compiles while it runs (runner.Manifest), so the
	// timing loop's own time is shown and not subtracted.
	Compiles bool `json:"compiles_while_running,omitempty"`
	// Apart: each codec of its runtime has processes of its own, so that a
	// block's batches of two codecs are milliseconds apart.
	Apart bool `json:"apart,omitempty"`
	// Client and Server name the libraries that carry a case across a transport,
	// content coding included, as the runners' transports name them.
	Client string `json:"client,omitempty"`
	Server string `json:"server,omitempty"`
}

// Outcome says how a case ended. The last one of a case counts.
type Outcome struct {
	Kind   string       `json:"kind"` // "outcome"
	Case   int          `json:"case"`
	Status bench.Status `json:"status"`
	Reason string       `json:"reason,omitempty"`
}

// Fork is what one process measured of one case, raw. Entry i of the arrays is
// block i of the fork: cases of the same sample in one fork used the same
// documents in the same block, so their entries pair up.
type Fork struct {
	Kind       string    `json:"kind"` // "fork"
	Case       int       `json:"case"`
	Fork       int       `json:"fork"`
	Pilot      bool      `json:"pilot,omitempty"` // used to choose "best", left out of inference
	Start      time.Time `json:"start"`
	Iterations []int     `json:"iterations"`
	Document   []int     `json:"document"`
	Window     []int     `json:"window"` // documents that the batch went round
	WallNS     []int64   `json:"wall_ns"`
	// OverheadNS is the timing loop's own time per operation in this process.
	OverheadNS  float64 `json:"overhead_ns"`
	ClockStepNS float64 `json:"clock_step_ns"`
	// The long pass: this case alone for some milliseconds, collection included.
	CPUNS         int64   `json:"cpu_ns"` // -1: not available
	CPUWallNS     int64   `json:"cpu_wall_ns"`
	CPUIterations int     `json:"cpu_iterations"`
	Preemptions   int64   `json:"preemptions"`
	Collections   int64   `json:"collections"`
	ColdNS        []int64 `json:"cold_ns,omitempty"`
	WarmupBatches int     `json:"warmup_batches,omitempty"`
	NoSteadyState bool    `json:"no_steady_state,omitempty"`
}

// Memory is what one operation allocates, from a pass that is not timed.
type Memory struct {
	Kind        string  `json:"kind"` // "memory"
	Case        int     `json:"case"`
	AllocsPerOp float64 `json:"allocs_per_op"` // -1: the runtime counts bytes only
	BytesPerOp  float64 `json:"bytes_per_op"`
}

// Noise is what disturbed the machine just before measuring, while nothing of
// wirecost ran. Shares are of all cores together. There is one before each run
// that adds to a file.
type Noise struct {
	Kind      string  `json:"kind"`            // "noise"
	Others    float64 `json:"others"`          // share of CPU time that other programs used
	Steal     float64 `json:"steal"`           // share that the hypervisor gave to others
	Load      float64 `json:"load"`            // one-minute load average; 0 where there is none
	Quota     float64 `json:"quota,omitempty"` // CPUs that a container may use; 0: no limit
	OnBattery bool    `json:"on_battery,omitempty"`
}

// Progress is a record of how the measuring time was used.
type Progress struct {
	Kind      string  `json:"kind"` // "progress"
	Forks     int     `json:"forks"`
	MeasureNS int64   `json:"measure_ns"` // the measuring phase so far
	BatchNS   int64   `json:"batch_ns"`   // of it, inside timed batches
	Preempted float64 `json:"preempted"`  // share of short batches that something interrupted: they took over three times their window's median
	// RuntimeNS is each lane's part of the measuring phase, by bench.Case.Lane: a
	// runtime, or that with the transport that its requests cross.
	RuntimeNS map[string]int64 `json:"runtime_ns,omitempty"`
}

// Footer is a result file's last record.
type Footer struct {
	Kind   string    `json:"kind"`   // "footer"
	Status string    `json:"status"` // complete, interrupted or partial
	Time   time.Time `json:"time"`
}
