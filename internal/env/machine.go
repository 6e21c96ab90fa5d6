// Package env describes the machine that a run takes place on, says what may
// disturb a measurement before it begins, and tells wirecost's own version.
// Nothing here fails: what cannot be found out is left empty.
package env

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// Machine is where a run took place. It names no user, host or address.
type Machine struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"` // logical
	MemoryByte uint64 `json:"memory_bytes"`
	Kernel     string `json:"kernel,omitempty"`
	Governor   string `json:"governor,omitempty"` // of frequency scaling; comma-separated where cores differ
	Virtual    string `json:"virtual,omitempty"`  // the hypervisor, if one shows
	Load       string `json:"load,omitempty"`     // one-minute load average when the run began
	// Clock is the kernel's clock source, and ClockStepNS the smallest
	// difference between two clock readings that this process saw.
	Clock       string  `json:"clock,omitempty"`
	ClockStepNS float64 `json:"clock_step_ns,omitempty"`
}

// Describe finds out what can be told of this machine. It takes a few
// milliseconds.
func Describe(ctx context.Context) Machine {
	m := Machine{
		OS:          runtime.GOOS,
		Arch:        runtime.GOARCH,
		CPU:         processor(ctx),
		Cores:       cores(ctx),
		Governor:    governor(sysfs()),
		Clock:       line(sysfs(), "devices/system/clocksource/clocksource0/current_clocksource"),
		ClockStepNS: float64(ClockStep().Nanoseconds()),
	}
	if memory, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		m.MemoryByte = memory.Total
	}
	if kernel, err := host.KernelVersionWithContext(ctx); err == nil {
		m.Kernel = kernel
	}
	if system, role, err := host.VirtualizationWithContext(ctx); err == nil && role == "guest" {
		m.Virtual = system
	}
	if average, ok := loadAverage(ctx); ok {
		m.Load = fmt.Sprintf("%.2f", average)
	}
	return m
}

// processor gives the CPU's model name, or what stands in for it.
func processor(ctx context.Context) string {
	infos, err := cpu.InfoWithContext(ctx)
	if err != nil || len(infos) == 0 {
		return "unknown " + runtime.GOARCH
	}
	if name := strings.Join(strings.Fields(infos[0].ModelName), " "); name != "" {
		return name
	}
	// Many arm64 kernels tell no model, only who made it.
	return strings.TrimSpace(strings.Join([]string{infos[0].VendorID, infos[0].Family, runtime.GOARCH}, " "))
}

// cores counts logical CPUs.
func cores(ctx context.Context) int {
	if n, err := cpu.CountsWithContext(ctx, true); err == nil && n > 0 {
		return n
	}
	return runtime.NumCPU()
}

// loadAverage gives the one-minute load average. Windows has none.
func loadAverage(ctx context.Context) (float64, bool) {
	if runtime.GOOS == "windows" {
		return 0, false
	}
	average, err := load.AvgWithContext(ctx)
	if err != nil {
		return 0, false
	}
	return average.Load1, true
}

// sysfs is Linux's view of its devices; elsewhere it is empty.
func sysfs() fs.FS { return os.DirFS("/sys") }

// line reads a file that holds one line; what cannot be read is "".
func line(files fs.FS, name string) string {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
