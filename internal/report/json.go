package report

import (
	"encoding/json"
	"io"
)

// jsonReport is the report that other programs read (docs/result-format.md).
type jsonReport struct{}

func (jsonReport) Write(w io.Writer, r *Report, _ Options) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}
