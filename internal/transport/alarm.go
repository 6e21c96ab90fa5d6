package transport

import (
	"context"
	"slices"
	"sync"
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

// waking is what it takes from an event, be it a timer or bytes that arrive, until
// a goroutine that waits for it runs, in the better cases: late starts of a busy
// machine are not in it. It is measured once.
var waking = sync.OnceValue(func() time.Duration {
	const most = 100 * time.Microsecond
	alarm := preciseAlarm(context.Background())
	defer alarm.stop()
	late := make([]time.Duration, 24)
	for i := range late {
		until := time.Now().Add(2 * time.Millisecond)
		alarm.wait(until)
		late[i] = time.Since(until)
	}
	slices.Sort(late)
	return min(late[len(late)/4], most)
})

// oneWay is for how long bytes are to be kept that cross a link in one direction.
// What passes anyhow until they have been read, and until they are written, is
// left out.
func oneWay(roundTrip float64, waking time.Duration) time.Duration {
	return max(0, nanoseconds(roundTrip/2)-2*waking)
}
