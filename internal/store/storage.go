package store

import "strings"

// Embedded reports whether a server, as Storage names it, runs within wirecost:
// what it takes of memory says nothing of a real one.
func Embedded(server string) bool { return strings.Contains(server, "embedded") }

// leastGrowth is how much used_memory has to grow, in bytes, to say something of
// the keys: a server takes and frees some ten kilobytes for other things.
const leastGrowth = 100_000

// PerKey gives what a key takes, in bytes: its value, by MEMORY USAGE and by the
// growth of used_memory. What is not known, or says nothing, is 0.
func (s *Storage) PerKey() (value, usage, growth float64) {
	keys := float64(max(1, s.Keys))
	value = float64(s.ValueBytes) / keys
	if Embedded(s.Server) {
		return value, 0, 0
	}
	if s.MemoryUsage > 0 {
		usage = float64(s.MemoryUsage) / keys
	}
	if s.UsedMemory >= leastGrowth {
		growth = float64(s.UsedMemory) / keys
	}
	return value, usage, growth
}
