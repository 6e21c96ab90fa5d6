package store

import "time"

// Requests is what one client process measured of one case that crosses a
// transport, raw. A slice is some requests of the case one after another, before
// other cases have theirs; entry i of the arrays is slice i.
type Requests struct {
	Kind     string    `json:"kind"` // "requests"
	Case     int       `json:"case"`
	Fork     int       `json:"fork"`
	Pilot    bool      `json:"pilot,omitempty"` // left out of inference
	Start    time.Time `json:"start"`
	Requests []int     `json:"requests"`
	Document []int     `json:"document"`           // the first one's document
	Window   []int     `json:"window"`             // documents that the slice went round
	Pipeline int       `json:"pipeline,omitempty"` // documents in one request; 0: one
	WallNS   []int64   `json:"wall_ns"`            // sum over the requests, each read off its own pair of clock readings
	Spans    Spans     `json:"spans"`
	ClientNS []int64   `json:"client_cpu_ns"` // -1: not known
	ServerNS []int64   `json:"server_cpu_ns"` // -1: not known
	Bytes    []int64   `json:"wire_bytes"`    // bodies as they crossed, without headers
	// Allocated is what the client's process allocated, bytes; -1: not known.
	Allocated []int64 `json:"allocated"`
	// Histogram counts the requests by their time.
	Histogram Histogram `json:"histogram"`
	// ColdNS are the first requests of the case in the fork, up to 100, the very
	// first with its connection; they are in no slice.
	ColdNS []int64 `json:"cold_ns,omitempty"`
}

// Spans are the parts of requests: sums over the requests of a slice, in
// nanoseconds.
type Spans struct {
	Encode     []int64 `json:"encode"`
	Compress   []int64 `json:"compress"`
	Transfer   []int64 `json:"transfer"`
	Decompress []int64 `json:"decompress"`
	Decode     []int64 `json:"decode"`
}

// Histogram counts times in buckets that are at most 1% wide: NS[i] is the upper
// end of a bucket that is not empty.
type Histogram struct {
	NS    []int64 `json:"ns"`
	Count []int64 `json:"count"`
}

// OpenLoop is a case under a fixed rate of requests: latency counts from the
// moment at which a request was to be sent, so that a server that stalls cannot
// hide it by delaying the requests that follow.
type OpenLoop struct {
	Kind      string    `json:"kind"` // "open-loop"
	Case      int       `json:"case"`
	Rate      float64   `json:"rate"` // requests per second
	Seconds   float64   `json:"seconds"`
	Requests  int       `json:"requests"`
	Errors    int       `json:"errors"`
	Error     string    `json:"error,omitempty"` // the first one
	Histogram Histogram `json:"histogram"`
}

// Storage is what a Redis server holds for a case's documents, all keys together.
type Storage struct {
	Kind        string `json:"kind"` // "storage"
	Case        int    `json:"case"`
	Server      string `json:"server"` // "redis 7.0.15", or "embedded, in-process"
	Keys        int    `json:"keys"`
	ValueBytes  int64  `json:"value_bytes"`
	MemoryUsage int64  `json:"memory_usage"` // sum of MEMORY USAGE; -1: this server's figure would mean nothing
	UsedMemory  int64  `json:"used_memory"`  // growth of used_memory; -1: as above
}
