package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// redisError is what went wrong with a server, and what to try; it holds no
// password.
type redisError struct {
	text  string
	cause error // not shown: errors.Is finds what it stands for
}

func (e *redisError) Error() string { return e.text }
func (e *redisError) Unwrap() error { return e.cause }

// replies are what a server's error reply begins with, and what is to be said
// then, of the server's host.
var replies = []struct{ prefix, text string }{
	{"NOAUTH", "the Redis server at %s requires a password; give it in the URL, as in --redis redis://:PASSWORD@%[1]s"},
	{"WRONGPASS", "the Redis server at %s refuses the user or the password; correct them in the URL of --redis"},
	{"ERR invalid password", "the Redis server at %s refuses the password; correct it in the URL of --redis"},
	{"ERR AUTH", "the Redis server at %s has no password set, and the URL of --redis gives one; leave it out"},
	{"ERR Client sent AUTH", "the Redis server at %s has no password set, and the URL of --redis gives one; leave it out"},
	{"ERR DB index", "the Redis server at %s does not have that database; correct the number at the end of the URL of --redis"},
	{"OOM", "the Redis server at %s is full; raise its maxmemory, or give another server with --redis"},
	{"READONLY", "the Redis server at %s is a replica and takes no writes; give its primary with --redis"},
	{"MOVED", "the Redis server at %s is part of a cluster; give a single server with --redis"},
	{"CLUSTERDOWN", "the Redis server at %s is part of a cluster; give a single server with --redis"},
	{"LOADING", "the Redis server at %s is still reading its data; try again later"},
	{"MISCONF", "the Redis server at %s takes no writes because it cannot save to disk; mend that, or give another server with --redis"},
	{"NOPERM", "the Redis user may not do that on the server at %s; allow it SET, GET, SCAN, UNLINK, INFO and MEMORY on keys that begin with wirecost:"},
	{"ERR max number of clients", "the Redis server at %s takes no more clients; raise its maxclients, or give another server with --redis"},
}

// explain makes one sentence of an error.
func (s *RedisServer) explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &redisError{s.sentence(err), err}
}

func (s *RedisServer) sentence(err error) string {
	var reply redis.Error
	if errors.As(err, &reply) {
		for _, r := range replies {
			if strings.HasPrefix(reply.Error(), r.prefix) {
				return fmt.Sprintf(r.text, s.host)
			}
		}
	}
	other := "write rediss:// if it speaks TLS"
	if s.tls {
		other = "write redis:// if it does not speak TLS"
	}
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var certificate *tls.CertificateVerificationError
	var network net.Error
	switch {
	case strings.HasPrefix(err.Error(), "redis: can't parse"), strings.HasPrefix(err.Error(), "redis: invalid"):
		return fmt.Sprintf("what answers at %s is not a Redis server; correct the address in --redis, or %s", s.host, other)
	case errors.As(err, &record):
		return fmt.Sprintf("the server at %s does not speak TLS; write redis:// instead of rediss://", s.host)
	case errors.As(err, &unknown), errors.As(err, &certificate):
		return fmt.Sprintf("the certificate of the Redis server at %s is not trusted; make the system trust it, or add ?skip_verify=true to the URL", s.host)
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("the Redis server at %s does not answer in time; see whether it runs, and whether the address is right", s.host)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return fmt.Sprintf("the Redis server at %s has closed the connection; see whether it still runs, or %s", s.host, other)
	case errors.As(err, &network):
		return fmt.Sprintf("no Redis server can be reached at %s (%s); start it, or leave --redis out", s.host, s.redact(innermost(err)))
	}
	return fmt.Sprintf("the Redis server at %s answers: %s; look into that, or give another server with --redis", s.host, s.redact(err.Error()))
}

// innermost gives the system's own words, as in "connection refused".
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// redact takes what is secret in the URL out of a text that others wrote.
func (s *RedisServer) redact(text string) string {
	for _, secret := range s.secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return text[:min(len(text), 300)]
}

// refused reports whether the server does not know a command, or not for this user.
func refused(err error) bool {
	var reply redis.Error
	if !errors.As(err, &reply) {
		return false
	}
	text := reply.Error()
	return strings.HasPrefix(text, "NOPERM") || strings.HasPrefix(text, "ERR unknown") || strings.HasPrefix(text, "ERR syntax")
}
