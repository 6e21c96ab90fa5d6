//go:build unix

package page

import (
	"os"
	"syscall"
)

func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
