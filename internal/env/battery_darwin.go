package env

import (
	"context"
	"os/exec"
	"strings"
)

// onBattery tells whether the machine runs on its battery.
func onBattery(ctx context.Context) bool {
	out, err := exec.CommandContext(ctx, "pmset", "-g", "batt").Output()
	return err == nil && strings.Contains(string(out), "'Battery Power'")
}
