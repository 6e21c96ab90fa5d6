package runners_test

import (
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/testenv"
)

const (
	wirePrefix = "wirecost:test:"
	wireTTL    = 60_000 // milliseconds
)

// stored is a call for all documents of a sample with Redis.
func (w *goWire) stored(url string, s goSample, codec string, op bench.Operation) runner.CallRequest {
	q := w.request(bench.Redis, url, s, codec, op)
	q.Peer, q.Prefix, q.TTLMS = "", wirePrefix, wireTTL
	if op == bench.SetPipelined || op == bench.GetPipelined {
		q.Pipeline, q.Requests = 3, len(s.documents)
	}
	return q
}

// redis sets and gets every document with every codec, one by one and many at
// once, with the embedded server and with a real one.
func (w *goWire) redis(t *testing.T) {
	embedded := miniredis.RunT(t)
	t.Run("embedded", func(t *testing.T) {
		w.keeps(t, "redis://"+embedded.Addr())
		for _, c := range w.codecs {
			key := wirePrefix + c.Name + ":1"
			if w.able("scalars", c.Name, bench.Encode) && embedded.TTL(key) != wireTTL*time.Millisecond {
				t.Errorf("%s expires in %v", key, embedded.TTL(key))
			}
		}
	})
	t.Run("server", func(t *testing.T) { w.keeps(t, "redis://"+redisServer(t)) })
}

// redisServer starts a real one.
func redisServer(t *testing.T, options ...string) (address string) {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		testenv.Skip(t, "needs redis-server (Debian: apt-get install -y redis-server)")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	c := exec.CommandContext(t.Context(), program, append([]string{
		"--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir()}, options...)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	for range 1000 {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return address
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("redis-server does not answer")
	return ""
}

// keeps lets every document go to Redis and come back.
func (w *goWire) keeps(t *testing.T, url string) {
	p := w.process(t)
	for _, s := range w.samples {
		for _, c := range w.codecs {
			for _, op := range []bench.Operation{bench.Set, bench.Get, bench.SetPipelined, bench.GetPipelined} {
				if w.able(s.name, c.Name, bench.Encode) {
					w.keep(t, p, s, w.stored(url, s, c.Name, op))
				}
			}
		}
	}
	for _, op := range []bench.Operation{bench.Set, bench.Get, bench.SetPipelined, bench.GetPipelined} {
		q := w.stored(url, w.samples[0], "protobuf", op)
		q.Requests = 200
		wantWhole(t, p, q)
	}
}

func (w *goWire) keep(t *testing.T, p runner.Process, s goSample, q runner.CallRequest) {
	t.Helper()
	what := fmt.Sprintf("%s of %s with %s", q.Operation, s.name, q.Codec)
	r, err := p.Call(t.Context(), q)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	sets := q.Operation == bench.Set || q.Operation == bench.SetPipelined
	var checksum uint32
	var total int64
	for k := range q.Requests * max(1, q.Pipeline) {
		d := k % q.Window
		length := w.lengths[s.name][q.Codec][d]
		total += int64(length)
		if sets {
			checksum += uint32(length)
		} else {
			checksum += w.leaves[s.name][d]
		}
	}
	if r.Checksum != checksum || r.WireBytes != total {
		t.Errorf("%s: checksum %d, %d bytes; want %d, %d", what, r.Checksum, r.WireBytes, checksum, total)
	}
	for i := range r.TotalNS {
		sum := r.EncodeNS[i] + r.TransferNS[i] + r.DecodeNS[i]
		if sum > r.TotalNS[i] || r.TransferNS[i] <= 0 || (r.EncodeNS[i] > 0) != sets || (r.DecodeNS[i] > 0) == sets || r.CompressNS[i]+r.DecompressNS[i] != 0 {
			t.Errorf("%s, request %d: encode %d, transfer %d, decode %d of %d ns", what, i, r.EncodeNS[i], r.TransferNS[i], r.DecodeNS[i], r.TotalNS[i])
			return
		}
	}
}

// redisErrors checks what is said when Redis does not do as it should.
func (w *goWire) redisErrors(t *testing.T) {
	p, s := w.process(t), w.samples[0]
	fails := func(q runner.CallRequest, want string) {
		t.Helper()
		_, err := p.Call(t.Context(), q)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s at %s: %v; want %q", q.Operation, q.Address, err, want)
		}
	}
	at := func(url string, op bench.Operation) runner.CallRequest { return w.stored(url, s, "protobuf", op) }

	embedded := miniredis.RunT(t)
	address := embedded.Addr()
	url := "redis://" + address
	fails(at(url, bench.Get), `the key "wirecost:test:protobuf:0" is gone`)
	w.keep(t, p, s, at(url, bench.Set))
	embedded.Del(wirePrefix + "protobuf:2")
	fails(at(url, bench.Get), `the key "wirecost:test:protobuf:2" is gone`)
	fails(at(url, bench.GetPipelined), `the key "wirecost:test:protobuf:2" is gone`)
	if err := embedded.Set(wirePrefix+"protobuf:2", "\x0a\xff"); err != nil {
		t.Fatal(err)
	}
	fails(at(url, bench.Get), "cannot be decoded")
	w.keep(t, p, s, at(url, bench.SetPipelined))
	w.keep(t, p, s, at(url+"/3", bench.Set))
	if !embedded.DB(3).Exists(wirePrefix + "protobuf:0") {
		t.Error("the URL's database is not used")
	}
	q := at(url, bench.Get)
	q.Encoding = "gzip:6"
	fails(q, "no encoding")
	fails(at(url, bench.Post), "no operation")
	fails(at("redis://:secret@%zz", bench.Set), "URL of Redis cannot be read")
	fails(at("http://:secret@127.0.0.1", bench.Set), "URL of Redis cannot be read")

	embedded.RequireAuth("secret")
	fails(at("redis://"+address+"/1", bench.Set), "wants a password")
	fails(at("redis://:wrong@"+address, bench.Set), "refuses the user or the password")
	w.keep(t, p, s, at("redis://:secret@"+address, bench.Set))
	embedded.Close()
	for _, op := range []bench.Operation{bench.Set, bench.GetPipelined} {
		fails(at("redis://:secret@"+address, op), "does not answer")
	}
	w.full(t, p)
}

// full fills a real server up.
func (w *goWire) full(t *testing.T, p runner.Process) {
	t.Helper()
	url := "redis://:secret@" + redisServer(t, "--maxmemory", "3mb", "--maxmemory-policy", "noeviction", "--requirepass", "secret")
	i := slices.IndexFunc(w.samples, func(s goSample) bool { return s.name == "floats" })
	for n := range 2000 {
		q := w.stored(url, w.samples[i], "encoding-json", bench.Set)
		q.Prefix += strconv.Itoa(n) + ":"
		_, err := p.Call(t.Context(), q)
		if err == nil {
			continue
		}
		if !strings.Contains(err.Error(), "Redis is full") {
			t.Error(err)
		}
		q.Operation = bench.SetPipelined
		if _, err := p.Call(t.Context(), q); err == nil || !strings.Contains(err.Error(), "Redis is full") {
			t.Error(err)
		}
		return
	}
	t.Error("a server with 3 MB has room for any number of documents")
}

// redisSplit puts the server far away, and checks that this is no codec's time.
func (w *goWire) redisSplit(t *testing.T) {
	const away = 20 * time.Millisecond
	g := newGate(t, miniredis.RunT(t).Addr(), func() { time.Sleep(away) })
	p := w.process(t)
	i := slices.IndexFunc(w.samples, func(s goSample) bool { return s.name == "floats" })
	for _, codec := range []string{"encoding-json", "protobuf"} {
		for _, op := range []bench.Operation{bench.Set, bench.Get, bench.SetPipelined, bench.GetPipelined} {
			q := w.stored("redis://"+g.Addr().String(), w.samples[i], codec, op)
			q.Requests = 5
			r, err := p.Call(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			coding := make([]int64, q.Requests)
			for i := range coding {
				coding[i] = r.EncodeNS[i] + r.DecodeNS[i]
			}
			if slices.Min(r.TransferNS) < away.Nanoseconds() || slices.Min(coding) <= 0 || slices.Min(coding) >= away.Nanoseconds() {
				t.Errorf("%s with %s: transfer %v, encode %v, decode %v ns", op, codec, r.TransferNS, r.EncodeNS, r.DecodeNS)
			}
		}
	}
	if n := g.connections.Load(); n != 2 { // the library keeps one of its own for pipelines
		t.Errorf("%d connections for requests one after another", n)
	}
}
