package runner

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// TestTheSystemBoundsAProcess looks at what the system lets a runner allocate that
// has no option for it.
func TestTheSystemBoundsAProcess(t *testing.T) {
	b := &Build{Runner: &Runner{Manifest: Manifest{Run: []string{"cat"}, Memory: &Memory{Beside: 10e6, Exhausted: "x"}}}, Dir: t.TempDir()}
	for room, want := range map[Room]string{{Bytes: 60e6}: "50000000", {}: "unlimited"} {
		p, err := b.Within(room, "env").Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", p.(*Child).cmd.Process.Pid))
		_ = p.Close() // cat answers nothing
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`Max data size +` + want + " ").Match(limits) {
			t.Errorf("%+v: want a data size of %s in\n%s", room, want, limits)
		}
	}
}

// TestBoundBearsAnEnd: a runner that ends at once shall be heard.
func TestBoundBearsAnEnd(t *testing.T) {
	c := exec.Command("true")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if err := bound(c.Process, 1e6); err != nil {
		t.Error(err)
	}
}
