package transport

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Stored is what a server holds for some values, all keys together, in bytes.
type Stored struct {
	Keys        int
	ValueBytes  int64
	MemoryUsage int64 // sum of MEMORY USAGE; -1 where the server does not tell, or where that means nothing
	UsedMemory  int64 // by how much used_memory grew; -1 as above
}

// Store writes the values, each below a key as long as those that clients write
// for a codec of that name, says what they take, and removes them. On a server
// that others use as well, UsedMemory holds what these did meanwhile.
func (s *RedisServer) Store(ctx context.Context, codec string, values [][]byte) (Stored, error) {
	prefix := s.prefix + "s:" + codec + ":"
	keys := make([]string, len(values))
	for i := range keys {
		keys[i] = prefix + strconv.Itoa(i)
	}
	var out Stored
	var err error
	if s.memory { // the first time costs what stays
		err = s.write(ctx, keys, values)
		err = first(err, s.remove(ctx, prefix))
	}
	if err == nil {
		out, err = s.store(ctx, keys, values)
		err = first(err, s.remove(ctx, prefix))
	}
	if err != nil {
		return Stored{}, err
	}
	return out, nil
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (s *RedisServer) store(ctx context.Context, keys []string, values [][]byte) (Stored, error) {
	out := Stored{Keys: len(keys), MemoryUsage: -1, UsedMemory: -1}
	before, err := s.usedMemory(ctx, 0)
	if err != nil {
		return out, err
	}
	if err := s.write(ctx, keys, values); err != nil {
		return out, err
	}
	if s.memory && before.bytes >= 0 {
		after, err := s.usedMemory(ctx, before.clients)
		if err != nil {
			return out, err
		}
		out.UsedMemory = after.bytes - before.bytes
	}
	return out, s.measure(ctx, keys, &out)
}

// The commands of one round trip: at most so many, with about so many bytes.
const (
	batchCommands = 1000
	batchBytes    = 1 << 20
)

// write sets all keys over a connection of its own, whose buffers are then gone
// from the server's memory.
func (s *RedisServer) write(ctx context.Context, keys []string, values [][]byte) error {
	client := redis.NewClient(s.client.Options())
	defer client.Close()
	for len(keys) > 0 {
		n, bytes := 0, 0
		pipe := client.Pipeline()
		for n < min(len(keys), batchCommands) && (n == 0 || bytes+len(values[n]) <= batchBytes) {
			pipe.Set(ctx, keys[n], values[n], RedisTTL)
			bytes += len(values[n])
			n++
		}
		if _, err := pipe.Exec(ctx); err != nil {
			return s.explain(err)
		}
		keys, values = keys[n:], values[n:]
	}
	return nil
}

// measure asks for each key's size and memory.
func (s *RedisServer) measure(ctx context.Context, keys []string, out *Stored) error {
	tells := s.memory && len(keys) > 0
	if tells {
		out.MemoryUsage = 0
	}
	for len(keys) > 0 {
		batch := keys[:min(len(keys), batchCommands)]
		keys = keys[len(batch):]
		lengths, err := s.each(ctx, batch, func(p redis.Pipeliner, key string) *redis.IntCmd { return p.StrLen(ctx, key) })
		if err != nil {
			return err
		}
		out.ValueBytes += lengths
		if !tells {
			continue
		}
		memory, err := s.each(ctx, batch, func(p redis.Pipeliner, key string) *redis.IntCmd { return p.MemoryUsage(ctx, key) })
		switch {
		case err == nil:
			out.MemoryUsage += memory
		case refused(err):
			tells, out.MemoryUsage = false, -1
		default:
			return err
		}
	}
	return nil
}

// each sends one command for every key in one round trip and sums the answers.
func (s *RedisServer) each(ctx context.Context, keys []string, command func(redis.Pipeliner, string) *redis.IntCmd) (int64, error) {
	pipe := s.client.Pipeline()
	answers := make([]*redis.IntCmd, len(keys))
	for i, key := range keys {
		answers[i] = command(pipe, key)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, s.explain(err)
	}
	var sum int64
	for _, a := range answers {
		sum += a.Val()
	}
	return sum, nil
}

// memoryState is a server's used_memory, -1 where it does not tell, and how many
// clients are connected.
type memoryState struct{ bytes, clients int64 }

// usedMemory waits until the server has finished what it does by and by: moving
// keys to a larger table, and forgetting clients beyond so many (0: any number). A
// server that others use does not come to rest; the last reading counts then.
func (s *RedisServer) usedMemory(ctx context.Context, clients int64) (memoryState, error) {
	last := memoryState{bytes: -1}
	if !s.memory {
		return last, nil
	}
	const tick = 110 * time.Millisecond // the server's own is 100 ms
	for range 15 {
		info, err := s.info(ctx)
		if refused(err) {
			return memoryState{bytes: -1}, nil
		}
		if err != nil {
			return last, err
		}
		var now memoryState
		var err1, err2 error
		now.bytes, err1 = strconv.ParseInt(info["used_memory"], 10, 64)
		now.clients, err2 = strconv.ParseInt(info["connected_clients"], 10, 64)
		if err1 != nil || err2 != nil {
			return memoryState{bytes: -1}, nil
		}
		if now == last && (clients == 0 || now.clients <= clients) {
			return now, nil
		}
		last = now
		if !pause(ctx, tick) {
			return last, context.Cause(ctx)
		}
	}
	return last, nil
}

// Clean removes all keys of this run and touches no other.
func (s *RedisServer) Clean(ctx context.Context) error { return s.remove(ctx, s.prefix) }

// remove removes all keys that begin with prefix.
func (s *RedisServer) remove(ctx context.Context, prefix string) error {
	pattern := globEscape.Replace(prefix) + "*"
	for cursor := uint64(0); ; {
		keys, next, err := s.client.Scan(ctx, cursor, pattern, batchCommands).Result()
		if err != nil {
			return s.explain(err)
		}
		for _, key := range keys {
			if !strings.HasPrefix(key, prefix) {
				return fmt.Errorf("the Redis server at %s answers SCAN for %s* with another key; nothing more is removed", s.host, prefix)
			}
		}
		if len(keys) > 0 {
			if err := s.client.Unlink(ctx, keys...).Err(); err != nil {
				return s.explain(err)
			}
		}
		if next == 0 {
			return nil
		}
		cursor = next
	}
}

var globEscape = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`)
