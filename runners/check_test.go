package runners_test

import (
	"testing"
	"time"

	"wirecost/internal/runner"
	"wirecost/internal/runner/check"
	"wirecost/internal/runner/runnertest"
	"wirecost/runners"
)

// TestRunnersSpeakTheProtocol builds each runner with all its codecs and
// transports and checks the program for conformance, hard documents and broken
// ones, clients and servers included.
func TestRunnersSpeakTheProtocol(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs: not with -short")
	}
	optimised(t)
	all, err := runner.Load(runners.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		t.Run(r.Runtime, func(t *testing.T) {
			r, builder := runnertest.Runtime(t, r.Runtime)
			vectors, err := check.NewVectors(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			opts, err := vectors.Options()
			if err != nil {
				t.Fatal(err)
			}
			opts.Deadline = time.Minute // the machine may be busy
			opts.Report = func(l check.Line) {
				if l.Skipped != "" {
					t.Logf("%s: %s: %s: %s", l.Rule, l.Codec, l.Expected, l.Skipped)
				}
			}
			sets, err := runner.Sets(vectors.Schema)
			if err != nil {
				t.Fatal(err)
			}
			build, err := builder.Build(t.Context(), r, runner.BuildRequest{
				Model: vectors.Schema.Model, Sets: sets, Codecs: codecNames(r), Transports: r.TransportNames(),
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range build.Dropped {
				t.Errorf("%s is not built: %s", d.Codec, d.Reason)
			}
			for _, d := range build.DroppedTransports {
				t.Errorf("the transport %s is not built: %s", d.Transport, d.Reason)
			}
			findings, err := check.Run(t.Context(), check.Command(build.Command()), opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				t.Error(f)
			}
		})
	}
}
