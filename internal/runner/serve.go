package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Serve is the runner's side of the protocol: it reads requests, puts them to
// p, and writes the replies, until it is asked to stop or the requests end. It
// makes a runner of a Fake. A *ProcessError of p ends it.
func Serve(ctx context.Context, p Process, requests io.Reader, replies io.Writer) error {
	in := NewConn(Streams{Replies: requests})
	out := json.NewEncoder(replies)
	for {
		if err := in.readLine(); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		var h Header
		var answer replier
		err := json.Unmarshal(in.line, &h)
		if err == nil {
			answer, err = serveOne(ctx, p, h.Request, in.line)
		}
		reply, err := replyTo(h, answer, err)
		if err != nil {
			return err
		}
		if err := out.Encode(reply); err != nil || h.Request == "stop" {
			return err
		}
	}
}

// replyTo puts an answer or an error into words. A process that has ended
// cannot answer.
func replyTo(h Header, answer replier, err error) (any, error) {
	var skipped *SkippedError
	var failed *FailedError
	var ended *ProcessError
	switch {
	case err == nil:
		answer.reply().ID = h.ID
		return answer, nil
	case errors.As(err, &skipped):
		return Reply{ID: h.ID, Skipped: skipped.Reason}, nil
	case errors.As(err, &failed):
		return Reply{ID: h.ID, Error: failed.Reason}, nil
	case errors.As(err, &ended):
		return nil, err
	}
	return Reply{ID: h.ID, Error: err.Error()}, nil
}

// serveOne answers one request.
func serveOne(ctx context.Context, p Process, request string, line []byte) (replier, error) {
	switch request {
	case "describe":
		d, err := p.Describe(ctx)
		if err != nil {
			return nil, err
		}
		return &describeReply{Description: *d}, nil
	case "prepare":
		var req PrepareRequest
		if err := json.Unmarshal(line, &req); err != nil {
			return nil, err
		}
		return answer(p.Prepare(ctx, req.Samples, req.Codecs))
	case "verify":
		return pass(ctx, line, p.Verify)
	case "cold":
		return pass(ctx, line, p.Cold)
	case "measure":
		return pass(ctx, line, p.Measure)
	case "memory":
		return pass(ctx, line, p.Memory)
	case "empty":
		return pass(ctx, line, p.Empty)
	case "serve":
		return pass(ctx, line, p.Serve)
	case "usage":
		return answer(p.Usage(ctx))
	case "call":
		return pass(ctx, line, p.Call)
	case "stop":
		return &Reply{}, nil
	}
	return nil, fmt.Errorf("unknown request %q", request)
}

// pass reads a request and puts it to a method of a Process.
func pass[Req any, Rep replier](ctx context.Context, line []byte, ask func(context.Context, Req) (Rep, error)) (replier, error) {
	var req Req
	if err := json.Unmarshal(line, &req); err != nil {
		return nil, err
	}
	return answer(ask(ctx, req))
}

// answer keeps a nil pointer from becoming a reply.
func answer[Rep replier](r Rep, err error) (replier, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}
