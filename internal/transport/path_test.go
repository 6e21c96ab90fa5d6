package transport

import (
	"context"
	"testing"
	"time"
)

func TestOpen(t *testing.T) {
	p, err := Open(ModeRelay, "127.0.0.1:1", linkOf("1mbit"))
	if err != nil || len(p.Prefix()) != 0 {
		t.Fatal(p, err)
	}
	must(t, p.Close())
	for _, mode := range []Mode{"", "wire"} {
		if p, err := Open(mode, "127.0.0.1:1", linkOf("1mbit")); err == nil || p != nil {
			t.Errorf("mode %q gives %v", mode, p)
		}
	}
}

func TestAlarm(t *testing.T) {
	for name, make := range map[string]newAlarm{"plain": plainAlarm, "precise": preciseAlarm} {
		ctx, cancel := context.WithCancel(t.Context())
		a := make(ctx)
		for range 3 {
			until := time.Now().Add(2 * time.Millisecond)
			if !a.wait(until) || time.Now().Before(until) {
				t.Errorf("%s: woken before its time", name)
			}
			if !a.wait(until) {
				t.Errorf("%s: a time that is past", name)
			}
		}
		time.AfterFunc(2*time.Millisecond, cancel)
		if a.wait(time.Now().Add(time.Hour)) || a.wait(time.Now()) || a.wait(time.Now().Add(time.Hour)) {
			t.Errorf("%s: goes on after its context's end", name)
		}
		a.stop()
	}
}

func TestOneWay(t *testing.T) {
	if w := waking(); w < 0 || w > 100*time.Microsecond || w != waking() {
		t.Errorf("waking up takes %s", w)
	}
	if got := oneWay(20e6, 50*time.Microsecond); got != 9900*time.Microsecond {
		t.Errorf("of a round trip of 20 ms, %s remain", got)
	}
	if got := oneWay(100e3, 100*time.Microsecond); got != 0 {
		t.Errorf("of a round trip of 0.1 ms, %s remain", got)
	}
}
