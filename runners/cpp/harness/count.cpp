// An allocator that counts and passes on to glibc's: a library of its own, loaded
// only into the process that answers "memory" (counter.hpp). So every
// allocation counts, also that of malloc and inside of shared libraries, and
// counting costs nothing where time is measured.
#include <cerrno>
#include <cstddef>
#include <cstdint>

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

static std::uint64_t count, bytes;

static void note(std::size_t n) {
  count++;
  bytes += n;
}

void* malloc(std::size_t n) {
  note(n);
  return __libc_malloc(n);
}

void* calloc(std::size_t n, std::size_t size) {
  note(n * size);
  return __libc_calloc(n, size);
}

void* realloc(void* p, std::size_t n) {
  note(n);
  return __libc_realloc(p, n);
}

void* memalign(std::size_t alignment, std::size_t n) {
  note(n);
  return __libc_memalign(alignment, n);
}

void* aligned_alloc(std::size_t alignment, std::size_t n) { return memalign(alignment, n); }

int posix_memalign(void** p, std::size_t alignment, std::size_t n) {
  *p = memalign(alignment, n);
  return *p == nullptr ? ENOMEM : 0;
}

void wirecost_allocations(std::uint64_t* c, std::uint64_t* b) {
  *c = count;
  *b = bytes;
}

}  // extern "C"
