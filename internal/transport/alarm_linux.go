package transport

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// preciseAlarm wakes by a timer of the kernel's, within tens of microseconds. The
// goroutine waits for it as for a socket, and keeps no thread busy.
func preciseAlarm(ctx context.Context) alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil { // no descriptors left
		return plainAlarm(ctx)
	}
	timer := os.NewFile(uintptr(fd), "timer")
	raw, err := timer.SyscallConn()
	if err != nil {
		timer.Close()
		return plainAlarm(ctx)
	}
	unhook := context.AfterFunc(ctx, func() { timer.Close() })
	var expirations [8]byte
	return alarm{
		wait: func(until time.Time) bool {
			d := time.Until(until)
			if d <= 0 {
				return ctx.Err() == nil
			}
			spec := unix.ItimerSpec{Value: unix.NsecToTimespec(d.Nanoseconds())}
			var set error
			if err := raw.Control(func(fd uintptr) { set = unix.TimerfdSettime(int(fd), 0, &spec, nil) }); err != nil || set != nil {
				return false
			}
			_, err := timer.Read(expirations[:])
			return err == nil && ctx.Err() == nil
		},
		stop: func() {
			if unhook() {
				timer.Close()
			}
		},
	}
}
