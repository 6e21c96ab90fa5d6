package runner

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// bound lets a process allocate so many bytes. Of one that has ended already the
// first request tells why.
func bound(p *os.Process, bytes int64) error {
	n := uint64(bytes)
	err := unix.Prlimit(p.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: n, Max: n}, nil)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}
