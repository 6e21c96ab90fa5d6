package sample

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"wirecost/internal/strictjson"
)

var fuzzLimits = Limits{Document: 1 << 16, Line: 1 << 16, Decoded: 1 << 18, Depth: 40, Keys: 100, Documents: 10_000}

// read reads text of a kind as Open does.
func read(k kind, text []byte, opt Options) ([]*Sample, error) {
	opt.Limits = fuzzLimits.orDefaults()
	keep := &keeper{opt: opt}
	src := &source{file: "input", kind: k, Reader: bytes.NewReader(text)}
	if k == kindHAR {
		return keep.har(src)
	}
	s := &Sample{ID: "input", Name: "input"}
	if err := keep.read(src, s); err != nil {
		return nil, err
	}
	return []*Sample{s}, nil
}

// checkRead holds what is true of reading any text: what is accepted passes the
// checker, and errors have a place inside the text.
func checkRead(t *testing.T, text []byte, samples []*Sample, err error) {
	t.Helper()
	var nothing *NothingError
	var located *Error
	switch {
	case err == nil:
		for _, s := range samples {
			for _, d := range s.Documents {
				if err := strictjson.Check(d.Data, strictjson.Limits{Depth: fuzzLimits.Depth, Keys: fuzzLimits.Keys}); err != nil {
					t.Errorf("accepted, but %v: %q", err, d.Data)
				}
				checkPlace(t, text, d.Line, d.Column)
			}
		}
	case errors.As(err, &nothing):
	case errors.As(err, &located):
		if located.Line > 0 {
			checkPlace(t, text, located.Line, located.Col)
		}
		if strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("error of several lines: %q", err)
		}
	default:
		t.Errorf("error of type %T: %v", err, err)
	}
}

func checkPlace(t *testing.T, text []byte, line, col int) {
	t.Helper()
	lines := bytes.Split(text, []byte{'\n'})
	if line < 1 || line > len(lines) || col < 1 || col > len(lines[line-1])+1 {
		t.Errorf("place %d:%d is outside the text %q", line, col, text)
	}
}

// valid tells what the checker says of text without its byte order mark.
func valid(text []byte, depth int) bool {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	return strictjson.Check(text, strictjson.Limits{Depth: depth, Keys: fuzzLimits.Keys}) == nil
}

func isNothing(err error) bool {
	var nothing *NothingError
	return errors.As(err, &nothing)
}

func isLimit(err error) bool { return errors.Is(err, ErrLimit) }

func FuzzJSON(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte, repair bool) {
		whole, err := read(kindJSON, text, Options{Whole: true})
		checkRead(t, text, whole, err)
		if ok := valid(text, fuzzLimits.Depth); ok != (err == nil) && !isLimit(err) {
			t.Errorf("the checker says %v, the reader %v: %q", ok, err, text)
		}
		// The elements of an array, put together, are what the array was.
		parts, err := read(kindJSON, text, Options{})
		checkRead(t, text, parts, err)
		ok := valid(text, fuzzLimits.Depth+1)
		if trimmed := trimLeft(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))); len(trimmed) == 0 || trimmed[0] != '[' {
			ok = valid(text, fuzzLimits.Depth)
		} else if err == nil && ok {
			var joined []string
			for _, d := range parts[0].Documents {
				joined = append(joined, string(strictjson.Compact(nil, d.Data)))
			}
			if want := string(strictjson.Compact(nil, bytes.Trim(trimmed, whiteSpace))); "["+strings.Join(joined, ",")+"]" != want {
				t.Errorf("elements %q of %s", joined, want)
			}
		}
		if ok != (err == nil) && !isLimit(err) && !isNothing(err) {
			t.Errorf("the checker says %v, the reader of elements %v: %q", ok, err, text)
		}
		looked, err := read(kindUnknown, text, Options{})
		checkRead(t, text, looked, err)
		if repair {
			repaired, err := read(kindJSON, text, Options{Replace: true, LastWins: true})
			checkRead(t, text, repaired, err)
			if parts != nil && (err != nil || len(repaired[0].Documents) != len(parts[0].Documents)) {
				t.Errorf("repairing what is right: %v", err)
			}
		}
	})
}

func FuzzNDJSON(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte) {
		samples, err := read(kindLines, text, Options{})
		checkRead(t, text, samples, err)
		good, documents := true, 0
		for _, line := range bytes.Split(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")), []byte{'\n'}) {
			if len(trimLeft(line)) == 0 {
				continue
			}
			documents++
			good = good && strictjson.Check(line, strictjson.Limits{Depth: fuzzLimits.Depth, Keys: fuzzLimits.Keys}) == nil
		}
		switch {
		case isLimit(err) || documents == 0 && isNothing(err):
		case good != (err == nil):
			t.Errorf("good lines: %v, but %v: %q", good, err, text)
		case err == nil && len(samples[0].Documents) != documents:
			t.Errorf("%d documents of %d: %q", len(samples[0].Documents), documents, text)
		}
	})
}

func FuzzHAR(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte, repair bool) {
		opt := Options{Replace: repair, LastWins: repair}
		samples, err := read(kindHAR, text, opt)
		checkRead(t, text, samples, err)
		if err == nil && !repair && !valid(text, fuzzLimits.Depth) {
			t.Errorf("a HAR that is not JSON is accepted: %q", text)
		}
		var ids identifiers
		ids.add("input.har", samples)
		ids.assign(samples)
		for _, s := range samples {
			if safe(s.ID) != s.ID || len(s.Documents) == 0 || strings.ContainsAny(s.Name, "?#@\n") {
				t.Errorf("sample %q, %q, %d documents", s.ID, s.Name, len(s.Documents))
			}
		}
	})
}

func FuzzCompressed(f *testing.F) {
	f.Fuzz(func(t *testing.T, packed []byte) {
		for _, compression := range []string{"gz", "zst"} {
			opt := Options{Limits: fuzzLimits.orDefaults()}
			src := &source{file: "input", kind: kindJSON, Reader: bytes.NewReader(packed)}
			s := &Sample{Name: "input"}
			err := src.decompress(compression, opt.Limits)
			if err == nil {
				err = (&keeper{opt: opt}).read(src, s)
			}
			src.Close()
			var located *Error
			switch {
			case err == nil && s.Bytes > fuzzLimits.Decoded:
				t.Errorf("%d bytes decoded", s.Bytes)
			case err != nil && !isNothing(err) && !errors.As(err, &located):
				t.Errorf("error of type %T: %v", err, err)
			}
		}
	})
}
