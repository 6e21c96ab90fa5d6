//go:build !darwin && !windows

package env

import "context"

// onBattery tells whether the machine runs on its battery.
func onBattery(context.Context) bool { return discharging(sysfs()) }
