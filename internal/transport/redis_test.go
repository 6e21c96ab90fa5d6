package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"wirecost/internal/testenv"
)

const secret = "s3cr3t-Pa55"

// realRedis starts redis-server with more settings, and gives its URL.
func realRedis(t *testing.T, settings ...string) (*program, string) {
	t.Helper()
	name := needRedis(t)
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--port", fmt.Sprint(port), "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir()}
	p, err := startProgram(name, append(arguments, settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for range 1000 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return p, address
		}
		time.Sleep(10 * time.Millisecond)
	}
	said, _ := p.log.read()
	t.Fatalf("redis-server does not listen: %s", said)
	return nil, ""
}

func needRedis(t *testing.T) string {
	t.Helper()
	name, err := exec.LookPath(redisProgram)
	if err != nil {
		testenv.Skip(t, "needs redis-server: not installed")
	}
	return name
}

func start(t *testing.T, url string) *RedisServer {
	t.Helper()
	s, err := StartRedis(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func values(n, size int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = bytes.Repeat([]byte{byte(i)}, size)
	}
	return out
}

func TestEmbeddedRedis(t *testing.T) {
	t.Setenv("PATH", "")
	s := start(t, "")
	if s.Label() != Embedded {
		t.Errorf("the embedded server is called %q", s.Label())
	}
	got, err := s.Store(t.Context(), "codec", values(2500, 100))
	if want := (Stored{Keys: 2500, ValueBytes: 250_000, MemoryUsage: -1, UsedMemory: -1}); err != nil || got != want {
		t.Errorf("stored %+v, %v; want %+v", got, err, want)
	}
	must(t, s.Ping(t.Context()))
	must(t, s.Close())
	if err := s.Ping(t.Context()); err == nil {
		t.Error("it answers after Close")
	}
	if c, err := net.Dial("tcp", s.Host()); err == nil {
		c.Close()
		t.Error("it listens after Close")
	}
}

func TestRealRedis(t *testing.T) {
	needRedis(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	s := start(t, "")
	if !strings.HasPrefix(s.Label(), "redis ") && !strings.HasPrefix(s.Label(), "valkey ") {
		t.Errorf("the server is called %q", s.Label())
	}
	const n, size = 2500, 100
	got, err := s.Store(t.Context(), "codec", values(n, size))
	if err != nil {
		t.Fatal(err)
	}
	if got.Keys != n || got.ValueBytes != n*size || got.MemoryUsage <= n*size || got.MemoryUsage > 4*n*size {
		t.Errorf("stored %+v", got)
	}
	// The growth has the tables of keys in it, which MEMORY USAGE has not.
	if ratio := float64(got.UsedMemory) / float64(got.MemoryUsage); ratio < 1 || ratio > 2 {
		t.Errorf("used_memory grew by %d, MEMORY USAGE says %d", got.UsedMemory, got.MemoryUsage)
	}
	again, err := s.Store(t.Context(), "other", values(n, 2*size))
	if err != nil || again.UsedMemory < got.UsedMemory+n*size*8/10 || again.UsedMemory > got.UsedMemory+n*size*12/10 {
		t.Errorf("values twice as large: %+v after %+v, %v", again, got, err)
	}
	if n := s.client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys are left", n)
	}
	host := s.Host()
	must(t, s.Close())
	if c, err := net.Dial("tcp", host); err == nil {
		c.Close()
		t.Error("it listens after Close")
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v %v", left, err)
	}
	noGoroutinesOf(t, "transport.startProgram", "transport.(*program)")
}

func TestRedisPortTaken(t *testing.T) {
	name := needRedis(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // somebody who says nothing
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			go io.Copy(io.Discard, c)
		}
	}()
	taken, asked := l.Addr().(*net.TCPAddr).Port, 0
	s, err := startRedisProgram(t.Context(), name, func() (int, error) {
		if asked++; asked == 1 {
			return taken, nil
		}
		return freePort()
	})
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
	_, err = startRedisProgram(t.Context(), name, func() (int, error) { return taken, nil })
	if err == nil || !strings.Contains(err.Error(), "in use") || !strings.Contains(err.Error(), "--redis") {
		t.Errorf("with every port taken: %v", err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v %v", left, err)
	}
}

func TestRedisProgramThatEnds(t *testing.T) {
	t.Setenv(modeVariable, "nothing")
	_, err := startRedisProgram(t.Context(), os.Args[0], freePort)
	if err == nil || !strings.Contains(err.Error(), `no mode "nothing"`) {
		t.Errorf("a program that ends at once: %v", err)
	}
	if _, err = startRedisProgram(t.Context(), filepath.Join(t.TempDir(), "none"), freePort); err == nil {
		t.Error("a program that is not there starts")
	}
}

// TestRedisKeysOfOthers: what others have in the user's server stays.
func TestRedisKeysOfOthers(t *testing.T) {
	m := miniredis.RunT(t)
	others := []string{"list", "user:1", "wirecost:", "wirecost:0123456789ab:c:x", "wirecost?"}
	for _, key := range others {
		m.Set(key, "theirs")
	}
	s := start(t, "redis://"+m.Addr()+"/0")
	if s.Label() == Embedded {
		t.Error("the user's server is called embedded")
	}
	for i := range 3000 {
		m.Set(fmt.Sprint(s.Prefix(), i), "ours")
	}
	if _, err := s.Store(t.Context(), "co[d]*e?c", values(10, 10)); err != nil {
		t.Error(err)
	}
	if n := len(m.Keys()); n != 3000+len(others) {
		t.Errorf("%d keys, want ours and theirs", n)
	}
	must(t, s.Close())
	if got := m.Keys(); !slices.Equal(got, others) {
		t.Errorf("keys left: %q, want %q", got, others)
	}
}

func TestRedisKeysExpire(t *testing.T) {
	m := miniredis.RunT(t)
	s := start(t, "redis://"+m.Addr())
	defer s.Close()
	must(t, s.write(t.Context(), []string{s.prefix + "x"}, values(1, 1)))
	if ttl := m.TTL(s.prefix + "x"); ttl != RedisTTL {
		t.Errorf("a key lives for %s", ttl)
	}
}

// wrongScan answers SCAN with a key that was not asked for.
type wrongScan struct{ redis.Hook }

func (wrongScan) DialHook(next redis.DialHook) redis.DialHook { return next }
func (wrongScan) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (wrongScan) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if scan, ok := cmd.(*redis.ScanCmd); ok {
			scan.SetVal([]string{"theirs"}, 0)
			return nil
		}
		return next(ctx, cmd)
	}
}

func TestRedisAnswersWithKeysOfOthers(t *testing.T) {
	m := miniredis.RunT(t)
	m.Set("theirs", "x")
	s := start(t, "redis://"+m.Addr())
	s.client.AddHook(wrongScan{})
	if err := s.Close(); err == nil || !m.Exists("theirs") {
		t.Errorf("a key that was not asked for: %v, still there: %t", err, m.Exists("theirs"))
	}
}

// wants checks an error's words, and that it keeps the secret.
func wants(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	if strings.Contains(err.Error(), secret) || strings.Contains(fmt.Sprintf("%+v", err), secret) {
		t.Errorf("the password is in %q", err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%q is more than a sentence", err)
	}
}

func connectError(t *testing.T, url string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := StartRedis(ctx, url)
	if err == nil {
		s.Close()
	}
	return err
}

func TestRedisPassword(t *testing.T) {
	_, address := realRedis(t, "--requirepass", secret)
	wants(t, connectError(t, "redis://"+address), "requires a password", address)
	wants(t, connectError(t, "redis://:wrong@"+address), "refuses", address)
	wants(t, connectError(t, "redis://nobody:"+secret+"@"+address), "refuses", address)
	s := start(t, "redis://:"+secret+"@"+address+"/3")
	if _, err := s.Store(t.Context(), "codec", values(3, 3)); err != nil {
		t.Error(err)
	}
	must(t, s.Close())
	wants(t, connectError(t, "redis://:"+secret+"@"+address+"/99"), "database")
}

func TestRedisUserWhoMayLittle(t *testing.T) {
	_, address := realRedis(t, "--user", "little", "on", ">"+secret, "~wirecost:*", "+ping", "+set", "+get", "+strlen", "+scan", "+unlink", "+hello", "+auth", "+client", "+select")
	s := start(t, "redis://little:"+secret+"@"+address)
	got, err := s.Store(t.Context(), "codec", values(3, 3))
	if want := (Stored{Keys: 3, ValueBytes: 9, MemoryUsage: -1, UsedMemory: -1}); err != nil || got != want {
		t.Errorf("stored %+v, %v; want %+v", got, err, want)
	}
	must(t, s.Close())
}

func TestRedisFull(t *testing.T) {
	_, address := realRedis(t, "--maxmemory", "1", "--maxmemory-policy", "noeviction")
	s := start(t, "redis://"+address)
	defer s.Close()
	_, err := s.Store(t.Context(), "codec", values(3, 3))
	wants(t, err, "is full", "maxmemory", address)
	if n := s.client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

func TestRedisGone(t *testing.T) {
	p, address := realRedis(t)
	s := start(t, "redis://"+address)
	p.kill()
	_, err := s.Store(t.Context(), "codec", values(3, 3))
	wants(t, err, address)
	wants(t, s.Ping(t.Context()), "can be reached at "+address, "refused")
	wants(t, s.Close(), "expire after")
	wants(t, connectError(t, "redis://:"+secret+"@"+address), "can be reached", "refused")
}

func TestRedisWithTLS(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate
	defer web.Close()
	m := miniredis.NewMiniRedis()
	must(t, m.StartTLS(web.TLS))
	defer m.Close()
	m.RequireAuth(secret)
	wants(t, connectError(t, "rediss://:"+secret+"@"+m.Addr()), "certificate", "skip_verify")
	wants(t, connectError(t, "rediss://:wrong@"+m.Addr()+"?skip_verify=true"), "refuses")
	s := start(t, "rediss://:"+secret+"@"+m.Addr()+"?skip_verify=true")
	must(t, s.Close())
	wants(t, connectError(t, "redis://:"+secret+"@"+m.Addr()), "rediss://")

	plain := miniredis.RunT(t)
	wants(t, connectError(t, "rediss://:"+secret+"@"+plain.Addr()), "TLS")
}

func TestNotRedis(t *testing.T) {
	web := httptest.NewServer(nil)
	defer web.Close()
	wants(t, connectError(t, "redis://:"+secret+"@"+web.Listener.Addr().String()), "not a Redis server")

	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = StartRedis(ctx, "redis://:"+secret+"@"+silent.Addr().String())
	wants(t, err, "does not answer in time")

	echo := echoServer(t)
	wants(t, connectError(t, "redis://:"+secret+"@"+echo), echo)
}

func TestRedisURLThatCannotBeRead(t *testing.T) {
	for _, url := range []string{
		"localhost:6379", "http://:" + secret + "@localhost", "redis://:" + secret + "@local host:x", "redis://:" + secret + "@localhost:6379/x/y",
		"redis://:" + secret + "@localhost/one", "redis://:" + secret + "@[::1", "redis://localhost?password=" + secret, "unix:///x", "redis://%zz" + secret,
	} {
		wants(t, connectError(t, url), "redis://")
	}
}

func FuzzRedisURL(f *testing.F) {
	for _, seed := range []string{"redis://:p@h:1/2", "rediss://u:p@[::1]:6379?skip_verify=true", "redis://", "redis://%", "redis://h/9999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, url string) {
		options, err := redisOptions(url)
		if (options == nil) == (err == nil) {
			t.Errorf("%q: %v %v", url, options, err)
		}
	})
}

func TestRedisLabel(t *testing.T) {
	for want, info := range map[string]map[string]string{
		"redis 7.0.15":                     {"redis_version": "7.0.15"},
		"valkey 8.1.1":                     {"redis_version": "7.2.4", "server_name": "valkey", "valkey_version": "8.1.1"},
		"redis":                            {},
		"redis " + strings.Repeat("x", 54): {"redis_version": strings.Repeat("x", 1000)},
	} {
		if got := redisLabel(info); got != want {
			t.Errorf("%v: %q, want %q", info, got, want)
		}
	}
}

func TestRedisStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := start(t, "redis://"+miniredis.RunT(t).Addr())
	defer s.Close()
	cancel()
	if _, err := s.Store(ctx, "codec", values(3, 3)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context's end: %v", err)
	}
}

// TestNothingOutlivesAKilledProgram: a program that is killed leaves no server
// and no network behind.
func TestNothingOutlivesAKilledProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere nobody ends the server then")
	}
	needRedis(t)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), modeVariable+"=hold", "TMPDIR="+t.TempDir())
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	must(t, command.Start())
	said := map[string]string{}
	for {
		var line []byte
		for b := make([]byte, 1); ; line = append(line, b[0]) {
			if _, err := out.Read(b); err != nil {
				t.Fatalf("the program says %v and ends: %v", said, err)
			}
			if b[0] == '\n' {
				break
			}
		}
		key, value, _ := strings.Cut(string(line), " ")
		if said[key] = value; key == "ready" {
			break
		}
	}
	if got, err := net.Dial("tcp", said["redis"]); err != nil {
		t.Errorf("the server does not run: %v", err)
	} else {
		got.Close()
	}
	namespaces := networksOf(t, said["prefix"])
	must(t, command.Process.Kill())
	command.Wait()
	eventually(t, "redis-server has ended", func() bool {
		c, err := net.Dial("tcp", said["redis"])
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	for _, n := range namespaces {
		if user := userOfNetwork(n); user != "" {
			t.Errorf("process %s is left in a network namespace of the link", user)
		}
	}
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for range 1000 {
		if so() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("not so after 10 s: %s", what)
}

// networksOf gives the network namespace that a prefix leads to.
func networksOf(t *testing.T, prefix string) []string {
	t.Helper()
	_, file, ok := strings.Cut(prefix, "--net=")
	if !ok {
		return nil
	}
	name, err := os.Readlink(file)
	if err != nil {
		t.Error(err)
	}
	return []string{name}
}

// userOfNetwork gives a process in a network namespace, or one that holds it open.
func userOfNetwork(name string) string {
	for _, pattern := range []string{"/proc/[0-9]*/ns/net", "/proc/[0-9]*/fd/*"} {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			if to, err := os.Readlink(f); err == nil && to == name {
				return f
			}
		}
	}
	return ""
}
