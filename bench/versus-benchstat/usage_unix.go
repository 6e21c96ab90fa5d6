//go:build unix

package main

import "syscall"

// usage reads the process's CPU time in nanoseconds and the number of
// involuntary context switches.
func usage() (cpu, preemptions int64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return -1, -1
	}
	return u.Utime.Nano() + u.Stime.Nano(), u.Nivcsw
}
