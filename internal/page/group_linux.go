package page

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the browser the leader of a process group, so that it ends with
// all its processes; and it ends when we do, however that comes.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
