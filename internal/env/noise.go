package env

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
)

// NoiseReport says what may disturb measurements on this machine right now.
// Shares are of all cores together, from 0 to 1.
type NoiseReport struct {
	Load      float64   `json:"load"` // one-minute load average; 0 where there is none
	Cores     int       `json:"cores"`
	Others    float64   `json:"others"`            // share of CPU time that other processes used while sampling
	Steal     float64   `json:"steal"`             // share that the hypervisor gave to others
	Quota     float64   `json:"quota,omitempty"`   // CPUs that a container may use; 0: no limit
	Busiest   []Process `json:"busiest,omitempty"` // other processes, busiest first
	OnBattery bool      `json:"on_battery,omitempty"`
	Governor  string    `json:"governor,omitempty"`
	// Advice holds one sentence for each thing found, with what to do about it.
	// Empty: nothing was found.
	Advice []string `json:"advice,omitempty"`
}

// Process is a process that was busy while sampling.
type Process struct {
	Name  string  `json:"name"`
	PID   int32   `json:"pid"`
	Cores float64 `json:"cores"` // how many cores it kept busy
}

// Noise watches the machine for the given time (0.2 to 1 s is enough) and
// reports what may disturb a measurement. This process and those that it
// started do not count. It returns early when ctx ends.
func Noise(ctx context.Context, sample time.Duration) NoiseReport {
	report := NoiseReport{
		Cores:     cores(ctx),
		Quota:     quota(sysfs()),
		OnBattery: onBattery(ctx),
		Governor:  governor(sysfs()),
	}
	if average, ok := loadAverage(ctx); ok {
		report.Load = average
	}
	before := observe(ctx)
	select {
	case <-time.After(sample):
	case <-ctx.Done():
	}
	// What was seen before ctx ended still counts.
	observe(context.WithoutCancel(ctx)).since(before, &report)
	report.Advice = report.Advise()
	return report
}

// observation is the CPU time used since the machine started.
type observation struct {
	at        time.Time
	total     cpu.TimesStat // seconds, over all cores
	processes map[int32]activity
}

func observe(ctx context.Context) observation {
	seen := observation{at: time.Now(), processes: activities(ctx, int32(os.Getpid()))}
	if all, err := cpu.TimesWithContext(ctx, false); err == nil && len(all) == 1 {
		seen.total = all[0]
	}
	return seen
}

// since fills in the shares between two observations.
func (o observation) since(before observation, report *NoiseReport) {
	elapsed := o.at.Sub(before.at).Seconds()
	total := whole(o.total) - whole(before.total)
	if elapsed <= 0 || total <= 0 {
		return
	}
	own, others := compare(before.processes, o.processes, elapsed)
	idle := o.total.Idle + o.total.Iowait - before.total.Idle - before.total.Iowait
	steal := max(0, o.total.Steal-before.total.Steal)
	report.Steal = share(steal, total)
	report.Others = share(total-idle-steal-own, total)
	report.Busiest = others
}

// whole adds all the time that there was. Guest time is part of user time.
func whole(t cpu.TimesStat) float64 {
	return t.User + t.System + t.Idle + t.Nice + t.Iowait + t.Irq + t.Softirq + t.Steal
}

func share(part, whole float64) float64 { return min(1, max(0, part/whole)) }

// What is worth a sentence.
const (
	busyShare  = 0.10 // of all cores, used by others
	stealShare = 0.02
	busyLoad   = 0.5 // load average per core
)

// Advise puts what was found into sentences: Advice, from the other members.
func (r NoiseReport) Advise() []string {
	var advice []string
	say := func(format string, args ...any) { advice = append(advice, fmt.Sprintf(format, args...)) }
	switch {
	case r.Others >= busyShare && len(r.Busiest) > 0:
		say("Other programs use %.0f%% of the CPU (%s): stop them, or expect wider intervals.", 100*r.Others, names(r.Busiest))
	case r.Others >= busyShare:
		say("Other programs use %.0f%% of the CPU: stop them, or expect wider intervals.", 100*r.Others)
	case r.Cores > 0 && r.Load/float64(r.Cores) >= busyLoad:
		say("The load average is %.1f on %s: wait until it falls, or expect wider intervals.", r.Load, plural(r.Cores, "core"))
	}
	if r.Steal >= stealShare {
		say("The hypervisor takes %.0f%% of the CPU time away: measure on a machine of your own if you can.", 100*r.Steal)
	}
	if r.Quota > 0 && r.Quota < float64(r.Cores) {
		say("This container may use %.2g of %s and is paused when it used them up: raise its CPU limit.", r.Quota, plural(r.Cores, "core"))
	}
	if r.OnBattery {
		say("The machine runs on its battery, which lowers and varies the clock: connect it to power.")
	}
	if r.Governor != "" && r.Governor != "performance" {
		say("The CPU's frequency governor is %q: \"performance\" gives steadier times (sudo cpupower frequency-set -g performance).", r.Governor)
	}
	return advice
}

// names lists processes as in "chrome 85%, make 12% of a core".
func names(busy []Process) string {
	parts := make([]string, len(busy))
	for i, p := range busy {
		parts[i] = fmt.Sprintf("%s %.0f%%", p.Name, 100*p.Cores)
	}
	return strings.Join(parts, ", ") + " of a core"
}

func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
