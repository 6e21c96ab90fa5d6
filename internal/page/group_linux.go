package page

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup makes the browser the leader of a process group, and lets it end when
// we do, however that comes. Of its processes, those whose parents end become our
// children, so that we can wait for them.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // without it they are init's
}

// sweepTime is how long the last processes may take to end.
const sweepTime = time.Second

// sweep ends what is left of the browser: processes of its group that were just
// being born, and those that have left it, as handlers of crashes do. These are
// told by the browser's folder in their environment.
func (b *browser) sweep() {
	group := b.cmd.Process.Pid
	strays := map[int]bool{}
	for until := time.Now().Add(sweepTime); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		empty := errors.Is(syscall.Kill(-group, syscall.SIGKILL), syscall.ESRCH)
		living := withEnvironment([]byte(b.dir))
		for _, pid := range living {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			strays[pid] = true
		}
		if empty && len(living) == 0 {
			return
		}
		for reap(-group) {
		}
		for pid := range strays {
			reap(pid)
		}
	}
}

// reap waits for a child that has ended: of that number, or of the group of that
// number if it is negative.
func reap(pid int) bool {
	got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	return err == nil && got > 0
}

// withEnvironment lists the processes that have the text in their environment.
// One that has ended has none.
func withEnvironment(text []byte) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var found []int
	for _, file := range files {
		environment, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environment, text) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
			found = append(found, pid)
		}
	}
	return found
}
