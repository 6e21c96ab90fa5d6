package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"wirecost/internal/runner"
)

var (
	errLongRequest = fmt.Errorf("a request has more than %d MB", runner.MaxLine>>20)
	errLongReply   = fmt.Errorf("the page answered with more than %d MB", runner.MaxLine>>20)
)

// readRequests hands on lines as they come. Their end ends everything, whether or
// not the page is at work: who asked is gone.
func (r *run) readRequests(ctx context.Context, from io.Reader) {
	in := bufio.NewReaderSize(from, 1<<16)
	for {
		line, err := readLine(in)
		if err == io.EOF {
			err = errInputEnded
		}
		if err != nil {
			r.fail(err)
			return
		}
		select {
		case r.lines <- line:
		case <-ctx.Done():
			return
		}
	}
}

// readLine reads a line without its end. What follows the last end is no line.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > runner.MaxLine+1:
			return nil, errLongRequest
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// checkReply keeps what is no line of the protocol from wirecost.
func checkReply(reply []byte) error {
	if bytes.ContainsAny(reply, "\r\n") || !json.Valid(reply) {
		return fmt.Errorf("the page answered with what is no line of JSON: %.80q", reply)
	}
	return nil
}
