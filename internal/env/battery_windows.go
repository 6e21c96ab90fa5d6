package env

import (
	"context"
	"unsafe"

	"golang.org/x/sys/windows"
)

var getSystemPowerStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemPowerStatus")

// powerStatus is SYSTEM_POWER_STATUS of the Windows API.
type powerStatus struct {
	ACLine              byte // 0: offline, 1: online, 255: unknown
	BatteryFlag         byte
	BatteryLifePercent  byte
	SystemStatus        byte
	BatteryLifeTime     uint32
	BatteryFullLifeTime uint32
}

// onBattery tells whether the machine runs on its battery.
func onBattery(context.Context) bool {
	var status powerStatus
	ok, _, _ := getSystemPowerStatus.Call(uintptr(unsafe.Pointer(&status)))
	return ok != 0 && status.ACLine == 0
}
