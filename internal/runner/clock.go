package runner

import (
	"context"
	"sync"
	"time"
)

// Clock is time as the scheduler sees it: the machine's, or a scripted one that
// fakes advance.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error // the error is ctx's
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep implements Clock.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// VirtualClock moves only when it is told to. Its zero value stands at the start
// of 2000, UTC.
type VirtualClock struct {
	mu      sync.Mutex
	elapsed time.Duration
}

var virtualEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Now implements Clock.
func (c *VirtualClock) Now() time.Time { return virtualEpoch.Add(c.Elapsed()) }

// Elapsed tells by how much the clock has moved.
func (c *VirtualClock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

// Advance moves the clock.
func (c *VirtualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += d
}

// Sleep implements Clock: it moves the clock and returns at once.
func (c *VirtualClock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.Advance(d)
	return nil
}
