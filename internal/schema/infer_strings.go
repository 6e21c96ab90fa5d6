package schema

import (
	"bytes"

	"wirecost/internal/strictjson"
)

// stringsSeen describes the strings at a place.
type stringsSeen struct {
	count    int64
	bytes    int64 // as written, without quotes
	nonASCII int64 // strings
	longest  int
	json     int64 // strings that hold a JSON object or array
	base64   int64 // long strings that look like base64
	formats  *formatsSeen
}

func (t *stringsSeen) merge(o *stringsSeen) {
	t.count += o.count
	t.bytes += o.bytes
	t.nonASCII += o.nonASCII
	t.longest = max(t.longest, o.longest)
	t.json += o.json
	t.base64 += o.base64
	if o.formats != nil {
		if t.formats == nil {
			t.formats = newFormats()
		}
		t.formats.merge(o.formats)
	}
}

// blobLength is the length from which a string may be called a blob.
const blobLength = 256

// str takes the Scanner's string.
func (p *Partial) str(v *place) {
	s := &p.scan
	text := s.Text
	t := &v.str
	t.count++
	t.bytes += int64(len(text))
	if s.NonASCII {
		t.nonASCII++
	}
	if len(text) > t.longest {
		t.longest = len(text)
	}
	if len(text) > p.longest {
		p.longest = len(text)
	}
	if h := hashString(text); h <= p.repeats.limit {
		p.repeats.add(h, 1, int64(len(text)))
	}
	if len(text) > 1 && (text[0] == '{' || text[0] == '[') && p.holdsJSON(text) {
		t.json++
	}
	if len(text) >= blobLength && looksBase64(text) {
		t.base64++
	}
	if p.typed {
		p.addFormats(v)
	}
}

// holdsJSON tells whether a string is the text of a JSON object, or of an array
// that is not just a word in brackets.
func (p *Partial) holdsJSON(text []byte) bool {
	if end := text[len(text)-1]; end != '}' && end != ']' {
		return false
	}
	p.scratch = append(p.scratch[:0], text...)
	if bytes.IndexByte(text, '\\') >= 0 {
		p.scratch = strictjson.Unquote(p.scratch[:0], text)
	}
	return strictjson.Check(p.scratch, p.opt.Limits) == nil
}

var base64Alphabet = func() (t [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_" {
		t[c] = true
	}
	return t
}()

// looksBase64 judges a long string by its beginning.
func looksBase64(text []byte) bool {
	for _, c := range text[:min(len(text), 96)] {
		if !base64Alphabet[c] {
			return false
		}
	}
	return true
}
