// The timing loop, the clock, and what the process has used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/codec.hpp"

namespace harness {

struct Timed {
  std::int64_t ns;
  std::uint32_t sum;
};

// run does n operations on documents in turn and times the whole loop. It is the
// same machine code for every codec, and for nothing; it allocates nothing.
Timed run(Operation op, const Document* documents, std::size_t count, std::int64_t n);

// nothing is the operation that the loop's own cost is measured with.
std::uint32_t nothing(const Document&);

// clock_step is the smallest difference that two readings of the clock showed.
std::int64_t clock_step();

// Usage is what the process has used so far; -1 where the system cannot tell.
struct Usage {
  std::int64_t cpu;          // nanoseconds, all threads
  std::int64_t preemptions;  // involuntary context switches, all threads
};

Usage usage();

// Allocations are those of the process so far, whoever made them.
struct Allocations {
  std::uint64_t count, bytes;
};

// counts_allocations tells whether this process runs with the allocator that
// counts (count.cpp); only then may allocations be asked for.
bool counts_allocations();
Allocations allocations();

}  // namespace harness
