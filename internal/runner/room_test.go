package runner

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestRoom(t *testing.T) {
	if have, want := RoomFor([]int{1_000_000, 7_000_000}), (Room{Bytes: 216_000_000, Document: 7_000_000}); have != want {
		t.Errorf("have %+v; want %+v", have, want)
	}
	if have, want := WireRoomFor([]int{1_000_000}), (Room{Bytes: 280_000_000, Document: 1_000_000}); have != want {
		t.Errorf("over a wire: have %+v; want %+v", have, want)
	}
}

func TestMemoryOption(t *testing.T) {
	for _, x := range []struct {
		memory Memory
		room   Room
		option string // empty: none
		limit  int64
	}{
		{Memory{Option: "-m={bytes}", Beside: 50e6}, Room{Bytes: 200e6, Document: 5}, "-m=150000000", 0},
		{Memory{Option: "-m={MiB}", Beside: 50e6}, Room{Bytes: 50e6 + 99<<20 + 7, Document: 5}, "-m=99", 0},
		{Memory{Option: "-m={bytes}", Beside: 50e6}, Room{}, "", 0},
		{Memory{Option: "-m={bytes}", Beside: 50e6, Least: 160e6}, Room{Bytes: 200e6, Document: 5}, "-m=160000000", 0},
		{Memory{Option: "-m={bytes}", Documents: 6}, Room{Bytes: 200e6, Document: 5}, "", 0},
		{Memory{Option: "-m={bytes}", Documents: 6}, Room{Bytes: 200e6, Document: 5, Asked: true}, "-m=200000000", 0},
		{Memory{Option: "-m={bytes}", Documents: 5}, Room{Bytes: 200e6, Document: 5}, "-m=200000000", 0},
		{Memory{Beside: 50e6}, Room{Bytes: 200e6, Document: 5}, "", 150e6},
		{Memory{Beside: 50e6}, Room{Bytes: 10e6, Document: 5}, "", 1 << 20},
		{Memory{Beside: 50e6}, Room{}, "", 0},
	} {
		words := []string{"./runner", "last"}
		if x.memory.Option != "" {
			words = []string{"./runner", memoryMark, "last"}
		}
		want := []string{"./runner", "last"}
		if x.option != "" {
			want = []string{"./runner", x.option, "last"}
		}
		if have := x.memory.words(words, x.room); !reflect.DeepEqual(have, want) {
			t.Errorf("%+v in %+v: %q; want %q", x.memory, x.room, have, want)
		}
		if have := x.memory.limit(x.room); have != x.limit {
			t.Errorf("%+v in %+v: limit %d; want %d", x.memory, x.room, have, x.limit)
		}
	}
	if n := (*Memory)(nil).limit(Room{Bytes: 200e6, Document: 5}); n != 0 {
		t.Errorf("limit %d of a runner that is not bounded", n)
	}
}

// TestExhaustion tells want of memory from what else goes wrong.
func TestExhaustion(t *testing.T) {
	room := Room{Bytes: 216e6, Document: 8e6}
	see := (&Memory{Exhausted: "heap (is full|exhausted)"}).exhaustion(room)
	for _, x := range []struct {
		err   error
		short bool
	}{
		{&FailedError{"document 3: heap exhausted"}, true},
		{&ProcessError{What: "ended", Stderr: "fatal: heap is full"}, true},
		{&FailedError{"document 3: no heap"}, false},
		{&ProcessError{What: "ended"}, false},
	} {
		have := see(x.err)
		var short *MemoryError
		if errors.As(have, &short) != x.short || !x.short && have != x.err {
			t.Errorf("%v: %v; want of memory: %v", x.err, have, x.short)
		}
		if x.short && !strings.HasSuffix(have.Error(), "needs more than the 216 MB of memory that a runner may take here; --max-memory gives it more") {
			t.Errorf("it says: %v", have)
		}
		var was, is *ProcessError
		if errors.As(x.err, &was) != errors.As(have, &is) {
			t.Errorf("%v became %v: whether the process is gone is lost", x.err, have)
		}
	}
	if (&Memory{Exhausted: "x"}).exhaustion(Room{}) != nil || (*Memory)(nil).exhaustion(room) != nil {
		t.Error("there is a bound without a room, or without a word of it")
	}
}
