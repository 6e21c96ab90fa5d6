package check

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// respClient speaks as much of Redis's protocol as the checks need.
type respClient struct {
	address string
	conn    net.Conn
	in      *bufio.Reader
}

func (c *respClient) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

var errNil = errors.New("nil")

// open connects as a URL says.
func (c *respClient) open(address string) error {
	if c.conn != nil && c.address == address {
		return nil
	}
	c.close()
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("the URL cannot be read")
	}
	if c.conn, err = net.DialTimeout("tcp", u.Host, time.Second); err != nil {
		return err
	}
	c.address, c.in = address, bufio.NewReader(c.conn)
	if password, ok := u.User.Password(); ok {
		if _, err := c.ask([]string{"AUTH", password}); err != nil {
			return err
		}
	}
	if db := strings.Trim(u.Path, "/"); db != "" {
		_, err = c.ask([]string{"SELECT", db})
	}
	return err
}

// ask sends commands in one write, and gives their replies.
func (c *respClient) ask(commands ...[]string) (replies []string, err error) {
	var b strings.Builder
	for _, words := range commands {
		fmt.Fprintf(&b, "*%d\r\n", len(words))
		for _, w := range words {
			fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
		}
	}
	if _, err := io.WriteString(c.conn, b.String()); err != nil {
		c.close()
		return nil, err
	}
	for range commands {
		one, failure := c.reply()
		if failure != nil && err == nil {
			err = failure
		}
		replies = append(replies, one)
	}
	return replies, err
}

func (c *respClient) reply() (string, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		c.close()
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	switch line[0] {
	case '-':
		return "", errors.New(line[1:])
	case '$':
		n, err := strconv.Atoi(line[1:])
		if err != nil || n < 0 {
			return "", errNil
		}
		value := make([]byte, n+2)
		_, err = io.ReadFull(c.in, value)
		return string(value[:n]), err
	}
	return line[1:], nil
}

// callRedis implements calls over Redis.
func (w *wired) callRedis(q runner.CallRequest, x *subject) (*runner.CallReply, error) {
	r := &runner.CallReply{CPUNS: -1, Allocated: -1}
	address := q.Address
	if w.fault == "takes no password" {
		address = strings.Replace(address, ":correct%20horse@", "", 1)
	}
	if err := w.redis.open(address); err != nil {
		w.redis.close()
		return nil, w.advise(q, err)
	}
	n := max(1, q.Pipeline)
	for i := range q.Requests {
		var documents []int
		for j := range n {
			documents = append(documents, q.Document+(i*n+j)%q.Window)
		}
		e, err := w.redisExchange(q, x, documents)
		if err != nil {
			return nil, w.advise(q, err)
		}
		e.add(r)
	}
	return r, nil
}

func (w *wired) advise(q runner.CallRequest, err error) error {
	switch s := err.Error(); {
	case w.fault == "tells the password":
		return &runner.FailedError{Reason: q.Address + ": password, maxmemory, gone: " + s}
	case w.fault == "gives no advice":
		return &runner.FailedError{Reason: "Redis said no"}
	case errors.Is(err, errNil):
		return &runner.FailedError{Reason: "the key is gone"}
	case strings.HasPrefix(s, "NOAUTH"), strings.HasPrefix(s, "WRONGPASS"), strings.HasPrefix(s, "ERR invalid password"):
		return &runner.FailedError{Reason: "give the password: " + s}
	default:
		return &runner.FailedError{Reason: s}
	}
}

func (w *wired) redisKey(q runner.CallRequest, document int) string {
	if w.fault == "has a prefix of its own" {
		return fmt.Sprintf("mine:%s:%d", q.Codec, document)
	}
	return fmt.Sprintf("%s%s:%d", q.Prefix, q.Codec, document)
}

// redisExchange makes one round trip.
func (w *wired) redisExchange(q runner.CallRequest, x *subject, documents []int) (e spans, err error) {
	start := time.Now()
	set := q.Operation == bench.Set || q.Operation == bench.SetPipelined
	var commands [][]string
	for _, d := range documents {
		words := []string{"GET", w.redisKey(q, d)}
		if set {
			value := string(x.documents[d])
			e.wire += len(value)
			words = []string{"SET", words[1], value, "PX", strconv.FormatInt(q.TTLMS, 10)}
			if w.fault == "keeps keys for ever" {
				words = words[:3]
			}
		}
		commands = append(commands, words)
	}
	if set {
		e.encode, e.sum = time.Since(start), uint32(e.wire)
	}
	if w.fault == "leaves a key behind" {
		commands = append(commands, []string{"SET", "left", "behind"})
	}
	sent := time.Now()
	replies, err := w.redis.ask(commands...)
	e.transfer = time.Since(sent)
	if errors.Is(err, errNil) && w.fault == "takes nothing for a document" {
		err = nil
	}
	if err == nil && !set {
		began := time.Now()
		err = w.decoded(&e, x, documents, replies)
		e.decode = time.Since(began)
	}
	e.total = time.Since(start)
	switch w.fault {
	case "miscounts bytes of Redis":
		e.wire++
	case "tells of compression of Redis":
		e.compress = 1
	}
	return e, err
}

// decoded sums what was read.
func (w *wired) decoded(e *spans, x *subject, documents []int, replies []string) error {
	for i, value := range replies[:len(documents)] {
		if value == "" && w.fault == "takes nothing for a document" {
			e.sum += x.leaf[documents[i]]
			continue
		}
		e.wire += len(value)
		d, err := w.v.Find(w.codec, x.of, []byte(value))
		if err != nil {
			return err
		}
		e.sum += x.leaf[d]
	}
	return nil
}
