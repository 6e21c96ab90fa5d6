package env

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// governor names the frequency governors of all cores, sorted and without
// repeats: "performance", or "powersave,schedutil" where they differ.
func governor(sys fs.FS) string {
	files, err := fs.Glob(sys, "devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	if err != nil {
		return ""
	}
	var names []string
	for _, file := range files {
		if name := line(sys, file); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}

// discharging tells whether a battery that powers this machine is being
// emptied. Batteries of mice and the like ("scope" is Device) do not count.
func discharging(sys fs.FS) bool {
	supplies, err := fs.Glob(sys, "class/power_supply/*")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(supplies, func(dir string) bool {
		return line(sys, path.Join(dir, "type")) == "Battery" &&
			line(sys, path.Join(dir, "scope")) != "Device" &&
			line(sys, path.Join(dir, "status")) == "Discharging"
	})
}

// quota gives how many CPUs' time the control group allows, or 0 for no limit.
// The file holds microseconds per period, as in "150000 100000".
func quota(sys fs.FS) float64 {
	allowed, period, found := strings.Cut(line(sys, "fs/cgroup/cpu.max"), " ")
	if !found {
		return 0
	}
	used, err := strconv.ParseFloat(allowed, 64)
	if err != nil { // "max"
		return 0
	}
	of, err := strconv.ParseFloat(period, 64)
	if err != nil || of <= 0 {
		return 0
	}
	return used / of
}
