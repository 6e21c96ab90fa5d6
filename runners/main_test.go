package runners_test

import (
	"fmt"
	"os"
	"testing"
)

// cargoOptimises is Cargo's setting of how much it optimises.
const cargoOptimises = "CARGO_PROFILE_RELEASE_OPT_LEVEL"

// TestMain has Cargo optimise less than for a run, which measures: what codecs
// write and read is the same, and the tests' many schemas compile in a fraction of
// the time. TestRunnersSpeakTheProtocol tries what runs use.
func TestMain(m *testing.M) {
	if err := os.Setenv(cargoOptimises, "0"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
