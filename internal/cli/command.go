package cli

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"wirecost/internal/env"
	"wirecost/internal/runner"
	"wirecost/internal/store"
)

// starter gives what starts a runner's processes.
type starter func(*runner.Runner) runner.Starter

func cacheDir() (string, error) { return runner.DefaultCache() }

// machine describes where the run takes place; without haste, but never for long.
func (a *App) machine() store.Machine {
	if a.Machine != nil {
		return a.Machine()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return env.Describe(ctx)
}

// noiseTime is how long the machine is watched before measuring.
const noiseTime = 300 * time.Millisecond

// noise tells what disturbs the machine while nothing of ours runs.
func (a *App) noise(ctx context.Context) env.NoiseReport {
	if a.Noise != nil {
		return a.Noise(ctx)
	}
	return env.Noise(ctx, noiseTime)
}

// command is the command line in a form that can be parsed again: every flag
// that was set, then the files.
func (r *running) command(files []string) []string {
	line := []string{"run"}
	r.flags.Visit(func(f *pflag.Flag) {
		if s, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range s.GetSlice() {
				line = append(line, "--"+f.Name+"="+v)
			}
			return
		}
		line = append(line, "--"+f.Name+"="+f.Value.String())
	})
	return append(append(line, "--"), files...)
}
