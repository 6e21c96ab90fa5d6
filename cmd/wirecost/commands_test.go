package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/rogpeppe/go-internal/testscript"
)

// redis is the script command "redis VAR [ARGUMENT...]": it starts redis-server on
// a free port, which VAR then holds, until the script ends.
func redis(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: redis VAR [ARGUMENT...]")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	ts.Check(l.Close())
	var log bytes.Buffer
	cmd := exec.Command("redis-server", append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", os.TempDir()}, args[1:]...)...)
	cmd.Stdout, cmd.Stderr = &log, &log
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			break
		}
		if time.Now().After(until) {
			ts.Fatalf("redis-server does not answer: %s", log.String())
		}
	}
	ts.Setenv(args[0], port)
}

// keys is the script command "keys PORT PASSWORD COUNT": the Redis server on a port
// holds so many keys.
func keys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: keys PORT PASSWORD COUNT")
	}
	client := goredis.NewClient(&goredis.Options{Addr: "127.0.0.1:" + args[0], Password: args[1]})
	defer client.Close()
	n, err := client.DBSize(context.Background()).Result()
	ts.Check(err)
	if strconv.FormatInt(n, 10) != args[2] {
		ts.Fatalf("the server holds %d keys; want %s", n, args[2])
	}
}

// await is the script command "await RECORDS FILE": the result FILE holds so many
// records of requests.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await RECORDS FILE")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	for until := time.Now().Add(5 * time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		content, _ := os.ReadFile(ts.MkAbs(args[1]))
		if bytes.Count(content, []byte(`"kind":"requests"`)) >= want {
			return
		}
	}
	ts.Fatalf("%s does not come to %d records of requests", args[1], want)
}

// process is a process that a script has started, itself or through others.
type process struct {
	pid     int
	command string
}

// processes lists those of a script: they have its folder in their environment.
func processes(ts *testscript.TestScript) []process {
	mark := []byte("WORK=" + ts.Getenv("WORK"))
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var all []process
	for _, file := range files {
		env, err := os.ReadFile(file) // nothing, of one that has ended
		if err != nil || !bytes.Contains(append([]byte{0}, env...), append([]byte{0}, append(mark, 0)...)) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && len(line) > 0 {
			all = append(all, process{pid, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))})
		}
	}
	return all
}

// alone is the script command "alone": no process of the script is left.
func alone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: alone")
	}
	var left []process
	for range 50 { // what was killed may take a moment
		if left = processes(ts); len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Fatalf("processes are left: %v", left)
}

// killServer is the script command "kill-server RECORDS FILE": it waits until the
// result FILE holds so many records of requests, and kills the first process of
// the script that listens on a port.
func killServer(ts *testscript.TestScript, neg bool, args []string) {
	await(ts, neg, args)
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		for _, p := range processes(ts) {
			if listens(p.pid) && !strings.Contains(p.command, args[1]) { // not wirecost itself
				found, err := os.FindProcess(p.pid)
				ts.Check(err)
				ts.Check(found.Kill())
				return
			}
		}
	}
	ts.Fatalf("there was no server to kill")
}

// listens reports whether a process listens on a TCP port.
func listens(pid int) bool {
	listening := map[string]bool{}
	for _, table := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" {
				listening["socket:["+f[9]+"]"] = true
			}
		}
	}
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range open {
		if target, err := os.Readlink(fd); err == nil && listening[target] {
			return true
		}
	}
	return false
}
