package transport

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the leader of a process group, which also ends when
// the thread that starts it does.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
