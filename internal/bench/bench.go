// Package bench holds the vocabulary that the rest of wirecost shares: cases,
// batches, outcomes, metrics and verdicts. It imports nothing of ours.
package bench

import (
	"fmt"
	"strings"
)

// Format is the data format that a codec writes and reads.
type Format string

// The formats.
const (
	JSON     Format = "json"
	Protobuf Format = "protobuf"
)

// Operation is what is done with one document.
type Operation string

// The operations.
const (
	Encode Operation = "encode" // language object → bytes
	Decode Operation = "decode" // bytes → language object
	Visit  Operation = "visit"  // decode, then touch every field
)

// The operations of a request that crosses a transport. The client's and the
// server's codec are part of it.
const (
	Get          Operation = "get"           // the other side encodes (HTTP) or holds the bytes (Redis); the client decodes
	Post         Operation = "post"          // the client encodes, the HTTP server decodes
	Set          Operation = "set"           // the client encodes, Redis keeps the bytes
	GetPipelined Operation = "get-pipelined" // many get in one round trip
	SetPipelined Operation = "set-pipelined" // many set in one round trip
)

// Transport is what the bytes cross.
type Transport string

// The transports.
const (
	Memory Transport = "memory" // none: a codec measured alone
	HTTP   Transport = "http"   // HTTP/1.1
	HTTP2  Transport = "http2"  // HTTP/2 without TLS
	Redis  Transport = "redis"
)

// Identity is the content coding of bytes that are not compressed. Other
// codings carry their level, as in "gzip:6".
const Identity = "identity"

// Case is one thing to measure: sample × runtime × codec × operation ×
// transport × encoding. It is comparable and serves as a map key.
type Case struct {
	Sample    string    `json:"sample"`
	Runtime   string    `json:"runtime"`
	Codec     string    `json:"codec"` // without the runtime: "encoding-json"
	Format    Format    `json:"format"`
	Operation Operation `json:"operation"`
	Transport Transport `json:"transport"`
	Encoding  string    `json:"encoding"`
	Peer      string    `json:"peer,omitempty"` // HTTP: the server's codec with its runtime, as in "go/protobuf"
	Link      string    `json:"link,omitempty"` // the shaped link in between, as in "10mbit/20ms"; empty: none
}

// CodecID names the codec of a case with its runtime, as in "go/encoding-json".
func (c Case) CodecID() string { return c.Runtime + "/" + c.Codec }

// Crosses reports whether the case crosses a transport.
func (c Case) Crosses() bool { return c.Transport != "" && c.Transport != Memory }

// PeerRuntime is the runtime of the server that the case talks to; empty where
// it talks to none of a runner's.
func (c Case) PeerRuntime() string {
	runtime, _, _ := strings.Cut(c.Peer, "/")
	return runtime
}

// Lane names the lane that measures the case, which has forks, a share of the
// time and an end of its own. It is the runtime; of cases that cross a transport,
// that with it, and with the server's runtime where that is another one: "go",
// "go over http", "chromium over http to go".
func (c Case) Lane() string {
	if !c.Crosses() {
		return c.Runtime
	}
	lane := c.Runtime + " over " + string(c.Transport)
	if peer := c.PeerRuntime(); peer != "" && peer != c.Runtime {
		lane += " to " + peer
	}
	return lane
}

// String gives the case in one word, leaving out the memory transport and the
// identity encoding: "orders/go/goccy/decode". The peer is named where it is not
// the same codec.
func (c Case) String() string {
	s := strings.Join([]string{c.Sample, c.CodecID(), string(c.Operation)}, "/")
	if c.Crosses() {
		s += fmt.Sprintf("/%s/%s", c.Transport, c.Encoding)
	}
	if c.Peer != "" && c.Peer != c.CodecID() {
		s += "/" + c.Peer
	}
	if c.Link != "" {
		s += "/" + c.Link
	}
	return s
}

// Status is how a case ended.
type Status string

// The statuses.
const (
	Measured Status = "measured"
	Skipped  Status = "skipped" // could not be tried; the reason says why
	Failed   Status = "failed"  // tried, and went wrong
)

// Outcome is a case's status and, unless measured, the reason.
type Outcome struct {
	Status Status `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// Metric is a kind of time.
type Metric string

// The metrics (docs/statistics.md).
const (
	Mutator Metric = "mutator" // short batches; collection mostly falls between them
	CPU     Metric = "cpu"     // process CPU over long batches, collection included
	Wall    Metric = "wall"    // wall time over the same long batches
)

// Verdict is what a comparison came to.
type Verdict string

// The verdicts. A case is Faster when its ratio to the baseline is below 1.
const (
	Faster     Verdict = "faster"
	Slower     Verdict = "slower"
	Equivalent Verdict = "equivalent" // the interval lies inside ±δ
	Undecided  Verdict = "undecided"
)
