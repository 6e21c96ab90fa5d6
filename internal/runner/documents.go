package runner

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
)

// The forms in which a sample's documents are handed over.
const (
	DocumentsJSON      = "json"      // the user's documents, compact
	DocumentsProtobuf  = "protobuf"  // of the normalised schema
	DocumentsProtoJSON = "protojson" // canonical ProtoJSON of the normalised schema
)

var documentForms = []string{DocumentsJSON, DocumentsProtobuf, DocumentsProtoJSON}

// DocumentLimits bound what is read of a documents file, which a runner may
// have written wrongly.
type DocumentLimits struct {
	Documents int   // at most so many
	Bytes     int64 // of all documents together
}

// WriteDocuments writes each document as a little-endian uint32 length and that
// many bytes.
func WriteDocuments(w io.Writer, documents [][]byte) error {
	b := bufio.NewWriterSize(w, 1<<16)
	var head [4]byte
	for i, d := range documents {
		if uint64(len(d)) > math.MaxUint32 {
			return fmt.Errorf("document %d has %d bytes; the limit is 4 GiB", i, len(d))
		}
		binary.LittleEndian.PutUint32(head[:], uint32(len(d)))
		b.Write(head[:])
		b.Write(d) // an error stays in b until Flush
	}
	return b.Flush()
}

// ReadDocuments reads what WriteDocuments wrote, to the end of r. The error says
// at which document and byte the layout broke or a limit was passed.
func ReadDocuments(r io.Reader, limits DocumentLimits) ([][]byte, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	var documents [][]byte
	var offset, total int64
	var head [4]byte
	for {
		n, err := io.ReadFull(b, head[:])
		if err == io.EOF {
			return documents, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d at byte %d: %d of 4 bytes of its length: %w", len(documents), offset, n, err)
		}
		size := int64(binary.LittleEndian.Uint32(head[:]))
		total += size
		if len(documents) == limits.Documents || total > limits.Bytes {
			return nil, fmt.Errorf("document %d at byte %d: more than the %d documents and %d bytes that were expected at most",
				len(documents), offset, limits.Documents, limits.Bytes)
		}
		d, err := readExactly(b, size)
		if err != nil {
			return nil, fmt.Errorf("document %d at byte %d: %d of %d bytes: %w", len(documents), offset, len(d), size, err)
		}
		documents = append(documents, d)
		offset += 4 + size
	}
}

// readExactly reads n bytes, taking memory only as they arrive.
func readExactly(r io.Reader, n int64) ([]byte, error) {
	const step = 1 << 20
	d := make([]byte, 0, min(n, step))
	for int64(len(d)) < n {
		have, more := len(d), int(min(n-int64(len(d)), max(step, int64(len(d)))))
		d = append(d, make([]byte, more)...)
		got, err := io.ReadFull(r, d[have:])
		if err != nil {
			return d[:have+got], io.ErrUnexpectedEOF
		}
	}
	return d, nil
}

// WriteDocumentsFile writes the documents to a new file.
func WriteDocumentsFile(name string, documents [][]byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := WriteDocuments(f, documents); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.Close()
}

// ReadDocumentsFile reads a documents file.
func ReadDocumentsFile(name string, limits DocumentLimits) ([][]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	documents, err := ReadDocuments(f, limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return documents, nil
}
