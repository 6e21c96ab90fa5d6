package transport

import (
	"context"
	"time"
)

// An alarm wakes one goroutine at the times it asks for. wait returns true at the
// time, and false as soon as the alarm's context ends; stop releases the alarm.
type alarm struct {
	wait func(until time.Time) bool
	stop func()
}

// newAlarm makes alarms: precise ones for what must arrive in time.
type newAlarm func(ctx context.Context) alarm

// plainAlarm wakes by the Go runtime's timers, which on Linux come up to a
// millisecond late when the program is otherwise idle.
func plainAlarm(ctx context.Context) alarm {
	timer := time.NewTimer(0)
	return alarm{
		wait: func(until time.Time) bool {
			d := time.Until(until)
			if d <= 0 {
				return ctx.Err() == nil
			}
			timer.Reset(d)
			select {
			case <-timer.C:
				return ctx.Err() == nil
			case <-ctx.Done():
				return false
			}
		},
		stop: func() { timer.Stop() },
	}
}
