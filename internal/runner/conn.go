package runner

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
)

// MaxLine is the longest line that the protocol allows, in bytes.
const MaxLine = 16 << 20

// Streams are a connection to a runner, whatever carries it: one JSON object
// per line in each direction.
type Streams struct {
	Requests io.Writer
	Replies  io.Reader
	// Stop breaks the connection: pending reads and writes end soon. It may be
	// called at any time, from any goroutine, and more than once.
	Stop func()
	// Explain says why reading or writing failed: how the runner ended, and the
	// last lines of its standard error. May be nil.
	Explain func(error) (what, stderr string)
}

// Conn speaks the protocol over streams. It is a Process.
type Conn struct {
	streams   Streams
	in        *bufio.Reader
	out       bytes.Buffer
	encoder   *json.Encoder
	line      []byte // the last reply, reused
	id        int
	broken    *ProcessError
	documents map[string]int // sample → how many, from Prepare
	measured  MeasureReply   // reused
	called    CallReply      // reused

	exhaustion func(error) error // sees whether an error is for want of memory; may be nil
}

// NewConn begins a conversation.
func NewConn(s Streams) *Conn {
	c := &Conn{streams: s, in: bufio.NewReaderSize(s.Replies, 1<<16), documents: map[string]int{}}
	c.encoder = json.NewEncoder(&c.out)
	c.encoder.SetEscapeHTML(false)
	return c
}

// Exchange sends one line as it is and returns the runner's next line, which is
// valid until the next exchange. It serves to ask what no honest request asks.
func (c *Conn) Exchange(ctx context.Context, line []byte) ([]byte, error) {
	c.out.Reset()
	c.out.Write(line)
	c.out.WriteByte('\n')
	return c.exchange(ctx, "a line")
}

// Next returns a line that the runner wrote without being asked, valid until the
// next exchange. It serves to find what it says after its last reply.
func (c *Conn) Next(ctx context.Context) ([]byte, error) {
	c.out.Reset()
	return c.exchange(ctx, "nothing")
}

// exchange sends what is in the buffer and reads one line.
func (c *Conn) exchange(ctx context.Context, request string) ([]byte, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DefaultDeadline)
		defer cancel()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // nothing was asked, so the runner lives on
	}
	release := context.AfterFunc(ctx, c.streams.Stop)
	var err error
	if c.out.Len() > 0 {
		_, err = c.streams.Requests.Write(c.out.Bytes())
	}
	if err == nil {
		err = c.readLine()
	}
	if !release() { // the deadline has passed, and Stop was called
		return nil, c.late(ctx, request)
	}
	if err != nil {
		return nil, c.lost(err, request)
	}
	return c.line, nil
}

func (c *Conn) late(ctx context.Context, request string) error {
	what := "did not answer " + request + " in time and was stopped"
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		what = "was stopped while it was asked for " + request
	}
	_ = c.breaks(what, nil)
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	return c.broken
}

func (c *Conn) lost(err error, request string) error {
	if errors.Is(err, errLongLine) {
		return c.breaks(fmt.Sprintf("answered %s with a line of more than %d MB", request, MaxLine>>20), nil)
	}
	return c.breaks("ended when it was asked for "+request, err)
}

// breaks marks the conversation as over and stops the runner.
func (c *Conn) breaks(what string, err error) *ProcessError {
	e := &ProcessError{What: what}
	if err == nil {
		c.streams.Stop()
	}
	defer c.streams.Stop() // after Explain: a runner that is ending shall do so by itself
	if c.streams.Explain != nil {
		how, stderr := c.streams.Explain(err)
		if err != nil && how != "" {
			e.What += ": " + how
		}
		e.Stderr = stderr
	} else if err != nil {
		e.What += ": " + err.Error()
	}
	c.broken = e
	return e
}

var errLongLine = errors.New("line too long")

// readLine reads one line into c.line, without its end.
func (c *Conn) readLine() error {
	c.line = c.line[:0]
	for {
		part, err := c.in.ReadSlice('\n')
		c.line = append(c.line, part...)
		if len(c.line) > MaxLine+1 {
			return errLongLine
		}
		switch {
		case err == nil:
			c.line = bytes.TrimRight(c.line, "\r\n")
			return nil
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(c.line) > 0:
			return io.ErrUnexpectedEOF
		default:
			return err
		}
	}
}

// replier is a reply with its Reply part in reach.
type replier interface{ reply() *Reply }

func (r *Reply) reply() *Reply { return r }

// describeReply adds the reply's header to a description.
type describeReply struct {
	Reply
	Description
}

// ask sends one request and reads its reply into into. The request has its
// header filled in by next.
func (c *Conn) ask(ctx context.Context, name string, request any, into replier) error {
	err := c.request(ctx, name, request, into)
	if err != nil && c.exhaustion != nil {
		return c.exhaustion(err)
	}
	return err
}

func (c *Conn) request(ctx context.Context, name string, request any, into replier) error {
	if c.broken != nil {
		return c.broken
	}
	c.out.Reset()
	if err := c.encoder.Encode(request); err != nil {
		return err
	}
	if c.out.Len() > MaxLine {
		return fmt.Errorf("the request %s has %d bytes; a line may have %d", name, c.out.Len(), MaxLine)
	}
	line, err := c.exchange(ctx, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, into); err != nil {
		return c.breaks(fmt.Sprintf("answered %s with %s: %v", name, excerpt(line), err), nil)
	}
	switch r := into.reply(); {
	case r.ID != c.id:
		return c.breaks(fmt.Sprintf("answered request %d, %s, with the id %d: %s", c.id, name, r.ID, excerpt(line)), nil)
	case r.Skipped != "" && r.Error != "":
		return c.breaks(fmt.Sprintf("answered %s with skipped and error at once: %s", name, excerpt(line)), nil)
	case r.Skipped != "":
		return &SkippedError{r.Skipped}
	case r.Error != "":
		return &FailedError{r.Error}
	}
	return nil
}

// excerpt shows the start of a line that may hold anything.
func excerpt(line []byte) string {
	if len(line) > 80 {
		return fmt.Sprintf("%q…", line[:80])
	}
	return fmt.Sprintf("%q", line)
}

func (c *Conn) next(request string) Header {
	c.id++
	return Header{ID: c.id, Request: request}
}

// Describe implements Process.
func (c *Conn) Describe(ctx context.Context) (*Description, error) {
	var r describeReply
	if err := c.ask(ctx, "describe", c.next("describe"), &r); err != nil {
		return nil, err
	}
	if r.Protocol != ProtocolVersion {
		return nil, c.breaks(fmt.Sprintf("speaks the protocol %q; want %q", r.Protocol, ProtocolVersion), nil)
	}
	return &r.Description, nil
}

// Prepare implements Process.
func (c *Conn) Prepare(ctx context.Context, samples []SampleFiles, codecs []string) (*PrepareReply, error) {
	r := &PrepareReply{}
	if err := c.ask(ctx, "prepare", PrepareRequest{c.next("prepare"), samples, codecs}, r); err != nil {
		return nil, err
	}
	for _, s := range samples {
		c.documents[s.Sample] = s.Documents
	}
	for _, s := range r.Skips {
		if _, ok := c.documents[s.Sample]; !ok || !slices.Contains(codecs, s.Codec) {
			return nil, c.breaks(fmt.Sprintf("skips the codec %q for the sample %q, which it was not asked for", s.Codec, s.Sample), nil)
		}
	}
	return r, nil
}

// Verify implements Process.
func (c *Conn) Verify(ctx context.Context, req VerifyRequest) (*VerifyReply, error) {
	req.Header = c.next("verify")
	r := &VerifyReply{}
	if err := c.ask(ctx, "verify", req, r); err != nil {
		return nil, err
	}
	want := c.documents[req.Sample]
	if len(r.Leaf) != want || r.Visit != nil && len(r.Visit) != want {
		return nil, c.breaks(fmt.Sprintf("answered verify with %d leaf and %d visit checksums for %d documents", len(r.Leaf), len(r.Visit), want), nil)
	}
	return r, nil
}

// Cold implements Process.
func (c *Conn) Cold(ctx context.Context, req ColdRequest) (*ColdReply, error) {
	req.Header = c.next("cold")
	r := &ColdReply{}
	if err := c.ask(ctx, "cold", req, r); err != nil {
		return nil, err
	}
	if len(r.NS) != req.Count || slices.ContainsFunc(r.NS, negative) {
		return nil, c.breaks(fmt.Sprintf("answered cold with %d times, or negative ones; want %d", len(r.NS), req.Count), nil)
	}
	return r, nil
}

// Measure implements Process.
func (c *Conn) Measure(ctx context.Context, req MeasureRequest) (*MeasureReply, error) {
	req.Header = c.next("measure")
	r := &c.measured
	*r = MeasureReply{WallNS: r.WallNS[:0], Checksum: r.Checksum[:0], CPUNS: -1, Preemptions: -1, Collections: -1}
	if err := c.ask(ctx, "measure", &req, r); err != nil {
		return nil, err
	}
	if len(r.WallNS) != len(req.Turn) || len(r.Checksum) != len(req.Turn) {
		return nil, c.breaks(fmt.Sprintf("answered measure with %d times and %d checksums for %d batches", len(r.WallNS), len(r.Checksum), len(req.Turn)), nil)
	}
	if slices.ContainsFunc(r.WallNS, negative) {
		return nil, c.breaks("answered measure with a negative time", nil)
	}
	return r, nil
}

// Memory implements Process.
func (c *Conn) Memory(ctx context.Context, req MemoryRequest) (*MemoryReply, error) {
	req.Header = c.next("memory")
	r := &MemoryReply{}
	if err := c.ask(ctx, "memory", req, r); err != nil {
		return nil, err
	}
	if r.Allocations < -1 || r.Bytes < 0 {
		return nil, c.breaks("answered memory with a negative count", nil)
	}
	return r, nil
}

// Empty implements Process.
func (c *Conn) Empty(ctx context.Context, req EmptyRequest) (*EmptyReply, error) {
	req.Header = c.next("empty")
	r := &EmptyReply{WallNS: -1}
	if err := c.ask(ctx, "empty", req, r); err != nil {
		return nil, err
	}
	if r.WallNS < 0 {
		return nil, c.breaks("answered empty without a time, or with a negative one", nil)
	}
	return r, nil
}

// Serve implements Process.
func (c *Conn) Serve(ctx context.Context, req ServeRequest) (*ServeReply, error) {
	req.Header = c.next("serve")
	r := &ServeReply{}
	if err := c.ask(ctx, "serve", req, r); err != nil {
		return nil, err
	}
	if _, _, err := net.SplitHostPort(r.Address); err != nil {
		return nil, c.breaks(fmt.Sprintf("answered serve with the address %q; want host and port", r.Address), nil)
	}
	return r, nil
}

// Usage implements Process.
func (c *Conn) Usage(ctx context.Context) (*UsageReply, error) {
	r := &UsageReply{CPUNS: -1}
	if err := c.ask(ctx, "usage", c.next("usage"), r); err != nil {
		return nil, err
	}
	return r, nil
}

// Call implements Process.
func (c *Conn) Call(ctx context.Context, req CallRequest) (*CallReply, error) {
	req.Header = c.next("call")
	r := &c.called
	r.reset()
	if err := c.ask(ctx, "call", &req, r); err != nil {
		return nil, err
	}
	for _, span := range r.arrays() {
		if len(*span) != req.Requests {
			return nil, c.breaks(fmt.Sprintf("answered call with %d times of a span for %d requests", len(*span), req.Requests), nil)
		}
		if slices.ContainsFunc(*span, negative) {
			return nil, c.breaks("answered call with a negative time", nil)
		}
	}
	return r, nil
}

func (r *CallReply) arrays() []*[]int64 {
	return []*[]int64{&r.TotalNS, &r.EncodeNS, &r.CompressNS, &r.TransferNS, &r.DecompressNS, &r.DecodeNS}
}

// reset empties a reply and keeps its arrays' memory.
func (r *CallReply) reset() {
	for _, a := range r.arrays() {
		*a = (*a)[:0]
	}
	r.Reply, r.WireBytes, r.Checksum, r.CPUNS, r.Allocated = Reply{}, 0, 0, -1, -1
}

func negative(ns int64) bool { return ns < 0 }

// Close implements Process: it asks the runner to stop, and breaks the
// connection whether or not it answers.
func (c *Conn) Close() error {
	defer c.streams.Stop()
	return c.stop()
}

func (c *Conn) stop() error {
	if c.broken != nil {
		return nil // told already
	}
	ctx, cancel := context.WithTimeout(context.Background(), killAfter)
	defer cancel()
	var r Reply
	return c.ask(ctx, "stop", c.next("stop"), &r)
}
