//go:build !linux

package transport

import "context"

// preciseAlarm is plainAlarm where the runtime's timers are precise.
func preciseAlarm(ctx context.Context) alarm { return plainAlarm(ctx) }
