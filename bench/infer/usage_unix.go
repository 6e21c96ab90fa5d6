//go:build unix

package main

import (
	"runtime"
	"syscall"
)

// usage gives the CPU time that this process has used, in seconds, and the
// largest resident size that it has had, in MB.
func usage() (cpu, peak float64, err error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0, err
	}
	cpu = float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	unit := 1024.0 // Linux counts in KiB
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return cpu, float64(u.Maxrss) * unit / 1e6, nil
}
