// Package sample reads the documents that a user wants to measure: JSON files,
// newline-delimited JSON, HAR recordings and Protobuf messages, plain or
// compressed, from files, folders and standard input. It is strict: what it
// hands on passes strictjson.Check, and what it refuses it refuses with a place.
//
// The package keeps no state between calls. Its memory is bounded by Limits,
// whatever the input is.
package sample

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

// Options say how documents are read. The zero value reads strictly, within
// the default limits, and has no standard input and no schema.
type Options struct {
	Whole    bool            // a top-level array is one document, not a list of documents
	Limits   Limits          // zero fields mean the defaults
	Stdin    io.Reader       // what "-" reads
	Replace  bool            // invalid UTF-8 and lone surrogates become U+FFFD, counted
	LastWins bool            // of equal keys in an object the last member stays, counted
	Schema   ProtobufDecoder // reads Protobuf files; nil refuses them
}

// ProtobufDecoder turns Protobuf messages into the JSON text that a program
// would send for them.
type ProtobufDecoder interface {
	// Binary decodes one message.
	Binary(data []byte) (json []byte, err error)
	// Text decodes one message in text format, into both forms.
	Text(data []byte) (binary, json []byte, err error)
}

// Document is one JSON value as the user wrote it.
type Document struct {
	Data   []byte // without byte order mark and surrounding white space
	Source string // the file it came from
	Line   int    // of its first byte, from 1; 0 where the source is binary
	Column int    // of its first byte, from 1, in bytes
	Index  int    // in its sample, from 0
	Repairs
}

// Repairs counts what Options.Replace and Options.LastWins changed.
type Repairs struct {
	Replaced int // ill-formed bytes and surrogates that became U+FFFD
	Dropped  int // members dropped because a later one has the same key
}

// Sample is the documents that are measured together.
type Sample struct {
	ID        string // unique among the samples opened together; letters, digits, ".", "_" and "-"
	Name      string // for people: the path, or "GET host/path/{id} response"
	Documents []Document
	Bytes     int64    // of all Data together
	Digest    string   // SHA-256 over the documents and their lengths, in hexadecimal
	Notes     []string // what a reader of the results should know of how these were read
	Protobuf  [][]byte // the binary form of each document, where the source was Protobuf
	fromArray bool     // some documents are elements of a top-level array
}

// Nothing says why a sample holds nothing worth measuring, as "its only
// document is a number", or is empty: every document is a scalar or empty.
func (s *Sample) Nothing() string {
	scalar, empty := 0, 0
	for _, d := range s.Documents {
		switch {
		case len(d.Data) == 0 || !strings.ContainsRune("{[", rune(d.Data[0])):
			scalar++
		case isEmpty(d.Data):
			empty++
		default:
			return ""
		}
	}
	what := "a single value (null, true, a number or a string)"
	switch {
	case scalar > 0 && empty > 0:
		what += " or empty"
	case empty > 0:
		what = "empty ({} or [])"
	}
	if s.fromArray && scalar > 0 {
		what += "; to measure an array as one document, add --whole"
	}
	switch len(s.Documents) {
	case 0:
		return "it has no documents"
	case 1:
		return "its only document is " + what
	}
	return fmt.Sprintf("each of its %d documents is %s", len(s.Documents), what)
}

// isEmpty tells whether a JSON container holds nothing but empty containers.
func isEmpty(data []byte) bool {
	return !slices.ContainsFunc(data, func(b byte) bool { return strings.IndexByte("[]{}, \t\r\n", b) < 0 })
}

// Timed chooses the documents to time: the indexes of all when they fit into
// maxBytes, else of those that do, in a random order by seed, before the first
// that does not. The indexes are ascending, and there is at least one. Documents
// are all but equally likely, as the one that does not fit is seldom a small
// one; a document larger than maxBytes is chosen only where no other is.
func (s *Sample) Timed(maxBytes int64, seed uint64) []int {
	order := make([]int, len(s.Documents))
	for i := range order {
		order[i] = i
	}
	if s.Bytes <= maxBytes || len(order) < 2 {
		return order
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(order))))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	chosen, total := []int(nil), int64(0)
	for _, i := range order {
		size := int64(len(s.Documents[i].Data))
		if size > maxBytes {
			continue
		}
		// Stopping at the first that does not fit, instead of looking for
		// smaller ones, keeps small documents from being preferred.
		if total += size; total > maxBytes {
			break
		}
		chosen = append(chosen, i)
	}
	if len(chosen) == 0 {
		chosen = append(chosen, order[0])
	}
	slices.Sort(chosen)
	return chosen
}

// add appends a document, which the sample then owns.
func (s *Sample) add(d Document) {
	d.Index = len(s.Documents)
	s.Documents = append(s.Documents, d)
	s.Bytes += int64(len(d.Data))
}

// finish computes what depends on all documents.
func (s *Sample) finish() {
	hash := sha256.New()
	var repairs Repairs
	for _, d := range s.Documents {
		hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(d.Data))))
		hash.Write(d.Data)
		repairs.add(d.Repairs)
	}
	s.Digest = hex.EncodeToString(hash.Sum(nil))
	s.Notes = append(s.Notes, repairs.notes()...)
}

func (r *Repairs) add(more Repairs) {
	r.Replaced += more.Replaced
	r.Dropped += more.Dropped
}

func (r Repairs) notes() (notes []string) {
	if r.Replaced > 0 {
		notes = append(notes, fmt.Sprintf("--replace put U+FFFD in %s of ill-formed text", count(r.Replaced, "place", "places")))
	}
	if r.Dropped > 0 {
		notes = append(notes, fmt.Sprintf("--last-wins dropped %s whose key comes again later", count(r.Dropped, "member", "members")))
	}
	return notes
}
