package cli

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestALongPhaseGoesOnSayingSo(t *testing.T) {
	for mode, want := range map[string]string{
		"plain": "wirecost: building\nwirecost: building: 10 s so far\nwirecost: building: 20 s so far\nwirecost: verifying\n",
		"none":  "",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			l := &live{w: &out, mode: mode, every: 5 * time.Second, now: time.Now, stop: func() {}}
			l.phase("building")
			l.phase("building")
			time.Sleep(25 * time.Second)
			l.phase("verifying")
			l.clear()
			time.Sleep(time.Minute)
			if out.String() != want {
				t.Errorf("%s: %q; want %q", mode, out.String(), want)
			}
		})
	}
}

func TestATerminalIsLeftClean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := &live{w: &out, mode: "auto", every: 5 * time.Second, now: time.Now, stop: func() {}}
		l.phase("building")
		time.Sleep(2500 * time.Millisecond)
		l.measuring("fork 1", func() string { return "a table\nof two lines\n" })
		l.clear()
		const up = "\x1b[1A\x1b[J"
		want := "building …\n" + up + "building … 1 s\n" + up + "building … 2 s\n" + up + "a table\nof two lines\nfork 1 …\n" + "\x1b[3A\x1b[J"
		if out.String() != want {
			t.Errorf("drew %q;\nwant %q", out.String(), want)
		}
		if strings.Count(out.String(), "\n") != 6 {
			t.Errorf("%d lines", strings.Count(out.String(), "\n"))
		}
	})
}
