package runners_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/runner/runnertest"
)

// TestBrowserCallsServers lets pages call a server of another runtime, with all
// their codecs, and checks sizes and spans.
func TestBrowserCallsServers(t *testing.T) {
	eachBrowser(t, func(t *testing.T, browser string) {
		s := goSchemas[1]
		r, builder := runnertest.Runtime(t, "go")
		served := buildGo(t, builder, r, s, []string{"encoding-json", "protobuf"}, bench.HTTP)
		server := start(t, served.Build)
		served.prepare(t, server)
		at, err := server.Serve(t.Context(), runner.ServeRequest{Transport: bench.HTTP, Address: "127.0.0.1:0"})
		if err != nil {
			t.Fatal(err)
		}
		b := buildBrowser(t, browser, s, bench.HTTP)
		for _, codec := range b.Codecs {
			t.Run(codec, func(t *testing.T) { b.calls(t, s, codec, "http://"+at.Address) })
		}
	})
}

// calls makes calls with one codec for every sample that it can handle.
func (b *goBuild) calls(t *testing.T, s goSchema, codec, address string) {
	p := start(t, b.Build)
	d, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Calls, []bench.Transport{bench.HTTP}) || len(d.Serves) != 0 || !slices.Equal(d.Encodings, []string{"gzip:6", "zstd:3", "br:4"}) {
		t.Errorf("it calls %v, serves %v, under %v", d.Calls, d.Serves, d.Encodings)
	}
	reply, err := p.Prepare(t.Context(), b.files, []string{codec})
	if err != nil {
		t.Fatal(err)
	}
	c := d.Codecs[slices.IndexFunc(d.Codecs, func(c runner.CodecDescription) bool { return c.Name == codec })]
	peer := map[bench.Format]string{bench.JSON: "encoding-json", bench.Protobuf: "protobuf"}[c.Format]
	for _, sample := range s.samples {
		if (preparation{reply}).skipped(sample.name, codec) != "" {
			continue
		}
		q := runner.CallRequest{
			Transport: bench.HTTP, Address: address, Sample: sample.name, Codec: codec, Peer: peer,
			Requests: 2*len(sample.documents) + 1, Window: len(sample.documents),
		}
		for _, q.Operation = range []bench.Operation{bench.Get, bench.Post} {
			for _, q.Encoding = range append([]string{bench.Identity}, d.Encodings...) {
				b.call(t, p, c, q)
			}
		}
	}
}

func (b *goBuild) call(t *testing.T, p runner.Process, c runner.CodecDescription, q runner.CallRequest) {
	t.Helper()
	what := fmt.Sprintf("%s of %s under %s", q.Operation, q.Sample, q.Encoding)
	r, err := p.Call(t.Context(), q)
	if q.Operation == bench.Post && (q.Encoding == "zstd:3" || q.Encoding == "br:4") {
		if err == nil || !strings.HasPrefix(err.Error(), "skipped: browsers do not compress by ") {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	var checksum uint32
	var length int64
	for i := range q.Requests {
		m := b.messages[q.Sample][i%q.Window]
		leaf, _, err := b.refs[q.Sample].Checksums(m, map[bench.Operation]string{bench.Get: "utf16", bench.Post: "utf8"}[q.Operation])
		if err != nil {
			t.Fatal(err)
		}
		checksum += leaf
		if wire, err := b.refs[q.Sample].Marshal(m); err != nil {
			t.Fatal(err)
		} else if c.Format == bench.Protobuf {
			length += int64(len(wire))
		}
	}
	if r.Checksum != checksum {
		t.Errorf("%s: checksum %d; want %d", what, r.Checksum, checksum)
	}
	if r.WireBytes <= 0 || c.Format == bench.Protobuf && q.Encoding == bench.Identity && r.WireBytes != length {
		t.Errorf("%s: %d bytes on the wire; want %d", what, r.WireBytes, length)
	}
	for i, total := range r.TotalNS {
		sum := r.EncodeNS[i] + r.CompressNS[i] + r.TransferNS[i] + r.DecompressNS[i] + r.DecodeNS[i]
		if missing := total - sum; total <= 0 || missing < -200_000 || missing > total/2+200_000 {
			t.Errorf("%s, request %d: the spans make %d of %d ns", what, i, sum, total)
		}
	}
}
