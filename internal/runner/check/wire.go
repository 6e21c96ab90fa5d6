package check

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/size"
)

// hardName is what a sample is called while it crosses a transport: HAR endpoints
// are samples, so that a name may hold all that a path must not.
const hardName = `GET a b/ä%?#+&=:`

// subject is a sample under the name that it has on a transport.
type subject struct {
	runner.SampleFiles
	of        string   // its name for the functions of Options
	documents [][]byte // in the codec's form
	leaf      []uint32 // of each; nil: not known
}

// subjects are the samples that a codec is checked with over transports: the
// first, and one with a document of no bytes, if there is one.
func (c *checker) subjects(codec runner.CodecDescription) ([]subject, error) {
	first, err := c.subject(codec, c.opts.Samples[0], hardName)
	if err != nil {
		return nil, err
	}
	all := []subject{first}
	for _, v := range c.opts.Values {
		x, err := c.subject(codec, v.SampleFiles, v.Sample)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(x.documents, func(d []byte) bool { return len(d) == 0 }) {
			return append(all, x), nil
		}
	}
	return all, nil
}

func (c *checker) subject(codec runner.CodecDescription, s runner.SampleFiles, name string) (subject, error) {
	x := subject{SampleFiles: s, of: s.Sample}
	x.Sample = name
	var err error
	x.documents, err = runner.ReadDocumentsFile(s.Files[codec.Documents], runner.DocumentLimits{Documents: s.Documents, Bytes: 1 << 30})
	if err == nil && c.opts.Checksums != nil {
		x.leaf, _, err = c.opts.Checksums(s.Sample, c.description.StringUnit)
	}
	return x, err
}

// overTransports prepares a codec for its subjects and passes on those that it
// can handle.
func (c *checker) overTransports(ctx context.Context, s *Session, codec runner.CodecDescription, rule string) ([]subject, error) {
	var usable []subject
	err := c.step(rule, codec.Name, "it reads the documents, or says for which sample it cannot, and why", func() error {
		all, err := c.subjects(codec)
		if err != nil {
			return err
		}
		var files []runner.SampleFiles
		for _, x := range all {
			files = append(files, x.SampleFiles)
		}
		skips, err := c.prepare(ctx, s, codec.Name, files)
		for _, x := range all {
			if why, skipped := skips[x.Sample]; skipped {
				c.line.Skipped = why
				continue
			}
			usable = append(usable, x)
		}
		return err
	})
	return usable, err
}

// codingsOf are the content codings that the runner announces for a transport,
// identity first.
func (c *checker) codingsOf(t bench.Transport) ([]size.Coding, error) {
	list := []string{bench.Identity}
	if t != bench.Redis {
		list = append(list, c.description.Encodings...)
	}
	return size.Parse(strings.Join(list, ","))
}

// contentCoding is a coding's name in HTTP: without its level.
func contentCoding(x size.Coding) string {
	name, _, _ := strings.Cut(x.Name(), ":")
	return name
}

func mediaType(f bench.Format) string {
	if f == bench.Protobuf {
		return "application/x-protobuf"
	}
	return "application/json"
}

// describeTransports checks what the description says of transports.
func (c *checker) describeTransports(d *runner.Description) {
	for _, t := range d.Serves {
		if t != bench.HTTP && t != bench.HTTP2 {
			c.found("", "serves has %q; there are http and http2", t)
		}
	}
	for _, t := range d.Calls {
		if t != bench.HTTP && t != bench.HTTP2 && t != bench.Redis {
			c.found("", "calls has %q; there are http, http2 and redis", t)
		}
	}
	for _, e := range d.Encodings {
		if _, err := size.Parse(e); err != nil || !strings.Contains(e, ":") {
			c.found("", "encodings has %q; want gzip, zstd or br with a level, as in gzip:6", e)
		}
	}
}

// part is what is checked of one codec in one process.
type part = func(context.Context, *Session, runner.CodecDescription) error

// both tells whether a codec can be on either side of a request.
func both(d runner.CodecDescription) bool {
	return slices.Contains(d.Operations, bench.Encode) && slices.Contains(d.Operations, bench.Decode)
}

// transports are the checks of all transports that the runner announces. What is
// not a codec's doing is checked with the first that can do everything.
func (c *checker) transports(codec runner.CodecDescription) []part {
	first := both(codec) && !c.mannered
	c.mannered = c.mannered || first
	var parts []part
	for _, t := range c.description.Serves {
		parts = append(parts, c.serves(t))
		if first {
			parts = append(parts, c.serverManners(t))
		}
	}
	for _, t := range c.description.Calls {
		if t == bench.Redis {
			parts = append(parts, c.callsRedis)
			if first {
				parts = append(parts, c.redisManners)
			}
			continue
		}
		parts = append(parts, c.calls(t))
		if first {
			parts = append(parts, c.hostile(t), c.hanging(t))
		}
	}
	return parts
}

// limitTimes and limitBytes are what a decompressed body may have: so many times
// the largest document, and so many more.
const (
	limitTimes = 16
	limitBytes = 16 << 20
)

// inflated makes a document so large that it has to be refused for that, though
// it means the same: white space follows, or a field that is not known.
func inflated(f bench.Format, x subject) []byte {
	largest := 0
	for _, d := range x.documents {
		largest = max(largest, len(d))
	}
	more := limitTimes*largest + limitBytes + 1<<20
	out := slices.Clone(x.documents[0])
	if f != bench.Protobuf {
		return append(out, slices.Repeat([]byte(" "), more)...)
	}
	const field = 536870911 // the last number that there is
	out = binary.AppendUvarint(out, field<<3|2)
	out = binary.AppendUvarint(out, uint64(more))
	return append(out, make([]byte, more)...)
}

// slack is by how much spans may miss the whole of a request: 3%, or 20 µs, or
// what the clock cannot show.
func (c *checker) slack(total int64) int64 {
	return int64(max(0.03*float64(total), 20_000, 6*c.description.ClockStepNS))
}

// checkSpans checks that the spans of most requests add up to the whole, and
// that those are 0 which there are not.
func (c *checker) checkSpans(r *runner.CallReply, none ...[]int64) error {
	wrong, worst := 0, int64(0)
	for i, total := range r.TotalNS {
		rest := total - r.EncodeNS[i] - r.CompressNS[i] - r.TransferNS[i] - r.DecompressNS[i] - r.DecodeNS[i]
		if rest = max(rest, -rest); rest > c.slack(total) {
			wrong++
			worst = max(worst, rest)
		}
	}
	if 2*wrong > len(r.TotalNS) {
		return fmt.Errorf("the spans of %d of %d requests do not add up to their total; up to %d ns are missing or too many", wrong, len(r.TotalNS), worst)
	}
	for _, span := range none {
		if slices.ContainsFunc(span, func(ns int64) bool { return ns != 0 }) {
			return errors.New("a span is not 0 that the request has not: compress and decompress without a coding, or encode or decode that the other side does")
		}
	}
	if r.CPUNS < -1 || r.Allocated < -1 || r.WireBytes < 0 {
		return fmt.Errorf("cpu_ns is %d, allocated %d, wire_bytes %d; want -1 where it is not known", r.CPUNS, r.Allocated, r.WireBytes)
	}
	return nil
}
