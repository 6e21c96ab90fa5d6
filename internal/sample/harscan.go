package sample

import (
	"strconv"

	"wirecost/internal/strictjson"
)

// harEntry is what is read of one exchange.
type harEntry struct {
	method, url       string
	status            int
	websocket         bool
	request, response harBody
}

// harScanner walks the text of a HAR, which is known to be JSON, and hands on
// its entries. Members that it does not know, or of a type that it does not
// expect, it steps over.
type harScanner struct {
	strictjson.Scanner
	text     *repaired // what is walked
	original []byte    // what the user wrote
	offset   int       // a place in original …
	at       place     // … and its line and column
	limits   Limits
	entry    func(*harEntry) error

	hasLog, hasEntries bool
	err                error // of entry
}

// run walks the whole text.
func (h *harScanner) run() error {
	h.Reset(h.text.data, h.limits.json(len(h.text.data)))
	h.members(h.Value(), func(key string, kind strictjson.Kind) {
		if key != "log" || kind != strictjson.Object {
			h.Skip(kind)
			return
		}
		h.hasLog = true
		h.members(kind, func(key string, kind strictjson.Kind) {
			if key != "entries" || kind != strictjson.Array {
				h.Skip(kind)
				return
			}
			h.hasEntries = true
			h.entries()
		})
	})
	return h.err
}

// members calls fn, which consumes the value, for each member of the object
// whose kind Value has just returned, and steps over anything else.
func (h *harScanner) members(kind strictjson.Kind, fn func(key string, kind strictjson.Kind)) {
	if kind != strictjson.Object {
		h.Skip(kind)
		return
	}
	for first := true; h.err == nil && h.Key(first); first = false {
		key := string(strictjson.Unquote(nil, h.Text))
		fn(key, h.Value())
	}
}

func (h *harScanner) entries() {
	for first := true; h.err == nil && h.Elem(first); first = false {
		e := harEntry{request: harBody{claimed: -1}, response: harBody{claimed: -1}}
		h.members(h.Value(), func(key string, kind strictjson.Kind) {
			switch key {
			case "request":
				h.request(kind, &e)
			case "response":
				h.response(kind, &e)
			case "_resourceType":
				e.websocket = e.websocket || h.str(kind) == "websocket"
			case "_webSocketMessages":
				e.websocket = true
				h.Skip(kind)
			default:
				h.Skip(kind)
			}
		})
		if h.err == nil && h.Err() == nil {
			h.err = h.entry(&e)
		}
	}
}

func (h *harScanner) request(kind strictjson.Kind, e *harEntry) {
	h.members(kind, func(key string, kind strictjson.Kind) {
		switch key {
		case "method":
			e.method = h.str(kind)
		case "url":
			e.url = h.str(kind)
		case "postData":
			h.body(kind, &e.request)
			e.request.claimed = -1
		default:
			h.Skip(kind)
		}
	})
}

func (h *harScanner) response(kind strictjson.Kind, e *harEntry) {
	h.members(kind, func(key string, kind strictjson.Kind) {
		switch key {
		case "status":
			e.status = int(h.number(kind))
		case "content":
			h.body(kind, &e.response)
		default:
			h.Skip(kind)
		}
	})
}

func (h *harScanner) body(kind strictjson.Kind, b *harBody) {
	h.members(kind, func(key string, kind strictjson.Kind) {
		switch {
		case key == "mimeType":
			b.mime = h.str(kind)
		case key == "encoding":
			b.base64 = h.str(kind) == "base64"
		case key == "size":
			b.claimed = h.number(kind)
		case key == "text" && kind == strictjson.String:
			b.raw, b.escaped, b.at = h.Text, h.Escaped, h.place()
		default:
			h.Skip(kind)
		}
	})
}

// place gives the place of the current string's contents. It moves forward only.
func (h *harScanner) place() place {
	offset := h.text.origin(h.Start + 1)
	h.at = h.at.after(h.original[h.offset:], offset-h.offset)
	h.offset = offset
	return h.at
}

// str gives the value of a string, and steps over anything else.
func (h *harScanner) str(kind strictjson.Kind) string {
	if kind != strictjson.String {
		h.Skip(kind)
		return ""
	}
	return string(strictjson.Unquote(nil, h.Text))
}

// number gives a whole number, and -1 for anything else.
func (h *harScanner) number(kind strictjson.Kind) int64 {
	if kind != strictjson.Number {
		h.Skip(kind)
		return -1
	}
	if n, err := strconv.ParseInt(string(h.Text), 10, 64); err == nil {
		return n
	}
	return -1
}
