package store

import (
	"bytes"
	"encoding/json"
)

// Of makes a file, in memory, that holds these records: pointers to this
// package's types, the header first.
func Of(name string, records []any) (*File, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, rec := range records {
		if err := setKind(rec); err != nil {
			return nil, err
		}
		if h, ok := rec.(*Header); ok {
			h.Format = FormatV1
		}
		if err := enc.Encode(rec); err != nil {
			return nil, err
		}
	}
	if err := enc.Encode(&Footer{Kind: "footer", Status: "complete"}); err != nil {
		return nil, err
	}
	return InMemory(name, b.Bytes())
}
