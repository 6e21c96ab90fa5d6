package runner

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Room is the memory that a runner's process may take.
type Room struct {
	Bytes    int64 // in all; 0: as much as it likes
	Document int64 // bytes of the largest document that it will get
	Asked    bool  // it was asked for, and holds whatever the documents are
}

// How many times the documents' bytes a process may hold: twice in memory; a server
// or a client has the objects of all codecs, buffers for requests and responses,
// and should collect garbage no more often than in a program of its own.
const (
	roomTimes     = 2
	wireRoomTimes = 80
	roomBeside    = 200_000_000
)

// RoomFor is what a process may take that times the documents in memory: twice
// their bytes and 200 MB.
func RoomFor(documents []int) Room { return roomFor(documents, roomTimes) }

// WireRoomFor is what a server or a client may take: 80 times the documents' bytes
// and 200 MB.
func WireRoomFor(documents []int) Room { return roomFor(documents, wireRoomTimes) }

func roomFor(documents []int, times int64) Room {
	r := Room{Bytes: roomBeside}
	for _, n := range documents {
		r.Bytes += times * int64(n)
		r.Document = max(r.Document, int64(n))
	}
	return r
}

// Memory is how a runner is kept within its room. With an option, which stands in
// the command for {memory}, the runtime sees to it; without, the system does (on
// Linux: what a process allocates, setrlimit(2)'s RLIMIT_DATA).
type Memory struct {
	// Option has {bytes} or {MiB} where what the room leaves is to stand.
	Option    string `json:"option,omitempty"`
	Beside    int64  `json:"beside"`              // bytes that the process takes besides what is bounded
	Least     int64  `json:"least,omitempty"`     // bytes that the option always grants
	Documents int64  `json:"documents,omitempty"` // the option is given only where a document has as many bytes, or a room was asked for
	Exhausted string `json:"exhausted"`           // regular expression for what is written where that is not enough
}

// memoryMark stands for the option. The word goes where there is none.
const memoryMark = "{memory}"

func (m *Memory) check(run []string) error {
	marked := slices.Contains(run, memoryMark)
	switch {
	case m == nil && marked:
		return fmt.Errorf("run has %s; add memory, which says what that is", memoryMark)
	case m == nil:
		return nil
	case marked != (m.Option != ""):
		return fmt.Errorf("memory has an option exactly where run has the word %s", memoryMark)
	case m.Beside < 0 || m.Least < 0 || m.Documents < 0:
		return errors.New("a number of memory is negative")
	}
	if _, err := regexp.Compile(m.Exhausted); err != nil || m.Exhausted == "" {
		return fmt.Errorf("memory.exhausted is %q; want a regular expression", m.Exhausted)
	}
	return nil
}

// grants is what a room leaves for what is bounded, in bytes.
func (m *Memory) grants(r Room) int64 { return max(r.Bytes-m.Beside, m.Least, 1<<20) }

// words puts the option into a command.
func (m *Memory) words(run []string, r Room) []string {
	var out []string
	for _, w := range run {
		switch {
		case w != memoryMark:
			out = append(out, w)
		case r.Bytes > 0 && (r.Asked || r.Document >= m.Documents):
			n := m.grants(r)
			out = append(out, strings.NewReplacer("{bytes}", strconv.FormatInt(n, 10), "{MiB}", strconv.FormatInt(n>>20, 10)).Replace(m.Option))
		}
	}
	return out
}

// limit is what the system shall let a process allocate, in bytes; 0: anything.
func (m *Memory) limit(r Room) int64 {
	if m == nil || m.Option != "" || r.Bytes == 0 {
		return 0
	}
	return m.grants(r)
}

// MemoryError says that a runner needs more memory than it may take.
type MemoryError struct{ Room Room }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("needs more than the %d MB of memory that a runner may take here; --max-memory gives it more", e.Room.Bytes/1e6)
}

// exhaustion finds out whether an error means that memory was exhausted.
func (m *Memory) exhaustion(r Room) func(error) error {
	if m == nil || r.Bytes == 0 {
		return nil
	}
	said := regexp.MustCompile(m.Exhausted)
	return func(err error) error {
		if !said.MatchString(err.Error()) {
			return err
		}
		var broken *ProcessError
		if errors.As(err, &broken) {
			return &ProcessError{What: (&MemoryError{r}).Error(), Cause: &MemoryError{r}}
		}
		return &MemoryError{r}
	}
}

// Within starts the build's processes with so much room, and with words before
// their command.
func (b *Build) Within(room Room, prefix ...string) Starter {
	return placed{b, room, prefix}
}

type placed struct {
	build  *Build
	room   Room
	prefix []string
}

// Start implements Starter.
func (w placed) Start(ctx context.Context) (Process, error) {
	child, err := w.build.start(ctx, w.room, w.prefix)
	if err != nil {
		return nil, err // not a nil *Child in a Process
	}
	return child, nil
}
