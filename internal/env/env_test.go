package env

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shirou/gopsutil/v4/cpu"
)

// files makes a file system of a map from names to contents.
func files(contents map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range contents {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestDescribe(t *testing.T) {
	m := Describe(t.Context())
	if m.OS != runtime.GOOS || m.Arch != runtime.GOARCH {
		t.Errorf("described as %s/%s", m.OS, m.Arch)
	}
	if m.CPU == "" || m.Cores < 1 || m.MemoryByte < 1<<26 || m.Kernel == "" {
		t.Errorf("something is missing: %+v", m)
	}
	if m.ClockStepNS <= 0 || m.ClockStepNS > 1e8 {
		t.Errorf("clock step %v ns", m.ClockStepNS)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if host, err := os.Hostname(); err == nil && len(host) > 3 && strings.Contains(string(text), host) {
		t.Errorf("the description names the host: %s", text)
	}
}

func TestDescribeWithoutTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m := Describe(ctx); m.OS == "" || m.Cores < 1 {
		t.Errorf("nothing described: %+v", m)
	}
}

func TestGovernor(t *testing.T) {
	const at = "devices/system/cpu/cpu"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"none", nil, ""},
		{"equal", map[string]string{
			at + "0/cpufreq/scaling_governor":  "performance\n",
			at + "11/cpufreq/scaling_governor": "performance\n",
		}, "performance"},
		{"different", map[string]string{
			at + "0/cpufreq/scaling_governor": "schedutil\n",
			at + "1/cpufreq/scaling_governor": "powersave\n",
			at + "2/cpufreq/scaling_governor": "schedutil\n",
			at + "freq/scaling_governor":      "no core\n",
		}, "powersave,schedutil"},
	} {
		if got := governor(files(test.files)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestDischarging(t *testing.T) {
	const at = "class/power_supply/"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"none", nil, false},
		{"mains only", map[string]string{at + "AC/type": "Mains\n", at + "AC/online": "1\n"}, false},
		{"charging", map[string]string{at + "BAT0/type": "Battery\n", at + "BAT0/status": "Charging\n"}, false},
		{"discharging", map[string]string{at + "BAT0/type": "Battery\n", at + "BAT0/status": "Discharging\n"}, true},
		{"a mouse", map[string]string{
			at + "hid/type": "Battery\n", at + "hid/scope": "Device\n", at + "hid/status": "Discharging\n",
		}, false},
	} {
		if got := discharging(files(test.files)); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestQuota(t *testing.T) {
	for text, want := range map[string]float64{
		"150000 100000\n": 1.5, "max 100000\n": 0, "": 0, "1 0\n": 0, "rubbish": 0, "50000 x": 0,
	} {
		if got := quota(files(map[string]string{"fs/cgroup/cpu.max": text})); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if got := quota(files(nil)); got != 0 {
		t.Errorf("without the file: %v", got)
	}
}

func TestAdvice(t *testing.T) {
	browser := []Process{{"browser", 7, 0.85}, {"make", 9, 0.12}}
	for _, test := range []struct {
		name   string
		report NoiseReport
		want   []string
	}{
		{"quiet", NoiseReport{Cores: 4, Load: 0.3, Others: 0.01, Governor: "performance"}, nil},
		{"busy", NoiseReport{Cores: 4, Load: 3, Others: 0.24, Busiest: browser}, []string{
			"Other programs use 24% of the CPU (browser 85%, make 12% of a core): stop them, or expect wider intervals.",
		}},
		{"busy with small things", NoiseReport{Cores: 4, Others: 0.24}, []string{
			"Other programs use 24% of the CPU: stop them, or expect wider intervals.",
		}},
		{"was busy", NoiseReport{Cores: 1, Load: 2}, []string{
			"The load average is 2.0 on 1 core: wait until it falls, or expect wider intervals.",
		}},
		{"all at once", NoiseReport{Cores: 8, Steal: 0.05, Quota: 1.5, OnBattery: true, Governor: "powersave"}, []string{
			"The hypervisor takes 5% of the CPU time away: measure on a machine of your own if you can.",
			"This container may use 1.5 of 8 cores and is paused when it used them up: raise its CPU limit.",
			"The machine runs on its battery, which lowers and varies the clock: connect it to power.",
			`The CPU's frequency governor is "powersave": "performance" gives steadier times (sudo cpupower frequency-set -g performance).`,
		}},
		{"a limit that does not bind", NoiseReport{Cores: 2, Quota: 2}, nil},
	} {
		if d := cmp.Diff(test.want, test.report.Advise()); d != "" {
			t.Errorf("%s: %s", test.name, d)
		}
	}
}

func TestSharesBetweenObservations(t *testing.T) {
	start := time.Unix(1000, 0)
	before := observation{
		at:    start,
		total: cpu.TimesStat{User: 100, System: 50, Idle: 1000, Steal: 5, Guest: 30},
		processes: map[int32]activity{
			1: {name: "init", seconds: 9}, 2: {name: "wirecost", own: true, seconds: 1},
			3: {name: "busy", seconds: 10}, 4: {name: "idle", seconds: 4},
		},
	}
	after := observation{ // 4 s later on 2 cores
		at:    start.Add(4 * time.Second),
		total: cpu.TimesStat{User: 103, System: 51, Idle: 1003.2, Steal: 5.8, Guest: 33},
		processes: map[int32]activity{
			1: {name: "init", seconds: 9.1}, 2: {name: "wirecost", own: true, seconds: 2},
			3: {name: "busy", seconds: 12}, 4: {name: "idle", seconds: 4}, 5: {name: "new", seconds: 0.4},
			6: {name: "runner", own: true, seconds: 0.5},
		},
	}
	var got NoiseReport
	after.since(before, &got)
	// 8 core seconds: 3.2 idle, 0.8 stolen, 1.5 our own.
	want := NoiseReport{Others: 2.5 / 8, Steal: 0.1, Busiest: []Process{{"busy", 3, 0.5}, {"new", 5, 0.1}}}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	if d := cmp.Diff(want, got, near); d != "" {
		t.Error(d)
	}
	var none NoiseReport
	before.since(before, &none)
	if d := cmp.Diff(NoiseReport{}, none); d != "" {
		t.Errorf("no time passed: %s", d)
	}
}

func TestDescends(t *testing.T) {
	seen := map[int32]activity{1: {parent: 0}, 2: {parent: 1}, 3: {parent: 2}, 8: {parent: 9}, 9: {parent: 8}}
	for _, test := range []struct {
		pid, ancestor int32
		want          bool
	}{{2, 2, true}, {3, 2, true}, {3, 1, true}, {1, 2, false}, {8, 2, false}, {7, 2, false}} {
		if got := descends(seen, test.pid, test.ancestor); got != test.want {
			t.Errorf("%d under %d: %v", test.pid, test.ancestor, got)
		}
	}
}

// TestNoiseLeavesOutChildren: a busy child of this process is not noise.
func TestNoiseLeavesOutChildren(t *testing.T) {
	if os.Getenv("WIRECOST_TEST_SPIN") != "" {
		for until := time.Now().Add(10 * time.Second); time.Now().Before(until); {
		}
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TestNoiseLeavesOutChildren")
	child.Env = append(os.Environ(), "WIRECOST_TEST_SPIN=1")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	report := Noise(t.Context(), 200*time.Millisecond)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if slices.ContainsFunc(report.Busiest, func(p Process) bool { return int(p.PID) == child.Process.Pid }) {
		t.Errorf("our own child counts as noise: %+v", report)
	}
	for what, share := range map[string]float64{"others": report.Others, "steal": report.Steal} {
		if share < 0 || share > 1 {
			t.Errorf("%s: %v is no share", what, share)
		}
	}
	if len(report.Busiest) > 3 || report.Cores < 1 {
		t.Errorf("%+v", report)
	}
}

func TestNoiseReturnsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	Noise(ctx, time.Minute)
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestPrintable(t *testing.T) {
	if got := printable("a\x1b[31mb\u009bc\x7f é"); got != "a[31mbc é" {
		t.Errorf("%q", got)
	}
}

func TestVersion(t *testing.T) {
	setting := func(k, v string) debug.BuildSetting { return debug.BuildSetting{Key: k, Value: v} }
	for _, test := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"released", debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3"},
		{"from a checkout", debug.BuildInfo{
			Main:     debug.Module{Version: "(devel)"},
			Settings: []debug.BuildSetting{setting("vcs.revision", "0123456789abcdef"), setting("vcs.modified", "true")},
		}, "devel-0123456789ab-modified"},
		{"unmodified", debug.BuildInfo{
			Settings: []debug.BuildSetting{setting("vcs.modified", "false"), setting("vcs.revision", "0123")},
		}, "devel-0123"},
		{"nothing known", debug.BuildInfo{}, "devel"},
	} {
		if got := version(&test.info); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if Version() == "" {
		t.Error("no version")
	}
}

func TestLibraryNamesUnknownModule(t *testing.T) {
	if got := Library("example.com/none"); got != "example.com/none" {
		t.Errorf("%q", got)
	}
}
