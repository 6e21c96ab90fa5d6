package sample

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"wirecost/internal/strictjson"
)

// har reads an HTTP archive: each JSON body of a request or response is a
// document, and those of one endpoint and direction are a sample.
//
// What a HAR says of sizes is unreliable and ignored. Nothing of headers,
// cookies, queries, fragments and user information is looked at or kept.
func (k *keeper) har(src *source) ([]*Sample, error) {
	t := newText(src.file, src)
	if err := t.begin(); err != nil {
		return nil, err
	}
	start := t.at
	data, err := t.all(k.opt.Limits.Decoded, FlagDecoded)
	if err != nil {
		return nil, err
	}
	fixed, fault := mend(data, k.opt)
	if fault != nil {
		if len(bytes.Trim(data, whiteSpace)) == 0 {
			return nil, t.nothing("it holds only white space")
		}
		return nil, t.located(data, start, redacted(fault))
	}
	h := &archiveReader{keeper: k, file: src.file, groups: map[string]*Sample{}}
	h.scan = harScanner{text: &fixed, original: data, at: start, limits: k.opt.Limits, entry: h.entry}
	h.notes.repairs = fixed.Repairs
	if err := h.scan.run(); err != nil {
		return nil, err
	}
	return h.finish()
}

// archiveReader sorts the bodies of a HAR into samples.
type archiveReader struct {
	*keeper
	file    string
	scan    harScanner
	groups  map[string]*Sample // by name
	samples []*Sample          // in the order in which they first come
	notes   harNotes
}

// entry takes one exchange.
func (h *archiveReader) entry(e *harEntry) error {
	h.notes.entries++
	if e.websocket || e.status == 101 {
		h.notes.websocket++
		return nil
	}
	endpoint, dropped := endpointName(e.method, e.url)
	h.notes.shortened = h.notes.shortened || dropped
	if e.request.present() {
		if err := h.body(endpoint+" request", &e.request); err != nil {
			return err
		}
	}
	switch {
	case e.status == 204 || e.status == 304:
		h.notes.unsent++
	case !e.response.present():
		h.notes.empty++
	default:
		return h.body(endpoint+" response", &e.response)
	}
	return nil
}

// body adds one body to the sample of that name, if it is JSON.
func (h *archiveReader) body(name string, b *harBody) error {
	claimsJSON := isJSONType(b.mime)
	data, err := b.content()
	document := bytes.Trim(bytes.TrimPrefix(data, []byte(byteOrderMark)), whiteSpace)
	if err == nil && len(document) == 0 {
		h.notes.empty++
		return nil
	}
	if !claimsJSON && (err != nil || document[0] != '{' && document[0] != '[') {
		h.notes.other++
		return nil
	}
	if err == nil && int64(len(document)) > h.opt.Limits.Document {
		return tooLarge(h.file, b.at, "the body that begins here", h.opt.Limits.Document, FlagDocument)
	}
	var fixed repaired
	if err == nil {
		var fault *strictjson.Error
		if fixed, fault = mend(document, h.opt); fault != nil {
			err = bodyFault(document, fault)
		}
	}
	switch {
	case err != nil && claimsJSON:
		h.notes.broken(&Error{File: h.file, Line: b.at.line, Col: b.at.col, Msg: err.Error()})
		return nil
	case err != nil:
		h.notes.other++
		return nil
	}
	h.notes.claim(b, len(data), h.notes.entries)
	d := Document{Data: bytes.Clone(fixed.data), Source: h.file, Line: b.at.line, Column: b.at.col, Repairs: fixed.Repairs}
	return h.keep(h.group(name), d)
}

// bodyFault says where in a body something is wrong.
func bodyFault(document []byte, fault *strictjson.Error) error {
	at := place{1, 1}.after(document, fault.Offset)
	return fmt.Errorf("line %d, column %d of the body: %s", at.line, at.col, redacted(fault).Msg)
}

var quotation = regexp.MustCompile(`"(\\.|[^"\\])+"`)

// redacted leaves out what the message quotes, since a HAR holds secrets.
func redacted(fault *strictjson.Error) *strictjson.Error {
	f := *fault
	f.Msg = quotation.ReplaceAllLiteralString(f.Msg, `"…"`)
	return &f
}

func (h *archiveReader) group(name string) *Sample {
	s := h.groups[name]
	if s == nil {
		s = &Sample{Name: name}
		h.groups[name] = s
		h.samples = append(h.samples, s)
	}
	return s
}

func (h *archiveReader) finish() ([]*Sample, error) {
	notes := h.notes.list(h.file)
	if len(h.samples) > 0 {
		h.samples[0].Notes = append(notes, h.samples[0].Notes...)
		return h.samples, nil
	}
	reason := "the HAR has no entries"
	switch {
	case !h.scan.hasLog:
		reason = `it has no "log" object, so it is not a HAR`
	case !h.scan.hasEntries:
		reason = `its log has no "entries" array, so it is not a HAR`
	case h.notes.entries > 0:
		reason = fmt.Sprintf("none of the HAR's %s has a body that is JSON", count(h.notes.entries, "entry", "entries"))
	}
	for _, n := range notes {
		reason += "; " + strings.TrimPrefix(n, shown(h.file)+": ")
	}
	if h.notes.empty > 0 {
		reason += `; to have bodies in it, save the HAR "with content"`
	}
	return nil, &NothingError{File: h.file, Reason: reason}
}

// isJSONType tells whether a media type is one of JSON.
func isJSONType(mime string) bool {
	kind, _, _ := strings.Cut(strings.ToLower(mime), ";")
	switch kind = strings.TrimSpace(kind); kind {
	case "application/json", "text/json", "application/x-json", "text/x-json":
		return true
	}
	return strings.HasSuffix(kind, "+json")
}

// harBody is the text of a request or response.
type harBody struct {
	mime    string
	raw     []byte // as written in the HAR, between the quotes
	escaped bool
	base64  bool
	claimed int64 // content.size; -1: none
	at      place // of the text in the HAR
}

// present tells whether there is a text at all.
func (b *harBody) present() bool { return len(b.raw) > 0 }

var (
	errBase64     = errors.New("the body is not in base64, though the HAR says so")
	errCompressed = errors.New("the body is still compressed")
)

// content gives the bytes of the body.
func (b *harBody) content() ([]byte, error) {
	data := b.raw
	if b.escaped {
		data = strictjson.Unquote(nil, data)
	}
	if b.base64 {
		digits := strings.TrimRight(strings.Join(strings.Fields(string(data)), ""), "=")
		plain, err := base64.RawStdEncoding.DecodeString(digits)
		if err != nil {
			return nil, errBase64
		}
		data = plain
	}
	if _, packed := formatOf(data); packed {
		return nil, errCompressed
	}
	return data, nil
}

// harNotes counts what is said of a HAR as a whole.
type harNotes struct {
	entries   int
	websocket int // connections, whose messages are not read
	unsent    int // responses 204 and 304
	empty     int // without a body
	other     int // bodies that are not JSON and do not say so
	bad       int // bodies that say they are JSON and are not
	firstBad  *Error
	disagree  int    // bodies of another size than the HAR claims
	firstSize string // what it claims of the first
	shortened bool   // some endpoint's name leaves out some of the URL
	repairs   Repairs
}

func (n *harNotes) broken(err *Error) {
	if n.bad++; n.bad == 1 {
		n.firstBad = err
	}
}

// claim compares the HAR's own size of a body with its true one.
func (n *harNotes) claim(b *harBody, size, entry int) {
	if b.claimed < 0 || b.claimed == int64(size) {
		return
	}
	if n.disagree++; n.disagree == 1 {
		n.firstSize = fmt.Sprintf("HAR claims %d bytes for the response of entry %d, the body has %d", b.claimed, entry, size)
	}
}

func (n *harNotes) list(file string) []string {
	var notes []string
	note := func(number int, one, many string) {
		if number > 0 {
			notes = append(notes, shown(file)+": "+count(number, one, many))
		}
	}
	note(n.empty, "body is missing or empty", "bodies are missing or empty")
	note(n.unsent, "response is a 204 or 304, which carries no body", "responses are a 204 or 304, which carries no body")
	note(n.websocket, "entry is a WebSocket connection, whose messages are not read", "entries are WebSocket connections, whose messages are not read")
	note(n.other, "body is of another type than JSON", "bodies are of other types than JSON")
	if n.bad > 0 {
		notes = append(notes, fmt.Sprintf("%s: %s; the first: %s", shown(file),
			count(n.bad, "body is declared as JSON and is not", "bodies are declared as JSON and are not"), n.firstBad))
	}
	if n.disagree > 0 {
		more := ""
		if n.disagree > 1 {
			more = fmt.Sprintf(" (and %d more such)", n.disagree-1)
		}
		notes = append(notes, fmt.Sprintf("%s: %s%s; sizes are those of the bodies", shown(file), n.firstSize, more))
	}
	if n.shortened {
		notes = append(notes, shown(file)+": endpoints are named without query, fragment, user and what may be an identifier or a secret in the path")
	}
	for _, r := range n.repairs.notes() {
		notes = append(notes, shown(file)+": in the HAR itself, "+r)
	}
	return notes
}
