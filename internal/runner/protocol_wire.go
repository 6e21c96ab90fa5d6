package runner

import "wirecost/internal/bench"

// ServeRequest asks a runner that describes itself as serving the transport to
// be the server for the samples and codecs it has prepared (docs/protocol.md,
// "Servers").
type ServeRequest struct {
	Header
	Transport bench.Transport `json:"transport"`
	Address   string          `json:"address"` // to listen on: "127.0.0.1:0"
}

// ServeReply says where the server listens.
type ServeReply struct {
	Reply
	Address string `json:"address"` // host and port
}

// UsageReply says what the process has used since it started.
type UsageReply struct {
	Reply
	CPUNS int64 `json:"cpu_ns"` // all threads; -1: not known
}

// CallRequest asks a runner that describes itself as calling the transport to
// make requests, one after another. Request i carries document Document + i mod
// Window; of a pipelined operation it carries Pipeline documents, the next one
// starting where it ended.
type CallRequest struct {
	Header
	Transport bench.Transport `json:"transport"`
	Address   string          `json:"address"` // HTTP: "http://127.0.0.1:4711"; Redis: a URL
	Sample    string          `json:"sample"`
	Codec     string          `json:"codec"`
	Peer      string          `json:"peer,omitempty"` // HTTP: the server's codec, without its runtime
	Operation bench.Operation `json:"operation"`
	Encoding  string          `json:"encoding"` // identity, or one of Description.Encodings, as "gzip:6"
	Requests  int             `json:"requests"`
	Document  int             `json:"document"`
	Window    int             `json:"window"`
	Pipeline  int             `json:"pipeline,omitempty"` // documents in one round trip
	Prefix    string          `json:"prefix,omitempty"`   // Redis: of every key
	TTLMS     int64           `json:"ttl_ms,omitempty"`   // Redis: after which keys expire
}

// CallReply holds raw measurements: parallel arrays with one entry per request,
// in nanoseconds, then what is known of them all (-1: not known). A span that an
// operation does not have is 0. Total is read off its own pair of clock
// readings around the whole request, so that the spans can be checked against
// it; the server's spans are those that it sends along.
type CallReply struct {
	Reply
	TotalNS      []int64 `json:"total_ns"`
	EncodeNS     []int64 `json:"encode_ns"`
	CompressNS   []int64 `json:"compress_ns"`
	TransferNS   []int64 `json:"transfer_ns"` // from sending to the last byte, less the server's spans
	DecompressNS []int64 `json:"decompress_ns"`
	DecodeNS     []int64 `json:"decode_ns"`
	WireBytes    int64   `json:"wire_bytes"` // bodies as they crossed, without headers
	Checksum     uint32  `json:"checksum"`   // get: leafs decoded; post: leafs that the server decoded; set: bytes written; modulo 2³²
	CPUNS        int64   `json:"cpu_ns"`     // of the client's process
	Allocated    int64   `json:"allocated"`  // bytes, of the client's process
}
