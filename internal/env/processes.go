package env

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/process"
)

// activity is one process at one moment.
type activity struct {
	name    string
	parent  int32
	seconds float64 // CPU time so far
	own     bool    // the process asked about, or started by it
}

// activities lists all processes that this user may look at.
func activities(ctx context.Context, own int32) map[int32]activity {
	processes, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return nil
	}
	seen := make(map[int32]activity, len(processes))
	for _, p := range processes {
		times, err := p.TimesWithContext(ctx)
		if err != nil { // gone, or not ours to see
			continue
		}
		parent, _ := p.PpidWithContext(ctx)
		name, _ := p.NameWithContext(ctx)
		seen[p.Pid] = activity{name: printable(name), parent: parent, seconds: times.User + times.System}
	}
	for pid, a := range seen {
		a.own = descends(seen, pid, own)
		seen[pid] = a
	}
	return seen
}

// descends tells whether a process is the given one or was started by it.
func descends(seen map[int32]activity, pid, ancestor int32) bool {
	for range len(seen) + 1 { // parents of reused PIDs may form a ring
		if pid == ancestor {
			return true
		}
		a, ok := seen[pid]
		if !ok {
			return false
		}
		pid = a.parent
	}
	return false
}

// compare adds up the CPU seconds that this process and its children used
// between two moments, and names the busiest others: at most three, each with
// at least 5% of a core.
func compare(before, after map[int32]activity, elapsed float64) (own float64, busiest []Process) {
	const least, most = 0.05, 3
	for pid, a := range after {
		used := a.seconds - before[pid].seconds
		if used <= 0 {
			continue
		}
		if a.own {
			own += used
		} else if used/elapsed >= least {
			busiest = append(busiest, Process{Name: a.name, PID: pid, Cores: used / elapsed})
		}
	}
	slices.SortFunc(busiest, func(a, b Process) int {
		return cmp.Or(cmp.Compare(b.Cores, a.Cores), cmp.Compare(a.PID, b.PID))
	})
	return own, busiest[:min(most, len(busiest))]
}

// printable drops what could play tricks on a terminal from a process's name.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return -1
		}
		return r
	}, name)
}
