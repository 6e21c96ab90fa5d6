package runner

import (
	"os"

	"golang.org/x/sys/unix"
)

// bound lets a process allocate so many bytes.
func bound(p *os.Process, bytes int64) error {
	n := uint64(bytes)
	return unix.Prlimit(p.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: n, Max: n}, nil)
}
