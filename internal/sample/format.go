package sample

import (
	"bytes"
	"fmt"
)

// format is a compressed format that data may be in instead of JSON.
type format struct {
	magic       string // how it begins
	name        string // for people, with its extension
	compression string // as nameOf says it; empty where it is not read
}

const longestMagic = 4

// formatOf tells the compressed format that b begins like, if any.
func formatOf(b []byte) (format, bool) {
	for _, f := range []format{
		{"\x1F\x8B", "gzip (.gz)", "gz"},
		{"\x28\xB5\x2F\xFD", "Zstandard (.zst)", "zst"},
		{"BZh", "bzip2 (.bz2)", ""},
		{"\xFD7zX", "XZ (.xz)", ""},
		{"PK\x03\x04", "ZIP (.zip)", ""},
	} {
		if bytes.HasPrefix(b, []byte(f.magic)) {
			return f, true
		}
	}
	return format{}, false
}

// remedy says what to try where what should be the text of a file is in the format.
func (f format) remedy(file string) string {
	_, _, decompressed := nameOf(file)
	switch {
	case f.compression == "":
		return "decompress it first: gzip and Zstandard are read as they are, this is not"
	case decompressed != "" || file == stdinShown:
		return "it is compressed twice: decompress it once"
	}
	return fmt.Sprintf("add .%s to the file's name, and it is decompressed", f.compression)
}
