package work

import (
	"errors"
	"testing"
)

// BenchmarkRepeat is what "go test" measures in the head-to-head.
func BenchmarkRepeat(b *testing.B) {
	message := Message()
	for _, arm := range Arms {
		times, err := Times(arm)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(arm, func(b *testing.B) {
			for b.Loop() {
				if err := Repeat(message, times); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestArms(t *testing.T) {
	for arm, want := range map[string]int{"100a": 100, "100m": 100, "102a": 102, "203a": 203} {
		if got, err := Times(arm); err != nil || got != want {
			t.Errorf("%s: %d times, error %v; want %d", arm, got, err, want)
		}
	}
	for _, arm := range []string{"", "a", "0a", "-3a", "100z"} {
		if n, err := Times(arm); err == nil {
			t.Errorf("%q: %d times; want an error", arm, n)
		}
	}
}

func TestRunDoesTheWork(t *testing.T) {
	wall, sum, err := Run(Of(Message(), 100), 7)
	if err != nil || sum != 7 || wall <= 0 {
		t.Errorf("sum %d in %v, error %v; want 7", sum, wall, err)
	}
	if _, sum, err := Run(Nothing, 5); err != nil || sum != 5 {
		t.Errorf("nothing: sum %d, error %v", sum, err)
	}
	if _, _, err := Run(Of([]byte{0xff}, 1), 1); err == nil {
		t.Error("a broken message was decoded")
	}
	// A message that is decoded to something else does not pass for work.
	if err := Repeat(nil, 3); !errors.Is(err, ErrWork) {
		t.Errorf("an empty message: error %v", err)
	}
}
