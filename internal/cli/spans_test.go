package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestSpansKeepWholeLinesSpreadOverTheInput(t *testing.T) {
	var all bytes.Buffer
	for i := range 400_000 {
		fmt.Fprintf(&all, `{"n":%d,"pad":%q}`+"\n", i, strings.Repeat("p", i%50))
	}
	known := map[string]bool{}
	for line := range bytes.Lines(all.Bytes()) {
		known[strings.TrimSpace(string(line))] = true
	}
	s := newSpans(iotest.HalfReader(bytes.NewReader(all.Bytes())))
	s.every, s.length, s.most = 64<<10, 4<<10, 16
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Fatal(err)
	}
	lines := s.lines()
	if len(lines) < 200 {
		t.Fatalf("only %d lines were kept", len(lines))
	}
	kept := 0
	for _, line := range lines {
		kept += len(line)
		if !known[string(line)] {
			t.Fatalf("%q is no line of the input", line)
		}
	}
	if kept > 16*4<<10 {
		t.Errorf("%d bytes are kept; the bound is %d", kept, 16*4<<10)
	}
	if string(lines[0]) != `{"n":0,"pad":""}` {
		t.Errorf("the first line is missing: %s", lines[0])
	}
	if last := s.pieces[len(s.pieces)-1].at; last < int64(all.Len())/2 {
		t.Errorf("the last piece begins at %d of %d", last, all.Len())
	}
}

func TestSpansOfASmallInputAreAllOfIt(t *testing.T) {
	in := "{\"a\":1}\n\n{\"a\":2}\r\n{\"a\":3}"
	s := newSpans(strings.NewReader(in))
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Fatal(err)
	}
	if got := bytes.Join(s.lines(), []byte(" ")); string(got) != `{"a":1} {"a":2} {"a":3}` {
		t.Errorf("lines are %s", got)
	}
}
