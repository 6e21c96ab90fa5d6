package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// startTimeout is how long a server may take until it answers.
const startTimeout = 20 * time.Second

// startRedisProgram starts a server on a port that choose gives. Between choosing
// and listening another program may take the port: then on another one.
func startRedisProgram(ctx context.Context, program string, choose func() (int, error)) (*RedisServer, error) {
	var err error
	for range 3 {
		var port int
		if port, err = choose(); err != nil {
			return nil, err
		}
		var s *RedisServer
		if s, err = tryRedisProgram(ctx, program, port); err == nil {
			return s, nil
		}
		var ended *endedError
		if !errors.As(err, &ended) || !ended.taken {
			break
		}
	}
	return nil, err
}

// freePort gives a port of the loopback address that nobody listened on just now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// endedError says that a server has ended before it answered.
type endedError struct {
	program string
	said    string // its last line
	taken   bool   // its port was not free
}

func (e *endedError) Error() string {
	if e.taken {
		return fmt.Sprintf("%s does not start, since its port is in use by another program; try again, or give a server with --redis", e.program)
	}
	return fmt.Sprintf("%s does not start: %s; look into that, or give a server with --redis", e.program, e.said)
}

func tryRedisProgram(ctx context.Context, program string, port int) (*RedisServer, error) {
	dir, err := os.MkdirTemp("", "wirecost-redis-")
	if err != nil {
		return nil, err
	}
	p, err := startProgram(program, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("%s does not start: %w; give a server with --redis", program, err)
	}
	stop := func() error {
		p.kill()
		return os.RemoveAll(dir)
	}
	s, err := p.answering(ctx, fmt.Sprintf("redis://127.0.0.1:%d", port))
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	s.stop = stop
	return s, nil
}

// program is a server in a process group of its own.
type program struct {
	cmd   *exec.Cmd
	log   lastBytes
	ended chan struct{}
}

// startProgram starts a program. Where the system can do so, it ends the program
// when this process ends in any way; that goes by the thread which started it, so
// that one waits here.
func startProgram(name string, arguments ...string) (*program, error) {
	p := &program{cmd: exec.Command(name, arguments...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.WaitDelay = time.Second
	ownGroup(p.cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = p.cmd.Wait() // its log says more than its status
		close(p.ended)
	}()
	return p, <-started
}

// kill ends the program with its group. It returns when it has ended.
func (p *program) kill() {
	select {
	case <-p.ended:
	default:
		killGroup(p.cmd.Process)
		<-p.ended
	}
}

// answering waits until the program answers at the URL.
func (p *program) answering(ctx context.Context, url string) (*RedisServer, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		s, err := p.answer(ctx, url)
		if err == nil {
			return s, nil
		}
		select {
		case <-p.ended:
			said, taken := p.log.read()
			return nil, &endedError{p.cmd.Path, said, taken}
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("%s does not answer: %w", p.cmd.Path, err)
		}
	}
}

// answer tries once. It makes sure that the server is the one that was started,
// and not another one that was faster to take the port.
func (p *program) answer(ctx context.Context, url string) (*RedisServer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	s, err := connectRedis(ctx, url)
	if err != nil {
		return nil, err
	}
	info, err := s.info(ctx, "server")
	if err == nil && info["process_id"] != strconv.Itoa(p.cmd.Process.Pid) {
		err = errors.New("another server answers at " + s.host)
	}
	if err != nil {
		s.client.Close()
		return nil, err
	}
	return s, nil
}

// lastBytes keeps the end of what is written to it.
type lastBytes struct {
	mu   sync.Mutex
	data []byte
}

func (l *lastBytes) Write(b []byte) (int, error) {
	const most = 4 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data = append(l.data, b[max(0, len(b)-most):]...)
	l.data = l.data[max(0, len(l.data)-most):]
	return len(b), nil
}

// read gives the last line, and whether any tells of a port that is taken.
func (l *lastBytes) read() (line string, taken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(l.data), "\uFFFD"))
	line = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if line == "" {
		line = "it ended without a word"
	}
	return line, strings.Contains(text, "in use")
}
