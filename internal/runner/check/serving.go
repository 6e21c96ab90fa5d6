package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
	"wirecost/internal/size"
)

// serves checks what one codec's server answers.
func (c *checker) serves(t bench.Transport) part {
	return c.withServer(t, func(ctx context.Context, _ *Session, w *wireClient, codec runner.CodecDescription, subjects []subject) error {
		codings, err := c.codingsOf(t)
		if err != nil {
			return err
		}
		for _, how := range codings {
			for _, x := range subjects {
				if err := c.gets(ctx, w, codec, x, how); err != nil {
					return err
				}
				if err := c.posts(ctx, w, codec, x, how); err != nil {
					return err
				}
			}
		}
		if !slices.Contains(codec.Operations, bench.Encode) {
			return nil
		}
		return c.step("serve", codec.Name, string(t)+": many requests at a time are answered as well as one", func() error {
			return c.crowd(ctx, w, codec, subjects[0])
		})
	})
}

// withServer is a part that has the runner serve a codec, and a client for it.
func (c *checker) withServer(t bench.Transport, check func(context.Context, *Session, *wireClient, runner.CodecDescription, []subject) error) part {
	return func(ctx context.Context, s *Session, codec runner.CodecDescription) error {
		subjects, err := c.overTransports(ctx, s, codec, "serve")
		if err != nil || len(subjects) == 0 {
			return err
		}
		w, err := c.listens(ctx, s, codec, t)
		if err != nil {
			return err
		}
		defer w.close()
		return check(ctx, s, w, codec, subjects)
	}
}

// listens has the runner serve, and gives a client for it.
func (c *checker) listens(ctx context.Context, s *Session, codec runner.CodecDescription, t bench.Transport) (*wireClient, error) {
	var w *wireClient
	err := c.step("serve", codec.Name, string(t)+": it listens on the loopback address that it names, and goes on", func() error {
		one, cancel := c.in(ctx)
		defer cancel()
		r, err := s.Serve(one, runner.ServeRequest{Transport: t, Address: "127.0.0.1:0"})
		if err != nil {
			return err
		}
		host, port, err := net.SplitHostPort(r.Address)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() || port == "0" {
			return fmt.Errorf("it says that it listens on %q; want a loopback address with its port", r.Address)
		}
		w = newWireClient("http://"+r.Address, t)
		return c.alive(ctx, s)
	})
	return w, err
}

// gets checks every document under one coding.
func (c *checker) gets(ctx context.Context, w *wireClient, codec runner.CodecDescription, x subject, how size.Coding) error {
	if !slices.Contains(codec.Operations, bench.Encode) {
		return nil
	}
	return c.step("serve", codec.Name, fmt.Sprintf("%s: GET of %s, %s: the documents, with the headers that say what they are and how long they took", w.transport, x.of, how.Name()), func() error {
		written, err := c.fetch(ctx, w, codec, x, how)
		if err != nil || c.opts.Output == nil {
			return err
		}
		return c.opts.Output(codec, x.of, written)
	})
}

// fetch gets every document once.
func (c *checker) fetch(ctx context.Context, w *wireClient, codec runner.CodecDescription, x subject, how size.Coding) ([][]byte, error) {
	var written [][]byte
	for i := range x.Documents {
		one, cancel := c.in(ctx)
		a, err := w.do(one, http.MethodGet, path(x.Sample, codec.Name, contentCoding(how), strconv.Itoa(i)), nil, nil)
		cancel()
		if err != nil {
			return nil, err
		}
		if err := a.isDocument(codec, how); err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
		body, err := how.Decompress(nil, a.body, 1<<30)
		if err != nil {
			return nil, fmt.Errorf("document %d: the body is not what Content-Encoding says: %w", i, err)
		}
		written = append(written, body)
	}
	return written, nil
}

// posts checks that every document is decoded, under one coding.
func (c *checker) posts(ctx context.Context, w *wireClient, codec runner.CodecDescription, x subject, how size.Coding) error {
	if !slices.Contains(codec.Operations, bench.Decode) {
		return nil
	}
	return c.step("serve", codec.Name, fmt.Sprintf("%s: POST to %s, %s: answered with the leaf of each document", w.transport, x.of, how.Name()), func() error {
		for i, d := range x.documents {
			body, err := how.Compress(nil, d)
			if err != nil {
				return err
			}
			one, cancel := c.in(ctx)
			a, err := w.do(one, http.MethodPost, path(x.Sample, codec.Name), w.posting(codec, how), body)
			cancel()
			if err != nil {
				return err
			}
			if err := a.isLeaf(how); err != nil {
				return fmt.Errorf("document %d: %w", i, err)
			}
			if x.leaf != nil && string(a.body) != strconv.FormatUint(uint64(x.leaf[i]), 10) {
				return fmt.Errorf("document %d: the answer is %.40q; want its leaf, %d", i, a.body, x.leaf[i])
			}
		}
		return nil
	})
}

// crowd gets all documents several times at once.
func (c *checker) crowd(ctx context.Context, w *wireClient, codec runner.CodecDescription, x subject) error {
	const at = 8
	identity, err := size.Parse(bench.Identity)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, at)
	for i := range at {
		all.Go(func() {
			for range 5 {
				written, err := c.fetch(ctx, w, codec, x, identity[0])
				if err == nil && c.opts.Output != nil {
					err = c.opts.Output(codec, x.of, written)
				}
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	all.Wait()
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return errs[i]
}
