//go:build unix && !linux

package page

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the browser the leader of a process group, so that it ends with
// all its processes.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// sweep ends processes that were just being born.
func (b *browser) sweep() { _ = killGroup(b.cmd.Process) }
