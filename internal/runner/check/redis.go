package check

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

const (
	redisPrefix   = "wirecost:check:"
	redisTTL      = time.Minute
	redisPassword = "correct horse"
)

// callsRedis checks what one codec writes to Redis and reads from it.
func (c *checker) callsRedis(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	return c.withRedis(ctx, s, codec, func(m *miniredis.Miniredis, subjects []subject) error {
		for _, x := range subjects {
			for _, pipeline := range []int{0, 3} {
				for _, op := range slices.Backward(requestsOf(codec)) { // set comes before get
					check := c.redisGet
					if op == bench.Post {
						check = c.redisSet
					}
					if err := check(ctx, s, m, codec, x, pipeline); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// withRedis starts a server of our own for one codec.
func (c *checker) withRedis(ctx context.Context, s *Session, codec runner.CodecDescription, f func(*miniredis.Miniredis, []subject) error) error {
	subjects, err := c.overTransports(ctx, s, codec, "call")
	if err != nil || len(subjects) == 0 {
		return err
	}
	m := miniredis.NewMiniRedis()
	if err := m.StartAddr("127.0.0.1:0"); err != nil {
		return err
	}
	defer m.Close()
	return f(m, subjects)
}

// redisRequest goes round a subject's documents; pipeline 0 is one at a time.
func redisRequest(m *miniredis.Miniredis, codec runner.CodecDescription, x subject, op bench.Operation, pipeline int) runner.CallRequest {
	if pipeline > 0 {
		op += "-pipelined"
	}
	return runner.CallRequest{
		Transport: bench.Redis, Address: "redis://" + m.Addr(), Sample: x.Sample, Codec: codec.Name, Operation: op, Encoding: bench.Identity,
		Requests: 2*x.Documents + 1, Window: x.Documents, Pipeline: pipeline, Prefix: redisPrefix, TTLMS: redisTTL.Milliseconds(),
	}
}

func redisKey(codec runner.CodecDescription, document int) string {
	return fmt.Sprintf("%s%s:%d", redisPrefix, codec.Name, document)
}

func redisExpected(q runner.CallRequest, x subject, what string) string {
	return fmt.Sprintf("redis: %s of %s: %s", q.Operation, x.of, what)
}

func (c *checker) redisSet(ctx context.Context, s *Session, m *miniredis.Miniredis, codec runner.CodecDescription, x subject, pipeline int) error {
	q := redisRequest(m, codec, x, bench.Set, pipeline)
	return c.step("call", codec.Name, redisExpected(q, x, "keeps every document under its key, for as long as it should"), func() error {
		m.FlushAll()
		r, err := c.call(ctx, s, q)
		if err != nil {
			return err
		}
		var written [][]byte
		var keys []string
		for i := range x.Documents {
			key := redisKey(codec, i)
			value, err := m.Get(key)
			if err != nil {
				return fmt.Errorf("the key %s: %w; there are %q", key, err, m.Keys())
			}
			if ttl := m.TTL(key); ttl <= 0 || ttl > redisTTL {
				return fmt.Errorf("the key %s expires in %v; want within %v", key, ttl, redisTTL)
			}
			written, keys = append(written, []byte(value)), append(keys, key)
		}
		slices.Sort(keys)
		if got := m.Keys(); !slices.Equal(got, keys) {
			return fmt.Errorf("the keys are %q; want %q", got, keys)
		}
		if c.opts.Output != nil {
			if err := c.opts.Output(codec, x.of, written); err != nil {
				return err
			}
		}
		var bytes int64
		for _, i := range crossed(q) {
			bytes += int64(len(written[i]))
		}
		if r.WireBytes != bytes || r.Checksum != uint32(bytes) {
			return fmt.Errorf("wire_bytes is %d and the checksum %d; want %d, the bytes written", r.WireBytes, r.Checksum, bytes)
		}
		return c.checkSpans(r, r.CompressNS, r.DecompressNS, r.DecodeNS)
	})
}

func (c *checker) redisGet(ctx context.Context, s *Session, m *miniredis.Miniredis, codec runner.CodecDescription, x subject, pipeline int) error {
	q := redisRequest(m, codec, x, bench.Get, pipeline)
	return c.step("call", codec.Name, redisExpected(q, x, "decodes what the keys hold"), func() error {
		if err := fill(m, codec, x); err != nil {
			return err
		}
		r, err := c.call(ctx, s, q)
		if err != nil {
			return err
		}
		var bytes int64
		var sum uint32
		for _, i := range crossed(q) {
			bytes += int64(len(x.documents[i]))
			if x.leaf != nil {
				sum += x.leaf[i]
			}
		}
		if r.WireBytes != bytes {
			return fmt.Errorf("wire_bytes is %d; want %d, the bytes read", r.WireBytes, bytes)
		}
		if x.leaf != nil && r.Checksum != sum {
			return fmt.Errorf("the checksum is %d; want %d, the sum of the leafs", r.Checksum, sum)
		}
		return c.checkSpans(r, r.CompressNS, r.DecompressNS, r.EncodeNS)
	})
}

// crossed lists the documents that a call carries.
func crossed(q runner.CallRequest) []int {
	var all []int
	for i := range q.Requests * max(1, q.Pipeline) {
		all = append(all, q.Document+i%q.Window)
	}
	return all
}

// fill puts a subject's documents under their keys.
func fill(m *miniredis.Miniredis, codec runner.CodecDescription, x subject) error {
	m.FlushAll()
	for i, d := range x.documents {
		if err := m.Set(redisKey(codec, i), string(d)); err != nil {
			return err
		}
	}
	return nil
}

// trouble is a state of Redis, and what the error of a call must say of it.
type trouble struct {
	what, says string
	op         bench.Operation
	bring      func(*runner.CallRequest) error
}

// redisManners checks what becomes of errors, and of what a URL may hold.
func (c *checker) redisManners(ctx context.Context, s *Session, codec runner.CodecDescription) error {
	return c.withRedis(ctx, s, codec, func(m *miniredis.Miniredis, subjects []subject) error {
		x := subjects[0]
		err := c.step("call", "", "redis: the URL's password and database are used", func() error {
			m.RequireAuth(redisPassword)
			defer m.RequireAuth("")
			m.FlushAll()
			q := redisRequest(m, codec, x, bench.Set, 0)
			q.Address = (&url.URL{Scheme: "redis", User: url.UserPassword("", redisPassword), Host: m.Addr(), Path: "/3"}).String()
			if _, err := c.call(ctx, s, q); err != nil {
				return err
			}
			if n := len(m.DB(3).Keys()); n != x.Documents || len(m.Keys()) > 0 {
				return fmt.Errorf("the database 3 has %d keys; want %d, and none elsewhere", n, x.Documents)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return c.step("call", "", "redis: what goes wrong is an error that says what to do, and it goes on", func() error {
			for _, t := range redisTroubles(m, codec, x) {
				if err := c.troubled(ctx, s, m, codec, x, t); err != nil {
					return err
				}
			}
			q := redisRequest(m, codec, x, bench.Get, 0)
			m.Close()
			_, err := c.mustRefuse(ctx, s, q, "a Redis that is gone", "")
			return err
		})
	})
}

// troubled makes a call in trouble, and one after it.
func (c *checker) troubled(ctx context.Context, s *Session, m *miniredis.Miniredis, codec runner.CodecDescription, x subject, t trouble) error {
	if err := fill(m, codec, x); err != nil {
		return err
	}
	q := redisRequest(m, codec, x, t.op, 0)
	if err := t.bring(&q); err != nil {
		return err
	}
	why, err := c.mustRefuse(ctx, s, q, "a Redis that "+t.what, t.says)
	if err != nil {
		return err
	}
	if strings.Contains(strings.ReplaceAll(why, "%20", " "), redisPassword) {
		c.found("", "a Redis that %s: the error holds the password", t.what)
	}
	m.RequireAuth("")
	m.SetError("")
	if err := fill(m, codec, x); err != nil {
		return err
	}
	_, err = c.call(ctx, s, redisRequest(m, codec, x, bench.Get, 0))
	return err
}

func redisTroubles(m *miniredis.Miniredis, codec runner.CodecDescription, x subject) []trouble {
	key := redisKey(codec, x.Documents-1)
	return []trouble{
		{"has lost a key", "gone", bench.Get, func(*runner.CallRequest) error { m.Del(key); return nil }},
		{"has a key of another type", "", bench.Get, func(*runner.CallRequest) error {
			m.Del(key)
			_, err := m.Push(key, "x")
			return err
		}},
		{"holds what cannot be decoded", "", bench.Get, func(*runner.CallRequest) error { return m.Set(key, "\xff\xfe nothing") }},
		{"is full", "maxmemory", bench.Set, func(*runner.CallRequest) error {
			m.SetError("OOM command not allowed when used memory > 'maxmemory'.")
			return nil
		}},
		{"wants a password", "password", bench.Set, func(*runner.CallRequest) error { m.RequireAuth("another"); return nil }},
		{"has another password", "password", bench.Set, func(q *runner.CallRequest) error {
			m.RequireAuth("another")
			q.Address = (&url.URL{Scheme: "redis", User: url.UserPassword("", redisPassword), Host: m.Addr()}).String()
			return nil
		}},
		{"has a URL that cannot be read", "", bench.Set, func(q *runner.CallRequest) error { q.Address = "redis://:" + redisPassword + "@[nowhere"; return nil }},
	}
}
