package transport

import (
	"sync"
	"time"

	"wirecost/internal/bench"
)

// lane is one direction of a link. Whatever crosses it shares its bandwidth, in
// the order of sending. It keeps time by what was sent and not by when somebody
// woke up, so that late timers do not slow it down.
type lane struct {
	bits float64 // per second
	mu   sync.Mutex
	free time.Time // when all that was sent so far has left
}

// send puts bytes on the lane and says when the last of them leaves.
func (l *lane) send(now time.Time, bytes int) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(now, bytes)
}

// offer is send for a lane before which at most limit bytes may wait; more are
// dropped.
func (l *lane) offer(now time.Time, bytes, limit int) (left time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free.Sub(now).Seconds()*l.bits/8 > float64(limit) {
		return time.Time{}, false
	}
	return l.take(now, bytes), true
}

func (l *lane) take(now time.Time, bytes int) time.Time {
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(bytes) * 8 / l.bits * float64(time.Second)))
	return l.free
}

// segments puts a stream of bytes on a lane as TCP would: cut into segments, each
// with headers. It does not matter in what pieces the bytes come: while a segment
// waits to leave, more bytes find room in it.
type segments struct {
	lane *lane
	room int       // bytes that the last segment can still take
	left time.Time // when that segment leaves
}

// send puts bytes on the lane and says when the last of them leaves.
func (s *segments) send(now time.Time, bytes int) time.Time {
	if !s.left.After(now) {
		s.room = 0
	}
	more := (max(0, bytes-s.room) + bench.SegmentPayload - 1) / bench.SegmentPayload
	s.room += more*bench.SegmentPayload - bytes
	s.left = s.lane.send(now, bytes+more*bench.SegmentHeaders)
	return s.left
}

// nanoseconds makes a duration of the float that links are described in.
func nanoseconds(ns float64) time.Duration { return time.Duration(ns) }
