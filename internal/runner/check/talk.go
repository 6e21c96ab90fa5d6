package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// talk checks what needs no documents: describe, ids, unknown requests, stop.
func (c *checker) talk(ctx context.Context, s *Session) error {
	for _, x := range []struct {
		rule, expected string
		check          func(context.Context, *Session) error
	}{
		{"describe", "it tells protocol, runtime, version, clock step, string unit, and each codec's name, format, documents, operations, traits, library and version", c.describe},
		{"describe", "asked twice, it describes the same codecs", c.describeAgain},
		{"id", "each reply repeats its request's id", c.ids},
		{"unknown", "a request that it cannot know is answered with an error, and it goes on", c.unknown},
		{"stop", "it answers, says no more and ends with status 0", c.stop},
	} {
		one, cancel := c.in(ctx)
		err := c.step(x.rule, "", x.expected, func() error { return x.check(one, s) })
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) describe(ctx context.Context, s *Session) error {
	d, err := s.Describe(ctx)
	if err != nil {
		return err
	}
	c.description = d
	for _, x := range []struct {
		wrong bool
		what  string
	}{
		{d.Runtime == "", "runtime is missing"},
		{d.Version == "", "version is missing"},
		{d.ClockStepNS <= 0, "clock_step_ns is not above 0"},
		{!slices.Contains([]string{"utf8", "utf16", "rune"}, d.StringUnit), "string_unit is none of utf8, utf16 and rune"},
		{len(d.Codecs) == 0, "there are no codecs"},
	} {
		if x.wrong {
			c.found("", x.what)
		}
	}
	c.describeTransports(d)
	seen := map[string]bool{}
	for _, codec := range d.Codecs {
		if seen[codec.Name] {
			c.found(codec.Name, "is described twice")
		}
		seen[codec.Name] = true
		c.describeCodec(codec)
	}
	return nil
}

func (c *checker) describeCodec(d runner.CodecDescription) {
	documents := []string{runner.DocumentsJSON, runner.DocumentsProtobuf, runner.DocumentsProtoJSON}
	operations := []bench.Operation{bench.Encode, bench.Decode, bench.Visit}
	for _, x := range []struct {
		wrong bool
		what  string
	}{
		{d.Name == "", "a codec has no name"},
		{d.Format != bench.JSON && d.Format != bench.Protobuf, "format is neither json nor protobuf"},
		{!slices.Contains(documents, d.Documents), "documents is none of json, protobuf and protojson"},
		{len(d.Operations) == 0, "there are no operations"},
		{slices.ContainsFunc(d.Operations, func(o bench.Operation) bool { return !slices.Contains(operations, o) }), "an operation is none of encode, decode and visit"},
		{len(d.Traits) == 0, "traits are missing"},
		{d.Library == "", "library is missing"},
		{d.Version == "", "version is missing"},
	} {
		if x.wrong {
			c.found(d.Name, x.what)
		}
	}
}

func (c *checker) describeAgain(ctx context.Context, s *Session) error {
	again, err := s.Describe(ctx)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(again.Codecs, c.description.Codecs) {
		c.found("", "asked twice, it describes other codecs")
	}
	return nil
}

// raw sends a request with an id that no counter would come to.
func raw(ctx context.Context, s *Session, id int, request string) (runner.Reply, error) {
	var r runner.Reply
	line, err := s.Exchange(ctx, fmt.Appendf(nil, `{"id":%d,"request":%q}`, id, request))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("answered with %.80q: %w", line, err)
	}
	return r, nil
}

func (c *checker) ids(ctx context.Context, s *Session) error {
	for _, id := range []int{123456789, 7, 7} {
		r, err := raw(ctx, s, id, "describe")
		if err != nil {
			return err
		}
		if r.ID != id {
			c.found("", "the request %d was answered with the id %d", id, r.ID)
			return nil
		}
	}
	return nil
}

func (c *checker) unknown(ctx context.Context, s *Session) error {
	r, err := raw(ctx, s, 4711, "make-coffee")
	if err != nil {
		return err
	}
	if r.Error == "" || r.Skipped != "" || r.ID != 4711 {
		c.found("", "a request that it cannot know was not answered with an error and its id")
	}
	_, err = raw(ctx, s, 4712, "describe")
	return err
}

// stop checks that the runner answers, then ends well and says no more.
func (c *checker) stop(ctx context.Context, s *Session) error {
	r, err := raw(ctx, s, 99, "stop")
	if err != nil {
		return err
	}
	if r.ID != 99 || r.Error != "" || r.Skipped != "" {
		c.found("", "stop was not answered with its id alone")
	}
	return ends(ctx, s, "stop")
}

func ends(ctx context.Context, s *Session, after string) error {
	code, err := s.Wait(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it did not end after %s", after)
	case err != nil:
		return err
	case code != 0:
		return fmt.Errorf("it ended with status %d after %s; want 0", code, after)
	}
	if line, err := s.Next(ctx); err == nil {
		return fmt.Errorf("after the last reply it wrote %.80q", line)
	}
	return nil
}

// empty checks the loop around nothing, then ends the input.
func (c *checker) empty(ctx context.Context, s *Session) error {
	one, cancel := c.in(ctx)
	defer cancel()
	err := c.step("empty", "", "the timing loop around nothing takes a time that is not negative", func() error {
		_, err := s.Empty(one, runner.EmptyRequest{Iterations: 100_000})
		return err
	})
	if err != nil {
		return err
	}
	return c.step("end", "", "it ends with status 0 when its input ends", func() error {
		if err := s.CloseRequests(); err != nil {
			return err
		}
		return ends(one, s, "the end of its input")
	})
}

func (c *checker) longLine(ctx context.Context, s *Session) error {
	line := slices.Concat([]byte(`{"id":1,"request":"describe","x":"`), bytes.Repeat([]byte("x"), runner.MaxLine), []byte(`"}`))
	return c.refuses(ctx, s, "a line of more than 16 MB", line)
}

func (c *checker) rubbish(ctx context.Context, s *Session) error {
	return c.refuses(ctx, s, "a line that is no JSON", []byte(`{"id":1,"request":"describe"`))
}

// refuses checks that a line gets an error, or ends the runner, but neither
// hangs it nor gets an answer.
func (c *checker) refuses(ctx context.Context, s *Session, what string, line []byte) error {
	one, cancel := c.in(ctx)
	defer cancel()
	return c.step("line", "", what+" is answered with an error, or ends it", func() error {
		answer, err := s.Exchange(one, line)
		if one.Err() != nil {
			return errors.New(what + " hangs it")
		}
		if err != nil {
			return nil // it ended
		}
		var r runner.Reply
		if json.Unmarshal(answer, &r) != nil || r.Error == "" || strings.Contains(string(answer), `"codecs"`) {
			return fmt.Errorf("%s was answered with %.80q; want an error, or an end", what, answer)
		}
		return nil
	})
}
