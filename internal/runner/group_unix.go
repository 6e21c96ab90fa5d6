//go:build unix

package runner

import (
	"os"
	"os/exec"
	"syscall"
)

const exeSuffix = ""

// ownGroup makes the program the leader of a process group, so that it ends
// with all its children, and so that an interrupt typed at the terminal reaches
// wirecost alone.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminateGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// lockFile takes an exclusive lock, or says at once that another holds it.
func lockFile(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK || err == syscall.EINTR {
		return false, nil
	}
	return err == nil, err
}
