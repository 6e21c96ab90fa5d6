package schema

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"time"

	"wirecost/internal/strictjson"
)

// formatSet is a set of forms that all strings at a place have.
type formatSet uint8

const (
	formatTimestamp formatSet = 1 << iota
	formatUUID
	formatBase64
	formatDecimal
	formatWord // an enum's value
	formatAll  = 1<<iota - 1
)

// maxWords is the number of distinct values up to which strings may be an enum.
const maxWords = 32

// formatsSeen tells what all strings at a place have in common (typed track).
type formatsSeen struct {
	all   formatSet
	mixed bool  // some string mixes upper case, lower case and others: base64 rather than words
	min   int64 // of decimal strings, up to 0
	max   uint64
	times int64            // strings that look like times
	odd   int64            // and of these, those that would not come back the same
	words map[string]int64 // how often each word was seen
}

func newFormats() *formatsSeen { return &formatsSeen{all: formatAll} }

func (f *formatsSeen) merge(o *formatsSeen) {
	f.all &= o.all
	f.mixed = f.mixed || o.mixed
	f.min = min(f.min, o.min)
	f.max = max(f.max, o.max)
	f.times += o.times
	f.odd += o.odd
	for w, n := range o.words {
		f.addWord(w, n)
	}
	f.drop()
}

func (f *formatsSeen) addWord(w string, n int64) {
	if f.words == nil {
		f.words = map[string]int64{}
	}
	f.words[w] += n
	if len(f.words) > maxWords {
		f.all &^= formatWord
	}
}

// drop forgets words that no enum will be made of.
func (f *formatsSeen) drop() {
	if f.all&formatWord == 0 {
		f.words = nil
	}
}

// addFormats takes the Scanner's string into the formats of a place.
func (p *Partial) addFormats(v *place) {
	f := v.str.formats
	if f == nil {
		f = newFormats()
		v.str.formats = f
	}
	if f.all == 0 && f.times == 0 {
		return
	}
	text := p.scan.Text
	if p.scan.Escaped {
		p.scratch = strictjson.Unquote(p.scratch[:0], text)
		text = p.scratch
	}
	f.add(text)
}

// add keeps those formats that text has too.
func (f *formatsSeen) add(text []byte) {
	f.addTime(text)
	if f.all&formatUUID != 0 && !isUUID(text) {
		f.all &^= formatUUID
	}
	if f.all&formatBase64 != 0 {
		if isBase64(text) {
			f.mixed = f.mixed || mixesCase(text)
		} else {
			f.all &^= formatBase64
		}
	}
	if f.all&formatDecimal != 0 && !f.addDecimal(text) {
		f.all &^= formatDecimal
	}
	if f.all&formatWord != 0 {
		if isEnumWord(text) {
			f.addWord(string(text), 1)
		} else {
			f.all &^= formatWord
		}
		f.drop()
	}
}

// addTime may stop counting once all strings cannot be times any more: the
// counts matter only where they all are.
func (f *formatsSeen) addTime(text []byte) {
	if !isTime(text) {
		f.all &^= formatTimestamp
		return
	}
	f.times++
	if !isCanonicalTime(text) {
		f.odd++
		f.all &^= formatTimestamp
	}
}

// addDecimal takes a decimal integer of 64 bits in its one spelling.
func (f *formatsSeen) addDecimal(text []byte) bool {
	if len(text) == 0 || len(text) > 20 || text[0] == '0' && len(text) > 1 {
		return false
	}
	if text[0] == '-' {
		i, err := strconv.ParseInt(string(text), 10, 64)
		f.min = min(f.min, i)
		return err == nil && i < 0 && text[1] != '0'
	}
	if text[0] == '+' {
		return false
	}
	u, err := strconv.ParseUint(string(text), 10, 64)
	f.max = max(f.max, u)
	return err == nil
}

// decimalType gives the integer type that holds all decimal strings, or "".
func (f *formatsSeen) decimalType() string {
	switch {
	case f.min < 0 && f.max > math.MaxInt64:
		return ""
	case f.min < 0:
		return "sint64"
	case f.max > math.MaxInt64:
		return "uint64"
	}
	return "int64"
}

// isTime tells whether text begins like an RFC 3339 time or a date and time without a zone.
func isTime(b []byte) bool {
	return len(b) >= 19 && len(b) <= 40 && isDigit(b[0]) && b[4] == '-' && b[7] == '-' && (b[10] == 'T' || b[10] == 't' || b[10] == ' ') && b[13] == ':' && b[16] == ':'
}

// isCanonicalTime tells whether text is what ProtoJSON prints for a
// google.protobuf.Timestamp: UTC with Z, and 0, 3, 6 or 9 digits of a second, as
// few as keep it exact.
func isCanonicalTime(b []byte) bool {
	n := len(b)
	if n < 20 || n > 30 || b[n-1] != 'Z' || !isTime(b) {
		return false
	}
	if n > 20 {
		digits := b[20 : n-1]
		if b[19] != '.' || len(digits)%3 != 0 || string(digits[len(digits)-3:]) == "000" {
			return false
		}
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	return err == nil && t.Year() >= 1
}

func isUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	for i, c := range b {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case !isDigit(c) && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

// minBase64 is the length from which a string can be taken for base64.
const minBase64 = 16

// isBase64 tells whether text is standard base64 with padding, in the spelling
// that an encoder would give it.
func isBase64(b []byte) bool {
	if len(b) < minBase64 || len(b)%4 != 0 || slices.Contains(b, '\n') || slices.Contains(b, '\r') {
		return false
	}
	_, err := base64.StdEncoding.Strict().AppendDecode(nil, b)
	return err == nil
}

// mixesCase tells text that is neither a word nor a hexadecimal number.
func mixesCase(b []byte) bool {
	var upper, lower, other bool
	for _, c := range b {
		switch {
		case 'A' <= c && c <= 'Z':
			upper = true
		case 'a' <= c && c <= 'z':
			lower = true
		default:
			other = true
		}
	}
	return upper && lower && other
}

// isEnumWord tells whether text may be the name of an enum's value.
func isEnumWord(b []byte) bool {
	if len(b) == 0 || len(b) > 40 || !isLetter(b[0]) {
		return false
	}
	for _, c := range b {
		if !isLetter(c) && !isDigit(c) {
			return false
		}
	}
	return true
}
