package runners_test

import (
	"fmt"
	"os"
	"testing"
)

// unoptimised are settings with which compilers do less than for a run, which
// measures: what codecs write and read is the same, and the tests' many schemas
// compile in a fraction of the time.
var unoptimised = map[string]string{"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0", "CXXFLAGS": "-O0"}

// TestMain has everything compiled like that, but for TestRunnersSpeakTheProtocol.
func TestMain(m *testing.M) {
	for name, value := range unoptimised {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// optimised has compilers do for a test what they do for a run.
func optimised(t *testing.T) {
	t.Helper()
	for name := range unoptimised {
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
}
