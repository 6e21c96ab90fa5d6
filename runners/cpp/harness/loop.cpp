#include "harness/loop.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

// In count.cpp, where that is loaded; else null.
extern "C" __attribute__((weak)) void wirecost_allocations(std::uint64_t* count, std::uint64_t* bytes);

namespace harness {

using Clock = std::chrono::steady_clock;

static std::int64_t nanoseconds(Clock::duration d) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
}

__attribute__((noinline)) Timed run(Operation op, const Document* documents, std::size_t count, std::int64_t n) {
  std::uint32_t sum = 0;
  std::size_t next = 0;
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < n; i++) {
    sum += op(documents[next]);
    if (++next == count) next = 0;
  }
  return {nanoseconds(Clock::now() - start), sum};
}

std::uint32_t nothing(const Document&) { return 1; }

std::int64_t clock_step() {
  auto least = Clock::duration::max();
  for (int i = 0; i < 2000; i++) {
    const auto start = Clock::now();
    auto step = Clock::now() - start;
    while (step <= Clock::duration::zero()) step = Clock::now() - start;
    least = std::min(least, step);
  }
  return nanoseconds(least);
}

Usage usage() {
  rusage u;
  if (getrusage(RUSAGE_SELF, &u) != 0) return {-1, -1};
  const auto ns = [](const timeval& t) { return (std::int64_t{t.tv_sec} * 1000000 + t.tv_usec) * 1000; };
  return {ns(u.ru_utime) + ns(u.ru_stime), u.ru_nivcsw};
}

bool counts_allocations() { return wirecost_allocations != nullptr; }

Allocations allocations() {
  Allocations a{};
  wirecost_allocations(&a.count, &a.bytes);
  return a;
}

}  // namespace harness
