package transport

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// RedisServer is a Redis that cases talk to: the user's, one that was started for
// the run, or the embedded one.
type RedisServer struct {
	url     string
	host    string // host and port, for messages
	secrets []string
	label   string
	memory  bool // its memory figures mean something
	tls     bool
	prefix  string
	client  *redis.Client
	foreign bool // its keys stay when we go
	stop    func() error
}

// RedisTTL is after which time every key of ours expires, should it be left behind.
const RedisTTL = 10 * time.Minute

// redisProgram is the server that is started where no URL is given.
const redisProgram = "redis-server"

// Embedded is the label of the server within this process.
const Embedded = "embedded, in-process"

// StartRedis reaches the server at a URL. Without a URL it starts redis-server on
// a free port of the loopback address, or where that is not installed one within
// this process. An error says what to try, and holds no password.
func StartRedis(ctx context.Context, url string) (*RedisServer, error) {
	if url != "" {
		s, err := connectRedis(ctx, url)
		if err != nil {
			return nil, err
		}
		s.foreign = true
		return s, nil
	}
	program, err := exec.LookPath(redisProgram)
	if err != nil {
		return embedRedis(ctx)
	}
	return startRedisProgram(ctx, program, freePort)
}

// embedRedis starts the server within this process.
func embedRedis(ctx context.Context) (*RedisServer, error) {
	m := miniredis.NewMiniRedis()
	if err := m.StartAddr("127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("the embedded Redis finds no port: %w", err)
	}
	s, err := connectRedis(ctx, "redis://"+m.Addr())
	if err != nil {
		m.Close()
		return nil, err
	}
	s.label, s.memory = Embedded, false
	s.stop = func() error { m.Close(); return nil }
	return s, nil
}

// connectRedis reaches the server at a URL and asks what it is.
func connectRedis(ctx context.Context, url string) (*RedisServer, error) {
	options, err := redisOptions(url)
	if err != nil {
		return nil, err
	}
	token := make([]byte, 6)
	if _, err := rand.Read(token); err != nil {
		return nil, err
	}
	s := &RedisServer{
		url: url, host: options.Addr, secrets: []string{options.Password, options.Username},
		prefix: "wirecost:" + hex.EncodeToString(token) + ":",
		client: redis.NewClient(options), memory: true, tls: options.TLSConfig != nil,
		stop: func() error { return nil },
	}
	if err := s.Ping(ctx); err != nil {
		s.client.Close()
		return nil, err
	}
	info, err := s.info(ctx, "server")
	if err != nil { // a user who may not ask
		info = map[string]string{}
	}
	s.label = redisLabel(info)
	return s, nil
}

// redisOptions reads a URL. The error does not repeat it: it may hold a password.
func redisOptions(url string) (*redis.Options, error) {
	const form = "write it as redis://USER:PASSWORD@HOST:PORT/DATABASE, or with rediss:// for TLS"
	if !strings.HasPrefix(url, "redis://") && !strings.HasPrefix(url, "rediss://") {
		return nil, errors.New("the Redis URL does not begin with redis:// or rediss://; " + form)
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("the Redis URL cannot be read; " + form)
	}
	options.MaxRetries = -1 // a server that is gone is an outcome
	options.DialerRetries = 1
	options.DialTimeout = 5 * time.Second
	options.ReadTimeout = 5 * time.Second
	options.ContextTimeoutEnabled = true
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return options, nil
}

// What the library would write to standard error is in the errors as well.
func init() { logging.Disable() }

// URL is where clients reach the server. It may hold a password: it must not be
// shown.
func (s *RedisServer) URL() string { return s.url }

// Host is the server's host and port, to show.
func (s *RedisServer) Host() string { return s.host }

// Label says what the server is: "redis 7.0.15", or Embedded.
func (s *RedisServer) Label() string { return s.label }

// Prefix is what every key of a client must begin with.
func (s *RedisServer) Prefix() string { return s.prefix + "c:" }

// Ping says why the server does not answer, if so.
func (s *RedisServer) Ping(ctx context.Context) error { return s.explain(s.client.Ping(ctx).Err()) }

// Close removes all keys below Prefix and ends a server that StartRedis started.
func (s *RedisServer) Close() error {
	var err error
	if s.foreign {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err = s.Clean(ctx); err != nil {
			err = fmt.Errorf("keys that begin with %s may be left and expire after %s: %w", s.prefix, RedisTTL, err)
		}
	}
	s.client.Close()
	return errors.Join(err, s.stop())
}

// info asks the server for a section of what it tells of itself.
func (s *RedisServer) info(ctx context.Context, sections ...string) (map[string]string, error) {
	text, err := s.client.Info(ctx, sections...).Result()
	if err != nil {
		return nil, s.explain(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			out[key] = value
		}
	}
	return out, nil
}

// redisLabel names the server's program and version. Those that took over from
// Redis say for compatibility that they are one, and beside it what they are.
func redisLabel(info map[string]string) string {
	name, version := "redis", info["redis_version"]
	if own := info["server_name"]; own != "" && info[own+"_version"] != "" {
		name, version = own, info[own+"_version"]
	}
	label := strings.TrimSpace(name + " " + version)
	return strings.ToValidUTF8(label[:min(len(label), 60)], "")
}
