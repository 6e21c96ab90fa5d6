// The process that counts allocations: this program again, under count.cpp.
#pragma once

#include <cstdio>
#include <string>

#include <sys/types.h>

namespace harness {

class Counter {
 public:
  Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() { stop(); }

  // ask gives the process's reply to a request. A fresh one gets the request
  // that prepares it first.
  std::string ask(const std::string& prepare, const std::string& request);
  void stop();

 private:
  pid_t pid_ = -1;
  std::FILE* in_ = nullptr;   // its requests
  std::FILE* out_ = nullptr;  // its replies

  void start();
  std::string exchange(const std::string& request);
};

// Skipped is thrown by what could not be tried.
struct Skipped {
  std::string why;
};

}  // namespace harness
