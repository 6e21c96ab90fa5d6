// Package runner talks to runners: programs, one per language runtime, that
// hold the codecs and time them. It reads their manifests, renders and builds
// them for a schema, and speaks the protocol of docs/protocol.md with them.
package runner

import "wirecost/internal/bench"

// ProtocolVersion is what "describe" must answer.
const ProtocolVersion = "wirecost.protocol/1"

// Header starts every request.
type Header struct {
	ID      int    `json:"id"`
	Request string `json:"request"`
}

// Reply starts every reply. A reply is an answer, a refusal (Skipped: could not
// try) or a failure (Error: tried, and went wrong); never two of them.
type Reply struct {
	ID      int    `json:"id"`
	Skipped string `json:"skipped,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Description answers "describe".
type Description struct {
	Protocol    string             `json:"protocol"`
	Runtime     string             `json:"runtime"` // "go"
	Version     string             `json:"version"` // "go1.26.8 linux/amd64"
	ClockStepNS float64            `json:"clock_step_ns"`
	StringUnit  string             `json:"string_unit"` // what a string's length counts in checksums: utf8, utf16 or rune
	Serves      []bench.Transport  `json:"serves,omitempty"`
	Calls       []bench.Transport  `json:"calls,omitempty"`
	Encodings   []string           `json:"encodings,omitempty"` // content codings that it serves and calls with, besides identity: "gzip:6"
	Codecs      []CodecDescription `json:"codecs"`
}

// CodecDescription is what a runner says of one of its codecs.
type CodecDescription struct {
	Name       string            `json:"name"`
	Format     bench.Format      `json:"format"`
	Documents  string            `json:"documents"` // which file it reads: json, protobuf or protojson
	Operations []bench.Operation `json:"operations"`
	Traits     []string          `json:"traits"`
	Library    string            `json:"library"`
	Version    string            `json:"version"`
	Note       string            `json:"note,omitempty"`
}

// SampleFiles is one sample as "prepare" hands it over. Each file holds the
// sample's documents in one form, in the same order, each as a little-endian
// uint32 length and that many bytes.
type SampleFiles struct {
	Sample    string            `json:"sample"`
	Root      string            `json:"root"`      // the model's ID of the root message
	Documents int               `json:"documents"` // how many
	Files     map[string]string `json:"files"`     // json, protobuf, protojson → path
}

// PrepareRequest asks a runner to read the samples and to be ready for the codecs.
type PrepareRequest struct {
	Header
	Samples []SampleFiles `json:"samples"`
	Codecs  []string      `json:"codecs"` // only these will be asked for
}

// PrepareReply names the codecs that cannot handle a sample, with the reason.
type PrepareReply struct {
	Reply
	Skips []Skip `json:"skips,omitempty"`
}

// Skip is a codec that cannot handle a sample.
type Skip struct {
	Sample string `json:"sample"`
	Codec  string `json:"codec"`
	Reason string `json:"reason"`
}

// VerifyRequest asks to decode every document, visit the decoded object, encode
// it again and write the result to Out in the layout of SampleFiles.
type VerifyRequest struct {
	Header
	Sample string `json:"sample"`
	Codec  string `json:"codec"`
	Out    string `json:"out"`
}

// VerifyReply holds, per document, the checksums that timed batches will fold:
// the leaf that decode reports and the visit of every field (docs/protocol.md).
type VerifyReply struct {
	Reply
	Leaf  []uint32 `json:"leaf"`
	Visit []uint32 `json:"visit,omitempty"` // absent where the codec has no visit
}

// ColdRequest asks for the time of each of the first Count operations of this
// process. A codec may have been asked for one operation only before it.
type ColdRequest struct {
	Header
	Sample    string          `json:"sample"`
	Codec     string          `json:"codec"`
	Operation bench.Operation `json:"operation"`
	Count     int             `json:"count"`
}

// ColdReply holds the time of each operation, in nanoseconds.
type ColdReply struct {
	Reply
	NS []int64 `json:"ns"`
}

// BatchRequest asks for Iterations operations timed together: operation i uses
// document Document + i mod Window.
type BatchRequest struct {
	Sample     string          `json:"sample"`
	Codec      string          `json:"codec"`
	Operation  bench.Operation `json:"operation"`
	Iterations int             `json:"iterations"`
	Document   int             `json:"document"`
	Window     int             `json:"window"`
}

// MeasureRequest is one turn: batches run one after another in this order.
type MeasureRequest struct {
	Header
	Turn []BatchRequest `json:"turn"`
	// Settle asks the runtime to bring its heap to rest first (a full
	// collection), so that a turn pays only for what it allocates itself.
	Settle bool `json:"settle,omitempty"`
}

// MeasureReply holds raw measurements: parallel arrays with one entry per batch,
// then what can be told for the turn as a whole (-1: this runtime cannot).
type MeasureReply struct {
	Reply
	WallNS      []int64  `json:"wall_ns"`
	Checksum    []uint32 `json:"checksum"` // sum over the operations, modulo 2³²
	CPUNS       int64    `json:"cpu_ns"`   // the whole process: collection and compilation included
	Preemptions int64    `json:"preemptions"`
	Collections int64    `json:"collections"`
}

// MemoryRequest asks for the allocations of Iterations operations over all
// documents in turn, in a pass that is not timed.
type MemoryRequest struct {
	Header
	Sample     string          `json:"sample"`
	Codec      string          `json:"codec"`
	Operation  bench.Operation `json:"operation"`
	Iterations int             `json:"iterations"`
}

// MemoryReply holds totals over the iterations.
type MemoryReply struct {
	Reply
	Allocations int64 `json:"allocations"` // -1: this runtime counts bytes only
	Bytes       int64 `json:"bytes"`
}

// EmptyRequest asks for the timing loop around nothing.
type EmptyRequest struct {
	Header
	Iterations int `json:"iterations"`
}

// EmptyReply holds the time of the whole loop.
type EmptyReply struct {
	Reply
	WallNS int64 `json:"wall_ns"`
}
